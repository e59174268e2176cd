"""Explanation: which fragments decide, and where in a tree they are."""

from treekernels.explanation.explain import explain
from treekernels.explanation.fragment import Fragment, Fragments

__all__ = ["Fragment", "Fragments", "explain"]
