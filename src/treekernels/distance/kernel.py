"""EditDistanceKernel: edit distances as a kernel, for methods that take nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from treekernels.common.arrays import Array, Floats
from treekernels.common.checks import check_flag, number, rules
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest
from treekernels.distance.edit_distance import EditDistance
from treekernels.errors import ParameterError
from treekernels.kernels.base.kernel import Kernel
from treekernels.kernels.base.matrices import KernelMatrix, Run
from treekernels.kernels.expressions.names import BY_CLASS_NAME

__all__ = ["EditDistanceKernel"]


def _check_distance(name: str, value: Any) -> Any:
    if value is None or isinstance(value, EditDistance):
        return value
    raise ParameterError(f"{name} must be an EditDistance or None, not {value!r}")


@parameter_class
class EditDistanceKernel(Kernel):
    """``exp(-gamma d(x, y))`` of the edit distance d, for support vector machines and the like.

    Parameters
    ----------
    gamma : float, default=1.0
        How quickly the similarity falls with the distance.
    distance : EditDistance, optional
        By default that in which every edit costs 1.
    relative : bool, default=True
        Divide the distance by the number of nodes of the larger tree, so that large trees are not
        far from all others. With costs of your own, sizes are still numbers of nodes.
    on : str, optional
        The column of X that holds the trees, when X has columns.

    Warnings
    --------
    It need not be positive semi-definite, whatever gamma is, and so is not a kernel in the strict
    sense: what is proved of support vector machines may not hold, although they mostly work. If a
    valid kernel will do, take one that counts shared parts, such as `SubsetTreeKernel`.

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(S (NP we) (VP run))", "(S (NP they) (VP run))"]
    >>> tk.EditDistanceKernel()(trees).round(3)
    array([[1.   , 0.819],
           [0.819, 1.   ]])
    """

    gamma: float = 1.0
    distance: EditDistance | None = None
    _: KW_ONLY
    relative: bool = True
    on: Any = None
    n_jobs: int | None = None
    verbose: bool = False

    takes = "trees"
    parameter_rules = rules(gamma=number(above=0), distance=_check_distance, relative=check_flag)

    def matrix_of(self, X: Examples, Y: Examples | None, run: Run) -> KernelMatrix:
        trees = X.trees(self.on)
        return _DistanceMatrix(self, trees, None if Y is None else Y.trees(self.on))

    def self_values(self, X: Examples) -> Floats:
        return np.where(X.trees(self.on).is_empty, 0.0, 1.0)


class _DistanceMatrix(KernelMatrix):
    """Values that are computed from distances."""

    def __init__(self, kernel: EditDistanceKernel, rows: Forest, columns: Forest | None) -> None:
        self.kernel = kernel
        self.rows, self.columns = rows, columns
        self.shape = (len(rows), len(rows if columns is None else columns))

    def fill(self, out: Array, run: Run) -> None:
        self._fill(self.rows, self.columns, out, run)

    def fill_rows(self, first: int, last: int, out: Array, run: Run) -> None:
        columns = self.rows if self.columns is None else self.columns
        self._fill(self.rows[first:last], columns, out, run)

    def _fill(self, rows: Forest, columns: Forest | None, out: Array, run: Run) -> None:
        distance = self.kernel.distance or EditDistance()
        others = rows if columns is None else columns
        present, there = _without_missing(rows), _without_missing(others)
        distance(
            present,
            None if columns is None else there,
            out=out,
            n_jobs=run.n_jobs,
            progress=run.progress,
        )
        if self.kernel.relative:
            sizes = others.sizes.astype(np.float64)
            for row, size in zip(out, rows.sizes.tolist(), strict=True):
                row /= np.maximum(sizes, size)
        out *= -self.kernel.gamma
        np.exp(out, out=out)
        out[rows.is_empty] = 0.0
        out[:, others.is_empty] = 0.0


def _without_missing(forest: Forest) -> Forest:
    """Return a forest in which trees that are not there are some tree, since they do not count."""
    missing = forest.is_missing
    if not missing.any() or missing.all():
        return forest if not missing.any() else Forest(["(-EMPTY-)"] * len(forest))
    places = np.arange(len(forest))
    places[missing] = np.flatnonzero(~missing)[0]
    return forest[places]


BY_CLASS_NAME[EditDistanceKernel.__name__] = EditDistanceKernel  # for model files
