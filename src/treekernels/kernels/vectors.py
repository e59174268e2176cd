"""Kernels on vectors, to be combined with tree kernels. The values are scikit-learn's."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Array, Floats
from treekernels.common.checks import number, optional, rules
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.data.columns import On
from treekernels.data.examples import Examples
from treekernels.data.vectors import (
    NamedVectors,
    Vectors,
    check_widths,
    missing_rows,
    without_missing,
)
from treekernels.errors import DataError, KernelOverflowError, ParameterError
from treekernels.kernels.base.feature_rows import FeatureKernel, FeatureRows
from treekernels.kernels.base.kernel import Kernel
from treekernels.kernels.base.matrices import KernelMatrix, Run, missing_summand, put_zeros

__all__ = ["LinearKernel", "PolynomialKernel", "RBFKernel"]


class VectorKernel(Kernel):
    """A kernel on feature vectors."""

    takes = "vectors"

    metric: ClassVar[str]
    """What scikit-learn calls it."""

    def _pairwise(self, X: Vectors, Y: Vectors) -> Array:
        """Return the matrix between two matrices of vectors."""
        from sklearn.metrics.pairwise import pairwise_kernels

        parameters = self.get_params(deep=False)
        del parameters["on"]
        values: Array = pairwise_kernels(X, Y, metric=self.metric, **parameters)
        return values

    @abstractmethod
    def _values_of_squares(self, squares: Floats, n_features: int) -> Floats:
        """Return K(x, x) from the squared lengths of the vectors."""

    def matrix_of(self, X: Examples, Y: Examples | None, run: Run) -> KernelMatrix:
        rows = self._vectors(X)
        return _VectorMatrix(self, rows, rows if Y is None else self._vectors(Y))

    def self_values(self, X: Examples) -> Floats:
        from sklearn.utils.extmath import row_norms

        vectors = self._vectors(X)
        missing = missing_rows(vectors)
        matrix = vectors.matrix if isinstance(vectors, NamedVectors) else vectors
        with np.errstate(over="ignore", invalid="ignore"):
            squares = row_norms(without_missing(matrix, missing), squared=True)
            values = self._values_of_squares(squares, matrix.shape[1])
        values[missing] = 0.0
        _check_finite(values)
        return values

    def _vectors(self, X: Examples) -> Vectors:
        """Return the vectors, if the parameters are fit for them."""
        vectors = X.vectors(self.on)
        if isinstance(vectors, NamedVectors) and getattr(self, "gamma", 1.0) is None:
            raise ParameterError(
                f"{type(self).__name__} needs gamma=... where features have names: its default is "
                "1 / number of features, and that would differ from one set of examples to another"
            )
        return vectors


class _VectorMatrix(KernelMatrix):
    def __init__(self, kernel: VectorKernel, rows: Vectors, others: Vectors) -> None:
        self.kernel = kernel
        self.shape = (rows.shape[0], others.shape[0])
        self.missing_rows, self.missing_others = missing_rows(rows), missing_rows(others)
        rows, others = _comparable(rows, others)
        self.rows = without_missing(rows, self.missing_rows)
        self.others = without_missing(others, self.missing_others)

    def fill_rows(self, first: int, last: int, out: Array, run: Run) -> None:
        if out.size:
            with np.errstate(over="ignore", invalid="ignore"):
                out[...] = self.kernel._pairwise(self.rows[first:last], self.others)
            _check_finite(out)
            put_zeros(out, self.missing_rows[first:last], self.missing_others)


def _check_finite(values: Array) -> None:
    if not np.isfinite(values).all():
        raise KernelOverflowError(
            "a kernel value of two vectors is too large: scale the vectors, or use a lower degree"
        )


def _comparable(rows: Vectors, others: Vectors) -> tuple[Vectors, Vectors]:
    """Return two matrices with the same features in the same columns."""
    named = [isinstance(vectors, NamedVectors) for vectors in (rows, others)]
    if not any(named):
        check_widths(rows.shape[1], others.shape[1])
        return rows, others
    if not all(named):
        raise DataError("some vectors have features with names, and others with numbers")
    names = list(dict.fromkeys((*rows.names, *others.names)))
    return rows.aligned(names), others.aligned(names)


class LinearKernel(FeatureKernel, VectorKernel):
    """The dot product of two vectors.

    Parameters
    ----------
    on : str or list of str, optional
        The column that holds the vectors, or the columns that make them up, if X has columns.

    Examples
    --------
    >>> import treekernels as tk
    >>> tk.LinearKernel()([[1.0, 2.0], [0.0, 1.0]])
    array([[5., 2.],
           [2., 1.]])
    """

    def __init__(self, *, on: On = None) -> None:
        self.on = on

    metric = "linear"

    def feature_rows(self, X: Examples) -> FeatureRows:
        """Return the vectors that the kernel looks at."""
        return FeatureRows.of(self._vectors(X))

    def _values_of_squares(self, squares: Floats, n_features: int) -> Floats:
        return squares


@parameter_class
class PolynomialKernel(VectorKernel):
    """The polynomial kernel, ``(gamma <x, y> + coef0) ** degree``.

    Parameters
    ----------
    degree : float, default=3
        The exponent.
    gamma : float, optional
        The factor of the dot product. By default it is 1 / number of features, as in scikit-learn;
        in SVM-light it is 1.
    coef0 : float, default=1
        The number that is added to it.
    on : str or list of str, optional
        The column that holds the vectors, or the columns that make them up, if X has columns.

    Examples
    --------
    >>> import treekernels as tk
    >>> tk.PolynomialKernel(2, gamma=1.0)([[1.0, 2.0], [0.0, 1.0]])
    array([[36.,  9.],
           [ 9.,  4.]])
    """

    degree: float = 3
    _: KW_ONLY
    gamma: float | None = None
    coef0: float = 1.0
    on: On = None

    metric = "polynomial"
    needs_gram = False
    parameter_rules = rules(
        degree=number(1),
        gamma=optional(number(0)),
        coef0=number(),
    )

    def native_summand(
        self, X: Examples, weight: float, n_outputs: int, memory: int
    ) -> _native.Summand:
        vectors = self._vectors(X)
        rows = FeatureRows.of(vectors)
        gamma = 1 / rows.width if self.gamma is None else self.gamma
        summand = _native.PolynomialSummand(
            rows.width,
            rows.offsets,
            rows.features,
            rows.values,
            float(self.degree),
            gamma,
            self.coef0,
            weight,
        )
        return missing_summand(summand, missing_rows(vectors))

    def _values_of_squares(self, squares: Floats, n_features: int) -> Floats:
        gamma = 1.0 / n_features if self.gamma is None else self.gamma
        result: Floats = (gamma * squares + self.coef0) ** self.degree
        return result


class RBFKernel(VectorKernel):
    """The radial basis function (or Gaussian) kernel, ``exp(-gamma |x - y|^2)``.

    Parameters
    ----------
    gamma : float, optional
        How fast the similarity falls with the distance. By default it is 1 / number of features,
        as in scikit-learn.
    on : str or list of str, optional
        The column that holds the vectors, or the columns that make them up, if X has columns.

    Examples
    --------
    >>> import treekernels as tk
    >>> tk.RBFKernel(gamma=0.5)([[1.0, 2.0], [0.0, 1.0]]).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    def __init__(self, gamma: float | None = None, *, on: On = None) -> None:
        self.gamma = gamma
        self.on = on

    metric = "rbf"
    parameter_rules = rules(gamma=optional(number(0)))

    def _values_of_squares(self, squares: Floats, n_features: int) -> Floats:
        return np.ones_like(squares)
