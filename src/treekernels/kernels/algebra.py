"""Sums, products and powers of kernels, weights, and normalisation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treekernels.common.arrays import Array, Floats
from treekernels.common.checks import check_number, rules
from treekernels.data.examples import Examples
from treekernels.kernels.base.feature_rows import FeatureKernel, FeatureRows
from treekernels.kernels.base.kernel import OPERATORS, Kernel
from treekernels.kernels.base.matrices import (
    ChangedMatrix,
    KernelMatrix,
    NormalizedMatrix,
    Run,
    inverse_root,
    matrix_for,
    refuse_overflow,
)
from treekernels.kernels.base.tuning import Bounds, bounds_rule

__all__ = ["ConstantKernel", "NormalizedKernel", "PowerKernel", "ProductKernel", "SumKernel"]


def as_kernel(value: Any) -> Kernel | None:
    """Return a kernel as it is, a number as the constant kernel, and None for anything else."""
    if isinstance(value, Kernel):
        return value
    if isinstance(value, int | float | np.number):
        return ConstantKernel(float(value))
    return None


class ConstantKernel(FeatureKernel):
    """The same value for every pair of examples, as a weight or a bias.

    Parameters
    ----------
    value : float, default=1.0
        The value.
    value_bounds : pair of float or "fixed", default=(1e-5, 1e5)
        Where a Gaussian process may look for a better one.

    Examples
    --------
    >>> import treekernels as tk
    >>> 0.5 * tk.SubsetTreeKernel()
    0.5 * SubsetTreeKernel()
    """

    def __init__(self, value: float = 1.0, value_bounds: Bounds = (1e-5, 1e5)) -> None:
        self.value = value
        self.value_bounds = value_bounds

    takes = None
    tuned = ("value",)
    parameter_rules = rules(
        value=lambda _, value: check_number("a constant kernel", value, 0),
        value_bounds=bounds_rule(1e100),
    )

    def matrix_of(self, X: Examples, Y: Examples | None, run: Run) -> KernelMatrix:
        return _ConstantMatrix(self.value, (len(X), len(X if Y is None else Y)))

    def self_values(self, X: Examples) -> Floats:
        return np.full(len(X), self.value, dtype=np.float64)

    def fill_gradient(self, X: Examples, out: Array, run: Run) -> None:
        out[...] = self.value

    def feature_rows(self, X: Examples) -> FeatureRows:
        """Return one feature for every example, whose square is the value."""
        return FeatureRows.of(np.full((len(X), 1), np.sqrt(self.value)))

    def __repr__(self) -> str:
        short = f"{self.value:g}"
        return short if float(short) == self.value else repr(float(self.value))


class _BinaryKernel(Kernel):
    """Two kernels, combined element by element."""

    symbol: str
    operand_names = ("k1", "k2")

    def __init__(self, k1: Kernel, k2: Kernel) -> None:
        self.k1 = k1
        self.k2 = k2

    @staticmethod
    def combine(a: Array, b: Array) -> None:
        """Put the combination of both into `a`."""
        raise TypeError("use SumKernel or ProductKernel")

    def matrix_of(self, X: Examples, Y: Examples | None, run: Run) -> KernelMatrix:
        first, second = self.k1.matrix_of(X, Y, run), self.k2.matrix_of(X, Y, run)
        return _CombinedMatrix(first, second, self.combine)

    def self_values(self, X: Examples) -> Floats:
        values = self.k1.self_values(X)
        with refuse_overflow(values):
            self.combine(values, self.k2.self_values(X))
        return values

    def split_gradient(self, out: Array) -> tuple[Array, Array]:
        """Return the derivatives by what is in the first kernel, and by what is in the second."""
        first = self.k1.n_dims
        return out[:, :, :first], out[:, :, first:]

    def __repr__(self) -> str:
        parts = [
            f"({part!r})" if isinstance(part, SumKernel) and self.symbol == "*" else repr(part)
            for part in (self.k1, self.k2)
        ]
        return f" {self.symbol} ".join(parts)


class SumKernel(_BinaryKernel):
    """The sum of two kernels, which you write as ``k1 + k2``.

    Examples
    --------
    >>> import treekernels as tk
    >>> kernel = tk.SubsetTreeKernel() + 0.5 * tk.SubtreeKernel()
    >>> kernel
    SubsetTreeKernel() + 0.5 * SubtreeKernel()
    >>> kernel.get_params()["k1__decay"]
    0.4
    >>> kernel(["(A b)", "(A c)"])
    array([[1.5, 0. ],
           [0. , 1.5]])
    """

    symbol = "+"

    def expand(self) -> list[tuple[float, Kernel]]:
        return [(1.0, self.k1), (1.0, self.k2)]

    @staticmethod
    def combine(a: Array, b: Array) -> None:
        a += b

    def fill_gradient(self, X: Examples, out: Array, run: Run) -> None:
        first, second = self.split_gradient(out)
        self.k1.fill_gradient(X, first, run.part(0, 2))
        self.k2.fill_gradient(X, second, run.part(1, 2))


class ProductKernel(_BinaryKernel):
    """The product of two kernels, or of a number and a kernel, which you write as ``k1 * k2``."""

    symbol = "*"

    def expand(self) -> list[tuple[float, Kernel]] | None:
        if isinstance(self.k1, ConstantKernel):
            return [(float(self.k1.value), self.k2)]
        if isinstance(self.k2, ConstantKernel):
            return [(float(self.k2.value), self.k1)]
        return None

    @staticmethod
    def combine(a: Array, b: Array) -> None:
        a *= b

    def fill_gradient(self, X: Examples, out: Array, run: Run) -> None:
        parts = self.split_gradient(out)
        for number, (kernel, other) in enumerate([(self.k1, self.k2), (self.k2, self.k1)]):
            if parts[number].shape[2] == 0:
                continue
            kernel.fill_gradient(X, parts[number], run.part(2 * number, 4))
            values = _values_of(other, X, run.part(2 * number + 1, 4))
            with refuse_overflow(parts[number]):
                np.multiply(parts[number], values, out=parts[number])


class PowerKernel(Kernel):
    """A power of a kernel, which you write as ``kernel ** exponent``.

    If the exponent is a whole number, the power is a valid kernel. Otherwise it may not be one.
    """

    def __init__(self, kernel: Kernel, exponent: float) -> None:
        self.kernel = kernel
        self.exponent = exponent

    operand_names = ("kernel",)
    parameter_rules = rules(exponent=lambda _, value: check_number("an exponent", value, above=0))

    def matrix_of(self, X: Examples, Y: Examples | None, run: Run) -> KernelMatrix:
        return _PowerMatrix(self.kernel.matrix_of(X, Y, run), self.exponent)

    def self_values(self, X: Examples) -> Floats:
        values = self.kernel.self_values(X)
        with refuse_overflow(values):
            values **= self.exponent
        return values

    def fill_gradient(self, X: Examples, out: Array, run: Run) -> None:
        self.kernel.fill_gradient(X, out, run.part(0, 2))
        values = _values_of(self.kernel, X, run.part(1, 2))
        # A root has no derivative at 0, where trees have nothing in common whatever the parameters.
        np.power(values, self.exponent - 1, out=values, where=values != 0)
        values *= self.exponent
        with refuse_overflow(out):
            np.multiply(out, values, out=out)

    def __repr__(self) -> str:
        is_combination = isinstance(self.kernel, _BinaryKernel | PowerKernel)
        inner = f"({self.kernel!r})" if is_combination else repr(self.kernel)
        return f"{inner} ** {self.exponent:g}"


class NormalizedKernel(Kernel):
    """Any kernel, normalised: ``K(x, y) / sqrt(K(x, x) K(y, y))``, and 0 where a norm is 0.

    Tree kernels can normalise by themselves. Use this for combinations of kernels and for kernels
    on vectors.

    Examples
    --------
    >>> import treekernels as tk
    >>> tk.NormalizedKernel(tk.LinearKernel())([[3.0, 4.0], [1.0, 0.0], [0.0, 0.0]])
    array([[1. , 0.6, 0. ],
           [0.6, 1. , 0. ],
           [0. , 0. , 0. ]])
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    operand_names = ("kernel",)

    def matrix_of(self, X: Examples, Y: Examples | None, run: Run) -> KernelMatrix:
        row_scales = inverse_root(self.kernel.self_values(X))
        column_scales = row_scales if Y is None else inverse_root(self.kernel.self_values(Y))
        return NormalizedMatrix(
            self.kernel.matrix_of(X, Y, run), row_scales, column_scales, symmetric=Y is None
        )

    def self_values(self, X: Examples) -> Floats:
        return (self.kernel.self_values(X) > 0).astype(np.float64)

    def fill_gradient(self, X: Examples, out: Array, run: Run) -> None:
        self.kernel.fill_gradient(X, out, run.part(0, 2))
        scales = inverse_root(self.kernel.self_values(X))
        values = _values_of(self.kernel, X, run.part(1, 2))
        places = np.arange(len(scales))
        growth = out[places, places] * scales[:, None] ** 2  # of each norm, relative to itself
        both = scales[:, None, None] * scales[None, :, None]
        values *= both
        with refuse_overflow(out):
            out *= both
            for place in places:  # a row at a time, without another array of all derivatives
                out[place] -= 0.5 * values[place] * (growth[place] + growth)
        out[places, places] = 0.0


