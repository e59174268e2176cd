"""What every search for fragments returns, and the searches that rank all that there are."""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from treekernels.common.arrays import Array, Floats, Indices, Mask
from treekernels.data.pairs import Pair
from treekernels.data.tree import Tree
from treekernels.explanation.searches.subtree_arrays import (
    ExplainedTree,
    ModelSubtrees,
    SubtreeArrays,
)


@dataclass
class SearchResult:
    """A fragment, its weight and size, and the subtrees of the model at which it begins.

    A rewrite rule is a pair of fragments, and begins at pairs of trees. A feature says of what kind
    it is.
    """

    fragment: Tree | Pair
    weight: float
    size: int
    begins: Indices
    kind: str | None = None


class FragmentSearch(ABC):
    """A search for the fragments of one kind.

    Parameters
    ----------
    model : ModelSubtrees, or the pairs of a model
    kernel : kernel
    explained : ExplainedTree, optional
        Then only its fragments are looked at, and the weight is what they contribute to its score.
    """

    @abstractmethod
    def best(self, weights: Floats) -> Iterator[SearchResult]:
        """Yield fragments by weight, the largest first, while it is above zero.

        A subtree of the model weighs the sum of the coefficients of the trees that have it, times
        how often; a pair of trees, its coefficient.
        """


class _RankedSearch(FragmentSearch):
    """Fragments that are subtrees of the model, of which there are few enough to rank them all."""

    def __init__(
        self, model: ModelSubtrees, kernel: Any, explained: ExplainedTree | None = None
    ) -> None:
        self.model = model
        self.kernel = kernel
        subtrees: SubtreeArrays = model if explained is None else explained
        chosen = self.chosen(subtrees)
        if explained is None:
            places = self.numbers = np.flatnonzero(chosen)
        else:
            places = np.flatnonzero(chosen & (explained.numbers >= 0))
            self.numbers = explained.numbers[places]
        self.sizes, shared = self.sizes_and_factors(subtrees, places)
        self.factors = np.sqrt(shared) if explained is None else explained.counts[places] * shared

    @abstractmethod
    def chosen(self, subtrees: SubtreeArrays) -> Mask:
        """Return which subtrees are fragments of this kind."""

    @abstractmethod
    def sizes_and_factors(self, subtrees: SubtreeArrays, places: Indices) -> tuple[Array, Floats]:
        """Return the sizes of some subtrees, and what they bring to the kernel of two trees."""

    def best(self, weights: Floats) -> Iterator[SearchResult]:
        values = weights[self.numbers] * self.factors
        for place in np.argsort(-values, kind="stable"):
            if values[place] <= 0:
                return
            number = self.numbers[place]
            tree = self.model.subtree(int(number))
            size = int(self.sizes[place])
            yield SearchResult(tree, float(values[place]), size, np.array([number]))


class RankedSubtrees(_RankedSearch):
    """Whole subtrees, each with all its descendants."""

    def chosen(self, subtrees: SubtreeArrays) -> Mask:
        return subtrees.has_children

    def sizes_and_factors(self, subtrees: SubtreeArrays, places: Indices) -> tuple[Array, Floats]:
        sizes = subtrees.native.production_counts()[places]
        lookup = self.kernel.factor_lookup()
        if lookup.uniform:
            return sizes, self.kernel.decay**sizes
        factors = np.zeros(len(subtrees))  # children come before their parents
        for place in np.flatnonzero(subtrees.has_children & (subtrees.productions >= 0)):
            first, end = subtrees.child_offsets[place : place + 2]
            below = subtrees.children[first:end]
            inner = below[subtrees.has_children[below]]
            factor = lookup(self.model.production(int(subtrees.productions[place])))
            factors[place] = factor * factors[inner].prod()
        return sizes, factors[places]


class RankedWords(_RankedSearch):
    """Leaves, which count on their own where the kernel has a `leaf_weight`."""

    def chosen(self, subtrees: SubtreeArrays) -> Mask:
        return ~subtrees.has_children

    def sizes_and_factors(self, subtrees: SubtreeArrays, places: Indices) -> tuple[Array, Floats]:
        return np.zeros(len(places), np.int64), np.full(len(places), float(self.kernel.leaf_weight))


class _MergedSearch(FragmentSearch):
    """The results of several searches in one list."""

    def __init__(self, *searches: FragmentSearch) -> None:
        self.searches = searches

    def best(self, weights: Floats) -> Iterator[SearchResult]:
        streams = (search.best(weights) for search in self.searches)
        return heapq.merge(*streams, key=lambda result: -result.weight)


def with_words(search: Any, model: ModelSubtrees, kernel: Any, explained: Any) -> FragmentSearch:
    """Return a search for fragments with productions, and for words if the kernel counts them."""
    fragments: FragmentSearch = search(model, kernel, explained)
    if kernel.leaf_weight == 0:
        return fragments
    return _MergedSearch(fragments, RankedWords(model, kernel, explained))
