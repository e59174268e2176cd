"""ShardedIndex: the trees of all partitions, searched where they are."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from treekernels.cluster.partitions import Partitions, partitions
from treekernels.cluster.workers.recovery import send
from treekernels.common.checks import check_integer
from treekernels.data.columns import forest_of, length
from treekernels.data.forest import Forest
from treekernels.kernels import Kernel, SubsetTreeKernel
from treekernels.search.index.ids import Ids
from treekernels.search.index.results import Results
from treekernels.search.tree_index import TreeIndex

__all__ = ["ShardedIndex"]

_ROUNDING = 1e-9  # much more than two ways to compute a similarity differ


class IndexPart:
    """The index of one partition, which can be sent from worker to worker."""

    def __init__(self, index: TreeIndex) -> None:
        self.index = index

    def __getstate__(self) -> bytes:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            path = Path(folder) / "part.tki"
            self.index.save(path)
            return path.read_bytes()

    def __setstate__(self, state: bytes) -> None:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            path = Path(folder) / "part.tki"
            path.write_bytes(state)
            self.index = TreeIndex.load(path)  # which stays mapped when the file has no name


class ShardedIndex:
    """The trees of all partitions, each of which has an index of its own on a worker.

    `search` finds what one `treekernels.TreeIndex` of all trees would find, equal similarities in
    order of insertion: every part gives its best, and the best of these are chosen here.

    Parameters
    ----------
    kernel : Kernel, optional
        By default ``SubsetTreeKernel()``.
    client : distributed.Client, optional
        By default the one in use.
    """

    def __init__(self, kernel: Kernel | None = None, *, client: Any = None) -> None:
        self.kernel = SubsetTreeKernel() if kernel is None else kernel
        self.client = client
        self._column = TreeIndex(self.kernel).column  # raises an error for what is no tree kernel
        self._indexes: Partitions | None = None
        self._ids = Ids()

    def add(self, X: Any, ids: Any = None) -> None:
        """Add trees, each partition as one part of the index.

        Parameters
        ----------
        X : Partitions, or anything that `partitions` takes
        ids : sequence of int or str, optional
            What to call them, each once; by default their numbers in order of insertion.
        """
        data = partitions(X, client=self.client)
        new = self._ids.check_new(ids, len(data), np.zeros(len(self._ids), np.uint8))
        parts, lengths = data.map(_index_of, self.kernel).parts, data.lengths
        if self._indexes is not None:
            parts, lengths = [*self._indexes.parts, *parts], [*self._indexes.lengths, *lengths]
        self._indexes = Partitions(data.client, parts, lengths)
        self._ids.extend(new)

    def search(self, X: Any, k: int = 10) -> Results:
        """Return the k trees that are most like each of some others.

        Parameters
        ----------
        X : trees, or a table with a column of trees
            The queries, which are here and not on the workers.
        k : int, default=10
            How many to find; fewer if there are not as many.

        Returns
        -------
        Results
            For each query its ids and similarities, the largest first, equal ones in order of
            insertion.
        """
        k = check_integer("k", k, 0)
        queries = forest_of(X, self._column)
        best = TreeIndex(self.kernel)
        places = np.empty(0, np.int64)
        indexes = self._indexes
        if indexes is not None:
            count, client = indexes.npartitions, indexes.client
            asked = (queries, k)
            hits = indexes.collect(_best_of, each=lambda: [send(client, asked)] * count)
            chosen = candidates(hits, k)
            trees = indexes.collect(_trees_of, each=lambda: chosen)
            best.add(Forest.concatenate(trees))
            starts = np.cumsum([0, *indexes.lengths])
            places = np.concatenate([n + items for n, items in zip(starts, chosen, strict=False)])
        # Their similarities have last digits that depend on what else is in a part's index. So they
        # are computed once more, all in one index, or equal trees might not come out equal.
        final = best.search(queries, k)
        items = places[final.items.astype(np.int64)].astype(np.uint32)
        return Results(self._ids, final.offsets, items, final.similarities)

    def __len__(self) -> int:
        return len(self._ids)

    def __repr__(self) -> str:
        parts = 0 if self._indexes is None else self._indexes.npartitions
        return f"<ShardedIndex: {len(self):,} trees in {parts} parts, {self.kernel!r}>"


def _index_of(part: Any, kernel: Kernel) -> IndexPart:
    index = TreeIndex(kernel)
    if length(part):
        index.add(part)
    return IndexPart(index)


def _best_of(part: IndexPart, asked: tuple[Forest, int]) -> tuple[Any, Any, Any]:
    """Return the best of a part: the queries that they belong to, places, and similarities."""
    queries, k = asked
    results = part.index.search(queries, k)
    ends = results.offsets.astype(np.int64)
    numbers = np.repeat(np.arange(len(queries)), ends[1:] - ends[:-1])
    return numbers, results.items, results.similarities


def _trees_of(part: IndexPart, items: Any) -> Forest:
    return part.index.trees(items.tolist()) if len(items) else Forest()


def candidates(hits: Sequence[tuple[Any, Any, Any]], k: int) -> list[Any]:
    """Return the places, in each part, of all trees that may be among the k best of all parts.

    `hits` are the queries, places and similarities that each part has found.
    """
    queries, items, values = (np.concatenate(column) for column in zip(*hits, strict=True))
    owners = np.repeat(np.arange(len(hits)), [len(places) for places, _, _ in hits])
    order = np.lexsort((-values, queries))
    ranks = np.arange(len(order)) - np.searchsorted(queries[order], queries[order])
    least = np.full(queries.max(initial=-1) + 1, -np.inf)
    last = order[ranks == k - 1]
    least[queries[last]] = values[last] - _ROUNDING * np.abs(values[last])
    kept = values >= least[queries]
    return [np.unique(items[kept & (owners == n)]).astype(np.int64) for n in range(len(hits))]
