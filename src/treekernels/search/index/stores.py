"""Where the trees of an index are, and how they are compared with others.

`NativeStore` and `CountedStore` are the fast ones, for kernels that the native core has an index
for. `GramStore` asks any other kernel for rows of a Gram matrix. All number trees in order of
insertion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest
from treekernels.kernels.base.counted_features import CountedFeaturesKernel
from treekernels.kernels.base.kernel import Kernel
from treekernels.kernels.base.matrices import Run
from treekernels.kernels.base.tree_kernel import TreeKernel
from treekernels.search.index.counted_store import CountedStore
from treekernels.search.index.native_store import (
    HitArrays,
    Items,
    NativeAnswers,
    PairArrays,
    check_count,
    check_wanted,
    most_hits,
    translate_errors,
)


def store_for(kernel: Kernel, on: Any) -> Store:
    """Return an empty store for the trees in a column `on` of X; the core's own if it has one."""
    if isinstance(kernel, CountedFeaturesKernel) and not kernel.needs_fit:
        return CountedStore(kernel)
    if isinstance(kernel, TreeKernel) and not kernel.needs_fit:
        native = kernel.native_kernel()
        if _native.can_index(native):
            return NativeStore(_native.TreeIndex(native, bool(kernel.normalize)))
    return GramStore(kernel, on)


class NativeStore(NativeAnswers):
    """Trees in the index of the native core for kernels of subset trees and subtrees."""

    native: _native.TreeIndex

    def __init__(self, native: _native.TreeIndex) -> None:
        self.native = native

    def add(self, forest: Forest, run: Run) -> None:
        """Add trees at the end."""
        with translate_errors():
            self.native.add(forest.dag, forest.roots, run.n_jobs, run.progress)

    def trees(self, items: Items) -> Forest:
        """Return some of the trees."""
        dag = _native.Dag()
        with translate_errors():
            return Forest.from_roots(dag, self.native.copy_trees(items, dag))

    @property
    def bytes(self) -> int:
        """The memory that the trees take."""
        return self.native.bytes

    def state(self) -> dict[str, Any]:
        """Return plain data for a file."""
        return {"segments": self.native.segments(), "removed": self.removed}

    def restore(self, state: dict[str, Any]) -> None:
        """Take what `state` returned."""
        self.native.restore(list(state["segments"]), np.ascontiguousarray(state["removed"]))


class GramStore:
    """Trees that are compared by rows of a Gram matrix. Its methods are as in `NativeStore`."""

    def __init__(self, kernel: Kernel, on: Any) -> None:
        self._kernel = kernel
        self._on = on
        self._forest = Forest()
        self.removed = np.zeros(0, np.uint8)

    def add(self, forest: Forest, run: Run) -> None:
        known = self._forest[: len(self.removed)]  # without what Ctrl-C has kept from being added
        self._forest = Forest.concatenate([known, forest]) if len(known) else forest[:]
        self.removed = np.concatenate([self.removed, np.zeros(len(forest), np.uint8)])

    def remove(self, items: Items) -> None:
        removed = self.removed.copy()
        removed[items] = 1
        self.removed = removed

    def search(self, forest: Forest, k: int, run: Run) -> HitArrays:
        check_wanted(k, len(self.removed), len(forest))
        return self._rows(forest, run, lambda row: np.argsort(-row, kind="stable")[:k])

    def within(self, forest: Forest, threshold: float, run: Run) -> HitArrays:
        def similar(row: NDArray[np.float64]) -> NDArray[np.intp]:
            places = np.flatnonzero(row >= threshold)
            return places[np.argsort(-row[places], kind="stable")]

        return self._rows(forest, run, similar)

    def _rows(
        self,
        forest: Forest,
        run: Run,
        choose: Callable[[NDArray[np.float64]], NDArray[np.intp]],
    ) -> HitArrays:
        """Return what `choose` takes from the row of each query."""
        present = np.flatnonzero(self.removed == 0).astype(np.uint32)
        items, values = [present[:0]], [np.empty(0)]
        if not len(present) or not len(forest):
            return np.zeros(len(forest) + 1, np.uint64), items[0], values[0]
        offsets, most = [0], most_hits()
        queries, columns = self._input(forest), self._input(self._forest[present])
        for rows, block in self._kernel.blocks(queries, columns, n_jobs=run.n_jobs):
            for row in block:
                places = choose(row)
                items.append(present[places])
                values.append(row[places])
                offsets.append(offsets[-1] + len(places))
            check_count(offsets[-1], most)
            if run.progress is not None:
                run.progress(rows.stop, len(forest))
        return np.array(offsets, np.uint64), np.concatenate(items), np.concatenate(values)

    def pairs(self, threshold: float, run: Run) -> PairArrays:
        present = np.flatnonzero(self.removed == 0).astype(np.uint32)
        first, second, values = [present[:0]], [present[:0]], [np.empty(0)]
        most, count = most_hits(), 0
        blocks = self._kernel.blocks(self._input(self._forest[present]), n_jobs=run.n_jobs)
        for rows, block in blocks if len(present) else ():
            a, b = np.nonzero(block >= threshold)
            later = b > a + rows.start
            a, b = a[later], b[later]
            count += len(a)
            check_count(count, most)
            first.append(present[a + rows.start])
            second.append(present[b])
            values.append(block[a, b])
            if run.progress is not None:
                run.progress(rows.stop, len(present))
        return np.concatenate(first), np.concatenate(second), np.concatenate(values)

    def _input(self, forest: Forest) -> Examples:
        return Examples({self._on: forest})

    def trees(self, items: Items) -> Forest:
        return self._forest[items]

    @property
    def bytes(self) -> int:
        return int(sum(np.asarray(part).nbytes for part in self._forest.__getstate__()[1:]))

    def state(self) -> dict[str, Any]:
        return {"forest": self._forest[: len(self.removed)], "removed": self.removed}

    def restore(self, state: dict[str, Any]) -> None:
        forest, removed = state["forest"], np.array(state["removed"], np.uint8)
        if not isinstance(forest, Forest) or removed.shape != (len(forest),):
            raise ValueError("the trees and what was removed of them do not fit")
        self._forest, self.removed = forest, removed


Store: TypeAlias = NativeStore | CountedStore | GramStore
