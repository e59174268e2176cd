"""The subset trees of a model with the largest weights, found without listing all of them.

A fragment is grown from a production, one open node after the other: it is cut there, or takes one
of the productions that the trees have in that place. The trees that still match only become fewer,
so what they weigh together bounds the weight of everything that can grow from a fragment, and the
best come first. Of the productions that a node can take only the most promising is looked at; the
others wait together until it is their turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from treekernels.common.arrays import Floats, Indices
from treekernels.errors import DataError
from treekernels.explanation.searches.best_first import BestFirst
from treekernels.explanation.searches.fragment_search import SearchResult
from treekernels.explanation.searches.subtree_arrays import (
    ExplainedTree,
    ModelSubtrees,
    SubtreeArrays,
    built_tree,
)

_CUT = -1


@dataclass
class _Matches:
    """Where a fragment is in some trees."""

    subtrees: SubtreeArrays
    begins: Indices  # the subtrees at which it begins
    # For each of its open nodes, the last one first to be decided, the subtrees that are there.
    ends: list[Indices] = field(default_factory=list)

    def taking(self, rows: Indices, arity: int) -> _Matches:
        """Return what is left where the open node takes a production of so many children."""
        ends = [end[rows] for end in self.ends[:-1]]
        first = self.subtrees.child_offsets[self.ends[-1][rows]]
        ends += [self.subtrees.children[first + child] for child in reversed(range(arity))]
        return _Matches(self.subtrees, self.begins[rows], ends)

    def cut(self) -> _Matches:
        """Return the same with the open node as a leaf."""
        return _Matches(self.subtrees, self.begins, self.ends[:-1])


@dataclass
class _Groups:
    """Rows by the production that is there: those of ``numbers[i]`` are ``rows(i)``."""

    numbers: Indices
    offsets: Indices
    order: Indices

    @classmethod
    def of(cls, productions: Indices) -> _Groups:
        """Group rows; those without a production are left out."""
        order = np.argsort(productions, kind="stable")
        order = order[np.searchsorted(productions[order], 0) :]
        grouped = productions[order]
        starts = np.flatnonzero(np.diff(grouped, prepend=-1))
        return cls(grouped[starts], np.append(starts, len(grouped)), order)

    def rows(self, group: int) -> Indices:
        return self.order[self.offsets[group] : self.offsets[group + 1]]

    def sums(self, values: Floats) -> Floats:
        """Return the sum of the values of each group."""
        if not len(self.numbers):
            return np.empty(0)
        sums: Floats = np.add.reduceat(values[self.order], self.offsets[:-1])
        return sums


@dataclass
class _Fragment:
    """A fragment that grows: what was decided at each node, depth first, and where it matches."""

    decisions: tuple[int, ...]
    size: int
    factor: float  # what its productions bring
    bound: float
    sides: list[_Matches]  # in the model, and in the tree that is explained


@dataclass
class _Choices:
    """The productions that the open node of a fragment can take, from a place on, best first."""

    fragment: _Fragment
    groups: list[_Groups]  # one for each side
    chosen: Indices  # one row for each choice: which group it is on each side
    bounds: Floats
    place: int = 0


_State: TypeAlias = _Fragment | _Choices


class SubsetTreeSearch(BestFirst[_State]):
    """Subset trees: fragments made of whole productions."""

    weights: Floats
    bounding: list[Floats]  # by side: what bounds are made of

    def __init__(
        self, model: ModelSubtrees, kernel: Any, explained: ExplainedTree | None = None
    ) -> None:
        self.model = model
        self.explained = explained
        self.lookup = kernel.factor_lookup()
        offsets, places = model.native.places_by_production()
        self.factors = np.full(len(offsets) - 1, np.nan)  # of productions that were asked for
        self.groups = [_Groups(np.arange(len(offsets) - 1), offsets, places)]
        self.sides: list[SubtreeArrays] = [model]
        if explained is not None:
            self.groups.append(_Groups.of(explained.productions))
            self.sides.append(explained)

    def start(self, weights: Floats) -> Iterator[_State]:
        self.weights = weights
        self.bounding = [np.maximum(weights, 0)]
        if self.explained is not None:
            self.bounding.append(self.explained.counts)
        everywhere = [np.arange(len(side)) for side in self.sides]
        sides = [
            _Matches(side, nodes, [nodes])
            for side, nodes in zip(self.sides, everywhere, strict=True)
        ]
        return self._choices(_Fragment((), 0, 1.0, np.inf, sides), self.groups)

    def grow(self, state: _State) -> Iterator[_State]:
        if isinstance(state, _Choices):
            yield self._taken(state)
            if state.place + 1 < len(state.bounds):
                yield replace(state, place=state.place + 1)
            return
        groups = [_Groups.of(side.subtrees.productions[side.ends[-1]]) for side in state.sides]
        yield from self._choices(state, groups)
        sides = [side.cut() for side in state.sides]
        yield self._closed((*state.decisions, _CUT), state.size, state.factor, state.bound, sides)

    def _factors(self, productions: Indices) -> Floats:
        """Return what productions bring to the weight of a fragment, which is at most 1 each."""
        for number in productions[np.isnan(self.factors[productions])].tolist():
            labels = self.model.production(number)
            factor = self.lookup(labels)
            if factor > 1:
                raise DataError(
                    "fragments are found by their weights only where no production brings more "
                    f"than 1, and {' '.join(labels)} brings {factor:g} (its decay times its weight "
                    "squared): use smaller weights"
                )
            self.factors[number] = factor**0.5 if self.explained is None else factor
        factors: Floats = self.factors[productions]
        return factors

    def _choices(self, fragment: _Fragment, groups: list[_Groups]) -> Iterator[_Choices]:
        """Yield the productions that the open node can take on all sides, if there are any."""
        sums = [
            group.sums(values[side.begins])
            for group, values, side in zip(groups, self.bounding, fragment.sides, strict=True)
        ]
        if len(groups) == 1:
            chosen = np.arange(len(groups[0].numbers))[:, np.newaxis]
        else:
            _, *both = np.intersect1d(groups[0].numbers, groups[1].numbers, True, True)
            chosen = np.stack(both, axis=1)
        taken = groups[0].numbers[chosen[:, 0]]
        bounds = fragment.factor * self._factors(taken)
        for side, sums_of_side in enumerate(sums):
            bounds = bounds * sums_of_side[chosen[:, side]]
        order = np.argsort(-bounds, kind="stable")
        order = order[bounds[order] > 0]
        if len(order):
            yield _Choices(fragment, groups, chosen[order], bounds[order])

    def _taken(self, choices: _Choices) -> _Fragment:
        """Return the fragment with the production that is next."""
        fragment, place = choices.fragment, choices.place
        chosen = choices.chosen[place]
        production = int(choices.groups[0].numbers[chosen[0]])
        arity = len(self.model.production(production)) - 1
        rows = [side.rows(number) for side, number in zip(choices.groups, chosen, strict=True)]
        if not fragment.decisions:  # what weighs nothing need not be followed
            rows[0] = rows[0][self.weights[rows[0]] != 0]
        sides = [side.taking(here, arity) for side, here in zip(fragment.sides, rows, strict=True)]
        decisions = (*fragment.decisions, production)
        factor = fragment.factor * float(self.factors[production])
        bound = float(choices.bounds[place])
        return self._closed(decisions, fragment.size + 1, factor, bound, sides)

    def _closed(
        self,
        decisions: tuple[int, ...],
        size: int,
        factor: float,
        bound: float,
        sides: list[_Matches],
    ) -> _Fragment:
        """Cut open nodes as long as there is nothing but leaves."""
        while sides[0].ends and not self.model.has_children[sides[0].ends[-1]].any():
            decisions = (*decisions, _CUT)
            sides = [side.cut() for side in sides]
        return _Fragment(decisions, size, factor, bound, sides)

    def bound(self, state: _State) -> float:
        return state.bound if isinstance(state, _Fragment) else float(state.bounds[state.place])

    def weight(self, state: _State) -> float | None:
        if isinstance(state, _Choices) or state.sides[0].ends:
            return None
        total = float(self.weights[state.sides[0].begins].sum()) * state.factor
        if self.explained is not None:
            total *= float(self.explained.counts[state.sides[1].begins].sum())
        return total

    def result(self, state: _State, weight: float) -> SearchResult:
        assert isinstance(state, _Fragment)
        tree = built_tree(self._steps(state.decisions))
        return SearchResult(tree, weight, state.size, state.sides[0].begins)

    def _steps(self, decisions: tuple[int, ...]) -> list[str | None]:
        """Return the nodes of a fragment for `built_tree`."""
        remaining = iter(decisions)
        steps: list[str | None] = []
        open_: list[str | None] = [self.model.production(decisions[0])[0]]
        while open_:
            label = open_.pop()
            steps.append(label)
            if label is None:
                continue
            production = next(remaining)
            open_.append(None)
            if production != _CUT:
                open_ += reversed(self.model.production(production)[1:])
        return steps
