"""SetKernel: examples with any number of trees."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from treekernels.common.arrays import Array, Floats, Places
from treekernels.common.checks import check_flag, choice, rules
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.data.columns import On
from treekernels.data.examples import Examples
from treekernels.data.tree_sets import TreeSets
from treekernels.errors import ParameterError
from treekernels.kernels.base.kernel import Kernel
from treekernels.kernels.base.matrices import (
    KernelMatrix,
    NormalizedMatrix,
    Run,
    inverse_root,
    refuse_overflow,
)

__all__ = ["SetKernel"]

Match = Literal["all", "best", "one-to-one"]
MATCHES = ("all", "best", "one-to-one")

# Comparisons of trees that are in memory at the same time, in bytes.
_BYTES = 64 << 20


@parameter_class
class SetKernel(Kernel):
    r"""A kernel on sets of trees, such as the sentences of a document, from a kernel on trees.

    Parameters
    ----------
    kernel : Kernel
        A kernel on trees, without ``on=``.
    match : {"all", "best", "one-to-one"}, default="all"
        Which pairs of trees count. "all" sums over all pairs, as ``-W A`` of SVM-LIGHT-TK does.
        "best" takes for each tree its best match in the other set, from both sides, and halves the
        sum. "one-to-one" sums over the pairs of the best assignment, in which no tree has more than
        one partner. The last two are similarities that need not be valid kernels: their Gram
        matrices can have negative eigenvalues, and those of "all" never have.
    normalize : bool, default=True
        Whether to divide by :math:`\sqrt{K(x, x) K(y, y)}`, so that K(x, x) is 1 and a document
        does not count more because it is longer. An empty set is 0 to all others.
    on : str or list of str, optional
        The column of X that holds the sets, or the columns that each hold one tree of the set.

    See Also
    --------
    TreeSets : sets of trees, read once and kept in one forest.

    Notes
    -----
    With k for the kernel on trees, "all" is a convolution kernel [1]_, known from sets of instances
    [2]_::

        K(X, Y) = sum_{x in X} sum_{y in Y} k(x, y)

    References
    ----------
    .. [1] D. Haussler, "Convolution Kernels on Discrete Structures", technical report
       UCSC-CRL-99-10, University of California at Santa Cruz, 1999.
    .. [2] T. Gärtner, P. A. Flach, A. Kowalczyk and A. J. Smola, "Multi-Instance Kernels", ICML
       2002.

    Examples
    --------
    >>> import treekernels as tk
    >>> documents = [["(S (A a))", "(S (B b))"], ["(S (B b))"], ["(S (C c))", "(S (B b))"]]
    >>> tk.SetKernel(tk.SubtreeKernel(), normalize=False)(documents)
    array([[2., 1., 1.],
           [1., 1., 1.],
           [1., 1., 2.]])
    >>> tk.SetKernel(tk.SubtreeKernel(), match="one-to-one")(documents).round(2)
    array([[1.  , 0.71, 0.5 ],
           [0.71, 1.  , 0.71],
           [0.5 , 0.71, 1.  ]])
    """

    takes = "sets"

    parameter_rules = rules(match=choice(*MATCHES), normalize=check_flag)

    kernel: Kernel
    match: Match = "all"
    _: KW_ONLY
    normalize: bool = True
    on: On = None

    @property
    def needs_fit(self) -> bool:
        return self.kernel.needs_fit

    def fitted_on(self, X: Any) -> Kernel:
        if not self.needs_fit:
            return self
        self.check_parameters()
        trees = self.examples(X).sets(self.on).trees
        fitted = self.kernel.fitted_on(Examples.of_column(trees))
        return SetKernel(fitted, self.match, normalize=self.normalize, on=self.on)

    def check_parameters(self) -> None:
        super().check_parameters()
        if not isinstance(self.kernel, Kernel) or any(
            leaf.takes != "trees" or leaf.on is not None
            for leaf in self.kernel.leaves()
            if leaf.takes is not None
        ):
            raise ParameterError(
                f"the kernel of a SetKernel is one of trees without on=, and not {self.kernel!r}"
            )
        self.kernel.check_parameters()

    def matrix_of(self, X: Examples, Y: Examples | None, run: Run) -> KernelMatrix:
        rows = X.sets(self.on)
        others = None if Y is None else Y.sets(self.on)
        matrix = _SetMatrix(self.kernel, self.match, rows, others, run)
        if not self.normalize:
            return matrix
        row_scales = inverse_root(self._values_within(rows))
        column_scales = row_scales if others is None else inverse_root(self._values_within(others))
        return NormalizedMatrix(matrix, row_scales, column_scales, symmetric=others is None)

    def self_values(self, X: Examples) -> Floats:
        values = self._values_within(X.sets(self.on))
        return (values > 0).astype(np.float64) if self.normalize else values

    def _values_within(self, sets: TreeSets) -> Floats:
        """Return K(x, x) before it is normalised."""
        values = np.zeros(len(sets))
        with refuse_overflow(values):
            for place in np.flatnonzero(sets.sizes):
                trees = sets[place]
                gram = np.empty((len(trees), len(trees)))
                matrix = self.kernel.matrix_of(Examples.of_column(trees), None, Run())
                matrix.fill(gram, Run())
                (values[place],) = _matched(gram, np.array([0, len(trees)]), self.match)
        return values


class _SetMatrix(KernelMatrix):
    """Comparisons of all trees of some sets with all trees of others, taken together by sets."""

    def __init__(
        self, kernel: Kernel, match: Match, rows: TreeSets, others: TreeSets | None, run: Run
    ) -> None:
        self.match = match
        self.rows = rows
        self.others = rows if others is None else others
        self.shape = (len(rows), len(self.others))
        self.matrix: KernelMatrix | None = None
        if len(rows.trees) and len(self.others.trees):
            columns = None if others is None else Examples.of_column(others.trees)
            self.matrix = kernel.matrix_of(Examples.of_column(rows.trees), columns, run)

    def fill(self, out: Array, run: Run) -> None:
        trees = len(self.rows.trees)
        if self.matrix is None or self.rows is not self.others or 8 * trees**2 > 4 * _BYTES:
            self.fill_rows(0, self.shape[0], out, run)
            return
        values = np.empty((trees, trees))  # all at once, since half of them are enough
        self.matrix.fill(values, run)
        self._match_rows(0, self.shape[0], values, out)

    def fill_rows(self, first: int, last: int, out: Array, run: Run) -> None:
        out[...] = 0.0
        if self.matrix is None:
            return
        offsets, width = self.rows.offsets, len(self.others.trees)
        begin = first
        while begin < last:
            most = int(offsets[begin]) + _BYTES // (8 * width)  # trees; one set at least
            end = max(begin + 1, int(np.searchsorted(offsets, most, side="right")) - 1)
            end = min(end, last)
            low, high = int(offsets[begin]), int(offsets[end])
            if high > low:
                values = np.empty((high - low, width))
                self.matrix.fill_rows(low, high, values, Run(run.n_jobs))
                self._match_rows(begin, end, values, out[begin - first : end - first])
            if run.progress is not None:
                run.progress(end - first, last - first)
            begin = end

    def _match_rows(self, first: int, last: int, values: Array, out: Array) -> None:
        """Put the values of some sets with all others into `out`, from those of their trees."""
        offsets = self.rows.offsets[first : last + 1] - self.rows.offsets[first]
        with refuse_overflow(out):
            for row in range(last - first):
                rows = values[offsets[row] : offsets[row + 1]]
                out[row] = _matched(rows, self.others.offsets, self.match)


def _matched(rows: Array, offsets: Places, match: Match) -> Array:
    """Return the values of one set with others, from those of its trees with all of theirs.

    The trees of another set are the columns from its offset up to the next one.
    """
    result = np.zeros(len(offsets) - 1)
    filled = np.flatnonzero(np.diff(offsets))
    if len(rows) == 0 or len(filled) == 0:
        return result
    starts = offsets[filled]
    if match == "all":
        result[filled] = np.add.reduceat(rows.sum(axis=0), starts)
    elif match == "best":
        theirs = np.add.reduceat(rows.max(axis=0), starts)
        result[filled] = (np.maximum.reduceat(rows, starts, axis=1).sum(axis=0) + theirs) / 2
    else:
        from scipy.optimize import linear_sum_assignment

        for place in filled:
            values = rows[:, offsets[place] : offsets[place + 1]]
            result[place] = values[linear_sum_assignment(values, maximize=True)].sum()
    return result
