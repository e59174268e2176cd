"""Explanation: which fragments decide, where in a tree they are, and what two trees share."""

from treekernels.explanation.compare import Comparison, Similarity, compare
from treekernels.explanation.explain import explain
from treekernels.explanation.fragment import Fragment, Fragments

__all__ = ["Comparison", "Fragment", "Fragments", "Similarity", "compare", "explain"]
