"""Some rows of a large matrix at a time."""

from __future__ import annotations

from treekernels.common.checks import check_integer

__all__ = ["row_blocks"]

_BYTES = 64 << 20


def row_blocks(count: int, bytes_a_row: int, rows: int | None = None) -> list[tuple[int, int]]:
    """Return where blocks of rows begin and end: of so many rows, or of 64 MB.

    >>> row_blocks(5, 8, 2)
    [(0, 2), (2, 4), (4, 5)]
    >>> row_blocks(5, 30 << 20)
    [(0, 2), (2, 4), (4, 5)]
    """
    if rows is None:
        rows = max(1, _BYTES // max(1, bytes_a_row))
    rows = check_integer("rows", rows, 1)
    return [(first, min(first + rows, count)) for first in range(0, count, rows)]
