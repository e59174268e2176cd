"""One worker that learns from all partitions, where they fit into its memory."""

from __future__ import annotations

from typing import Any

from treekernels.cluster.partitions import Partitions
from treekernels.cluster.workers.slicing import join_rows
from treekernels.common.memory import free_memory
from treekernels.data.columns import length
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest

# Bytes that a machine takes while it learns: for each example and distinct subtree, and for each
# example of another kind. `TreeSVC` takes 0.55 GB for 364,000 trees (`bench_scale.py`).
_EXAMPLE, _SUBTREE, _OTHER = 1000, 200, 10_000


def fit_together(examples: Partitions) -> bool:
    """Return whether all examples take at most half of the memory of any worker that has some."""
    needed, memory = zip(*examples.collect(_need_and_memory), strict=True)
    known = [size for size in memory if size is not None]
    return not known or sum(needed) <= min(known) / 2


def fit_on_all(machine: Any, X: Any, y: Any, weights: Any = None) -> Any:
    """Fit a machine to the rows of all parts."""
    weights = None if weights is None else join_rows(weights)
    return machine.fit(join_rows(X), join_rows(y), weights)


def _need_and_memory(examples: Examples) -> tuple[int, int | None]:
    """Return how many bytes it takes to learn from a part, and how many this worker may have."""
    from distributed import get_worker

    needed = sum(_bytes_for(column) for column in examples.columns.values())
    limit = get_worker().memory_manager.memory_limit
    limits = [size for size in (limit, free_memory()) if size]
    return needed, min(limits, default=None)


def _bytes_for(column: Any) -> int:
    if isinstance(column, Forest):
        return _EXAMPLE * len(column) + _SUBTREE * column.n_subtrees
    numbers = column.data if hasattr(column, "tocsr") else column  # of a sparse matrix
    return _OTHER * length(column) + 4 * int(getattr(numbers, "nbytes", 0))
