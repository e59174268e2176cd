"""Gram matrices that are ready to be computed, and arrays for them to be computed into."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from treekernels import _native
from treekernels.common.arrays import Array, Floats, Mask
from treekernels.common.checks import check_dtype
from treekernels.common.limits import get_limits, memory_limit
from treekernels.common.native_errors import VALUE_TOO_LARGE, translate_native_errors
from treekernels.common.progress import Progress
from treekernels.common.text import byte_count
from treekernels.errors import KernelMemoryError, KernelOverflowError, ParameterError
from treekernels.io.files.disk_space import reserve_mapped

_ROWS = 64  # that are looked at together
_SMALL_MATRIX = 64 << 20  # bytes for which nobody is asked


class Run(NamedTuple):
    """How a computation is to be run."""

    n_jobs: int = 1
    progress: Progress | None = None

    def part(self, number: int, count: int) -> Run:
        """Return the same for one of several parts of a computation, which share the progress."""
        outer = self.progress
        if outer is None:
            return self
        units = 1_000_000

        def inner(done: int, total: int) -> None:
            outer(int(units * (number + done / max(1, total)) / count), units)

        return Run(self.n_jobs, inner)


class KernelMatrix(ABC):
    """A Gram matrix that is ready to be computed, whole or in part."""

    shape: tuple[int, int]

    def fill(self, out: Array, run: Run) -> None:
        """Compute the whole matrix into `out`."""
        self.fill_rows(0, self.shape[0], out, run)

    @abstractmethod
    def fill_rows(self, first: int, last: int, out: Array, run: Run) -> None:
        """Compute the rows from `first` up to `last`, without it, into `out`."""


class NativeMatrix(KernelMatrix):
    """A matrix of the native core."""

    def __init__(self, native: _native.Gram | _native.PairsGram) -> None:
        self.native = native
        self.shape = native.shape

    def fill(self, out: Array, run: Run) -> None:
        with translate_native_errors():
            self.native.fill(out, run.n_jobs, run.progress)

    def fill_rows(self, first: int, last: int, out: Array, run: Run) -> None:
        with translate_native_errors():
            self.native.fill_rows(first, last, out, run.n_jobs, run.progress)


class ChangedMatrix(KernelMatrix):
    """Another matrix, with something done to its values."""

    def __init__(self, matrix: KernelMatrix) -> None:
        self.matrix = matrix
        self.shape = matrix.shape

    @abstractmethod
    def change(self, first: int, out: Array) -> None:
        """Change the values of the rows from `first` on, which are in `out`."""

    def fill(self, out: Array, run: Run) -> None:
        self.matrix.fill(out, run)
        self.change(0, out)

    def fill_rows(self, first: int, last: int, out: Array, run: Run) -> None:
        self.matrix.fill_rows(first, last, out, run)
        self.change(first, out)


class NormalizedMatrix(ChangedMatrix):
    """Another matrix with scaled rows and columns, and a diagonal of 1 if it is symmetric."""

    def __init__(
        self, matrix: KernelMatrix, row_scales: Array, column_scales: Array, *, symmetric: bool
    ) -> None:
        super().__init__(matrix)
        self.row_scales = row_scales
        self.column_scales = column_scales
        self.symmetric = symmetric

    def change(self, first: int, out: Array) -> None:
        scales = self.row_scales[first : first + len(out)]
        out *= scales[:, None]
        out *= self.column_scales
        # Larger ones than by rounding are of a kernel that is none, and stay, as in the core.
        rounded = 1.0 + (1e-9 if out.dtype == np.float64 else 1e-5)
        np.clip(out, -1.0, 1.0, out=out, where=np.abs(out) <= rounded)
        if self.symmetric:
            here = np.arange(len(out))
            out[here, first + here] = scales > 0


class MissingMatrix(ChangedMatrix):
    """Another matrix, with zeros for the parts that some examples lack."""

    def __init__(self, matrix: KernelMatrix, rows: Mask, columns: Mask) -> None:
        super().__init__(matrix)
        self.rows = rows
        self.columns = columns

    def change(self, first: int, out: Array) -> None:
        put_zeros(out, self.rows[first : first + len(out)], self.columns)


def put_zeros(out: Array, rows: Mask, columns: Mask) -> None:
    """Put zeros into the rows and columns of parts that some examples lack."""
    if rows.any():
        out[rows] = 0.0
    if columns.any():
        out[:, columns] = 0.0


def missing_summand(summand: _native.Summand, missing: Mask) -> _native.Summand:
    """Return a summand in which examples without its part score 0 and add nothing."""
    return _native.MissingSummand(summand, missing.view(np.uint8)) if missing.any() else summand


def inverse_root(norms: Floats) -> Floats:
    """Return what examples with these norms are multiplied with to be normalised, or 0."""
    result = np.zeros_like(norms)
    np.divide(1.0, np.sqrt(norms), out=result, where=norms > 0)
    return result


@contextlib.contextmanager
def refuse_overflow(out: Array) -> Iterator[None]:
    """Raise a `KernelOverflowError` if an operation on `out` makes a value too large."""
    with np.errstate(over="ignore", invalid="ignore"):
        yield
    rows = np.atleast_2d(out)  # some at a time, without another matrix
    if not all(np.isfinite(rows[i : i + _ROWS]).all() for i in range(0, len(rows), _ROWS)):
        raise KernelOverflowError(VALUE_TOO_LARGE)


def matrix_dtype(dtype: DTypeLike | None) -> np.dtype[Any]:
    """Return the kind of numbers of a new matrix: float64 unless said otherwise."""
    return np.dtype(np.float64 if dtype is None else check_dtype("dtype", dtype))


def matrix_for(shape: tuple[int, int], out: Array | None, dtype: DTypeLike | None) -> Array:
    """Return `out` if it can take a matrix of this shape, or a new array if it is None."""
    if out is None:
        kind = matrix_dtype(dtype)
        needed = shape[0] * shape[1] * kind.itemsize
        if not _is_surely_free(needed):
            _check_memory(
                needed,
                f"a Gram matrix of {shape[0]:,} x {shape[1]:,} examples takes",
                "learn without one (solver='forest'), estimate it (DistributedTrees), write it to "
                "a file (out= a numpy.memmap, or treekernels gram), use dtype='float32', or fewer "
                "trees",
            )
        return np.empty(shape, kind)
    if not isinstance(out, np.ndarray):
        raise ParameterError(f"out must be an array, not of type {type(out).__name__}")
    if out.shape != shape:
        raise ParameterError(f"out has shape {out.shape}, and the matrix {shape}")
    if out.dtype not in (np.float32, np.float64):
        raise ParameterError(f"out must be of float32 or float64, not {out.dtype}")
    if dtype is not None and out.dtype != dtype:
        raise ParameterError(f"out is of {out.dtype}, but dtype says {np.dtype(dtype)}")
    if not out.flags.writeable:
        raise ParameterError("out is read-only")
    if out.size and shape[1] > 1 and out.strides[1] != out.itemsize:
        raise ParameterError("the rows of out must be contiguous")
    if out.size and shape[0] > 1 and out.strides[0] < shape[1] * out.itemsize:
        raise ParameterError(
            "the rows of out must follow each other: they overlap, or go backwards"
        )
    if not out.flags.aligned:
        raise ParameterError(
            f"out begins in the middle of a number: its memory must be aligned to {out.itemsize} "
            "bytes, as that of numpy.empty is"
        )
    reserve_mapped(out)
    return out


def gradient_for(shape: tuple[int, int], parameters: int) -> Array:
    """Return a new array for the derivatives of a matrix, if it fits into memory."""
    _check_memory(
        shape[0] * shape[1] * parameters * 8,
        f"the derivatives of a Gram matrix of {shape[0]:,} x {shape[1]:,} examples by "
        f"{parameters} parameters take",
        "tune fewer parameters (decay_bounds='fixed' keeps one as it is), or use fewer trees",
    )
    return np.empty((*shape, parameters))


def _is_surely_free(needed: int) -> bool:
    """Whether so few bytes are asked for that nobody need look how many there are."""
    return needed <= _SMALL_MATRIX and get_limits().matrix_bytes is None


def _check_memory(needed: int, subject: str, remedy: str) -> None:
    """Raise a `KernelMemoryError` for an array that would take more bytes than it may."""
    if _is_surely_free(needed):
        return
    most, what = memory_limit(get_limits().matrix_bytes)
    if needed > most:
        raise KernelMemoryError(f"{subject} {byte_count(needed)}, {what}: {remedy}")
