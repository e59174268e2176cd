"""Tunable: what a kernel tells a Gaussian process of scikit-learn about its hyperparameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.kernels.base.hyperparameters import (
    hyperparameters_of,
    set_hyperparameters,
    warn_at_bounds,
)

__all__ = ["Tunable"]


class Tunable:
    """The part of scikit-learn's protocol for kernels that is about tuning them."""

    tuned: tuple[str, ...] = ()
    """Parameters that a Gaussian process may tune, each of which has bounds beside it."""

    tuned_parts: tuple[str, ...] = ()
    """Parameters that are kernels, whose own ones it may tune as well."""

    requires_vector_input = False

    @property
    def hyperparameters(self) -> list[Any]:
        """What a Gaussian process may tune, as scikit-learn describes it."""
        from sklearn.gaussian_process.kernels import Hyperparameter

        return [
            Hyperparameter(
                one.name,
                "numeric",
                "fixed" if one.is_fixed else np.array([one.bounds] * len(one.values), float),
                len(one.values),
            )
            for one in hyperparameters_of(self)
        ]

    @property
    def n_dims(self) -> int:
        """The number of hyperparameters that are not fixed."""
        return len(self.theta)

    @property
    def theta(self) -> NDArray[np.float64]:
        """The logarithms of the hyperparameters that are not fixed."""
        free = [np.log(one.values) for one in hyperparameters_of(self) if not one.is_fixed]
        return np.concatenate([np.empty(0), *free])

    @theta.setter
    def theta(self, theta: NDArray[np.float64]) -> None:
        set_hyperparameters(self, theta)

    @property
    def bounds(self) -> NDArray[np.float64]:
        """The logarithms of the bounds of these hyperparameters."""
        free = [one for one in hyperparameters_of(self) if not one.is_fixed]
        rows = [np.log([one.bounds] * len(one.values)) for one in free]
        return np.concatenate([np.empty((0, 2)), *rows])

    def clone_with_theta(self, theta: NDArray[np.float64]) -> Any:
        """Return a copy with other hyperparameters."""
        from sklearn.base import clone

        copy = clone(self)
        copy.theta = theta
        return copy

    def _check_bounds_params(self) -> None:
        """Warn if a hyperparameter has ended at a bound; scikit-learn asks for it after a fit."""
        warn_at_bounds(self)

    def is_stationary(self) -> bool:
        """Return whether the kernel depends on differences of vectors only: it does not."""
        return False
