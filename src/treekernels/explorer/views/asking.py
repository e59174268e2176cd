"""What the page asks for, checked; nothing in a request is trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treekernels.errors import DataError

__all__ = ["Question", "flag_of", "number_of", "text_of"]

Question = Mapping[str, Any]
"""What the page asks for."""


def text_of(question: Question, name: str, default: str = "") -> str:
    """Return a text."""
    value = question.get(name, default)
    if not isinstance(value, str):
        raise DataError(f"{name} must be a text")
    return value


def flag_of(question: Question, name: str) -> bool:
    """Return whether something is wanted."""
    return question.get(name) is True


def number_of(question: Question, name: str, default: int, below: int = 1 << 40) -> int:
    """Return a whole number from 0 on, and below another."""
    value = question.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < below:
        raise DataError(f"{name} must be a whole number from 0 to {below - 1:,}")
    return value
