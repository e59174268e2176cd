"""The partial trees of a model with the largest weights.

A partial tree is grown depth first: the node that is open takes a further child, by its label, or
is closed. What matches is a set of embeddings. Each has a factor, in which children that are
skipped count, and a further child can be found in several places: an embedding may become many. How
much they can come to weigh together is bounded by what the children that are left allow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from treekernels.errors import DataError
from treekernels.explanation.best_first import BestFirst
from treekernels.explanation.fragment_search import (
    FragmentSearch,
    WeightedFragment,
    places_of_values,
)
from treekernels.explanation.subtrees import (
    ExplainedTree,
    Indices,
    ModelSubtrees,
    SubtreeArrays,
    Weights,
    built_tree,
)

__all__ = ["PartialTreeSearch"]

_CLOSED = -1


class PartialTreeSearch(FragmentSearch):
    """Partial trees: any connected parts, whose size is in nodes."""

    def __init__(
        self, model: ModelSubtrees, kernel: Any, explained: ExplainedTree | None = None
    ) -> None:
        super().__init__(model, kernel, explained)
        if kernel.weights is not None or isinstance(kernel.vertical_decay, Mapping):
            raise DataError(
                "partial trees are explained where all labels weigh alike: use weights=None and "
                "one vertical_decay, or a SubsetTreeKernel"
            )
        self.node_factor = float(np.sqrt(kernel.vertical_decay))
        self.child_factor = kernel.decay if kernel.gaps == "span" else 1.0
        sides: list[SubtreeArrays] = [model] if explained is None else [model, explained]
        each = self.node_factor * self.child_factor
        self.sides = [(side, _Bounds(side, each, kernel.decay)) for side in sides]

    def best(self, weights: Weights) -> Iterator[WeightedFragment]:
        """Yield partial trees by weight, the largest first, while it is above zero."""
        return _Growing(self, weights).run()


class _Bounds:
    """How much the factor of an embedding can still become, at each place among the children."""

    def __init__(self, subtrees: SubtreeArrays, each: float, alone: float) -> None:
        self.ends = subtrees.child_offsets[1:]
        self.alone = alone
        self.several, self.best = subtrees.native.partial_bounds(each, alone)

    def left(self, node: Indices, place: Indices, childless: bool) -> Weights:
        """Bound what an open node can still bring, whose children before a place are decided."""
        over = place == self.ends[node]
        several = np.where(over, 1.0, self.several[place])
        if not childless:
            return several
        best = np.where(over, 0.0, self.best[place])
        return np.maximum(self.alone, np.where(several > 1, several, best))


@dataclass
class _Embeddings:
    """Where a fragment begins, and for each open node of it: the node, and the next child."""

    begins: Indices
    factor: Weights
    open_: list[tuple[Indices, Indices]]


@dataclass
class _Fragment:
    """A fragment that grows, and its embeddings in the model and in the tree that is explained."""

    decisions: tuple[int, ...]  # depth first: the label of a further node, or that one is closed
    size: int
    childless: bool  # whether the open node has no child yet
    sides: list[_Embeddings]


class _Growing(BestFirst[_Fragment, WeightedFragment]):
    def __init__(self, search: PartialTreeSearch, weights: Weights) -> None:
        self.model = search.model
        self.subtrees = [subtrees for subtrees, _ in search.sides]
        self.reach = [bounds for _, bounds in search.sides]
        self.weights = [weights]
        if search.explained is not None:
            self.weights.append(search.explained.counts)
        self.positive = [np.maximum(own, 0) for own in self.weights]
        self.decay = search.kernel.decay
        self.node_factor = search.node_factor
        self.child_factor = search.child_factor

    def start(self) -> Iterator[_Fragment]:
        everywhere = [np.flatnonzero(own != 0) for own in self.weights]
        groups = [
            places_of_values(subtrees.labels[nodes])
            for subtrees, nodes in zip(self.subtrees, everywhere, strict=True)
        ]
        for label in groups[0]:
            if any(label not in others for others in groups[1:]):
                continue
            sides = []
            for subtrees, nodes, group in zip(self.subtrees, everywhere, groups, strict=True):
                begins = nodes[group[label]]
                factor = np.full(len(begins), self.node_factor)
                sides.append(
                    _Embeddings(begins, factor, [(begins, subtrees.child_offsets[begins])])
                )
            yield _Fragment((label,), 1, True, sides)

    def grow(self, state: _Fragment) -> Iterator[_Fragment]:
        yield self._close(state)
        steps = [
            _children(subtrees, side)
            for subtrees, side in zip(self.subtrees, state.sides, strict=True)
        ]
        groups = [
            places_of_values(subtrees.labels[children])
            for subtrees, (_, _, children) in zip(self.subtrees, steps, strict=True)
        ]
        for label in groups[0]:
            if any(label not in others for others in groups[1:]):
                continue
            sides = [
                self._with_child(
                    side, state.childless, subtrees, [part[group[label]] for part in step]
                )
                for side, subtrees, step, group in zip(
                    state.sides, self.subtrees, steps, groups, strict=True
                )
            ]
            yield _Fragment((*state.decisions, label), state.size + 1, True, sides)

    def _with_child(
        self, side: _Embeddings, childless: bool, subtrees: SubtreeArrays, step: list[Indices]
    ) -> _Embeddings:
        """Return the embeddings whose open node takes one of its children."""
        rows, places, children = step
        factor = side.factor[rows] * (self.node_factor * self.child_factor)
        nodes, next_ = (part[rows] for part in side.open_[-1])
        if not childless:
            factor = factor * self.decay ** (places - next_)
        open_ = [(node[rows], place[rows]) for node, place in side.open_[:-1]]
        open_ += [(nodes, places + 1), (children, subtrees.child_offsets[children])]
        return _Embeddings(side.begins[rows], factor, open_)

    def _close(self, state: _Fragment) -> _Fragment:
        alone = self.decay if state.childless else 1.0
        sides = [
            _Embeddings(side.begins, side.factor * alone, side.open_[:-1]) for side in state.sides
        ]
        return _Fragment((*state.decisions, _CLOSED), state.size, False, sides)

    def bound(self, state: _Fragment) -> float:
        total = 1.0
        for side, weights, reach in zip(state.sides, self.positive, self.reach, strict=True):
            value = weights[side.begins] * side.factor
            for depth, (nodes, places) in enumerate(side.open_):
                childless = state.childless and depth == len(side.open_) - 1
                value = value * reach.left(nodes, places, childless)
            total *= float(value.sum())
        return total

    def weight(self, state: _Fragment) -> float | None:
        return None if state.sides[0].open_ else self._weight(state)

    def _weight(self, state: _Fragment) -> float:
        total = 1.0
        for side, weights in zip(state.sides, self.weights, strict=True):
            total *= float((weights[side.begins] * side.factor).sum())
        return total

    def result(self, state: _Fragment) -> WeightedFragment:
        labels = self.model.label
        tree = built_tree(None if step == _CLOSED else labels(step) for step in state.decisions)
        begins = np.unique(state.sides[0].begins)
        return WeightedFragment(tree, self._weight(state), state.size, begins)


def _children(subtrees: SubtreeArrays, side: _Embeddings) -> tuple[Indices, Indices, Indices]:
    """Return all children that the open node may take: the embedding, the place, the child."""
    nodes, next_ = side.open_[-1]
    counts = subtrees.child_offsets[nodes + 1] - next_
    rows = np.repeat(np.arange(len(nodes)), counts)
    starts = np.cumsum(counts) - counts
    places = np.arange(len(rows)) - np.repeat(starts - next_, counts)
    return rows, places, subtrees.children[places]
