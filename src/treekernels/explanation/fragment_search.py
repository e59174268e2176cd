"""What every search for the fragments of a tree kernel is given, and what it gives."""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.data.tree import Tree
from treekernels.explanation.subtrees import (
    ExplainedTree,
    Indices,
    ModelSubtrees,
    SubtreeArrays,
    Weights,
)

__all__ = [
    "FragmentSearch",
    "RankedSubtrees",
    "RankedWords",
    "SearchWithWords",
    "WeightedFragment",
    "places_of_values",
]


@dataclass
class WeightedFragment:
    """A fragment, its weight and size, and the subtrees of the model at which it begins."""

    tree: Tree
    weight: float
    size: int
    begins: Indices


class FragmentSearch(ABC):
    """A search for the fragments of one kind.

    Parameters
    ----------
    model : ModelSubtrees
    kernel : kernel
    explained : ExplainedTree, optional
        Then only its fragments are looked at, and the weight is what they contribute to its score.
    """

    def __init__(
        self, model: ModelSubtrees, kernel: Any, explained: ExplainedTree | None = None
    ) -> None:
        self.model = model
        self.kernel = kernel
        self.explained = explained

    @abstractmethod
    def best(self, weights: Weights) -> Iterator[WeightedFragment]:
        """Yield fragments by weight, the largest first, while it is above zero.

        Parameters
        ----------
        weights : array
            For each subtree of the model, the sum of the coefficients of the trees that have it,
            times how often.
        """


class _Ranked(FragmentSearch):
    """Fragments that are subtrees of the model, of which there are few enough to rank them all."""

    numbers: Indices
    sizes: NDArray[Any]
    factors: Weights

    def best(self, weights: Weights) -> Iterator[WeightedFragment]:
        """Yield subtrees by weight, the largest first, while it is above zero."""
        values = weights[self.numbers] * self.factors
        for place in np.argsort(-values, kind="stable"):
            if values[place] <= 0:
                return
            number = self.numbers[place]
            size = int(self.sizes[place])
            tree = self.model.subtree(int(number))
            yield WeightedFragment(tree, float(values[place]), size, np.array([number]))


class RankedSubtrees(_Ranked):
    """Whole subtrees, each with all its descendants."""

    def __init__(
        self, model: ModelSubtrees, kernel: Any, explained: ExplainedTree | None = None
    ) -> None:
        super().__init__(model, kernel, explained)
        if explained is None:
            self.numbers = np.flatnonzero(model.has_children)
            self.sizes = model.native.production_counts()[self.numbers]
            self.factors = np.sqrt(self._shared_factors(model, self.sizes, self.numbers))
        else:
            there = np.flatnonzero(explained.has_children & (explained.numbers >= 0))
            self.numbers = explained.numbers[there]
            self.sizes = explained.native.production_counts()[there]
            shared = self._shared_factors(explained, self.sizes, there)
            self.factors = explained.counts[there] * shared

    def _shared_factors(self, subtrees: SubtreeArrays, sizes: Weights, places: Indices) -> Weights:
        """Return what the productions of some subtrees bring together to both sides."""
        lookup = self.kernel.factor_lookup()
        if lookup.uniform:
            uniform: Weights = self.kernel.decay**sizes
            return uniform
        factors = np.zeros(len(subtrees))  # children come before their parents
        for place in np.flatnonzero(subtrees.has_children & (subtrees.productions >= 0)):
            first, end = subtrees.child_offsets[place : place + 2]
            below = subtrees.children[first:end]
            inner = below[subtrees.has_children[below]]
            own = lookup(self.model.production(int(subtrees.productions[place])))
            factors[place] = own * factors[inner].prod()
        return factors[places]


class RankedWords(_Ranked):
    """Leaves, which count on their own where the kernel has a `leaf_weight`."""

    def __init__(
        self, model: ModelSubtrees, kernel: Any, explained: ExplainedTree | None = None
    ) -> None:
        super().__init__(model, kernel, explained)
        if explained is None:
            self.numbers = np.flatnonzero(~model.has_children)
            self.factors = np.full(len(self.numbers), np.sqrt(kernel.leaf_weight))
        else:
            there = np.flatnonzero(~explained.has_children & (explained.numbers >= 0))
            self.numbers = explained.numbers[there]
            self.factors = explained.counts[there] * kernel.leaf_weight
        self.sizes = np.zeros(len(self.numbers), np.int64)


class SearchWithWords(FragmentSearch):
    """Another search, with words among what it finds where the kernel counts them.

    Parameters
    ----------
    search : type of FragmentSearch
        For the fragments that have productions.
    model, kernel, explained
        As in `FragmentSearch`.
    """

    def __init__(
        self,
        search: type[FragmentSearch],
        model: ModelSubtrees,
        kernel: Any,
        explained: ExplainedTree | None = None,
    ) -> None:
        super().__init__(model, kernel, explained)
        self.searches = [search(model, kernel, explained)]
        if kernel.leaf_weight > 0:
            self.searches.append(RankedWords(model, kernel, explained))

    def best(self, weights: Weights) -> Iterator[WeightedFragment]:
        """Yield fragments by weight, the largest first, while it is above zero."""
        found = (search.best(weights) for search in self.searches)
        return heapq.merge(*found, key=lambda one: -one.weight)


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
