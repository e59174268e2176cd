"""Fragments that are grown node by node: partial trees, elastic trees and paths.

A fragment is grown depth first: the node that is open takes a further child, by its label, or is
closed. What matches is a set of embeddings. Each has a factor, and a further child can be found in
several places, so that one embedding may become many. How much they can come to weigh together is
bounded by what is left below them. Which nodes an open node may take, and what the bound is, each
kind of fragment says for itself.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from treekernels.common.arrays import Floats, Indices, Mask
from treekernels.explanation.searches.best_first import BestFirst
from treekernels.explanation.searches.fragment_search import SearchResult
from treekernels.explanation.searches.subtree_arrays import (
    ExplainedTree,
    ModelSubtrees,
    SubtreeArrays,
    built_tree,
)

_CLOSED = -1


@dataclass
class Embeddings:
    """Where a fragment begins, and for each open node of it: the node, and the next child.

    An embedding is exact unless labels are only similar to those of the fragment.
    """

    begins: Indices
    factor: Floats
    exact: Mask
    open_: list[tuple[Indices, Indices]]


@dataclass
class Candidates:
    """Nodes that the open node may take: of which embedding, below which child, and which node."""

    rows: Indices
    places: Indices
    nodes: Indices


@dataclass
class GrownFragment:
    """A fragment that grows, and its embeddings in the model and in the tree that is explained."""

    decisions: tuple[int, ...]  # depth first: the label of a further node, or that one is closed
    size: int
    childless: bool  # whether the open node has no child yet
    sides: list[Embeddings]


class GrownFragmentSearch(BestFirst[GrownFragment]):
    """A search for fragments that are grown node by node; their size is in nodes.

    Attributes
    ----------
    node_factor : float
        What each node brings on each side.
    childless_factor : float
        What a node without children brings in addition.
    similar : dict
        For a label, those of the model that match it, and how well; only itself if it is missing.
    """

    node_factor: float
    childless_factor: float = 1.0
    weights: list[Floats]  # by side
    positive: list[Floats]

    def __init__(
        self, model: ModelSubtrees, kernel: Any, explained: ExplainedTree | None = None
    ) -> None:
        self.model = model
        self.kernel = kernel
        self.explained = explained
        self.sides: list[SubtreeArrays] = [model] if explained is None else [model, explained]
        self.similar: dict[int, list[tuple[int, float]]] = {}
        self.prepare()

    @abstractmethod
    def prepare(self) -> None:
        """Set the factors, and what the bounds are computed from."""

    def candidates(self, subtrees: SubtreeArrays, side: Embeddings) -> Candidates:
        """Return all nodes that the open node may take next."""
        return children_of(subtrees, *side.open_[-1])

    def may_grow(self, fragment: GrownFragment) -> bool:
        """Whether the open node may take a further child at all."""
        return True

    @abstractmethod
    def left(self, place: int, fragment: GrownFragment) -> Floats:
        """Bound what the factor of each embedding can still be multiplied with, on one side."""

    def child_weight(self, first: bool, skipped: Indices) -> Floats | float:
        """Return what a further child brings: the first, or one after so many skipped ones."""
        return 1.0

    def start(self, weights: Floats) -> Iterator[GrownFragment]:
        self.weights = [weights] if self.explained is None else [weights, self.explained.counts]
        self.positive = [np.maximum(values, 0) for values in self.weights]
        # A fragment without weight need not be followed, unless a similar one may have some.
        follow_all = bool(self.similar)
        everywhere = [np.flatnonzero((values != 0) | follow_all) for values in self.weights]
        rows = [np.arange(len(nodes)) for nodes in everywhere]
        steps = [Candidates(r, r, nodes) for r, nodes in zip(rows, everywhere, strict=True)]
        for label, matches in self._by_label(steps):
            sides = []
            for subtrees, (step, match) in zip(self.sides, matches, strict=True):
                begins = step.nodes
                open_ = [(begins, subtrees.child_offsets[begins])]
                exact = subtrees.labels[begins] == label
                sides.append(Embeddings(begins, match * self.node_factor, exact, open_))
            yield GrownFragment((label,), 1, True, sides)

    def grow(self, state: GrownFragment) -> Iterator[GrownFragment]:
        yield self._close(state)
        if not self.may_grow(state):
            return
        steps = [
            self.candidates(subtrees, side)
            for subtrees, side in zip(self.sides, state.sides, strict=True)
        ]
        for label, matches in self._by_label(steps):
            sides = [
                self._with_child(side, state.childless, subtrees, label, step, match)
                for side, subtrees, (step, match) in zip(
                    state.sides, self.sides, matches, strict=True
                )
            ]
            if sides[-1].exact.any():  # it must occur somewhere as it is, not only in similar forms
                yield GrownFragment((*state.decisions, label), state.size + 1, True, sides)

    def _by_label(
        self, steps: list[Candidates]
    ) -> Iterator[tuple[int, list[tuple[Candidates, Floats]]]]:
        """Yield each label that all sides have, with the candidates and how well they match.

        In the model a label is also matched by those that are similar to it.
        """
        groups = [
            places_of_values(subtrees.labels[step.nodes])
            for subtrees, step in zip(self.sides, steps, strict=True)
        ]
        for label in groups[-1]:
            if label < 0:  # the model has neither it nor anything similar
                continue
            chosen = [self._similar(label, groups[0])]
            chosen += [(group[label], np.ones(len(group[label]))) for group in groups[1:]]
            if len(chosen[0][0]):
                matches = [
                    (Candidates(step.rows[at], step.places[at], step.nodes[at]), match)
                    for step, (at, match) in zip(steps, chosen, strict=True)
                ]
                yield label, matches

    def _similar(self, label: int, group: dict[int, Indices]) -> tuple[Indices, Floats]:
        pairs = self.similar.get(label, [(label, 1.0)])
        matching = [(group[other], match) for other, match in pairs if other in group]
        if not matching:
            return np.empty(0, np.int64), np.empty(0)
        matches = [np.full(len(places), match) for places, match in matching]
        return np.concatenate([places for places, _ in matching]), np.concatenate(matches)

    def _with_child(
        self,
        side: Embeddings,
        childless: bool,
        subtrees: SubtreeArrays,
        label: int,
        step: Candidates,
        match: Floats,
    ) -> Embeddings:
        """Return the embeddings whose open node takes one of the candidates."""
        rows = step.rows
        nodes, next_ = (part[rows] for part in side.open_[-1])
        child_weight = self.child_weight(childless, step.places - next_)
        factor = side.factor[rows] * match * (self.node_factor * child_weight)
        open_ = [(node[rows], place[rows]) for node, place in side.open_[:-1]]
        open_ += [(nodes, step.places + 1), (step.nodes, subtrees.child_offsets[step.nodes])]
        exact = side.exact[rows] & (subtrees.labels[step.nodes] == label)
        return Embeddings(side.begins[rows], factor, exact, open_)

    def _close(self, state: GrownFragment) -> GrownFragment:
        alone = self.childless_factor if state.childless else 1.0
        sides = [
            Embeddings(side.begins, side.factor * alone, side.exact, side.open_[:-1])
            for side in state.sides
        ]
        return GrownFragment((*state.decisions, _CLOSED), state.size, False, sides)

    def bound(self, state: GrownFragment) -> float:
        total = 1.0
        for place, (side, weights) in enumerate(zip(state.sides, self.positive, strict=True)):
            value = weights[side.begins] * side.factor
            if side.open_:
                value = value * self.left(place, state)
            total *= float(value.sum())
        return total

    def weight(self, state: GrownFragment) -> float | None:
        if state.sides[0].open_:
            return None
        total = 1.0
        for side, weights in zip(state.sides, self.weights, strict=True):
            total *= float((weights[side.begins] * side.factor).sum())
        return total

    def result(self, state: GrownFragment, weight: float) -> SearchResult:
        labels = self.model.label
        tree = built_tree(None if step == _CLOSED else labels(step) for step in state.decisions)
        return SearchResult(tree, weight, state.size, np.unique(state.sides[0].begins))


def places_of_values(values: Indices) -> dict[int, Indices]:
    """Return the places of each value.

    Examples
    --------
    >>> import numpy as np
    >>> places_of_values(np.array([7, 5, 7]))
    {5: array([1]), 7: array([0, 2])}
    """
    if not len(values):
        return {}
    order = np.argsort(values, kind="stable")
    distinct, starts = np.unique(values[order], return_index=True)
    return dict(zip(distinct.tolist(), np.split(order, starts[1:]), strict=True))


def children_of(subtrees: SubtreeArrays, nodes: Indices, first: Indices) -> Candidates:
    """Return the children of some nodes, each from a place on."""
    counts = subtrees.child_offsets[nodes + 1] - first
    rows = np.repeat(np.arange(len(nodes)), counts)
    starts = np.cumsum(counts) - counts
    places = np.arange(len(rows)) - np.repeat(starts - first, counts)
    return Candidates(rows, places, subtrees.children[places])
