"""What an index of the native core answers, whatever it is an index of."""

from __future__ import annotations

from types import TracebackType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.limits import get_limits, memory_limit
from treekernels.common.native_errors import translate_native_errors
from treekernels.data.forest import Forest
from treekernels.errors import KernelMemoryError, ModelFileError
from treekernels.kernels.base.matrices import Run

Items: TypeAlias = NDArray[np.uint32]
HitArrays: TypeAlias = tuple[NDArray[np.uint64], Items, NDArray[np.float64]]
"""Where the hits of each query begin, their items, and their values."""
PairArrays: TypeAlias = tuple[Items, Items, NDArray[np.float64]]

_BYTES_OF_A_HIT = 64  # while it is found, put in order and handed over
_FEW_HITS = 10_000  # for which there is always memory


class translate_errors(translate_native_errors):
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


class NativeAnswers:
    """The questions that the indexes of the native core answer alike."""

    native: _native.TreeIndex | _native.CountedIndex

    def remove(self, items: Items) -> None:
        """Remove trees; the others keep their numbers."""
        self.native.remove(items)

    def search(self, forest: Forest, k: int, run: Run) -> HitArrays:
        """Return the best k trees for each query."""
        check_wanted(k, len(self.native), len(forest))
        with translate_errors():
            return self.native.search(forest.dag, forest.roots, k, run.n_jobs, run.progress)

    def within(self, forest: Forest, threshold: float, run: Run) -> HitArrays:
        """Return all trees whose value is at least the threshold, for each query."""
        with translate_errors():
            return self.native.within(
                forest.dag, forest.roots, threshold, most_hits(), run.n_jobs, run.progress
            )

    def pairs(self, threshold: float, run: Run) -> PairArrays:
        """Return all pairs of trees whose value is at least the threshold."""
        with translate_errors():
            return self.native.pairs(threshold, most_hits(), run.n_jobs, run.progress)

    @property
    def removed(self) -> NDArray[np.uint8]:
        """1 for each tree that was removed, and 0 for the others."""
        return self.native.removed()


def most_hits() -> int:
    """Return how many hits may be kept: they may take as much memory as a matrix."""
    most, _ = memory_limit(get_limits().matrix_bytes)
    return int(min(most / _BYTES_OF_A_HIT, 2.0**60))


def check_wanted(k: int, trees: int, queries: int) -> None:
    """Raise a `KernelMemoryError` if the hits of a search do not fit into memory."""
    count = min(k, trees) * queries
    if count > _FEW_HITS and count > most_hits():
        raise KernelMemoryError(
            f"the best {min(k, trees):,} trees for each of {queries:,} queries take more memory "
            "than there is: use a smaller k, or fewer queries at a time"
        )


def check_count(count: int, most: int) -> None:
    """Raise a `KernelMemoryError` if more was found than may be kept."""
    if count > most:
        raise KernelMemoryError(
            "more trees are that similar than there is memory for: use a larger threshold, or "
            "allow more with tk.set_limits(matrix_bytes=...)"
        )
