"""Where the trees of an index are, and how they are compared with others.

`NativeStore` is the fast one, for kernels that the native core has an index for. `GramStore` asks
any other kernel for rows of a Gram matrix. Both number trees in order of insertion.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.limits import get_limits, memory_limit
from treekernels.common.native_errors import translate_native_errors
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest
from treekernels.errors import KernelMemoryError, ModelFileError
from treekernels.kernels.base.kernel import Kernel
from treekernels.kernels.base.matrices import Run
from treekernels.kernels.base.tree_kernel import TreeKernel

Items: TypeAlias = NDArray[np.uint32]
HitArrays: TypeAlias = tuple[NDArray[np.uint64], Items, NDArray[np.float64]]
"""Where the hits of each query begin, their items, and their values."""
PairArrays: TypeAlias = tuple[Items, Items, NDArray[np.float64]]

_BYTES_OF_A_HIT = 64  # while it is found, put in order and handed over
_FEW_HITS = 10_000  # for which there is always memory


def store_for(kernel: Kernel, on: Any) -> Store:
    """Return an empty store for the trees in a column `on` of X; the core's own if it has one."""
    if isinstance(kernel, TreeKernel) and not kernel.needs_fit:
        native = kernel.native_kernel()
        if _native.can_index(native):
            return NativeStore(_native.TreeIndex(native, bool(kernel.normalize)))
    return GramStore(kernel, on)


class _translate_errors(translate_native_errors):
    """Raise the library's own errors; numbers that do not fit together come from a file."""

    __slots__ = ()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if type(error) in (ValueError, IndexError):
            raise ModelFileError(f"the file of this index was altered: {error}") from None
        super().__exit__(kind, error, traceback)


class NativeStore:
    """Trees in the index of the native core."""

    def __init__(self, native: _native.TreeIndex) -> None:
        self.native = native

    def add(self, forest: Forest, run: Run) -> None:
        """Add trees at the end."""
        with _translate_errors():
            self.native.add(forest.dag, forest.roots, run.n_jobs, run.progress)

    def remove(self, items: Items) -> None:
        """Remove trees; the others keep their numbers."""
        self.native.remove(items)

    def search(self, forest: Forest, k: int, run: Run) -> HitArrays:
        """Return the best k trees for each query."""
        check_wanted(k, len(self.native), len(forest))
        with _translate_errors():
            return self.native.search(forest.dag, forest.roots, k, run.n_jobs, run.progress)

    def within(self, forest: Forest, threshold: float, run: Run) -> HitArrays:
        """Return all trees whose value is at least the threshold, for each query."""
        with _translate_errors():
            return self.native.within(
                forest.dag, forest.roots, threshold, _most_hits(), run.n_jobs, run.progress
            )

    def pairs(self, threshold: float, run: Run) -> PairArrays:
        """Return all pairs of trees whose value is at least the threshold."""
        with _translate_errors():
            return self.native.pairs(threshold, _most_hits(), run.n_jobs, run.progress)

    def trees(self, items: Items) -> Forest:
        """Return some of the trees."""
        dag = _native.Dag()
        with _translate_errors():
            return Forest.from_roots(dag, self.native.copy_trees(items, dag))

    @property
    def removed(self) -> NDArray[np.uint8]:
        """1 for each tree that was removed, and 0 for the others."""
        return self.native.removed()

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
        self._forest = Forest.concatenate([self._forest, forest]) if len(self._forest) else forest
        self.removed = np.concatenate([self.removed, np.zeros(len(forest), np.uint8)])

    def remove(self, items: Items) -> None:
        self.removed = self.removed.copy()
        self.removed[items] = 1

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
        offsets, most = [0], _most_hits()
        queries, columns = self._input(forest), self._input(self._forest[present])
        for rows, block in self._kernel.blocks(queries, columns, n_jobs=run.n_jobs):
            for row in block:
                places = choose(row)
                items.append(present[places])
                values.append(row[places])
                offsets.append(offsets[-1] + len(places))
            _check_count(offsets[-1], most)
            if run.progress is not None:
                run.progress(rows.stop, len(forest))
        return np.array(offsets, np.uint64), np.concatenate(items), np.concatenate(values)

    def pairs(self, threshold: float, run: Run) -> PairArrays:
        present = np.flatnonzero(self.removed == 0).astype(np.uint32)
        first, second, values = [present[:0]], [present[:0]], [np.empty(0)]
        most, count = _most_hits(), 0
        blocks = self._kernel.blocks(self._input(self._forest[present]), n_jobs=run.n_jobs)
        for rows, block in blocks if len(present) else ():
            a, b = np.nonzero(block >= threshold)
            later = b > a + rows.start
            a, b = a[later], b[later]
            count += len(a)
            _check_count(count, most)
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
        return {"forest": self._forest, "removed": self.removed}

    def restore(self, state: dict[str, Any]) -> None:
        forest, removed = state["forest"], np.array(state["removed"], np.uint8)
        if not isinstance(forest, Forest) or removed.shape != (len(forest),):
            raise ValueError("the trees and what was removed of them do not fit")
        self._forest, self.removed = forest, removed


Store: TypeAlias = NativeStore | GramStore


def _most_hits() -> int:
    """Return how many hits may be kept: they may take as much memory as a matrix."""
    most, _ = memory_limit(get_limits().matrix_bytes)
    return int(min(most / _BYTES_OF_A_HIT, 2.0**60))


def check_wanted(k: int, trees: int, queries: int) -> None:
    """Raise a `KernelMemoryError` if the hits of a search do not fit into memory."""
    count = min(k, trees) * queries
    if count > _FEW_HITS and count > _most_hits():
        raise KernelMemoryError(
            f"the best {min(k, trees):,} trees for each of {queries:,} queries take more memory "
            "than there is: use a smaller k, or fewer queries at a time"
        )


def _check_count(count: int, most: int) -> None:
    if count > most:
        raise KernelMemoryError(
            "more trees are that similar than there is memory for: use a larger threshold, or "
            "allow more with tk.set_limits(matrix_bytes=...)"
        )
