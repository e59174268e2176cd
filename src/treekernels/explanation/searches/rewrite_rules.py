"""The rewrite rules of sentence pairs with the largest weights.

A rule is a fragment of the text and one of the hypothesis, in which placeholders have become
variables. The left side is grown first, then the right one. Occurrences are followed one by one,
each with the placeholders that its variables stand for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Floats, Indices
from treekernels.data.forest import Forest
from treekernels.data.pairs import Pair, Pairs
from treekernels.data.tree import Tree
from treekernels.explanation.searches.best_first import BestFirst
from treekernels.explanation.searches.fragment_search import SearchResult
from treekernels.explanation.searches.subtree_arrays import built_tree

Production: TypeAlias = tuple[int, tuple[int, ...]]
"""A production without its placeholders, by number, and the variables in their place."""


def variable(number: int) -> str:
    """Name a variable: X, Y, Z, X1, Y1, ...

    >>> [variable(number) for number in range(4)]
    ['X', 'Y', 'Z', 'X1']
    """
    return "XYZ"[number % 3] + (str(number // 3) if number >= 3 else "")


class _Occurrence(NamedTuple):
    """A place where a rule matches: in which pair, how often, and what is open."""

    pair: int
    times: float
    values: tuple[int, ...]  # the placeholders that the variables stand for
    ends: tuple[int, ...]  # the nodes at open ends, the next one last


class _Trees:
    """The trees of pairs, with placeholders apart from labels."""

    def __init__(self, pairs: Pairs) -> None:
        forest = Forest.concatenate([pairs.texts, pairs.hypotheses])
        self.subtrees = _native.Subtrees.below(forest.dag, forest.roots, forest.dag)
        self.child_offsets, self.all_children = self.subtrees.child_offsets, self.subtrees.children
        numbers, place_of_label = np.unique(self.subtrees.labels, return_inverse=True)
        names, placeholders = _split(_native.label_texts(forest.dag, numbers))
        self.shapes: list[tuple[tuple[str, bool], ...]] = []
        self.shape = np.full(len(self.subtrees), -1, np.int64)
        self.inside: list[tuple[int, ...]] = []  # by node: the placeholders of its production
        known: dict[tuple[tuple[str, bool], ...], int] = {}
        for node, label in enumerate(place_of_label.tolist()):
            labels = [label, *place_of_label[self.children(node)].tolist()]
            held = [placeholders[place] for place in labels]
            self.inside.append(tuple(number for number in held if number >= 0))
            if len(labels) == 1:
                continue
            shape = tuple((names[place], placeholders[place] >= 0) for place in labels)
            self.shape[node] = known.setdefault(shape, len(known))
            if len(known) > len(self.shapes):
                self.shapes.append(shape)
        roots = self.subtrees.roots.tolist()
        self.texts = [self._nodes(root) for root in roots[: len(pairs)]]
        self.hypotheses = [self._nodes(root) for root in roots[len(pairs) :]]

    def children(self, node: int) -> Indices:
        first, last = self.child_offsets[node : node + 2]
        below: Indices = self.all_children[first:last]
        return below

    def _nodes(self, root: int) -> dict[int, int]:
        """Return the nodes of a tree that have children, with how often it has each."""
        counts: dict[int, int] = {}
        open_ = [root]
        while open_:
            node = open_.pop()
            if self.shape[node] >= 0:
                counts[node] = counts.get(node, 0) + 1
                open_ += self.children(node).tolist()
        return counts


def _split(labels: list[str]) -> tuple[list[str], list[int]]:
    """Take labels apart into names and placeholders, -1 for none."""
    names, placeholders = [], []
    for label in labels:
        name, _, number = label.rpartition(":")
        held = bool(name) and number.isascii() and number.isdigit()
        names.append(name if held else label)
        placeholders.append(int(number) if held else -1)
    return names, placeholders


@dataclass
class _State:
    """A rule that grows."""

    left: tuple[Production | None, ...]  # decisions, depth first: a production, or None for a cut
    right: tuple[Production | None, ...] | None  # None while the left side grows
    size: int
    sides: list[list[_Occurrence]]  # in the model, and in the explained pair


class RuleSearch(BestFirst[_State]):
    """A search for the rewrite rules of a kernel of sentence pairs.

    Parameters
    ----------
    pairs : Pairs
        The pairs of the model.
    kernel : TripartiteKernel
    explained : Pairs, optional
        One pair. Then only its rules are looked at, and the weight is what they contribute to its
        score.
    """

    weights: Floats
    positive: Floats

    def __init__(self, pairs: Pairs, kernel: Any, explained: Pairs | None = None) -> None:
        self.count = len(pairs)
        self.explained = explained is not None
        self.rate = kernel.decay if self.explained else kernel.decay**0.5
        self.trees = _Trees(pairs if explained is None else Pairs.concatenate([pairs, explained]))
        self.right_sides = self._right_sides()

    def _right_sides(self) -> Any:
        """Return how often each pair has each production, placeholders aside, in the hypothesis."""
        from scipy.sparse import csr_matrix

        rows, columns, values = [], [], []
        for pair, nodes in enumerate(self.trees.hypotheses):
            for node, times in nodes.items():
                rows.append(pair)
                columns.append(int(self.trees.shape[node]))
                values.append(float(times))
        shape = (len(self.trees.hypotheses), max(1, len(self.trees.shapes)))
        return csr_matrix((values, (rows, columns)), shape=shape)

    def start(self, weights: Floats) -> Iterator[_State]:
        self.weights = np.append(weights, 1.0)  # of the explained pair too
        self.positive = np.maximum(self.weights, 0.0)
        pairs_of_sides = [[n for n in range(self.count) if self.weights[n] != 0]]
        if self.explained:
            pairs_of_sides.append([self.count])
        sides = [
            [
                _Occurrence(pair, float(times), (), (node,))
                for pair in pairs
                for node, times in self.trees.texts[pair].items()
            ]
            for pairs in pairs_of_sides
        ]
        return self._take(_State((), None, 0, sides))

    def grow(self, state: _State) -> Iterator[_State]:
        if not any(side[0].ends for side in state.sides):  # the left side is complete
            sides = [
                [
                    _Occurrence(left.pair, left.times * times, left.values, (node,))
                    for left in side
                    for node, times in self.trees.hypotheses[left.pair].items()
                ]
                for side in state.sides
            ]
            yield from self._take(_State(state.left, (), state.size, sides))
            return
        yield from self._take(state)
        yield self._decided(state, None, _cut(state.sides))

    def _take(self, state: _State) -> Iterator[_State]:
        """Let the last open end take each of the productions that all sides have there."""
        grown = [self._by_production(side) for side in state.sides]
        for production, occurrences in grown[0].items():
            if all(production in others for others in grown[1:]):
                sides = [occurrences, *(others[production] for others in grown[1:])]
                yield self._decided(state, production, sides)

    def _by_production(self, side: list[_Occurrence]) -> dict[Production, list[_Occurrence]]:
        by_production: dict[Production, list[_Occurrence]] = {}
        trees = self.trees
        for pair, times, values, ends in side:
            node = ends[-1]
            shape = int(trees.shape[node])
            if shape < 0:
                continue
            variables = []
            for placeholder in trees.inside[node]:
                if placeholder not in values:
                    values = (*values, placeholder)
                variables.append(values.index(placeholder))
            below = tuple(trees.children(node)[::-1].tolist())
            grown = _Occurrence(pair, times, values, ends[:-1] + below)
            by_production.setdefault((shape, tuple(variables)), []).append(grown)
        return by_production

    def _decided(
        self, state: _State, decision: Production | None, sides: list[list[_Occurrence]]
    ) -> _State:
        decisions = [decision]
        shape = self.trees.shape
        # Ends at which there is nothing but leaves are cut at once.
        while sides[0][0].ends and all(shape[place.ends[-1]] < 0 for place in sides[0]):
            decisions.append(None)
            sides = _cut(sides)
        size = state.size + (decision is not None)
        if state.right is None:
            return _State((*state.left, *decisions), None, size, sides)
        return _State(state.left, (*state.right, *decisions), size, sides)

    def bound(self, state: _State) -> float:
        if state.right is not None:
            return self._product(state, self.positive)
        # Whatever the right side will be, it begins with one of the productions.
        product = np.ones(self.right_sides.shape[1])
        for side in state.sides:
            times = np.zeros(len(self.weights) if self.explained else self.count)
            for place in side:
                times[place.pair] += self.positive[place.pair] * place.times
            product *= self.right_sides.T @ times
        return float(self.rate ** (state.size + 1) * product.max(initial=0.0))

    def weight(self, state: _State) -> float | None:
        if state.right is None or state.sides[0][0].ends:
            return None
        return self._product(state, self.weights)

    def _product(self, state: _State, weights: Floats) -> float:
        """Return the weight of a rule, if these are the weights of the pairs."""
        total = self.rate**state.size
        for side in state.sides:
            total *= sum(weights[place.pair] * place.times for place in side)
        return float(total)

    def result(self, state: _State, weight: float) -> SearchResult:
        assert state.right is not None
        rule = Pair(*self._built([state.left, state.right]))
        pairs = np.unique([place.pair for place in state.sides[0]])
        return SearchResult(rule, weight, state.size, pairs)

    def _built(self, sides: Iterable[tuple[Production | None, ...]]) -> list[Tree]:
        names: dict[int, str] = {}  # of variables, in the order in which they are read

        def labelled(name: str, number: int) -> str:
            if number < 0:
                return name
            return f"{name}:{names.setdefault(number, variable(len(names)))}"

        trees = []
        for decisions in sides:
            remaining = iter(decisions)
            steps: list[str | None] = []
            open_: list[tuple[str, int] | None] = [("", -1)]  # its production has the root's label
            while open_:
                label = open_.pop()
                if label is None:
                    steps.append(None)
                    continue
                decision = next(remaining)
                if decision is None:
                    steps += [labelled(*label), None]
                    continue
                shape, variables = decision
                numbers = iter(variables)
                labels = [
                    (name, next(numbers) if has else -1) for name, has in self.trees.shapes[shape]
                ]
                steps.append(labelled(*labels[0]))
                open_ += [None, *reversed(labels[1:])]
            trees.append(built_tree(steps))
        return trees


def _cut(sides: list[list[_Occurrence]]) -> list[list[_Occurrence]]:
    """Return the occurrences with the next open end as a leaf."""
    return [[place._replace(ends=place.ends[:-1]) for place in side] for side in sides]
