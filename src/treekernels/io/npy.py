"""Matrices written to ``.npy`` files some rows at a time, in memory for those rows alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.progress import Progress
from treekernels.errors import ParameterError
from treekernels.io.atomic import atomic_path

__all__ = ["write_npy"]


def write_npy(
    path: str | os.PathLike[str],
    shape: tuple[int, int],
    dtype: np.dtype[Any],
    bounds: Sequence[tuple[int, int]],
    fill: Callable[[int, int, NDArray[Any]], None],
    progress: Progress | None,
) -> None:
    """Write a matrix whose rows from `first` to `last` are put into an array by `fill`.

    Plain writes rather than a mapped file, whose pages would count as this process's memory. The
    file gets its name when it is whole.
    """
    path = os.fspath(path)
    if not path.endswith(".npy"):
        raise ParameterError(f"vectors are written to a file that ends in .npy, not to {path!r}")
    header = {
        "descr": np.lib.format.dtype_to_descr(dtype),
        "fortran_order": False,
        "shape": shape,
    }
    max_rows = max((last - first for first, last in bounds), default=0)
    buffer = np.empty((max_rows, shape[1]), dtype)
    with atomic_path(path) as unfinished, unfinished.open("xb") as file:
        np.lib.format.write_array_header_2_0(file, header)
        for first, last in bounds:
            rows = buffer[: last - first]
            fill(first, last, rows)
            file.write(rows.data)
            if progress is not None:
                progress(last, shape[0])
