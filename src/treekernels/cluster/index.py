"""ShardedIndex: the trees of all partitions, searched where they are."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from treekernels.cluster.partitions import Partitions, partitions
from treekernels.cluster.waiting import repeat, results_of, send
from treekernels.common.checks import check_integer
from treekernels.data.columns import forest_of, length
from treekernels.data.forest import Forest
from treekernels.kernels import Kernel, SubsetTreeKernel
from treekernels.search.ids import Ids
from treekernels.search.results import Results
from treekernels.search.tree_index import TreeIndex

__all__ = ["ShardedIndex"]


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
        self._column = TreeIndex(self.kernel).column  # complains of kernels that have no index
        self._indexes: list[Partitions] = []
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
        new = self._ids.checked(ids, len(data), np.zeros(len(self._ids), np.uint8))
        indexes = data.map(_index_of, self.kernel)
        self._indexes.append(Partitions(data.client, indexes.parts, data.lengths))
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
        places, trees, start = [np.empty(0, np.int64)], [], 0
        for indexes in self._indexes:
            found = self._candidates(indexes, queries, k)
            for (items, own), count in zip(found, indexes.lengths, strict=True):
                places.append(start + items)
                trees.append(own)
                start += count
        best = TreeIndex(self.kernel)
        if trees:
            best.add(_as_input(Forest.concatenate(trees), self._column))
        chosen = best.search(_as_input(queries, self._column), k)
        items = np.concatenate(places)[chosen.items.astype(np.int64)]
        return Results(self._ids, chosen.offsets, items.astype(np.uint32), chosen.similarities)

    def _candidates(self, indexes: Partitions, queries: Forest, k: int) -> list[Any]:
        """Return the places and trees of each part that may be among the best of all."""
        client = indexes.client

        def attempt() -> list[Any]:
            lent = send(client, queries)
            futures = [
                client.submit(_best_of, index, lent, k, pure=False) for index in indexes.futures
            ]
            return results_of(client, futures)

        return repeat(client, attempt, indexes.parts)

    def __len__(self) -> int:
        return len(self._ids)

    def __repr__(self) -> str:
        parts = sum(indexes.npartitions for indexes in self._indexes)
        return f"<ShardedIndex: {len(self):,} trees in {parts} parts, {self.kernel!r}>"


def _as_input(forest: Forest, column: Any) -> Any:
    return forest if column is None else {column: forest}


def _index_of(part: Any, kernel: Kernel) -> IndexPart:
    index = TreeIndex(kernel)
    if length(part):
        index.add(part)
    return IndexPart(index)


def _best_of(part: IndexPart, queries: Forest, k: int) -> tuple[Any, Forest]:
    """Return the trees that are among the k best for one of the queries, in order of insertion."""
    index = part.index
    if not len(index):
        return np.empty(0, np.int64), Forest()
    found = np.unique(index.search(_as_input(queries, index.column), k).items).astype(np.int64)
    return found, index.trees(found.tolist())
