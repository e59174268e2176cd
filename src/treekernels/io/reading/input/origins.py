"""Origins: where trees come from, as columns beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

ORIGINS = ("file", "folder", "cell", "line", "last_line", "name", "sent_id", "text")
"""The names of such columns; which of them there are depends on the format."""


class Origins:
    """Collects what readers know about the origin of each tree, in the order of the trees."""

    def __init__(self) -> None:
        self._values: dict[str, list[Any]] = {}

    def add(self, **values: Any) -> None:
        """Note where the next tree comes from."""
        for name, value in values.items():
            self._values.setdefault(name, []).append(value)

    def extend(self, name: str, values: Iterable[Any]) -> None:
        """Note one thing for each of the next trees, such as its line."""
        self._values.setdefault(name, []).extend(values)

    def columns(self) -> dict[str, Any]:
        """Return the columns, except those that hold nothing."""
        columns: dict[str, Any] = {}
        for name, values in self._values.items():
            if name in ("cell", "line") or (name == "last_line" and None not in values):
                columns[name] = np.array(values, np.int64)
            elif any(value is not None for value in values):
                columns[name] = np.array(values, object)
        return columns


def places_of(columns: Mapping[str, Any], count: int) -> list[str]:
    """Return in which file and line each of so many examples is, as far as that is known."""
    files, lines = (list(columns.get(name, [None] * count)) for name in ("file", "line"))
    several = len(set(files)) > 1
    places = []
    for row, (file, line) in enumerate(zip(files, lines, strict=True), start=1):
        parts = [str(file)] if several and file is not None else []
        parts += [f"line {line}"] if line is not None else []
        places.append(", ".join(parts) or f"example {row}")
    return places
