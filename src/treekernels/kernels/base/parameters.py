"""Parameters of kernels, the way scikit-learn expects them of what is cloned or searched over.

scikit-learn has this in `BaseEstimator`. We repeat it because importing scikit-learn takes
longer than most kernel computations, and kernels must be cheap to import.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any, TypeVar

from treekernels.errors import ParameterError

Self = TypeVar("Self", bound="Parameters")


def _signature(cls: type) -> dict[str, Any]:
    """Return the parameters of a class, with their defaults."""
    return _signature_of(cls)


@cache  # to look at a signature takes as long as a small kernel value
def _signature_of(cls: type) -> dict[str, Any]:
    parameters = inspect.signature(cls).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters}


class Parameters:
    """An object that is nothing but the parameters of its constructor."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; those of nested objects as ``outer__inner``."""
        parameters = {name: getattr(self, name) for name in _signature(type(self))}
        if deep:
            for name, value in list(parameters.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    inner = value.get_params()
                    parameters.update({f"{name}__{key}": inner[key] for key in inner})
        return parameters

    def set_params(self: Self, **parameters: Any) -> Self:
        """Set parameters by name and return the object itself."""
        nested: dict[str, dict[str, Any]] = {}
        for name, value in parameters.items():
            outer, _, inner = name.partition("__")
            if outer not in _signature(type(self)):
                names = ", ".join(_signature(type(self)))
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {outer!r}; it has {names}"
                )
            if inner:
                nested.setdefault(outer, {})[inner] = value
            else:
                setattr(self, name, value)
        for outer, values in nested.items():
            getattr(self, outer).set_params(**values)
        return self

    def with_params(self: Self, **parameters: Any) -> Self:
        """Return a copy in which some parameters are others."""
        return type(self)(**{**self.get_params(deep=False), **parameters})

    def __repr__(self) -> str:
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, default in _signature(type(self)).items()
            if default is inspect.Parameter.empty or getattr(self, name) != default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, Parameters)
        return self.get_params(deep=False) == other.get_params(deep=False)

    def __hash__(self) -> int:
        return hash((type(self), repr(self)))
