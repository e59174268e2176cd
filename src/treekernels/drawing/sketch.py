"""The part of a tree that is drawn. A large one is cut, and each cut is marked by an ellipsis."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np

from treekernels.tree import Tree

__all__ = ["ELLIPSIS", "Sketch", "printable", "sketch", "visible"]

ELLIPSIS = "…"
LEVELS = 40
_LONGEST = 40  # characters of a label


@dataclass
class Sketch:
    """Nodes to be drawn, parents before children; children are in order.

    Attributes
    ----------
    labels : list of str
    parents : list of int
        -1 for the root.
    children : list of list of int
    positions : list of int
        The place of each node in the whole tree, parents before children and from left to right;
        -1 for an ellipsis.
    drawn, hidden : int
        How many nodes of the tree are drawn and not drawn.
    """

    labels: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    hidden: int = 0
    drawn: int = 0

    def __len__(self) -> int:
        return len(self.labels)

    def add(self, label: str, parent: int, position: int) -> int:
        """Add a node after its older brothers, and give its number."""
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
        """Give the nodes with parents before children, from left to right."""
        order, open_ = [], [0]
        while open_:
            node = open_.pop()
            order.append(node)
            open_.extend(reversed(self.children[node]))
        return order


def sketch(tree: Tree, max_nodes: int, marked: Collection[int] = ()) -> Sketch:
    """Choose what to draw: what leads to marked positions first, and then level by level."""
    if max_nodes < 1:
        raise ValueError(f"max_nodes must be at least 1, not {max_nodes}")
    dag = tree._dag
    marks = sorted(marked)
    found = Sketch()
    size = tree.size
    found.add(dag.label(tree._node), -1, 0)
    open_ = [(False, 0, 0, tree._node, size)]
    while open_:
        _, level, number, node, size = heapq.heappop(open_)
        children = dag.children(node)
        if not children:
            continue
        room = max_nodes - found.drawn if level + 1 < LEVELS else 0
        shown = children[: max(0, room)]
        position = found.positions[number] + 1
        for child, below in zip(shown, _sizes(tree, shown, size), strict=True):
            added = found.add(dag.label(child), number, position)
            far = bisect_left(marks, position) == bisect_left(marks, position + below)
            heapq.heappush(open_, (far, level + 1, added, child, below))
            position += below
        if len(shown) < len(children):
            found.add(ELLIPSIS, number, -1)
    found.hidden = tree.size - found.drawn
    return found


def _sizes(tree: Tree, nodes: list[int], parent_size: int) -> list[int]:
    if len(nodes) == 1:
        return [parent_size - 1]
    return [int(size) for size in tree._dag.sizes(np.array(nodes, np.uint32))[0]]


def visible(label: str) -> str:
    r"""Give a label as it can be shown: not too long, and with marks for what cannot be seen.

    Examples
    --------
    >>> visible("two words"), visible("a\nb"), visible(" ")
    ('two words', 'a␊b', '␣')
    """
    if len(label) > _LONGEST:
        label = label[: _LONGEST - 1] + ELLIPSIS
    shown = printable(label)
    return shown if shown.strip() else "␣" * len(shown)


def printable(text: str) -> str:
    """Give a text with marks for the characters that neither XML nor a terminal takes."""
    return text if text.isprintable() else "".join(map(_printable, text))


def _printable(character: str) -> str:
    code = ord(character)
    if code < 32:
        return chr(0x2400 + code)
    if 127 <= code < 160 or code & 0xFFFE == 0xFFFE or 0xD800 <= code < 0xE000:
        return "\N{REPLACEMENT CHARACTER}"
    return character
