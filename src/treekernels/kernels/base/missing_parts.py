"""Parts that some examples lack: every kernel gives 0 for them, also with themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.kernels.base.kernel import KernelMatrix, Run
from treekernels.kernels.base.result_matrix import Array

__all__ = ["MissingMatrix", "missing_summand", "put_zeros"]

Mask = NDArray[np.bool_]


def put_zeros(out: Array, rows: Mask, columns: Mask) -> None:
    """Put zeros into the rows and columns of what is missing."""
    if rows.any():
        out[rows] = 0.0
    if columns.any():
        out[:, columns] = 0.0


def missing_summand(summand: _native.Summand, missing: Mask) -> _native.Summand:
    """Return a summand in which examples without its part score 0 and add nothing."""
    return _native.MissingSummand(summand, missing.view(np.uint8)) if missing.any() else summand


class MissingMatrix(KernelMatrix):
    """Another matrix, with zeros where a part is missing."""

    def __init__(self, matrix: KernelMatrix, rows: Mask, columns: Mask) -> None:
        self.matrix = matrix
        self.rows = rows
        self.columns = columns
        self.shape = matrix.shape

    def fill(self, out: Array, run: Run) -> None:
        self.matrix.fill(out, run)
        put_zeros(out, self.rows, self.columns)

    def fill_rows(self, first: int, last: int, out: Array, run: Run) -> None:
        self.matrix.fill_rows(first, last, out, run)
        put_zeros(out, self.rows[first:last], self.columns)
