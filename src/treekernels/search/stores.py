"""Where the trees of an index are, and how they are compared with others.

`NativeStore` is the fast one, for kernels that the native core has an index for; `GramStore` asks
any other kernel for rows of a Gram matrix.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.limits import get_limits, memory_limit
from treekernels.common.native_errors import translate_native_errors
from treekernels.data.forest import Forest
from treekernels.errors import KernelMemoryError, ModelFileError
from treekernels.kernels.base.kernel import Kernel
from treekernels.kernels.base.matrices import Run
from treekernels.kernels.base.tree_kernel import TreeKernel

__all__ = ["Found", "FoundPairs", "GramStore", "NativeStore", "Store", "has_native_index"]

Items: TypeAlias = NDArray[np.uint32]
Found: TypeAlias = tuple[NDArray[np.uint64], Items, NDArray[np.float64]]
"""Where the hits of each query begin, their items, and their values."""
FoundPairs: TypeAlias = tuple[Items, Items, NDArray[np.float64]]

_BYTES_OF_A_HIT = 64  # while it is found, put in order and handed over


class Store(ABC):
    """Trees, which are numbered as they come, and some of which were removed."""

    @abstractmethod
    def add(self, forest: Forest, run: Run) -> None:
        """Add trees at the end."""

    @abstractmethod
    def remove(self, items: Items) -> None:
        """Remove trees; the others keep their numbers."""

    @abstractmethod
    def search(self, forest: Forest, k: int, run: Run) -> Found:
        """Return the best k trees for each query."""

    @abstractmethod
    def within(self, forest: Forest, threshold: float, run: Run) -> Found:
        """Return all trees whose value is the threshold at least, for each query."""

    @abstractmethod
    def pairs(self, threshold: float, run: Run) -> FoundPairs:
        """Return all pairs whose value is the threshold at least."""

    @abstractmethod
    def trees(self, items: Items) -> Forest:
        """Return some of the trees."""

    @property
    @abstractmethod
    def removed(self) -> NDArray[np.uint8]:
        """Which trees were removed, by number."""

    @property
    @abstractmethod
    def bytes(self) -> int:
        """The memory of what is indexed."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return plain data for a file."""

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Take what `state` returned."""


def _most_hits() -> int:
    """Return how many trees a search may find: those that may take as much memory as a matrix."""
    most, _ = memory_limit(get_limits().matrix_bytes)
    return int(min(most / _BYTES_OF_A_HIT, 2.0**60))


def has_native_index(kernel: Kernel) -> bool:
    """Return whether the core has an index for a kernel with these parameters."""
    return isinstance(kernel, TreeKernel) and _native.can_index(kernel.native_kernel())


class _translate_errors(translate_native_errors):
    """Raise the library's own errors; what does not fit together comes from a file."""

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


class NativeStore(Store):
    """Trees in the index of the native core."""

    def __init__(self, kernel: TreeKernel) -> None:
        self.native = _native.TreeIndex(kernel.native_kernel(), bool(kernel.normalize))

    def add(self, forest: Forest, run: Run) -> None:
        with _translate_errors():
            self.native.add(forest.dag, forest.roots, run.n_jobs, run.progress)

    def remove(self, items: Items) -> None:
        self.native.remove(items)

    def search(self, forest: Forest, k: int, run: Run) -> Found:
        _check_hits(k, len(self.native), len(forest))
        with _translate_errors():
            return self.native.search(forest.dag, forest.roots, k, run.n_jobs, run.progress)

    def within(self, forest: Forest, threshold: float, run: Run) -> Found:
        with _translate_errors():
            return self.native.within(
                forest.dag, forest.roots, threshold, _most_hits(), run.n_jobs, run.progress
            )

    def pairs(self, threshold: float, run: Run) -> FoundPairs:
        with _translate_errors():
            return self.native.pairs(threshold, _most_hits(), run.n_jobs, run.progress)

    def trees(self, items: Items) -> Forest:
        dag = _native.Dag()
        with _translate_errors():
            return Forest.from_roots(dag, self.native.copy_trees(items, dag))

    @property
    def removed(self) -> NDArray[np.uint8]:
        return self.native.removed()

    @property
    def bytes(self) -> int:
        return self.native.bytes

    def state(self) -> dict[str, Any]:
        return {"segments": self.native.segments(), "removed": self.removed}

    def restore(self, state: dict[str, Any]) -> None:
        self.native.restore(list(state["segments"]), np.ascontiguousarray(state["removed"]))


