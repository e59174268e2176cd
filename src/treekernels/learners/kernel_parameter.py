"""KernelParameter: estimators whose `kernel` may be a kernel, an expression, or left out."""

from __future__ import annotations

from typing import Any

from treekernels.errors import ExpressionError, ParameterError
from treekernels.kernels import Kernel
from treekernels.kernels.expression import as_kernel

__all__ = ["KernelParameter"]


class KernelParameter:
    """Parameters of the kernel as parameters of the estimator, under ``kernel__``.

    It stands before scikit-learn's `BaseEstimator` among the base classes.
    """

    kernel: Kernel | str | None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        With ``deep=True`` those of the kernel are there as ``kernel__decay`` and so on, also where
        `kernel` is None or an expression.
        """
        parameters: dict[str, Any] = super().get_params(deep=deep)  # type: ignore[misc]
        if deep and (kernel := self._implied_kernel()) is not None:
            parameters.update({f"kernel__{name}": v for name, v in kernel.get_params().items()})
        return parameters

    def set_params(self, **parameters: Any) -> Any:
        """Set parameters by name, those of the kernel as ``kernel__decay`` and so on.

        Where `kernel` is None or an expression, setting one of its parameters puts the kernel
        that it stands for in its place.
        """
        base: Any = super()
        if "kernel" in parameters:
            base.set_params(kernel=parameters.pop("kernel"))
        if any(name.startswith("kernel__") for name in parameters):
            self.kernel = as_kernel(self.kernel)
        return base.set_params(**parameters)

    def _implied_kernel(self) -> Kernel | None:
        """Return the kernel that `kernel` stands for without being it; None if it does not."""
        if self.kernel is not None and not isinstance(self.kernel, str):
            return None
        try:
            return as_kernel(self.kernel)
        except ExpressionError:  # `fit` will say so
            return None

    def _takes_vectors_alone(self) -> bool:
        try:
            kernel = as_kernel(self.kernel)
            leaves = [leaf for leaf in kernel.leaves() if leaf.takes is not None]
        except (ExpressionError, ParameterError):
            return False
        return bool(leaves) and all(leaf.takes == "vectors" and leaf.on is None for leaf in leaves)
