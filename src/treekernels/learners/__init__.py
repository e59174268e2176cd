"""Learners whose model is a weighted forest: no Gram matrix where the kernel allows it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treekernels.learners.passive_aggressive import TreePassiveAggressive
    from treekernels.learners.perceptron import TreePerceptron
    from treekernels.learners.ranker import TreeRanker
    from treekernels.learners.svc import TreeSVC
    from treekernels.learners.svr import TreeSVR
    from treekernels.learners.weighted_forest import WeightedForest

__all__ = [
    "TreePassiveAggressive",
    "TreePerceptron",
    "TreeRanker",
    "TreeSVC",
    "TreeSVR",
    "WeightedForest",
]

# Imported when they are first used: to label a tree with a machine takes less than to import all.
_MODULES = {
    "TreePassiveAggressive": "passive_aggressive",
    "TreePerceptron": "perceptron",
    "TreeRanker": "ranker",
    "TreeSVC": "svc",
    "TreeSVR": "svr",
    "WeightedForest": "weighted_forest",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