class _ConstantMatrix(KernelMatrix):
    def __init__(self, value: float, shape: tuple[int, int]) -> None:
        self.value = value
        self.shape = shape

    def fill_rows(self, first: int, last: int, out: Array, run: Run) -> None:
        out[...] = self.value


class _CombinedMatrix(KernelMatrix):
    def __init__(self, a: KernelMatrix, b: KernelMatrix, combine: Any) -> None:
        # A constant needs no second matrix, whichever side it stands on.
        self.a, self.b = (b, a) if isinstance(a, _ConstantMatrix) else (a, b)
        self.combine = combine
        self.shape = a.shape

    def fill(self, out: Array, run: Run) -> None:
        self._combine(out, run, lambda matrix, part, run: matrix.fill(part, run))

    def fill_rows(self, first: int, last: int, out: Array, run: Run) -> None:
        self._combine(out, run, lambda matrix, part, run: matrix.fill_rows(first, last, part, run))

    def _combine(self, out: Array, run: Run, fill: Any) -> None:
        if isinstance(self.b, _ConstantMatrix):
            fill(self.a, out, run)
            with refuse_overflow(out):
                self.combine(out, self.b.value)
        else:
            other = np.empty(out.shape, out.dtype)
            fill(self.a, out, run.part(0, 2))
            fill(self.b, other, run.part(1, 2))
            with refuse_overflow(out):
                self.combine(out, other)


