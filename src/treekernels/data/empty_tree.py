"""Trees that are not there: one of which nothing is left, and one that an example does not have.

Both are single leaves, so that a forest can hold them. Every tree kernel gives 0 for them, also
with each other and with themselves.
"""

from __future__ import annotations

__all__ = ["EMPTY", "MISSING"]

EMPTY = "-EMPTY-"
"""The label of a tree of which nothing is left."""

MISSING = "-MISSING-"
"""The label of a tree that an example does not have."""
