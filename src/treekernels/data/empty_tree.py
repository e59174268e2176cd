"""The tree of which nothing is left: a single leaf that stands for an empty one."""

from __future__ import annotations

__all__ = ["EMPTY"]

EMPTY = "-EMPTY-"
"""Its label. The subtree and subset-tree kernels, which look at productions, give 0 for it."""
