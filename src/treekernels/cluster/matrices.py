"""Gram matrices and vectors as `dask.array`, and what to do with those."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from treekernels.cluster.partitions import Partitions, partitions
from treekernels.cluster.workers.arrays import array_of, lend
from treekernels.cluster.workers.slicing import renumbered, rows_of_a_task, take_rows
from treekernels.common.checks import check_integer
from treekernels.common.progress import progress_bar
from treekernels.errors import ParameterError
from treekernels.io.files.npy import write_npy
from treekernels.kernels import Kernel
from treekernels.kernels.expressions.parsing import as_kernel

__all__ = ["embed", "gram", "to_npy"]

_MOST_ROWS = 4096
_MOST_BYTES = 64 * 2**20  # of a chunk of vectors; larger ones are not made faster
_BLOCKS = 4  # in a row, at least, so that workers have about the same to do


def gram(
    kernel: Kernel | str | None,
    X: Any,
    Y: Any = None,
    *,
    dtype: DTypeLike = "float64",
    block_rows: int | None = None,
    client: Any = None,
) -> Any:
    """Return the kernel values between all examples as a ``dask.array`` of blocks.

    Nothing is computed yet: ``.compute()`` brings the matrix into memory, ``.to_zarr(...)`` and
    `to_npy` write one that may be larger. The blocks above the diagonal are the transposes of
    those below it, which are computed once.

    Parameters
    ----------
    kernel : Kernel or str
    X : Partitions, or anything that `partitions` takes
    Y : the same, optional
        By default X.
    dtype : data type, default="float64"
        The type of the result.
    block_rows : int, optional
        Rows and columns of a block. A task holds two parts of so many examples and one block. By
        default 4096, which takes 128 MB, or fewer if there are not many examples, so that all
        workers have something to do.
    client : distributed.Client, optional
        By default the one in use.

    Returns
    -------
    dask.array.Array
        Its bits do not depend on how the examples are partitioned.
    """
    kernel = as_kernel(kernel)
    kernel.check_parameters()
    if kernel.needs_fit:
        raise ParameterError(
            "the kernel's weights need to see all trees: give kernel.fitted_on(trees)"
        )
    dtype = np.dtype(dtype)
    left = partitions(X, client=client)
    right = left if Y is None else partitions(Y, client=client)
    if block_rows is not None:
        check_integer("block_rows", block_rows, 1)
    left = _numbered_alike(left, block_rows)
    right = left if Y is None else _numbered_alike(right, block_rows)
    task = partial(_block, dtype=dtype)
    lent = lend(left.client, kernel)
    tasks: dict[tuple[int, ...], Any] = {}
    for i, row in enumerate(left.futures):
        for j, column in enumerate(right.futures):
            if Y is None and j > i:
                tasks[i, j] = (np.transpose, (j, i))
            else:
                tasks[i, j] = (task, lent, row, None if Y is None and i == j else column)
    return array_of("gram", tasks, (left.lengths, right.lengths), dtype)


def _block(kernel: Kernel, X: Any, Y: Any, *, dtype: Any) -> NDArray[Any]:
    block: NDArray[Any] = kernel(X, Y, dtype=dtype, n_jobs=1)
    return block


def _numbered_alike(data: Partitions, rows: int | None) -> Partitions:
    """Return the examples in parts of so many, the same to the bit at any partitioning."""
    rows = rows or rows_of_a_task(len(data), tasks=_BLOCKS, most=_MOST_ROWS)
    return data.cut_every(rows).map(renumbered, same_length=True)


def embed(embedding: Any, X: Any, *, client: Any = None) -> Any:
    """Return the vectors of all trees as a ``dask.array``.

    Parameters
    ----------
    embedding : DistributedTrees
        With a `min_df` above 1, it has to be fitted before.
    X : Partitions, or anything that `partitions` takes
    client : distributed.Client, optional
        By default the one in use.

    Returns
    -------
    dask.array.Array of shape (examples, dimension)
        In chunks of up to 64 MB, or what Dask is configured for (``array.chunk-size``) if that is
        less. Each vector has the bits that ``embedding.transform`` gives it.
    """
    if embedding.min_df != 1 and not hasattr(embedding, "links_"):
        raise ParameterError(
            "min_df counts in how many trees something occurs: fit the embedding before, on all "
            "trees or on a sample of them"
        )
    data = partitions(X, client=client)
    dtype, width = np.dtype(embedding.dtype), int(embedding.dimension)
    rows = max(1, _chunk_bytes() // (width * dtype.itemsize))
    lent = lend(data.client, embedding)
    tasks: dict[tuple[int, ...], Any] = {}
    heights: list[int] = []
    for future, count in zip(data.futures, data.lengths, strict=True):
        for first in range(0, count, rows) or [0]:
            last = min(first + rows, count)
            tasks[len(heights), 0] = (_vectors, lent, future, first, last)
            heights.append(last - first)
    return array_of("vectors", tasks, (heights, [width]), dtype)


def _chunk_bytes() -> int:
    import dask
    from dask.utils import parse_bytes

    return min(_MOST_BYTES, int(parse_bytes(dask.config.get("array.chunk-size"))))


def _vectors(embedding: Any, part: Any, first: int, last: int) -> NDArray[Any]:
    if first == last:
        return np.zeros((0, embedding.dimension), embedding.dtype)
    vectors: NDArray[Any] = embedding.transform(take_rows(part, first, last))
    return vectors


def to_npy(array: Any, path: str | os.PathLike[str], *, verbose: bool = False) -> NDArray[Any]:
    """Write a ``dask.array`` with two dimensions to a ``.npy`` file, a row of chunks at a time.

    Parameters
    ----------
    array : dask.array.Array
    path : path
        It gets its name when it is whole.
    verbose : bool, default=False
        Show a progress bar.

    Returns
    -------
    array
        The file, mapped for reading.
    """
    ends: Sequence[int] = np.cumsum([0, *array.chunks[0]]).tolist()

    def fill(first: int, last: int, rows: NDArray[Any]) -> None:
        rows[:] = array[first:last].compute()

    with progress_bar("blocks", verbose=verbose) as bar:
        return write_npy(path, array.shape, array.dtype, list(pairwise(ends)), fill, bar)
