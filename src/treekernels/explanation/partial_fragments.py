"""The partial trees of a weighted forest with the largest weights.

A partial tree is grown depth first: the node that is open takes a further child, by its label, or
is closed. What matches is a set of embeddings. Each has a factor, in which children that are
skipped count, and a further child can be found in several places: an embedding may become many. How
much they can come to weigh together is bounded by what the children that are left allow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.explanation.fragments import Arrays, Found, Nodes, Weights, places_of
from treekernels.explanation.search import BestFirst
from treekernels.kernels import PartialTreeKernel

__all__ = ["best_partial_trees"]

_CLOSED = -1
_LARGEST = 1e300


def best_partial_trees(
    arrays: Arrays, weights: Weights, kernel: PartialTreeKernel, counts: Weights | None = None
) -> Iterator[Found]:
    """Return partial trees by weight, the largest first, while it is above zero.

    Their size is in nodes. Parameters are otherwise those of `best_subset_trees`.
    """
    return _Search(arrays, weights, kernel, counts).run()


class _Reach:
    """How much the factor of an embedding can still become, at each place among the children."""

    def __init__(self, arrays: Arrays, each: float, alone: float) -> None:
        self.several = np.ones(len(arrays.children) + 1)  # of any number of children from here
        self.best = np.zeros(len(arrays.children) + 1)  # of one or more, if these are below 1
        self.whole = np.empty(len(arrays.label))  # of a whole node
        label = arrays.label
        for node in range(len(label)):  # children have smaller numbers
            first, last = int(arrays.first[node]), int(arrays.first[node + 1])
            # By label: the sums over all ways to choose 0, 1, 2 ... children that have it. They are
            # those in which one sequence of labels can be found, or more.
            ways: dict[int, NDArray[np.float64]] = {}
            several, best = 0.0, 0.0  # the former as a logarithm
            for place in range(last - 1, first - 1, -1):
                child = int(arrays.children[place])
                name, value = int(label[child]), float(self.whole[child])
                before = ways.get(name, np.ones(1))
                after = np.append(before, 0.0)
                after[1:] += np.minimum(value * before, _LARGEST)
                ways[name] = after
                several += math.log(after.max() / before.max())
                best = max(best, float(after[1:].max()))
                self.several[place] = min(_LARGEST, math.exp(min(several, 700.0)))
                self.best[place] = best
            below = self.several[first] if first < last and self.several[first] > 1 else best
            self.whole[node] = each * max(alone, below)
        self.ends = arrays.first[1:]

    def left(self, node: Nodes, place: Nodes, childless: bool, alone: float) -> Weights:
        """Bound what an open node can still bring, whose children before a place are decided."""
        over = place == self.ends[node]
        several = np.where(over, 1.0, self.several[place])
        if not childless:
            return several
        best = np.where(over, 0.0, self.best[place])
        return np.maximum(alone, np.where(several > 1, several, best))


@dataclass
class _Embeddings:
    """Where a fragment begins, and for each open node of it: the node, and the next child."""

    begins: Nodes
    factor: Weights
    open_: list[tuple[Nodes, Nodes]]


@dataclass
class _State:
    decisions: tuple[int, ...]  # depth first: the label of a further node, or that one is closed
    size: int
    childless: bool  # whether the open node has no child yet
    sides: list[_Embeddings]


class _Search(BestFirst[_State, Found]):
    def __init__(
        self,
        arrays: Arrays,
        weights: Weights,
        kernel: PartialTreeKernel,
        counts: Weights | None,
    ) -> None:
        self.arrays = arrays
        self.side_weights = [weights] if counts is None else [weights, counts]
        self.bounds = [np.maximum(weights, 0) for weights in self.side_weights]
        self.decay = kernel.decay
        self.picked = kernel.decay if kernel.gaps == "span" else 1.0  # for each child
        self.node = float(np.sqrt(kernel.vertical_decay))  # for each node
        self.reach = _Reach(arrays, self.node * self.picked, self.decay)

    def start(self) -> Iterator[_State]:
        arrays = self.arrays
        everywhere = [np.flatnonzero(weights != 0) for weights in self.side_weights]
        grouped = [places_of(arrays.label[nodes]) for nodes in everywhere]
        for label in grouped[0]:
            if any(label not in others for others in grouped[1:]):
                continue
            sides = []
            for nodes, by_label in zip(everywhere, grouped, strict=True):
                begins = nodes[by_label[label]]
                factor = np.full(len(begins), self.node)
                sides.append(_Embeddings(begins, factor, [(begins, arrays.first[begins])]))
            yield _State((label,), 1, True, sides)

    def grow(self, state: _State) -> Iterator[_State]:
        yield self._close(state)
        steps = [self._children(side) for side in state.sides]
        grouped = [places_of(self.arrays.label[children]) for _, _, children in steps]
        for label in grouped[0]:
            if any(label not in others for others in grouped[1:]):
                continue
            sides = []
            for side, step, by_label in zip(state.sides, steps, grouped, strict=True):
                chosen = by_label[label]
                rows, places, children = (part[chosen] for part in step)
                factor = side.factor[rows] * (self.node * self.picked)
                nodes, next_ = (part[rows] for part in side.open_[-1])
                if not state.childless:
                    factor = factor * self.decay ** (places - next_)
                open_ = [(one[rows], place[rows]) for one, place in side.open_[:-1]]
                open_ += [(nodes, places + 1), (children, self.arrays.first[children])]
                sides.append(_Embeddings(side.begins[rows], factor, open_))
            yield _State((*state.decisions, label), state.size + 1, True, sides)

    def _close(self, state: _State) -> _State:
        alone = self.decay if state.childless else 1.0
        sides = [
            _Embeddings(side.begins, side.factor * alone, side.open_[:-1]) for side in state.sides
        ]
        return _State((*state.decisions, _CLOSED), state.size, False, sides)

    def _children(self, side: _Embeddings) -> tuple[Nodes, Nodes, Nodes]:
        """Return all children that the open node may take: the embedding, the place, the child."""
        nodes, next_ = side.open_[-1]
        counts = self.arrays.first[nodes + 1] - next_
        rows = np.repeat(np.arange(len(nodes)), counts)
        starts = np.cumsum(counts) - counts
        places = np.arange(len(rows)) - np.repeat(starts - next_, counts)
        return rows, places, self.arrays.children[places]

    def bound(self, state: _State) -> float:
        total = 1.0
        for side, weights in zip(state.sides, self.bounds, strict=True):
            value = weights[side.begins] * side.factor
            for depth, (nodes, places) in enumerate(side.open_):
                childless = state.childless and depth == len(side.open_) - 1
                value = value * self.reach.left(nodes, places, childless, self.decay)
            total *= float(value.sum())
        return total

    def weight(self, state: _State) -> float | None:
        return None if state.sides[0].open_ else self._weight(state)

    def _weight(self, state: _State) -> float:
        total = 1.0
        for side, weights in zip(state.sides, self.side_weights, strict=True):
            total *= float((weights[side.begins] * side.factor).sum())
        return total

    def result(self, state: _State) -> Found:
        tree = self._tree(state.decisions)
        begins = np.unique(state.sides[0].begins)
        return Found(tree, self._weight(state), state.size, begins)

    def _tree(self, decisions: tuple[int, ...]) -> Tree:
        opened: list[list[Any]] = [[]]
        for decision in decisions:
            if decision == _CLOSED:
                done = opened.pop()
                opened[-1].append(done)
            else:
                opened.append([self.arrays.labels[decision]])
        return Forest.from_trees(opened[0])[0]