class _PowerMatrix(ChangedMatrix):
    def __init__(self, matrix: KernelMatrix, exponent: float) -> None:
        super().__init__(matrix)
        self.exponent = exponent

    def change(self, first: int, out: Array) -> None:
        with refuse_overflow(out):
            out **= self.exponent


def _values_of(kernel: Kernel, X: Examples, run: Run) -> Array:
    """Return the values of a kernel as a matrix of single derivatives, or one for all."""
    matrix = kernel.matrix_of(X, None, run)
    if isinstance(matrix, _ConstantMatrix):
        return np.full((1, 1, 1), matrix.value)
    values = matrix_for(matrix.shape, None, None)
    matrix.fill(values, run)
    return values[:, :, None]


def _combine_with(class_: type[_BinaryKernel]) -> Callable[[Any, Any], Any]:
    """Return an operator that makes a kernel of this class."""

    def combine(first: Any, second: Any) -> Any:
        k1, k2 = as_kernel(first), as_kernel(second)
        return NotImplemented if k1 is None or k2 is None else class_(k1, k2)

    return combine


def _raise_to_power(kernel: Kernel, exponent: Any) -> Any:
    if not isinstance(exponent, int | float | np.number):
        return NotImplemented
    return PowerKernel(kernel, exponent)  # type: ignore[arg-type]


OPERATORS["+"] = _combine_with(SumKernel)
OPERATORS["*"] = _combine_with(ProductKernel)
OPERATORS["**"] = _raise_to_power
