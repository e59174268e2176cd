"""What parameters may be: one rule for each, and one kind of sentence when one is broken.

A class lists its rules. As in scikit-learn, they are checked when an object is used or fitted, and
not when it is made:

>>> from types import SimpleNamespace
>>> known = rules(C=number(above=0), epochs=integer(1), normalize=check_flag)
>>> check_parameters(SimpleNamespace(C=1, epochs=3, normalize="no"), known)
Traceback (most recent call last):
treekernels.errors.ParameterError: normalize must be True or False, not 'no'

A rule takes the name of a parameter and its value, and returns the value in Python's own type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from numbers import Integral, Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from treekernels.errors import DataError, ParameterError

if TYPE_CHECKING:  # to import numpy takes longer than all checks
    from treekernels.common.arrays import Floats


Rule: TypeAlias = Callable[[str, Any], Any]
Value = TypeVar("Value")


def rules(**by_name: Rule) -> Mapping[str, Rule]:
    """Return the rules of a class, by the names of its parameters."""
    return MappingProxyType(by_name)


def check_parameters(owner: Any, by_name: Mapping[str, Rule]) -> None:
    """Raise a `ParameterError` for the first parameter of an object that breaks its rule."""
    for name, rule in by_name.items():
        rule(name, getattr(owner, name))


def check_number(
    name: str,
    value: Any,
    low: float | None = None,
    high: float | None = None,
    *,
    above: float | None = None,
) -> float:
    """Return a finite number from `low` to `high`, or strictly above another, as a float."""
    fits = (
        (type(value) is float or _is_number(value))
        and _is_finite(value)
        and (low is None or value >= low)
        and (high is None or value <= high)
        and (above is None or value > above)
    )
    if not fits:
        limits = "".join(
            f" {word} {limit:g}"
            for word, limit in (("from", low), ("above", above), ("to", high))
            if limit is not None
        )
        more = " up" if low is not None and high is None else ""
        noun = "a number" if limits else "a finite number"
        raise ParameterError(f"{name} must be {noun}{limits}{more}, not {value!r}")
    return float(value)


def check_integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return a whole number from `low` to `high` as an int."""
    if not _is_integer(value) or value < low or (high is not None and value > high):
        limit = "up" if high is None else f"to {high}"
        raise ParameterError(f"{name} must be an integer from {low} {limit}, not {value!r}")
    return int(value)


def check_choice(name: str, value: Any, known: Mapping[Any, Value]) -> Value:
    """Return what a word, or None, stands for."""
    if (value is None or isinstance(value, str)) and value in known:
        return known[value]
    *first, last = map(repr, known)
    raise ParameterError(f"{name} must be {', '.join(first)} or {last}, not {value!r}")


def check_flag(name: str, value: Any) -> bool:
    """Return True or False."""
    if not _is_bool(value):
        raise ParameterError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def check_verbose(name: str, value: Any) -> bool:
    """Return True or False; levels, which scikit-learn's estimators have, are taken as well."""
    if type(value) is not bool and _is_integer(value) and value >= 0:
        return bool(value)
    return check_flag(name, value)


def check_decay(name: str, value: Any) -> float:
    """Return a decay factor. Below the limit, products of decays would vanish."""
    if (type(value) is float or _is_number(value)) and 1e-100 <= value <= 1:
        return float(value)
    raise ParameterError(f"{name} must be above 0 (at least 1e-100) and at most 1, not {value!r}")


def check_weight(name: str, value: Any) -> float:
    """Return a weight: it must keep a kernel positive, and leave room for sums and products."""
    return check_number(name, value, 0, 1e100)


def check_callable(name: str, value: Any) -> Any:
    """Return a function."""
    if not callable(value):
        raise ParameterError(f"{name} must be a function, not {value!r}")
    return value


def check_dtype(name: str, value: Any) -> Any:
    """Return the dtype of 32-bit or 64-bit floats."""
    import numpy as np

    for known in (np.dtype(np.float32), np.dtype(np.float64)):
        if value is not None and value == known:
            return known
    raise ParameterError(f"{name} must be 'float32' or 'float64', not {value!r}")


def check_numbers(name: str, values: Any) -> Floats:
    """Return a list of finite numbers as an array."""
    import numpy as np

    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise DataError(f"{name} must be a list of numbers, without NaN or infinity")
    return numbers


def number(
    low: float | None = None, high: float | None = None, *, above: float | None = None
) -> Callable[[str, Any], float]:
    """Return the rule of `check_number`."""
    return partial(check_number, low=low, high=high, above=above)


def integer(low: int, high: int | None = None) -> Callable[[str, Any], int]:
    """Return the rule of `check_integer`."""
    return partial(check_integer, low=low, high=high)


def choice(*known: str | None) -> Rule:
    """Return the rule for one of some words, or None if that is among them."""
    return partial(check_choice, known={word: word for word in known})


def optional(rule: Callable[[str, Any], Value]) -> Callable[[str, Any], Value | None]:
    """Return a rule that lets None pass."""
    return lambda name, value: None if value is None else rule(name, value)


# Python's own numbers come first, because asking whether something is a `Real` takes a while.
def _is_number(value: Any) -> bool:
    return type(value) in (float, int) or (isinstance(value, Real) and not _is_bool(value))


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False


def _is_integer(value: Any) -> bool:
    return type(value) is int or (not _is_bool(value) and isinstance(value, Integral))


def _is_bool(value: Any) -> bool:
    """Whether it is a truth value, of Python or of numpy, which need not be imported for it."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")
