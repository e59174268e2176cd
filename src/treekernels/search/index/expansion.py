"""Neighbours of neighbours: similarities as means over the nearest trees of both sides.

With S for the similarities of the trees of an index, and N(x) for the `expand` trees of the index
that are nearest to x::

    E(q, x) = mean of S(a, b) over all a in N(q) and b in N(x)

Rows of S are made a few at a time, each once for a batch of queries, and batches are as large as
their answers fit into a fixed room. Sums are taken in order of insertion, so that no answer depends
on the batch, on the other queries or on the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.arrays import Floats
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest
from treekernels.kernels.base.kernel import Kernel
from treekernels.kernels.base.matrices import Run, matrix_for
from treekernels.search.index.native_store import HitArrays, Items, check_wanted
from treekernels.search.index.stores import Store

_BATCH_BYTES = 1 << 26  # the answers of a batch of queries
_ROW_BYTES = 1 << 24  # rows of similarities, of which there are three copies for a while


@dataclass(frozen=True)
class Neighborhood:
    """The trees of an index, and those nearest to each of them.

    Attributes
    ----------
    items : array of int
        The trees that are there, as numbers in order of insertion.
    trees : Forest
        The same.
    nearest : array of shape (len(items), width)
        For each of them the places among `items` of its nearest trees, the nearest first.
    """

    items: Items
    trees: Forest
    nearest: NDArray[np.uint32]

    @classmethod
    def of(cls, store: Store, expand: int, run: Run) -> Neighborhood:
        """Find the `expand` nearest trees of each tree."""
        items = np.flatnonzero(store.removed == 0).astype(np.uint32)
        trees = store.trees(items)
        return cls(items, trees, _nearest(store, trees, items, expand, run))

    def reaches(self, expand: int) -> bool:
        """Return whether as many of the nearest are known, or all that there are."""
        return int(self.nearest.shape[1]) >= min(expand, len(self.items))

    def search(
        self, kernel: Kernel, on: Any, store: Store, forest: Forest, k: int, expand: int, run: Run
    ) -> HitArrays:
        """Return the best k trees for each query, by the mean over the nearest of both."""
        count = len(self.items)
        check_wanted(k, count, len(forest))
        offsets = np.arange(len(forest) + 1, dtype=np.uint64) * np.uint64(min(k, count))
        found, values = [self.items[:0]], [np.empty(0)]
        for row in self._rows(kernel, on, store, forest, expand, run):
            places = np.argsort(-row, kind="stable")[:k]
            found.append(self.items[places])
            values.append(row[places])
        return offsets, np.concatenate(found), np.concatenate(values)

    def graph(
        self, kernel: Kernel, on: Any, store: Store, least: float, expand: int, run: Run
    ) -> Any:
        """Return what is at least so similar as a sparse matrix, with E(x, x) on its diagonal."""
        from scipy.sparse import coo_matrix

        count = len(self.items)
        diagonal = np.zeros(count)
        places, values = [np.empty((2, 0), np.int64)], [np.empty(0)]
        for number, row in enumerate(self._rows(kernel, on, store, self.trees, expand, run)):
            diagonal[number] = row[number]
            later = number + 1 + np.flatnonzero(row[number + 1 :] >= least)
            places.append(np.stack([np.full(len(later), number), later]))
            values.append(row[later])
        entries = np.concatenate(values), np.concatenate(places, axis=1)
        above = coo_matrix(entries, shape=(count, count))
        on_it = coo_matrix((diagonal, (np.arange(count),) * 2), shape=(count, count))
        return (above + above.T + on_it).tocsr()

    def _rows(
        self, kernel: Kernel, on: Any, store: Store, forest: Forest, expand: int, run: Run
    ) -> Iterator[Floats]:
        """Yield the similarities of each query to all trees."""
        count = len(self.items)
        batch = max(1, _BATCH_BYTES // (8 * max(1, count)))
        for start in range(0, len(forest) if count else 0, batch):
            queries = forest[start : start + batch]
            near = _nearest(store, queries, self.items, expand, run)
            yield from self._means(kernel, on, near, run)
            if run.progress is not None:
                run.progress(start + len(queries), len(forest))

    def _means(self, kernel: Kernel, on: Any, near: NDArray[np.uint32], run: Run) -> Floats:
        """Return the similarities to all trees, given the nearest ones of each query."""
        count, width = len(self.items), near.shape[1]
        means: Floats = matrix_for((len(near), count), None, None)
        means.fill(0.0)
        # In order of insertion, so that trees with the same neighbours have the same value.
        neighbors = np.sort(self.nearest[:, :width], axis=1)
        needed, places = np.unique(near, return_inverse=True)
        order = np.argsort(places.ravel(), kind="stable")
        asking = order // width  # the queries, by the neighbour that they have in common
        bounds = np.searchsorted(places.ravel()[order], np.arange(len(needed) + 1))
        blocks = kernel.blocks(
            Examples({on: self.trees[needed]}),
            Examples({on: self.trees}),
            rows=max(1, _ROW_BYTES // (8 * count)),
            n_jobs=run.n_jobs,
        )
        for rows, block in blocks:
            by_tree = np.ascontiguousarray(block.T)
            sums = np.zeros_like(by_tree)
            for column in range(width):
                sums += by_tree[neighbors[:, column]]
            for place, row in enumerate(np.ascontiguousarray(sums.T), start=rows.start):
                means[asking[bounds[place] : bounds[place + 1]]] += row
        means /= width * width
        return means


def _nearest(
    store: Store, trees: Forest, items: Items, expand: int, run: Run
) -> NDArray[np.uint32]:
    """Return the places among `items` of the trees that are nearest to some others."""
    width = min(expand, len(items))
    _, found, _ = store.search(trees, width, Run(run.n_jobs))
    return np.searchsorted(items, found).astype(np.uint32).reshape(len(trees), width)