class GramStore(Store):
    """Trees that are compared through rows of a Gram matrix, for any kernel."""

    def __init__(self, kernel: Kernel, on: Any) -> None:
        self._kernel = kernel
        self._on = on
        self._forest = Forest()
        self._removed = np.zeros(0, np.uint8)

    def add(self, forest: Forest, run: Run) -> None:
        self._forest = Forest.concatenate([self._forest, forest]) if len(self._forest) else forest
        self._removed = np.concatenate([self._removed, np.zeros(len(forest), np.uint8)])

    def remove(self, items: Items) -> None:
        self._removed = self._removed.copy()
        self._removed[items] = 1

    def search(self, forest: Forest, k: int, run: Run) -> Found:
        _check_hits(k, len(self._removed), len(forest))

        def best(values: NDArray[np.float64]) -> NDArray[np.intp]:
            if k < len(values):
                limit = np.partition(values, len(values) - k)[len(values) - k]
                places = np.flatnonzero(values >= limit)
            else:
                places = np.arange(len(values))
            return places[np.argsort(-values[places], kind="stable")][:k]

        return self._rows(forest, run, best if k else lambda values: np.empty(0, np.intp))

    def within(self, forest: Forest, threshold: float, run: Run) -> Found:
        def above(values: NDArray[np.float64]) -> NDArray[np.intp]:
            places = np.flatnonzero(values >= threshold)
            return places[np.argsort(-values[places], kind="stable")]

        return self._rows(forest, run, above)

    def _rows(self, forest: Forest, run: Run, choose: Any) -> Found:
        """Return what `choose` takes from the row of each query."""
        there = np.flatnonzero(self._removed == 0)
        items: list[NDArray[Any]] = [np.empty(0, np.uint32)]
        values: list[NDArray[Any]] = [np.empty(0)]
        offsets = [0]
        most = _most_hits()
        if len(there) and len(forest):
            columns = self._input(self._forest[there])
            for rows, block in self._kernel.blocks(self._input(forest), columns, n_jobs=run.n_jobs):
                for row in block:
                    places = choose(row)
                    items.append(there[places].astype(np.uint32))
                    values.append(row[places])
                    offsets.append(offsets[-1] + len(places))
                _check_count(offsets[-1], most)
                if run.progress is not None:
                    run.progress(rows.stop, len(forest))
        else:
            offsets += [0] * len(forest)
        return np.array(offsets, np.uint64), np.concatenate(items), np.concatenate(values)

    def pairs(self, threshold: float, run: Run) -> FoundPairs:
        there = np.flatnonzero(self._removed == 0).astype(np.uint32)
        first: list[NDArray[Any]] = [np.empty(0, np.uint32)]
        second: list[NDArray[Any]] = [np.empty(0, np.uint32)]
        values: list[NDArray[Any]] = [np.empty(0)]
        most, count = _most_hits(), 0
        if len(there):
            trees = self._input(self._forest[there])
            for rows, block in self._kernel.blocks(trees, n_jobs=run.n_jobs):
                a, b = np.nonzero(block >= threshold)
                later = b > a + rows.start
                a, b = a[later], b[later]
                count += len(a)
                _check_count(count, most)
                first.append(there[a + rows.start])
                second.append(there[b])
                values.append(block[a, b])
                if run.progress is not None:
                    run.progress(rows.stop, len(there))
        return np.concatenate(first), np.concatenate(second), np.concatenate(values)

    def _input(self, forest: Forest) -> Any:
        return forest if self._on is None else {self._on: forest}

    def trees(self, items: Items) -> Forest:
        return self._forest[items]

    @property
    def removed(self) -> NDArray[np.uint8]:
        return self._removed

    @property
    def bytes(self) -> int:
        return int(sum(np.asarray(part).nbytes for part in self._forest.__getstate__()[1:]))

    def state(self) -> dict[str, Any]:
        return {"forest": self._forest, "removed": self._removed}

    def restore(self, state: dict[str, Any]) -> None:
        forest, removed = state["forest"], np.array(state["removed"], np.uint8)
        if not isinstance(forest, Forest) or removed.shape != (len(forest),):
            raise ValueError("the trees and what was removed of them do not fit")
        self._forest, self._removed = forest, removed


def _check_hits(k: int, trees: int, queries: int) -> None:
    if min(k, trees) * queries > _most_hits():
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
