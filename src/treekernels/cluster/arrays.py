"""Arrays of Dask from tasks, in graphs that are small: about a hundred bytes for a block."""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from treekernels.cluster.waiting import repeat, send
from treekernels.common.optional import require

__all__ = ["array_of", "lend"]

_LARGE = 20_000  # bytes that are sent to the workers beforehand, and not with the tasks


def lend(client: Any, item: Any) -> Any:
    """Return what tasks take for an object: a future of it if it is large, or else itself."""
    if len(pickle.dumps(item, protocol=5)) <= _LARGE:
        return item
    return repeat(client, lambda: send(client, item))


def array_of(
    tasks: Mapping[tuple[int, ...], tuple[Any, ...]], chunks: Sequence[Sequence[int]], dtype: Any
) -> Any:
    """Return a ``dask.array`` whose blocks are what tasks return.

    Parameters
    ----------
    tasks : dict
        For the place of each block a function and its arguments. An argument that is the place of
        another block stands for that block.
    chunks : sequence of sequences of int
        The lengths of the blocks along each dimension.
    dtype : data type
    """
    da = require("dask.array", "dask", "an array in blocks")
    name = f"treekernels-{uuid.uuid4().hex}"
    graph = {
        (name, *place): tuple((name, *item) if _is_place(item) else item for item in task)
        for place, task in tasks.items()
    }
    return da.Array(graph, name, tuple(tuple(sizes) for sizes in chunks), dtype)


def _is_place(item: Any) -> bool:
    return isinstance(item, tuple)
