"""What is no list of trees, and the sentence that says what to give instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from treekernels.data.from_objects import is_nothing
from treekernels.data.tree import Tree
from treekernels.errors import DataError

__all__ = ["refuse_nothing", "refuse_single"]


def refuse_nothing(tree: Any, number: int) -> None:
    """Raise an error if a tree is None or NaN, as in a list or a data frame with a gap."""
    if is_nothing(tree):
        raise DataError(
            f"tree {number} is missing ({tree}): leave the example out, or write '(-MISSING-)' for "
            "a part that it does not have, for which kernels give 0"
        )


def refuse_single(trees: Any) -> None:
    """Raise an error if something is not a list of trees but a text, a tree or a table."""
    if isinstance(trees, str | bytes):
        raise DataError("a single text is not a list of trees: write [text]")
    if isinstance(trees, Tree) or (hasattr(trees, "label") and isinstance(trees, Sequence)):
        raise DataError("a single tree is not a list of trees: write [tree]")
    if isinstance(trees, Mapping) or hasattr(trees, "columns"):
        raise DataError("trees were expected, and this has columns: give the one with the trees")
    if not isinstance(trees, Iterable):
        raise DataError(f"a list of trees was expected, and not a {type(trees).__name__}")
