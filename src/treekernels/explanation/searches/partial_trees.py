"""The partial trees and the paths down of a model that weigh most: connected parts with gaps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from treekernels.common.arrays import Floats, Indices
from treekernels.errors import DataError
from treekernels.explanation.searches.grown_fragments import GrownFragment, GrownFragmentSearch
from treekernels.explanation.searches.subtree_arrays import SubtreeArrays


class PartialTreeSearch(GrownFragmentSearch):
    """Partial trees: any connected parts, whose size is in nodes."""

    def prepare(self) -> None:
        kernel = self.kernel
        if kernel.similarity is not None:
            raise DataError(
                "partial trees are explained where labels match only themselves: use "
                "similarity=None, or an ElasticTreeKernel"
            )
        if kernel.weights is not None or isinstance(kernel.vertical_decay, Mapping):
            raise DataError(
                "partial trees are explained where all labels weigh alike: use weights=None and "
                "one vertical_decay, or a SubsetTreeKernel"
            )
        self.node_factor = float(np.sqrt(kernel.vertical_decay))
        self.childless_factor = kernel.decay
        self.child_factor = kernel.decay if kernel.gaps == "span" else 1.0
        each = self.node_factor * self.child_factor
        self.bounds = [_Bounds(side, each, kernel.decay) for side in self.sides]

    def left(self, place: int, fragment: GrownFragment) -> Floats:
        open_ = fragment.sides[place].open_
        value: Floats = np.ones(len(open_[0][0]))
        for depth, (nodes, places) in enumerate(open_):
            childless = fragment.childless and depth == len(open_) - 1
            value = value * self.bounds[place].left(nodes, places, childless)
        return value

    def child_weight(self, first: bool, skipped: Indices) -> Floats | float:
        return self.child_factor * (1.0 if first else self.kernel.decay**skipped)


class _Bounds:
    """How much the factor of an embedding can still become, at each place among the children."""

    def __init__(self, subtrees: SubtreeArrays, each: float, alone: float) -> None:
        self.ends = subtrees.child_offsets[1:]
        self.alone = alone
        self.several, self.best = subtrees.native.partial_bounds(each, alone)

    def left(self, node: Indices, place: Indices, childless: bool) -> Floats:
        """Bound what an open node can still bring, whose children before a place are decided."""
        over = place == self.ends[node]
        several = np.where(over, 1.0, self.several[place])
        if not childless:
            return several
        best = np.where(over, 0.0, self.best[place])
        return np.maximum(self.alone, np.where(several > 1, several, best))


class PathSearch(GrownFragmentSearch):
    """Paths down: a node, one of its children, one of that one's children, and so on."""

    def prepare(self) -> None:
        self.node_factor = float(np.sqrt(self.kernel.decay))
        self.bounds = [side.native.path_bounds(self.node_factor) for side in self.sides]

    def may_grow(self, fragment: GrownFragment) -> bool:
        longest = self.kernel.max_length
        return fragment.childless and (longest is None or fragment.size < longest)

    def left(self, place: int, fragment: GrownFragment) -> Floats:
        if not fragment.childless:
            return np.ones(len(fragment.sides[place].begins))
        ends, _ = fragment.sides[place].open_[-1]
        bounds: Floats = self.bounds[place][ends]
        return bounds
