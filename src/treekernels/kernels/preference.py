"""PreferenceKernel: which of two is better, as the difference of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treekernels.common.arrays import Array, Floats
from treekernels.data.columns import On, Takes
from treekernels.data.examples import Examples
from treekernels.data.vectors import NamedVectors
from treekernels.errors import DataError, ParameterError
from treekernels.kernels.base.kernel import Kernel
from treekernels.kernels.base.matrices import KernelMatrix, Run, refuse_overflow

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

    def inputs(self) -> list[tuple[On, Takes]]:
        return [(name, self._kind()) for name in self.on]

    def fitted_on(self, X: Any) -> Kernel:
        if not self.needs_fit:
            return self
        self.check_parameters()
        return PreferenceKernel(self.kernel.fitted_on(self._both(self.examples(X))), self.on)

    def matrix_of(self, X: Examples, Y: Examples | None, run: Run) -> KernelMatrix:
        others = None if Y is None else self._both(Y)
        return _DifferenceMatrix(self.kernel.matrix_of(self._both(X), others, run))

    def self_values(self, X: Examples) -> Floats:
        both = self._both(X)
        norms = self.kernel.self_values(both)
        count = len(norms) // 2
        values = norms[:count] + norms[count:]
        run = Run()
        for place in range(count):
            first, second = both.take(np.array([place])), both.take(np.array([count + place]))
            value = np.empty((1, 1))
            self.kernel.matrix_of(first, second, run).fill(value, run)
            values[place] -= 2 * value[0, 0]
        return np.maximum(values, 0.0)

    def check_parameters(self) -> None:
        super().check_parameters()
        if isinstance(self.on, str) or len(self.on) != 2:
            raise ParameterError(f"on must be two columns, and not {self.on!r}")
        self._kind()
        self.kernel.check_parameters()

    def _kind(self) -> Takes:
        """Return what the kernel inside looks at, trees or vectors."""
        inputs = self.kernel.inputs()
        kinds = {takes for _, takes in inputs}
        if any(on is not None for on, _ in inputs) or not kinds <= {"trees", "vectors"}:
            raise ParameterError(
                f"the kernel of differences is one of trees or vectors without on=, and not "
                f"{self.kernel!r}"
            )
        if len(kinds) != 1:
            raise ParameterError("the kernel of differences looks at trees or at vectors, not both")
        return kinds.pop()

    def _both(self, X: Examples) -> Examples:
        """Return the first ones of all examples, and behind them the second ones."""
        first, second = (X.columns[name] for name in self.on)
        if isinstance(first, NamedVectors) or isinstance(second, NamedVectors):
            raise DataError("features with names have no differences here: give matrices")
        return Examples.concatenate([Examples.of_column(first), Examples.of_column(second)])


class _DifferenceMatrix(KernelMatrix):
    """Rows of the first ones minus those of the second ones, and the same for columns."""

    def __init__(self, matrix: KernelMatrix) -> None:
        self.matrix = matrix
        self.shape = (matrix.shape[0] // 2, matrix.shape[1] // 2)

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
