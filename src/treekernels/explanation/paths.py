"""The paths down of a model with the largest weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from treekernels.explanation.grown_fragments import (
    Candidates,
    Embeddings,
    GrownFragment,
    GrownFragmentSearch,
    children_of,
)
from treekernels.explanation.subtrees import ExplainedTree, ModelSubtrees, SubtreeArrays, Weights

__all__ = ["PathSearch"]


class PathSearch(GrownFragmentSearch):
    """Paths down: a node, one of its children, one of that one's children, and so on."""

    def __init__(
        self, model: ModelSubtrees, kernel: Any, explained: ExplainedTree | None = None
    ) -> None:
        super().__init__(model, kernel, explained)
        self.node_factor = float(np.sqrt(kernel.decay))
        self.bounds = [side.native.path_bounds(self.node_factor) for side in self.sides]

    def candidates(self, subtrees: SubtreeArrays, side: Embeddings) -> Candidates:
        return children_of(subtrees, *side.open_[-1])

    def may_grow(self, fragment: GrownFragment) -> bool:
        longest = self.kernel.max_length
        return fragment.childless and (longest is None or fragment.size < longest)

    def left(self, place: int, fragment: GrownFragment) -> Weights:
        if not fragment.childless:
            return np.ones(len(fragment.sides[place].begins))
        ends, _ = fragment.sides[place].open_[-1]
        bounds: Weights = self.bounds[place][ends]
        return bounds
