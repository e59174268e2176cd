"""Origins: what trees came from, to be columns beside them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["ORIGINS", "Origins"]

ORIGINS = ("file", "folder", "line", "name", "sent_id", "text")
"""The names of such columns; which of them there are depends on the format."""


class Origins:
    """Collects what readers know of the origin of each tree, in their order."""

    def __init__(self) -> None:
        self._values: dict[str, list[Any]] = {}

    def add(self, **values: Any) -> None:
        """Say where the next tree is from."""
        for name, value in values.items():
            self._values.setdefault(name, []).append(value)

    def extend(self, name: str, values: Iterable[Any]) -> None:
        """Say of the next trees one thing each."""
        self._values.setdefault(name, []).extend(values)

    def columns(self) -> dict[str, Any]:
        """Return the columns, but for those in which nothing is said."""
        columns: dict[str, Any] = {}
        for name, values in self._values.items():
            if name == "line":
                columns[name] = np.array(values, np.int64)
            elif any(value is not None for value in values):
                columns[name] = np.array(values, object)
        return columns
