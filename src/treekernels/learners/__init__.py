"""Learners whose model is a weighted forest: no Gram matrix where the kernel allows it."""

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
