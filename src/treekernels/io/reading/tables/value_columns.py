"""Columns of values that are collected block by block, and which some rows may lack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.limits import check_columns
from treekernels.data.from_objects import is_nothing


class ValueColumns:
    """The values of each column, by the rows that have them; all columns have the same rows."""

    def __init__(self) -> None:
        self._rows: dict[str, list[NDArray[np.int64]]] = {}
        self._values: dict[str, list[NDArray[np.object_]]] = {}

    def add(self, name: str, rows: NDArray[Any], values: Sequence[Any]) -> None:
        """Add the values of some rows, which are behind all rows that were added before."""
        if name not in self._rows:
            self.begin(name)
        if len(rows):
            self._rows[name].append(rows.astype(np.int64))
            self._values[name].append(as_objects(values))

    def begin(self, name: str) -> None:
        """Give a column its place behind those that there are, even if it has no values yet."""
        self._rows.setdefault(name, [])
        self._values.setdefault(name, [])
        check_columns(len(self._rows))

    @property
    def names(self) -> list[str]:
        """The names in the order of their first use."""
        return list(self._rows)

    def column(self, name: str, length: int) -> Any:
        """Return a column of so many rows; None for gaps, or NaN if the others are numbers."""
        rows, parts = self._rows[name], self._values[name]
        values = np.concatenate(parts) if parts else np.empty(0, object)
        there = [value for value in values.tolist() if not is_nothing(value)]
        kinds = {type(value) for value in there}
        if len(there) == length and kinds != {int, float}:
            return there
        if kinds and kinds <= {int, float} and (floats := _as_floats(values.tolist())) is not None:
            column: Any = np.full(length, np.nan)
            column[np.concatenate(rows)] = floats
            return column
        column = np.full(length, None, object)
        if rows:
            column[np.concatenate(rows)] = values
        return column


def as_objects(values: Iterable[Any]) -> NDArray[np.object_]:
    """Return an array of objects, whatever these are."""
    if isinstance(values, np.ndarray):
        return values
    listed = list(values)
    array = np.empty(len(listed), object)
    for place, value in enumerate(listed):
        array[place] = value
    return array


def _as_floats(values: list[Any]) -> list[float] | None:
    """Return numbers as floats, or None if one is too large."""
    try:
        return [np.nan if value is None else float(value) for value in values]
    except OverflowError:
        return None
