"""Explanation: which fragments decide, and where in a tree they are."""

from treekernels.explanation.explain import Fragment, Fragments, explain

__all__ = ["Fragment", "Fragments", "explain"]
