"""The part of a tree that is drawn. If a tree is too large, an ellipsis marks where it was cut."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass, field

from treekernels.drawing.drawable import DrawableTree
from treekernels.drawing.markup import visible_text
from treekernels.errors import ParameterError

ELLIPSIS = "…"
LEVELS = 40
_LONGEST = 40  # characters of a label


@dataclass
class Sketch:
    """Nodes to be drawn, parents before children; children are in order."""

    labels: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)  # -1 for the root
    children: list[list[int]] = field(default_factory=list)
    # The place of each node in the whole tree, parents before children and from left to right; -1
    # for an ellipsis.
    positions: list[int] = field(default_factory=list)
    hidden: int = 0  # nodes of the tree that are not drawn
    drawn: int = 0  # and those that are

    def __len__(self) -> int:
        return len(self.labels)

    def add(self, label: str, parent: int, position: int) -> int:
        """Add a node after its older siblings, and return its number."""
        number = len(self.labels)
        self.labels.append(label)
        self.parents.append(parent)
        self.children.append([])
        self.positions.append(position)
        self.drawn += position >= 0
        if parent >= 0:
            self.children[parent].append(number)
        return number

    def preorder(self) -> list[int]:
        """Return the nodes with parents before children, from left to right."""
        order, pending = [], [0]
        while pending:
            node = pending.pop()
            order.append(node)
            pending.extend(reversed(self.children[node]))
        return order


def sketch(tree: DrawableTree, max_nodes: int, marked: Collection[int] = ()) -> Sketch:
    """Return what to draw: first what leads to marked positions, then the rest level by level."""
    if max_nodes < 1:
        raise ParameterError(f"max_nodes must be at least 1, not {max_nodes}")
    marks = sorted(marked)
    result = Sketch()
    result.add(tree.label, -1, 0)
    # Trees cannot be compared with each other, but no two nodes of a sketch have the same number.
    pending = [(False, 0, 0, tree.size)]
    trees = [tree]
    while pending:
        _, level, number, size = heapq.heappop(pending)
        children = trees[number].children
        if not children:
            continue
        room = max_nodes - result.drawn if level + 1 < LEVELS else 0
        visible_children = children[: max(0, room)]
        position = result.positions[number] + 1
        for child in visible_children:
            # An only child needs no count, so that a long chain costs no more than its nodes.
            below = size - 1 if len(children) == 1 else child.size
            child_number = result.add(child.label, number, position)
            trees.append(child)
            is_unmarked = bisect_left(marks, position) == bisect_left(marks, position + below)
            heapq.heappush(pending, (is_unmarked, level + 1, child_number, below))
            position += below
        if len(visible_children) < len(children):
            result.add(ELLIPSIS, number, -1)
            trees.append(tree)  # never opened: it keeps the numbers in step
    result.hidden = tree.size - result.drawn
    return result


def visible_label(label: str) -> str:
    r"""Return a label as it can be shown: not too long, and with marks for what cannot be seen.

    Examples
    --------
    >>> visible_label("two words"), visible_label("a\nb"), visible_label(" ")
    ('two words', 'a␊b', '␣')
    """
    if len(label) > _LONGEST:
        label = label[: _LONGEST - 1] + ELLIPSIS
    text = visible_text(label)
    return text if text.strip() else "␣" * len(text)
