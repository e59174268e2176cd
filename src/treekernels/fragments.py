"""The fragments of a weighted forest with the largest weights, found without listing all of them.

A fragment is grown from a production, one open node after the other: it is cut there, or takes one
of the productions that the trees have in that place. The trees that still match only become fewer,
so what they weigh together bounds the weight of everything that can grow from a fragment, and the
best come first.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.forest import Forest
from treekernels.tree import Tree

__all__ = ["Arrays", "Found", "best_subset_trees", "best_subtrees"]

Nodes = NDArray[np.int64]
Weights = NDArray[np.float64]


class Arrays:
    """The DAG of some trees as arrays: labels, productions, children."""

    def __init__(self, forest: Forest) -> None:
        text, offsets, labels, self.first, children, roots = forest.__getstate__()
        self.labels = [
            bytes(text[start:end]).decode()
            for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
        ]
        self.label = labels.astype(np.int64)
        self.children = children.astype(np.int64)
        self.first = self.first.astype(np.int64)
        self.roots = roots.astype(np.int64)
        self.arity = np.diff(self.first)
        self.production = self._productions()

    def _productions(self) -> Nodes:
        known: dict[tuple[int, ...], int] = {}
        self.shapes: list[tuple[int, ...]] = []
        productions = np.full(len(self.label), -1, np.int64)
        below = self.label[self.children].tolist()
        first = self.first.tolist()
        for node, label in enumerate(self.label.tolist()):
            start, end = first[node], first[node + 1]
            if start == end:
                continue
            shape = (label, *below[start:end])
            number = known.setdefault(shape, len(known))
            if number == len(self.shapes):
                self.shapes.append(shape)
            productions[node] = number
        return productions

    def subtree(self, node: int) -> Tree:
        """Give a subtree."""
        opened: list[list[Any]] = [[]]
        open_: list[int | None] = [node]
        while open_:
            one = open_.pop()
            if one is None:
                _close(opened)
            elif self.arity[one] == 0:
                opened[-1].append(self.labels[self.label[one]])
            else:
                opened.append([self.labels[self.label[one]]])
                open_.append(None)
                open_ += self.children[self.first[one] : self.first[one + 1]][::-1].tolist()
        return Forest.from_trees(opened[0])[0]

    def fragment(self, decisions: tuple[int, ...]) -> Tree:
        """Give the fragment that decisions make, depth first: a production, or -1 for a cut."""
        opened: list[list[Any]] = [[]]
        left = iter(decisions)
        open_: list[int | None] = [self.shapes[decisions[0]][0]]
        while open_:
            label = open_.pop()
            if label is None:
                _close(opened)
                continue
            chosen = next(left)
            if chosen < 0:
                opened[-1].append(self.labels[label])
            else:
                opened.append([self.labels[label]])
                open_.append(None)
                open_ += reversed(self.shapes[chosen][1:])
        return Forest.from_trees(opened[0])[0]

    def trees_with(self, matches: Nodes, roots: Nodes) -> int:
        """Count the roots below which there is one of the nodes."""
        if not hasattr(self, "_parents"):
            order = np.argsort(self.children, kind="stable")
            self._parents = np.repeat(np.arange(len(self.label)), self.arity)[order]
            self._parent_first = np.searchsorted(
                self.children[order], np.arange(len(self.label) + 1)
            )
        reached = np.zeros(len(self.label), bool)
        reached[matches] = True
        front = matches
        while len(front):
            above = [
                self._parents[self._parent_first[node] : self._parent_first[node + 1]]
                for node in front.tolist()
            ]
            found = np.unique(np.concatenate(above)) if above else front[:0]
            front = found[~reached[found]]
            reached[front] = True
        return int(reached[roots].sum())


def _close(opened: list[list[Any]]) -> None:
    done = opened.pop()
    opened[-1].append(done)


@dataclass
class Found:
    """A fragment, its weight and size in productions, and the nodes where it begins."""

    tree: Tree
    weight: float
    size: int
    matches: Nodes


@dataclass
class _Side:
    """Where a fragment matches: the nodes where it begins, and those at each of its open ends."""

    begins: Nodes
    ends: list[Nodes] = field(default_factory=list)

    def at(self, arrays: Arrays, rows: Nodes, production: int) -> _Side:
        """Give what is left when the last open end takes a production, where it has it."""
        ends = [end[rows] for end in self.ends[:-1]]
        first = arrays.first[self.ends[-1][rows]]
        for child in reversed(range(len(arrays.shapes[production]) - 1)):
            ends.append(arrays.children[first + child])
        return _Side(self.begins[rows], ends)

    def cut(self) -> _Side:
        return _Side(self.begins, self.ends[:-1])


def best_subtrees(
    arrays: Arrays, weights: Weights, decay: float, counts: Weights | None = None
) -> Iterator[Found]:
    """Give whole subtrees by weight, the largest first, while it is above zero.

    Parameters are those of `best_subset_trees`.
    """
    sizes = np.zeros(len(weights))
    for node in np.flatnonzero(arrays.arity):
        children = arrays.children[arrays.first[node] : arrays.first[node + 1]]
        sizes[node] = 1 + sizes[children].sum()
    values = weights * (decay ** (sizes / 2) if counts is None else counts * decay**sizes)
    values[sizes == 0] = 0
    for node in np.argsort(-values, kind="stable"):
        if values[node] <= 0:
            return
        tree = arrays.subtree(int(node))
        yield Found(tree, float(values[node]), int(sizes[node]), np.array([node]))


def best_subset_trees(
    arrays: Arrays, weights: Weights, decay: float, counts: Weights | None = None
) -> Iterator[Found]:
    """Give subset trees by weight, the largest first, while it is above zero.

    Parameters
    ----------
    weights : array
        Of each node: the sum of the coefficients of the trees that have it, times how often.
    counts : array, optional
        How often one tree has each node. Then only its fragments are looked at, and the weight is
        what they contribute to its score.
    """
    search = _Search(arrays, weights, decay, counts)
    return search.run()


class _Search:
    def __init__(
        self, arrays: Arrays, weights: Weights, decay: float, counts: Weights | None
    ) -> None:
        self.arrays = arrays
        self.weights = weights
        self.positive = np.maximum(weights, 0)
        self.decay = decay
        self.counts = counts
        self.queue: list[tuple[float, int, Any]] = []
        self.pushed = 0

    def run(self) -> Iterator[Found]:
        arrays = self.arrays
        known = np.flatnonzero((self.weights != 0) & (arrays.arity > 0))
        sides = [_Side(known, [known])]
        if self.counts is not None:
            own = np.flatnonzero((self.counts > 0) & (arrays.arity > 0))
            sides.append(_Side(own, [own]))
        self._take((), 0, sides)
        while self.queue:
            _, _, item = heapq.heappop(self.queue)
            if isinstance(item, Found):
                yield item
                continue
            decisions, size, sides = item
            if sides[0].ends:
                self._take(decisions, size, sides)
                self._push((*decisions, -1), size, [side.cut() for side in sides])
            else:
                weight = self._weight(size, sides, self.weights)
                if weight > 0:
                    tree = arrays.fragment(decisions)
                    self._queue(-weight, Found(tree, weight, size, sides[0].begins))

    def _take(self, decisions: tuple[int, ...], size: int, sides: list[_Side]) -> None:
        """Let the last open end take each of the productions that all sides have there."""
        grouped = [self._by_production(side.ends[-1]) for side in sides]
        for production, rows in grouped[0].items():
            if any(production not in others for others in grouped[1:]):
                continue
            chosen = [rows, *(others[production] for others in grouped[1:])]
            grown = [
                side.at(self.arrays, part, production)
                for side, part in zip(sides, chosen, strict=True)
            ]
            self._push((*decisions, production), size + 1, grown)

    def _by_production(self, nodes: Nodes) -> dict[int, Nodes]:
        productions = self.arrays.production[nodes]
        if not len(productions):
            return {}
        order = np.argsort(productions, kind="stable")
        values, starts = np.unique(productions[order], return_index=True)
        parts = np.split(order, starts[1:])
        pairs = zip(values.tolist(), parts, strict=True)
        return {value: part for value, part in pairs if value >= 0}

    def _push(self, decisions: tuple[int, ...], size: int, sides: list[_Side]) -> None:
        while sides[0].ends and not (self.arrays.arity[sides[0].ends[-1]] > 0).any():
            decisions = (*decisions, -1)  # nothing but leaves
            sides = [side.cut() for side in sides]
        bound = self._weight(size, sides, self.positive)
        if bound > 0:
            self._queue(-bound, (decisions, size, sides))

    def _weight(self, size: int, sides: list[_Side], weights: Weights) -> float:
        total = float(weights[sides[0].begins].sum())
        if self.counts is None:
            return total * float(self.decay ** (size / 2))
        return total * float(self.decay**size) * float(self.counts[sides[1].begins].sum())

    def _queue(self, priority: float, item: Any) -> None:
        self.pushed += 1
        heapq.heappush(self.queue, (priority, self.pushed, item))
