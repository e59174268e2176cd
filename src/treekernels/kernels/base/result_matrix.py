"""Where a Gram matrix is put: a new array that fits into memory, or one of the caller's."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from treekernels.common.checks import check_dtype
from treekernels.common.limits import get_limits, memory_limit
from treekernels.common.text import byte_count
from treekernels.errors import KernelMemoryError, ParameterError
from treekernels.io.files.disk_space import reserve_mapped

__all__ = ["Array", "gradient_for", "matrix_dtype", "matrix_for"]

Array: TypeAlias = NDArray[Any]

_SMALL_MATRIX = 64 << 20  # bytes for which nobody is asked


def matrix_dtype(dtype: DTypeLike | None) -> np.dtype[Any]:
    """Return the kind of numbers of a new matrix: float64 unless said otherwise."""
    return np.dtype(np.float64 if dtype is None else check_dtype("dtype", dtype))


def matrix_for(shape: tuple[int, int], out: Array | None, dtype: DTypeLike | None) -> Array:
    """Return `out` if it can take a matrix of this shape, or a new array if it is None."""
    if out is None:
        kind = matrix_dtype(dtype)
        _check_memory(shape, kind)
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
    if not out.flags.aligned:
        raise ParameterError(
            f"out begins in the middle of a number: its memory must be aligned to {out.itemsize} "
            "bytes, as that of numpy.empty is"
        )
    reserve_mapped(out)
    return out


def gradient_for(shape: tuple[int, int], parameters: int) -> Array:
    """Return a new array for the derivatives of a matrix, if it fits into memory."""
    needed = shape[0] * shape[1] * parameters * 8
    limit = get_limits().matrix_bytes
    if limit is not None or needed > _SMALL_MATRIX:
        most, what = memory_limit(limit)
        if needed > most:
            raise KernelMemoryError(
                f"the derivatives of a Gram matrix of {shape[0]:,} x {shape[1]:,} examples by "
                f"{parameters} parameters take {byte_count(needed)}, {what}: tune fewer parameters "
                "(decay_bounds='fixed' keeps one as it is), or use fewer trees"
            )
    return np.empty((*shape, parameters))


def _check_memory(shape: tuple[int, int], dtype: np.dtype[Any]) -> None:
    """Raise a `KernelMemoryError` for a matrix that would take more than it may."""
    needed = shape[0] * shape[1] * dtype.itemsize
    limit = get_limits().matrix_bytes
    if limit is None and needed <= _SMALL_MATRIX:
        return
    most, what = memory_limit(limit)
    if needed > most:
        raise KernelMemoryError(
            f"a Gram matrix of {shape[0]:,} x {shape[1]:,} examples takes {byte_count(needed)}, "
            f"{what}: learn without one "
            "(solver='forest'), estimate it (DistributedTrees), write it to a file (out= a "
            "numpy.memmap, or treekernels gram), use dtype='float32', or fewer trees"
        )
