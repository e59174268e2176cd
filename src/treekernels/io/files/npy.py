"""Matrices written to ``.npy`` files some rows at a time, in memory for those rows alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treekernels.common.checks import check_integer
from treekernels.common.progress import Progress
from treekernels.errors import ParameterError
from treekernels.io.files.atomic import is_stream, whole_file
from treekernels.io.files.disk_space import reserve

_BLOCK_BYTES = 64 << 20


def write_npy(
    path: str | os.PathLike[str],
    shape: tuple[int, int],
    dtype: np.dtype[Any],
    bounds: Sequence[tuple[int, int]],
    fill: Callable[[int, int, NDArray[Any]], None],
    progress: Progress | None = None,
) -> NDArray[Any]:
    """Write a matrix whose rows from `first` to `last` are put into an array by `fill`.

    The rows are written, not mapped, because mapped pages would count as memory of this process.
    The room on the disk is taken first, so that a disk that is too full is noticed at once. The
    file gets its name when it is whole, and is returned, mapped for reading.
    """
    path = os.fspath(path)
    if not path.endswith(".npy"):
        raise ParameterError(f"numbers are written to a file that ends in .npy, not to {path!r}")
    if is_stream(path):
        raise ParameterError(f"{path}: numbers are written to a file, and not to a pipe or device")
    header = {
        "descr": np.lib.format.dtype_to_descr(dtype),
        "fortran_order": False,
        "shape": shape,
    }
    max_rows = max((last - first for first, last in bounds), default=0)
    buffer = np.empty((max_rows, shape[1]), dtype)
    with whole_file(path) as file:
        np.lib.format.write_array_header_2_0(file, header)
        file.flush()
        reserve(file.fileno(), file.tell() + shape[0] * shape[1] * dtype.itemsize)
        for first, last in bounds:
            rows = buffer[: last - first]
            fill(first, last, rows)
            file.write(rows.data)
            if progress is not None:
                progress(last, shape[0])
    mode: Literal["r"] | None = "r" if shape[0] * shape[1] > 0 else None  # no rows cannot be mapped
    written: NDArray[Any] = np.load(path, mmap_mode=mode)
    return written


def row_blocks(count: int, bytes_a_row: int, rows: int | None = None) -> list[tuple[int, int]]:
    """Return where blocks of rows begin and end, each of `rows` rows or about 64 MB.

    Examples
    --------
    >>> row_blocks(5, 8, 2)
    [(0, 2), (2, 4), (4, 5)]
    >>> row_blocks(5, 30 << 20)
    [(0, 2), (2, 4), (4, 5)]
    """
    if rows is None:
        rows = max(1, _BLOCK_BYTES // max(1, bytes_a_row))
    rows = check_integer("rows", rows, 1)
    return [(first, min(first + rows, count)) for first in range(0, count, rows)]
