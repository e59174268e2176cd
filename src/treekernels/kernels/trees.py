"""TreeKernel: what the tree kernels have in common, between parameters and native core."""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.errors import KernelMemoryError, too_large
from treekernels.forest import Forest
from treekernels.kernels.base import Array, Kernel, KernelMatrix, Run, thread_count
from treekernels.kernels.columns import forest_of

__all__ = ["Algorithm", "TreeKernel"]

Algorithm = Literal["corpus", "ftk", "qtk"]


class TreeKernel(Kernel):
    """A kernel that sums a function of node pairs over two trees, computed by the native core."""

    decay: float
    normalize: bool
    on: Any
    algorithm: Algorithm

    @abstractmethod
    def _core(self) -> dict[str, Any]:
        """Give the parameters of the native core that this kernel sets."""

    def prepare(self, X: Any, Y: Any = None, run: Run | None = None) -> KernelMatrix:
        run = run or Run()
        rows = forest_of(X, self.on)
        columns = rows if Y is None else forest_of(Y, self.on)
        return TreeKernelMatrix(self._native(rows, columns, run, symmetric=Y is None))

    def diag(self, X: Any) -> NDArray[np.float64]:
        forest = forest_of(X, self.on)
        run = Run(thread_count(self.n_jobs))
        matrix = self._native(forest, forest, run, symmetric=True, diagonal_only=True)
        with told_plainly():
            return matrix.diagonal()

    def _native(
        self,
        rows: Forest,
        columns: Forest,
        run: Run,
        *,
        symmetric: bool,
        diagonal_only: bool = False,
    ) -> _native.Gram:
        core: dict[str, Any] = {
            "decay": decay_of("decay", self.decay),
            "vertical_decay": 1.0,
            "leaf_weight": 0.0,
            "span": False,
            "similarity": [],
        }
        core.update(self._core())
        try:
            core["algorithm"] = _native.Algorithm[self.algorithm]
        except KeyError:
            raise ValueError(
                f"algorithm must be 'corpus', 'ftk' or 'qtk', not {self.algorithm!r}"
            ) from None
        if rows._dag is not columns._dag:
            both = Forest.concatenate([columns, rows])
            columns, rows = both[: len(columns)], both[len(columns) :]
        with told_plainly():
            return _native.Gram(
                rows._dag,
                columns._roots,
                None if symmetric else rows._roots,
                normalize=bool(self.normalize),
                diagonal_only=diagonal_only,
                threads=run.n_jobs,
                **core,
            )


class TreeKernelMatrix(KernelMatrix):
    """A matrix of the native core."""

    def __init__(self, native: _native.Gram | _native.PairsGram) -> None:
        self.native = native
        self.shape = native.shape

    def fill(self, out: Array, run: Run) -> None:
        with told_plainly():
            self.native.fill(out, run.n_jobs, run.progress)

    def fill_rows(self, first: int, last: int, out: Array, run: Run) -> None:
        with told_plainly():
            self.native.fill_rows(first, last, out, run.n_jobs, run.progress)


@contextlib.contextmanager
def told_plainly() -> Iterator[None]:
    """Turn errors of the native core into sentences with a remedy."""
    try:
        yield
    except _native.Overflow:
        raise too_large() from None
    except _native.TooLarge as error:
        raise KernelMemoryError(str(error)) from None


def decay_of(name: str, value: Any) -> float:
    """Check a decay factor. Below the limit, products of decays would vanish."""
    if not isinstance(value, int | float | np.number) or not 1e-100 <= value <= 1:
        raise ValueError(f"{name} must be above 0 (at least 1e-100) and at most 1, not {value!r}")
    return float(value)


def weight_of(name: str, value: Any) -> float:
    """Check a weight: it must keep the kernel positive, and leave room for sums and products."""
    if not isinstance(value, int | float | np.number) or not 0 <= value <= 1e100:
        raise ValueError(f"{name} must be a number from 0 to 1e100, not {value!r}")
    return float(value)
