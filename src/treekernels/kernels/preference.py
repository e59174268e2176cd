"""PreferenceKernel: which of two is better, as the difference of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.data.columns import select
from treekernels.data.forest import Forest, as_forest
from treekernels.data.vectors import as_vectors
from treekernels.errors import DataError, ParameterError
from treekernels.kernels.algebra import refuse_overflow
from treekernels.kernels.base.kernel import Kernel, KernelMatrix, Run
from treekernels.kernels.base.result_matrix import Array

__all__ = ["PreferenceKernel"]


class PreferenceKernel(Kernel):
    """The kernel of re-ranking: an example is two trees, and stands for their difference.

    ``K((a, b), (c, d)) = k(a, c) - k(a, d) - k(b, c) + k(b, d)``. A machine that learns with it
    from examples with the label 1 if the first is better, and -1 if the second is, learns to rank.
    `TreeRanker` does the same from examples that are ranked within queries, and needs no pairs.

    Parameters
    ----------
    kernel : Kernel
        A kernel on one column of trees or vectors, without ``on=``.
    on : sequence of two columns, default=("tree1", "tree2")
        Where the first and the second of each example are.

    Notes
    -----
    The difference of two examples as an example of its own is from [1]_, for ranking the parses of
    a sentence.

    References
    ----------
    .. [1] L. Shen and A. K. Joshi, "An SVM Based Voting Algorithm with Application to Parse
       Reranking", CoNLL 2003.

    Examples
    --------
    >>> import treekernels as tk
    >>> pairs = {"tree1": ["(A b)", "(A c)"], "tree2": ["(A c)", "(A b)"]}
    >>> tk.PreferenceKernel(tk.SubsetTreeKernel())(pairs)
    array([[ 2., -2.],
           [-2.,  2.]])
    """

    def __init__(self, kernel: Kernel, on: Sequence[Any] = ("tree1", "tree2")) -> None:
        self.kernel = kernel
        self.on = on

    @property
    def needs_fit(self) -> bool:
        return self.kernel.needs_fit

    def columns_of(self, X: Any) -> dict[Any, Any]:
        first, second = self._columns()
        return {first: self._half(X, first), second: self._half(X, second)}

    def fitted_on(self, X: Any) -> Kernel:
        if not self.needs_fit:
            return self
        return PreferenceKernel(self.kernel.fitted_on(self._both(X)), self.on)

    def prepare(self, X: Any, Y: Any = None, run: Run | None = None) -> KernelMatrix:
        rows = self._both(X)
        matrix = self.kernel.prepare(rows, None if Y is None else self._both(Y), run)
        return _DifferenceMatrix(matrix)

    def diag(self, X: Any) -> NDArray[np.float64]:
        both = self._both(X)
        own = self.kernel.diag(both)
        count = len(own) // 2
        run = Run()
        result = own[:count] + own[count:]
        for place in range(count):
            first, second = both[place : place + 1], both[count + place : count + place + 1]
            value = np.empty((1, 1))
            self.kernel.prepare(first, second, run).fill(value, run)
            result[place] -= 2 * value[0, 0]
        return np.maximum(result, 0.0)

    def _columns(self) -> tuple[Any, Any]:
        if isinstance(self.on, str) or len(self.on) != 2:
            raise ParameterError(f"on must be two columns, and not {self.on!r}")
        leaves = [leaf for leaf in self.kernel.leaves() if leaf.takes is not None]
        kinds = {leaf.takes for leaf in leaves}
        if any(leaf.on is not None for leaf in leaves) or not kinds <= {"trees", "vectors"}:
            raise ParameterError(
                f"the kernel of differences is one of trees or vectors without on=, and not "
                f"{self.kernel!r}"
            )
        if len(kinds) != 1:
            raise ParameterError("the kernel of differences looks at trees or at vectors, not both")
        first, second = self.on
        return first, second

    def _half(self, X: Any, name: Any) -> Any:
        (kind,) = {leaf.takes for leaf in self.kernel.leaves() if leaf.takes is not None}
        column = select(X, name)
        return as_forest(column) if kind == "trees" else as_vectors(column)

    def _both(self, X: Any) -> Any:
        """Return the first ones of all examples, and behind them the second ones."""
        first, second = (self._half(X, name) for name in self._columns())
        if isinstance(first, Forest):
            return Forest.concatenate([first, second])
        if hasattr(first, "tocsr") or hasattr(second, "tocsr"):
            from scipy.sparse import vstack

            return vstack([first, second], format="csr")
        if not (isinstance(first, np.ndarray) and isinstance(second, np.ndarray)):
            raise DataError("features with names have no differences here: give matrices")
        return np.concatenate([first, second])


class _DifferenceMatrix(KernelMatrix):
    """Rows of the first ones minus those of the second ones, and the same for columns."""

    def __init__(self, matrix: KernelMatrix) -> None:
        self.matrix = matrix
        self.shape = (matrix.shape[0] // 2, matrix.shape[1] // 2)

    def fill(self, out: Array, run: Run) -> None:
        self.fill_rows(0, self.shape[0], out, run)

    def fill_rows(self, first: int, last: int, out: Array, run: Run) -> None:
        rows, columns = self.shape
        step = max(1, (32 << 20) // max(1, 8 * columns))
        for begin in range(first, last, step):
            end = min(begin + step, last)
            both = np.empty((2, end - begin, 2 * columns))
            self.matrix.fill_rows(begin, end, both[0], Run(run.n_jobs))
            self.matrix.fill_rows(rows + begin, rows + end, both[1], Run(run.n_jobs))
            difference = both[0] - both[1]
            part = out[begin - first : end - first]
            with refuse_overflow(part):
                np.subtract(difference[:, :columns], difference[:, columns:], out=part)
            if run.progress is not None:
                run.progress(end - first, last - first)
