"""Trees built node by node, as a parser comes across them, and without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np

from treekernels import _native
from treekernels.common.limits import check_depth, get_limits, long_label, too_many_nodes
from treekernels.data.forest import Forest, Source
from treekernels.data.tree import Tree
from treekernels.errors import DataError

_FLUSH = 1 << 20


def as_label(text: str) -> str:
    r"""Return a label for any text: nothing is written ``""``, and NUL ``\0``."""
    if not text:
        return '""'
    if "\0" in text:
        text = text.replace("\0", "\\0")
    if reason := long_label(text):
        raise DataError(reason)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


class Builder:
    """Takes the nodes of one tree after the other, and makes a forest of them.

    Parameters
    ----------
    deep : bool
        Whether trees may have any depth. If another library has parsed them, False keeps to the
        limit `library_depth`.
    """

    def __init__(self, *, deep: bool = True) -> None:
        self._deep = deep
        self._dag = _native.Dag()
        self._roots = [np.empty(0, np.uint32)]
        self._labels: list[str] = []
        self._arities: list[int] = []
        self._open_labels: list[str] = []
        self._counts: list[int] = [0]
        self._begin = 0

    @property
    def depth(self) -> int:
        """How many nodes are open."""
        return len(self._open_labels)

    def open(self, label: str) -> None:
        """Begin a node; what follows is below it."""
        self._open_labels.append(as_label(label))
        if not self._deep:
            check_depth(len(self._open_labels))
        self._counts.append(0)

    def leaf(self, label: str) -> None:
        """Add a node without children."""
        self._add(as_label(label), 0)

    def close(self) -> None:
        """End the node that was begun last."""
        self._add(self._open_labels.pop(), self._counts.pop())

    def _add(self, label: str, arity: int) -> None:
        self._labels.append(label)
        self._arities.append(arity)
        self._counts[-1] += 1
        if not self._open_labels:
            self._begin = len(self._labels)
            if self._begin >= _FLUSH:
                self._flush()

    def abandon(self) -> None:
        """Forget the tree that is open."""
        del self._labels[self._begin :], self._arities[self._begin :]
        self._open_labels, self._counts = [], [0]

    def forest(self, source: Source | None = None) -> Forest:
        """Return all trees, and what they are of if that is known."""
        self._flush()
        return Forest.from_roots(self._dag, np.concatenate(self._roots), source=source)

    def tree(self) -> Tree:
        """Return the only tree."""
        (tree,) = self.forest()
        return tree

    def _flush(self) -> None:
        arities = np.array(self._arities, np.uint32)
        self._roots.append(self._dag.add_postorder(self._labels, arities))
        self._labels, self._arities, self._begin = [], [], 0


Node: TypeAlias = tuple[str, Iterable[Any]]
"""The label of a node, and its children, among which a text is a leaf."""

Expand: TypeAlias = Callable[[Any], Node]


def add_nodes(builder: Builder, root: Any, expand: Expand, *, limited: bool = True) -> None:
    """Add a tree of objects, which `expand` takes apart, and which may hold None as well.

    Objects may be shared, so that there are more nodes than objects: their number is `limited`.
    """
    # A node is on the stack twice: to be opened, and, with a mark, to be closed.
    stack: list[tuple[Any, bool]] = [(root, False)]
    ancestors: set[int] = set()
    most = get_limits().unfolded_nodes
    nodes = 0
    while stack:
        node, is_done = stack.pop()
        if is_done:
            builder.close()
            ancestors.discard(id(node))
            continue
        nodes += 1
        if limited and nodes > most:
            raise too_many_nodes()
        if isinstance(node, str) and nodes > 1:
            builder.leaf(node)
            continue
        if id(node) in ancestors:
            raise DataError("an object is below itself, and so these objects are not a tree")
        text, below = expand(node)
        builder.open(text)
        ancestors.add(id(node))
        stack.append((node, True))
        stack.extend((child, False) for child in reversed(list(below)) if child is not None)


def tree_of_nodes(root: Any, expand: Expand, *, limited: bool = True) -> Tree:
    """Return the tree of objects, as `add_nodes` adds it."""
    builder = Builder()
    add_nodes(builder, root, expand, limited=limited)
    return builder.tree()
