"""Random numbers as scikit-learn takes them, without having to import it."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from treekernels.errors import ParameterError


def check_random_state(value: Any, name: str = "random_state") -> np.random.RandomState:
    """Return the random numbers of a seed; those of NumPy's own state for None."""
    if value is None or value is np.random:
        state: np.random.RandomState = np.random.randint.__self__  # type: ignore[attr-defined]
        return state
    if isinstance(value, np.random.RandomState):
        return value
    if isinstance(value, Integral):
        try:
            return np.random.RandomState(int(value))
        except ValueError:
            pass
    raise ParameterError(
        f"{name} must be an integer from 0 to {2**32 - 1}, a RandomState or None, not {value!r}"
    )
