"""The nodes of a tree by number, so that you can point at them."""

from __future__ import annotations

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Indices
from treekernels.data.tree import Tree
from treekernels.errors import DataError

__all__ = ["Outline"]


class Outline:
    """The nodes of one tree, numbered with parents before children and from left to right.

    The root is node 0. Words are leaves, and are counted from 0 as well. A span of words
    ``(begin, end)`` does not include `end`.

    Attributes
    ----------
    labels : list of str
    parents : array
        -1 for the root.
    begins, ends : array
        The span of words below each node.
    stops : array
        For each node, the number after that of the last node below it, so that
        ``range(node, stops[node])`` is its subtree.

    Examples
    --------
    >>> import treekernels as tk
    >>> tree = tk.Forest(["(S (NP (DT the) (NN dog)) (VP (VBZ barks)))"])[0]
    >>> outline = tk.structures.Outline(tree)
    >>> outline.labels[:4]
    ['S', 'NP', 'DT', 'the']
    >>> outline.node((0, 2)), outline.node((2, 3)), outline.node((2, 3), highest=False)
    (1, 6, 8)
    >>> outline.nodes_labelled("NN", "VBZ")
    [4, 7]
    """

    def __init__(self, tree: Tree) -> None:
        if not isinstance(tree, Tree):
            raise DataError(f"a Tree was expected, not {type(tree).__name__}")
        nodes, parents, stops, begins, ends = _native.outline(tree.dag, tree.node)
        self.labels: list[str] = _native.labels_of(tree.dag, nodes)
        self.parents: Indices = parents.astype(np.int64)
        self.parents[0] = -1
        self.stops: Indices = stops.astype(np.int64)
        self.begins: Indices = begins.astype(np.int64)
        self.ends: Indices = ends.astype(np.int64)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def leaves(self) -> Indices:
        """The numbers of the leaves."""
        return np.flatnonzero(self.stops == np.arange(len(self)) + 1)

    @property
    def preterminals(self) -> Indices:
        """The numbers of the nodes that have leaves for children, and nothing else."""
        is_leaf = self.stops == np.arange(len(self)) + 1
        is_preterminal = ~is_leaf
        is_preterminal[self.parents[1:][~is_leaf[1:]]] = False
        return np.flatnonzero(is_preterminal)

    def children(self, node: int) -> list[int]:
        """Return the numbers of a node's children."""
        children = []
        child = node + 1
        while child < self.stops[node]:
            children.append(child)
            child = int(self.stops[child])
        return children

    def nodes_labelled(self, *labels: str) -> list[int]:
        """Return the numbers of the nodes with one of these labels."""
        return [number for number, label in enumerate(self.labels) if label in labels]

    def node(self, span: tuple[int, int], *, highest: bool = True) -> int:
        """Return the node with exactly these words: the highest of a unary chain, or the lowest.

        Raises
        ------
        ValueError
            If there is no such node. `nodes` returns several nodes that have the words together.
        """
        begin, end = self._check_span(span)
        nodes = np.flatnonzero((self.begins == begin) & (self.ends == end))
        if not len(nodes):
            raise DataError(f"no node has exactly the words {begin} to {end - 1}")
        return int(nodes[0] if highest else nodes[-1])

    def nodes(self, span: tuple[int, int]) -> list[int]:
        """Return the fewest nodes that together have exactly these words."""
        begin, end = self._check_span(span)
        inside = (self.begins >= begin) & (self.ends <= end)
        inside[1:] &= ~inside[self.parents[1:]]  # the highest only
        return [int(number) for number in np.flatnonzero(inside)]

    def position(self, node: int) -> tuple[int, ...]:
        """Return the path from the root as in NLTK: the place among the children at each step."""
        steps = []
        while node > 0:
            parent = int(self.parents[node])
            steps.append(self.children(parent).index(node))
            node = parent
        return tuple(reversed(steps))

    def at(self, position: tuple[int, ...]) -> int:
        """Return the number of the node at a position, the inverse of `position`."""
        node = 0
        for step in position:
            node = self.children(node)[step]
        return node

    def _check_span(self, span: tuple[int, int]) -> tuple[int, int]:
        begin, end = span
        if not 0 <= begin < end <= self.ends[0]:
            raise DataError(
                f"({begin}, {end}) is not a span of words: it is (first, one after the last), and "
                f"the tree has {self.ends[0]}"
            )
        return begin, end
