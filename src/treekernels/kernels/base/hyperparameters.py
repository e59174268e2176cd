"""Hyperparameters: the parameters of a kernel that a Gaussian process may tune.

A kernel names them in `tuned`, and has bounds for each: ``decay_bounds`` for ``decay``.
Combinations have those of their parts. scikit-learn sees their logarithms as one vector, `theta`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treekernels.common.checks import Rule, check_number
from treekernels.errors import ParameterError

__all__ = [
    "DECAY_BOUNDS",
    "Bounds",
    "Hyperparameter",
    "bounds_rule",
    "hyperparameters_of",
    "set_hyperparameters",
    "warn_at_bounds",
]

Bounds: TypeAlias = tuple[float, float] | Literal["fixed"]

DECAY_BOUNDS: Bounds = (1e-3, 1.0)
"""Of decays. No decay is larger, and a smaller one hardly changes a normalised kernel."""


class Tuned(Protocol):
    """What a kernel says of itself here."""

    tuned: tuple[str, ...]
    tuned_parts: tuple[str, ...]


class Hyperparameter(NamedTuple):
    """A parameter of a kernel that can be tuned, unless it is fixed.

    Attributes
    ----------
    name : str
        As ``kernel.get_params()`` has it, such as ``"k1__decay"``.
    owner : Kernel
        The kernel that has it.
    parameter : str
        How it is called there.
    """

    name: str
    owner: Tuned
    parameter: str

    @property
    def keys(self) -> list[str | None]:
        """The labels that have values of their own, and None for all others."""
        value = getattr(self.owner, self.parameter)
        return list(value) if isinstance(value, Mapping) else [None]

    @property
    def values(self) -> NDArray[np.float64]:
        """The value for each key."""
        value = getattr(self.owner, self.parameter)
        numbers = list(value.values()) if isinstance(value, Mapping) else [value]
        return np.array(
            [check_number(self.parameter, number, 0) for number in numbers], dtype=np.float64
        )

    @property
    def bounds(self) -> Bounds:
        """From where to where it may go."""
        found: Bounds = getattr(self.owner, f"{self.parameter}_bounds")
        return found

    @property
    def is_fixed(self) -> bool:
        """Whether it stays as it is. What is 0 does, since it has no logarithm."""
        return isinstance(self.bounds, str) or bool((self.values == 0).any())

    def set(self, values: NDArray[np.float64]) -> None:
        """Put values into the kernel."""
        value = getattr(self.owner, self.parameter)
        numbers = [float(number) for number in values]
        if isinstance(value, Mapping):
            setattr(self.owner, self.parameter, dict(zip(value, numbers, strict=True)))
        else:
            setattr(self.owner, self.parameter, numbers[0])


def hyperparameters_of(kernel: Tuned) -> Iterator[Hyperparameter]:
    """Yield those of a kernel, and then those of its parts, from left to right."""
    pending: list[tuple[str, Tuned]] = [("", kernel)]
    while pending:
        prefix, owner = pending.pop()
        yield from (Hyperparameter(prefix + name, owner, name) for name in owner.tuned)
        parts = [(f"{prefix}{name}__", getattr(owner, name)) for name in owner.tuned_parts]
        pending.extend(reversed(parts))


def set_hyperparameters(kernel: Tuned, theta: NDArray[np.float64]) -> None:
    """Set all that are not fixed from their logarithms."""
    free = [one for one in hyperparameters_of(kernel) if not one.is_fixed]
    ends = np.cumsum([0, *(len(one.values) for one in free)])
    if len(theta) != ends[-1]:
        raise ParameterError(
            f"{type(kernel).__name__} has {ends[-1]} hyperparameters, and not {len(theta)}"
        )
    for one, first, last in zip(free, ends, ends[1:], strict=False):
        old, given = one.values, np.asarray(theta[first:last], dtype=np.float64)
        # What has not moved keeps its value to the last bit.
        one.set(np.where(np.log(old) == given, old, np.exp(given)))


def warn_at_bounds(kernel: Tuned) -> None:
    """Warn of parameters that have ended at a bound, unless it is one that all decays have."""
    for one in hyperparameters_of(kernel):
        if isinstance(one.bounds, str) or one.is_fixed:
            continue
        low, high = one.bounds
        for key, value in zip(one.keys, one.values, strict=True):
            ends = [end for end in (low, high) if math.isclose(value, float(end), rel_tol=1e-4)]
            is_usual = one.parameter.endswith("decay") and ends and ends[0] in DECAY_BOUNDS
            if not ends or is_usual:
                continue
            from sklearn.exceptions import ConvergenceWarning

            name = one.name if key is None else f"{one.name} of {key!r}"
            warnings.warn(
                f"{name} has ended at {value:.3g}, one of its bounds ({one.parameter}_bounds): "
                "wider ones may find a better value",
                ConvergenceWarning,
                stacklevel=4,
            )


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
