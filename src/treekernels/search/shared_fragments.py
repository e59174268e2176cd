"""The fragments that two trees share."""

from __future__ import annotations

from typing import Any

import numpy as np

from treekernels.common.checks import check_integer
from treekernels.data.forest import Forest, as_forest
from treekernels.data.tree import Tree
from treekernels.errors import DataError
from treekernels.explanation.fragment import Fragments
from treekernels.explanation.summands import Direction, explanation_of, has_fragments
from treekernels.kernels import Kernel
from treekernels.learners.models.model import Model

__all__ = ["shared_fragments"]


def shared_fragments(kernel: Kernel, on: Any, query: Any, tree: Tree, top: int) -> Fragments:
    """Return what two trees share, the weightiest first.

    A model that knows one tree scores another by their kernel value, so that the explanation of
    that score is what they share.
    """
    top = check_integer("top", top, 1)
    known, asked = as_forest([tree]), as_forest([query])
    model = Model(kernel, 1)
    model.add(kernel.examples(_input(known, on)), np.ones((1, 1)))
    summands = [weighted for weighted in model.weighted_examples() if has_fragments(weighted)]
    if not summands:
        raise DataError(
            "the kernel has no fragments that can be listed: those of subset trees, subtrees and "
            "partial trees can"
        )
    fragments = Fragments()
    for weighted in summands:
        explanation = explanation_of(weighted, None, _input(asked, on))
        fragments += explanation.best([Direction(None, 0, 1.0)], top)
    return fragments


def _input(forest: Forest, on: Any) -> Any:
    return forest if on is None else {on: forest}
