"""Tunable: what a kernel tells a Gaussian process of scikit-learn about its hyperparameters.

A kernel names the parameters that may be tuned in `tuned`, and has bounds for each:
``decay_bounds`` for ``decay``. Combinations have those of their parts. scikit-learn sees their
logarithms as one vector, `theta`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from treekernels.common.arrays import Floats
from treekernels.common.checks import Rule, check_number
from treekernels.common.late_imports import when_imported
from treekernels.errors import ParameterError

Bounds: TypeAlias = tuple[float, float] | Literal["fixed"]

DECAY_BOUNDS: Bounds = (1e-3, 1.0)
"""Of decays. No decay is larger, and a smaller one hardly changes a normalised kernel."""


class Hyperparameter(NamedTuple):
    """A parameter of a kernel that can be tuned, unless it is fixed."""

    name: str  # as ``kernel.get_params()`` has it, such as ``"k1__decay"``
    owner: Tunable  # the kernel that has it
    parameter: str  # how it is called there

    @property
    def keys(self) -> list[str | None]:
        """The labels that have values of their own, and None for all others."""
        value = getattr(self.owner, self.parameter)
        return list(value) if isinstance(value, Mapping) else [None]

    @property
    def values(self) -> Floats:
        """The value for each key."""
        value = getattr(self.owner, self.parameter)
        numbers = list(value.values()) if isinstance(value, Mapping) else [value]
        return np.array([check_number(self.parameter, number, 0) for number in numbers])

    @property
    def bounds(self) -> Bounds:
        """From where to where it may go."""
        bounds: Bounds = getattr(self.owner, f"{self.parameter}_bounds")
        return bounds

    @property
    def is_fixed(self) -> bool:
        """Whether it stays as it is. What is 0 does, since it has no logarithm."""
        return isinstance(self.bounds, str) or bool((self.values == 0).any())

    def set(self, values: Floats) -> None:
        """Put values into the kernel."""
        value, numbers = getattr(self.owner, self.parameter), values.tolist()
        by_label = isinstance(value, Mapping)
        new = dict(zip(value, numbers, strict=True)) if by_label else numbers[0]
        setattr(self.owner, self.parameter, new)


class Tunable:
    """The part of scikit-learn's protocol for kernels that is about tuning them."""

    tuned: tuple[str, ...] = ()
    """Parameters that a Gaussian process may tune, each of which has bounds beside it."""

    operand_names: tuple[str, ...] = ()
    """Parameters that are kernels, which this one is made of; it may tune theirs as well."""

    requires_vector_input = False

    def tuned_parameters(self) -> Iterator[Hyperparameter]:
        """Yield those of the kernel itself, and then those of its parts, from left to right."""
        pending: list[tuple[str, Tunable]] = [("", self)]
        while pending:
            prefix, owner = pending.pop()
            yield from (Hyperparameter(prefix + name, owner, name) for name in owner.tuned)
            parts = [(f"{prefix}{name}__", getattr(owner, name)) for name in owner.operand_names]
            pending.extend(reversed(parts))

    def free_parameters(self) -> list[Hyperparameter]:
        """Return those that are not fixed."""
        return [parameter for parameter in self.tuned_parameters() if not parameter.is_fixed]

    @property
    def hyperparameters(self) -> list[Any]:
        """What a Gaussian process may tune, as scikit-learn describes it."""
        from sklearn.gaussian_process.kernels import Hyperparameter as Description

        return [
            Description(
                parameter.name,
                "numeric",
                "fixed" if parameter.is_fixed else np.array([parameter.bounds] * count, float),
                count,
            )
            for parameter in self.tuned_parameters()
            for count in [len(parameter.values)]
        ]

    @property
    def n_dims(self) -> int:
        """The number of hyperparameters that are not fixed."""
        return len(self.theta)

    @property
    def theta(self) -> Floats:
        """The logarithms of the hyperparameters that are not fixed."""
        logarithms = [np.log(parameter.values) for parameter in self.free_parameters()]
        return np.concatenate([np.empty(0), *logarithms])

    @theta.setter
    def theta(self, theta: Floats) -> None:
        free = self.free_parameters()
        ends = np.cumsum([0, *(len(parameter.values) for parameter in free)])
        if len(theta) != ends[-1]:
            raise ParameterError(
                f"{type(self).__name__} has {ends[-1]} hyperparameters, and not {len(theta)}"
            )
        for parameter, first, last in zip(free, ends, ends[1:], strict=False):
            old, given = parameter.values, np.asarray(theta[first:last], dtype=np.float64)
            # A parameter that has not moved keeps its value to the last bit.
            parameter.set(np.where(np.log(old) == given, old, np.exp(given)))

    @property
    def bounds(self) -> Floats:
        """The logarithms of the bounds of these hyperparameters."""
        rows = [
            np.log([parameter.bounds] * len(parameter.values))
            for parameter in self.free_parameters()
        ]
        return np.concatenate([np.empty((0, 2)), *rows])

    def clone_with_theta(self, theta: Floats) -> Any:
        """Return a copy with other hyperparameters."""
        from sklearn.base import clone

        copy = clone(self)
        copy.theta = theta
        return copy

    def is_stationary(self) -> bool:
        """Return whether the kernel depends on differences of vectors only: it does not."""
        return False

    def _check_bounds_params(self) -> None:
        """Warn of parameters that have ended at a bound, unless it is one that all decays have.

        scikit-learn asks for it after a fit.
        """
        for parameter in self.free_parameters():
            low, high = map(float, parameter.bounds)
            for key, value in zip(parameter.keys, parameter.values, strict=True):
                ends = [end for end in (low, high) if math.isclose(value, end, rel_tol=1e-4)]
                is_decay = parameter.parameter.endswith("decay")
                if not ends or (is_decay and ends[0] in DECAY_BOUNDS):
                    continue
                from sklearn.exceptions import ConvergenceWarning

                name = parameter.name if key is None else f"{parameter.name} of {key!r}"
                warnings.warn(
                    f"{name} has ended at {value:.3g}, one of its bounds "
                    f"({parameter.parameter}_bounds): wider ones may find a better value",
                    ConvergenceWarning,
                    stacklevel=3,
                )


# Its Gaussian processes check a kernel with ``isinstance`` and their own base class, which cannot
# be a base of ours, since kernels do not import scikit-learn.
when_imported("sklearn.gaussian_process.kernels", lambda theirs: theirs.Kernel.register(Tunable))


def bounds_rule(high: float) -> Rule:
    """Return the rule for the bounds of a parameter that is above 0 and may be up to `high`."""

    def check(name: str, value: Any) -> Any:
        if isinstance(value, str) and value == "fixed":
            return value
        if not isinstance(value, tuple | list) or len(value) != 2:
            raise ParameterError(f"{name} must be two numbers or 'fixed', not {value!r}")
        low, upper = value
        check_number(f"the lower of {name}", low, 1e-100, high)
        check_number(f"the upper of {name}", upper, low, high)
        return value

    return check
