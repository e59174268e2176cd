"""The fragments of a weighted forest with the largest weights, found without listing all of them.

A fragment is grown from a production, one open node after the other: it is cut there, or takes one
of the productions that the trees have in that place. The trees that still match only become fewer,
so what they weigh together bounds the weight of everything that can grow from a fragment, and the
best come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.explanation.search import BestFirst

__all__ = ["Arrays", "Found", "best_subset_trees", "best_subtrees", "places_of"]

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
        """Return a subtree."""
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
        """Return the fragment that decisions make, depth first: a production, or -1 for a cut."""
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

    def spread(self, values: Weights) -> None:
        """Add what each node has to its children, once for each time that it has them."""
        for node in range(len(self.label) - 1, -1, -1):  # parents have larger numbers
            start, end = self.first[node], self.first[node + 1]
            if start < end and np.any(values[node]):
                np.add.at(values, self.children[start:end], values[node])

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


def places_of(values: Nodes) -> dict[int, Nodes]:
    """Return the places of each value."""
    if not len(values):
        return {}
    order = np.argsort(values, kind="stable")
    found, starts = np.unique(values[order], return_index=True)
    return dict(zip(found.tolist(), np.split(order, starts[1:]), strict=True))


def _close(opened: list[list[Any]]) -> None:
    done = opened.pop()
    opened[-1].append(done)


@dataclass
class Found:
    """A fragment, its weight and size, and the nodes where it begins."""

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
        """Return what is left when the last open end takes a production, where it has it."""
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
    """Return whole subtrees by weight, the largest first, while it is above zero.

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
    """Return subset trees by weight, the largest first, while it is above zero.

    Parameters
    ----------
    weights : array
        Of each node: the sum of the coefficients of the trees that have it, times how often.
    counts : array, optional
        How often one tree has each node. Then only its fragments are looked at, and the weight is
        what they contribute to its score.
    """
    return _Search(arrays, weights, decay, counts).run()


@dataclass
class _State:
    """A fragment that grows: what was decided at each node, depth first, and where it matches."""

    decisions: tuple[int, ...]
    size: int
    sides: list[_Side]


class _Search(BestFirst[_State, Found]):
    def __init__(
        self, arrays: Arrays, weights: Weights, decay: float, counts: Weights | None
    ) -> None:
        self.arrays = arrays
        self.weights = weights
        self.positive = np.maximum(weights, 0)
        self.decay = decay
        self.counts = counts

    def start(self) -> Iterator[_State]:
        internal = self.arrays.arity > 0
        begins = [np.flatnonzero((self.weights != 0) & internal)]
        if self.counts is not None:
            begins.append(np.flatnonzero((self.counts > 0) & internal))
        return self._take(_State((), 0, [_Side(nodes, [nodes]) for nodes in begins]))

    def grow(self, state: _State) -> Iterator[_State]:
        yield from self._take(state)
        yield self._closed((*state.decisions, -1), state.size, [s.cut() for s in state.sides])

    def bound(self, state: _State) -> float:
        return self._weight(state, self.positive)

    def weight(self, state: _State) -> float | None:
        return None if state.sides[0].ends else self._weight(state, self.weights)

    def result(self, state: _State) -> Found:
        tree = self.arrays.fragment(state.decisions)
        weight = self._weight(state, self.weights)
        return Found(tree, weight, state.size, state.sides[0].begins)

    def _take(self, state: _State) -> Iterator[_State]:
        """Let the last open end take each of the productions that all sides have there."""
        grouped = [places_of(self.arrays.production[side.ends[-1]]) for side in state.sides]
        for production, rows in grouped[0].items():
            if production < 0 or any(production not in others for others in grouped[1:]):
                continue
            chosen = [rows, *(others[production] for others in grouped[1:])]
            grown = [
                side.at(self.arrays, part, production)
                for side, part in zip(state.sides, chosen, strict=True)
            ]
            yield self._closed((*state.decisions, production), state.size + 1, grown)

    def _closed(self, decisions: tuple[int, ...], size: int, sides: list[_Side]) -> _State:
        """Cut open ends as long as there is nothing but leaves."""
        while sides[0].ends and not (self.arrays.arity[sides[0].ends[-1]] > 0).any():
            decisions = (*decisions, -1)
            sides = [side.cut() for side in sides]
        return _State(decisions, size, sides)

    def _weight(self, state: _State, weights: Weights) -> float:
        total = float(weights[state.sides[0].begins].sum())
        if self.counts is None:
            return total * float(self.decay ** (state.size / 2))
        times = float(self.counts[state.sides[1].begins].sum())
        return total * float(self.decay**state.size) * times
