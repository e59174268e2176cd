"""KernelParameter: estimators whose `kernel` may be a kernel, an expression, or left out.

It also takes from X what the kernel looks at, and sees that it is what was learned from.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

from treekernels.data.columns import On, Takes
from treekernels.data.estimator import columns_seen
from treekernels.data.examples import Examples
from treekernels.errors import DataError, ExpressionError, ParameterError
from treekernels.kernels import Kernel
from treekernels.kernels.expressions.parsing import as_kernel


class KernelParameter:
    """Parameters of the kernel as parameters of the estimator, under ``kernel__``.

    It stands before scikit-learn's `BaseEstimator` among the base classes.
    """

    kernel: Kernel | str | None
    chooses_kernel = False  # whether `fit` chooses it, with "auto" or None
    input_columns_: dict[str, Any] | None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        With ``deep=True`` those of the kernel are there as ``kernel__decay`` and so on, also where
        `kernel` is an expression, but not where it is yet to be chosen.
        """
        parameters: dict[str, Any] = super().get_params(deep=deep)  # type: ignore[misc]
        if deep and (kernel := self._implied_kernel()) is not None:
            parameters.update({f"kernel__{name}": v for name, v in kernel.get_params().items()})
        return parameters

    def set_params(self, **parameters: Any) -> Any:
        """Set parameters by name, those of the kernel as ``kernel__decay`` and so on.

        Where `kernel` is an expression, setting one of its parameters puts the kernel that it
        stands for in its place. Where it is left out or "auto", that is ``SubsetTreeKernel()``.
        """
        base: Any = super()
        if "kernel" in parameters:
            base.set_params(kernel=parameters.pop("kernel"))
        if any(name.startswith("kernel__") for name in parameters):
            self.kernel = as_kernel(None if self._is_automatic() else self.kernel)
        return base.set_params(**parameters)

    def _is_automatic(self) -> bool:
        """Return whether the kernel is left to `fit`."""
        return self.chooses_kernel and is_auto(self.kernel)

    def _implied_kernel(self) -> Kernel | None:
        """Return the kernel that `kernel` stands for without being it; None if it does not."""
        if self._is_automatic() or not (self.kernel is None or isinstance(self.kernel, str)):
            return None
        try:
            return as_kernel(self.kernel)
        except (ExpressionError, ParameterError):  # `fit` will say so, or choose it
            return None

    def _takes_vectors_alone(self) -> bool:
        try:
            return _is_matrix(as_kernel(self.kernel).inputs())
        except (ExpressionError, ParameterError):
            return False

    def _examples_like_before(self, X: Any, kernel: Kernel) -> Examples:
        """Return what the kernel looks at of X; a matrix must have the columns learned from."""
        if isinstance(X, Examples):
            return X
        inputs = kernel.inputs()
        if not _is_matrix(inputs):
            return Examples.of(X, inputs)
        return self._take_examples(X, kernel, as_before=True)[0]

    def _take_examples(
        self, X: Any, kernel: Kernel, *, as_before: bool
    ) -> tuple[Examples, dict[str, Any]]:
        """Return what the kernel looks at of X, and what X has for columns.

        The columns of a matrix that is not the first one must be `as_before`.
        """
        inputs = kernel.inputs()
        matrix = _is_matrix(inputs)
        if matrix:
            _check_matrix(X)
        examples = Examples.of(X, inputs)
        columns = columns_seen(X)
        if matrix:  # a list of lists has columns too
            columns["count"] = examples.vectors().shape[1]
            if as_before:
                self._check_columns(columns)
        return examples, columns

    def _check_columns(self, columns: dict[str, Any]) -> None:
        """Raise a `DataError` for a matrix with other columns than the one learned from."""
        seen = self.input_columns_
        if seen is None:
            return
        if columns["count"] != seen["count"]:
            raise DataError(
                f"X has {columns['count']} features, but {type(self).__name__} is expecting "
                f"{seen['count']} features as input"
            )
        if columns["names"] and seen["names"] and columns["names"] != seen["names"]:
            raise DataError(
                "The feature names should match those that were passed during fit, in the same "
                f"order: {', '.join(seen['names'])}"
            )


def is_auto(kernel: Any) -> bool:
    """Return whether what was given for a kernel leaves it to a learner: "auto", or nothing."""
    return kernel is None or (isinstance(kernel, str) and kernel == "auto")


def _is_matrix(inputs: list[tuple[On, Takes]]) -> bool:
    """Return whether X is nothing but vectors."""
    return bool(inputs) and all(given == (None, "vectors") for given in inputs)


def _check_matrix(X: Any) -> None:
    """Raise a `DataError` for a list of single numbers, and for a matrix without columns."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if isinstance(X, list | tuple):
        flat = bool(X) and isinstance(X[0], Real)
    else:
        flat = len(shape) == 1 and getattr(getattr(X, "dtype", None), "kind", "") in "biuf"
    if flat:
        raise DataError(
            "Expected 2D array, got 1D array instead. Reshape your data: X.reshape(-1, 1) has one "
            "feature, and X.reshape(1, -1) is one example"
        )
    if len(shape) == 2 and shape[1] == 0:
        raise DataError(
            f"X has 0 feature(s) (shape=({shape[0]}, 0)) while a minimum of 1 is required."
        )
