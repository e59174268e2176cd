"""Arrays of Dask from tasks, in graphs that are small: about a hundred bytes for a block."""

from __future__ import annotations

import hashlib
import pickle
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from treekernels.cluster.workers.recovery import copy_to_all, repeat, send
from treekernels.common.optional import require

_LARGE = 20_000  # bytes that are sent to the workers beforehand, and not with the tasks
_VERY_LARGE = 1_000_000  # bytes that the scheduler is not asked to keep
_LENT = "_treekernels_lent"  # the attribute of a client that has what was lent last


def lend(client: Any, item: Any) -> Any:
    """Return what tasks take for an object: a future of it if it is large, or else itself.

    What was lent last stays on the workers. If it is asked for again, and has not changed, it need
    not be sent again, and a model need not be prepared again for scoring.
    """
    content = pickle.dumps(item, protocol=5)
    if len(content) <= _LARGE:
        return item
    digest = hashlib.sha256(content).digest()
    known, future = getattr(client, _LENT, (None, None))
    if future is None or known != digest or future.status not in ("finished", "pending"):
        future = repeat(client, lambda: _lend(client, item, content))
        setattr(client, _LENT, (digest, future))
    return future


def _lend(client: Any, item: Any, content: bytes) -> Any:
    if len(content) > _VERY_LARGE:
        return send(client, item)
    # A task that the scheduler can give to another worker, if those that have its result end.
    future = client.submit(pickle.loads, content, pure=False)
    copy_to_all(client, future)
    return future


def array_of(
    title: str,
    tasks: Mapping[tuple[int, ...], tuple[Any, ...]],
    chunks: Sequence[Sequence[int]],
    dtype: Any,
) -> Any:
    """Return a ``dask.array`` whose blocks are what tasks return.

    `tasks` has a function and its arguments for the place of each block; an argument that is a
    tuple is the place of another block, and stands for that block. `chunks` has the lengths of the
    blocks along each dimension. Dask expects tasks of one title to take about the same time.
    """
    da = require("dask.array", "dask", "an array in blocks")
    name = f"treekernels_{title}-{uuid.uuid4().hex}"
    graph = {
        (name, *place): tuple((name, *item) if isinstance(item, tuple) else item for item in task)
        for place, task in tasks.items()
    }
    return da.Array(graph, name, tuple(tuple(sizes) for sizes in chunks), dtype)
