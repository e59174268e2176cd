"""How much each example counts: weights of examples and of classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight

from treekernels.common.checks import check_number
from treekernels.errors import DataError, ParameterError

__all__ = ["check_class_weight", "check_sample_weight", "weights_of_classes"]

Matrix = NDArray[np.float64]


def check_class_weight(name: str, value: Any) -> Any:
    """Return what `class_weight` may be: a dict of weights from 0 up, "balanced" or None."""
    if isinstance(value, Mapping):
        for label, weight in value.items():
            check_number(f"{name}[{label!r}]", weight, 0)
    elif value is not None and not (isinstance(value, str) and value == "balanced"):
        raise ParameterError(
            f"{name} must be a dict of weights by class, 'balanced' or None, not {value!r}"
        )
    return value


def check_sample_weight(sample_weight: Any, count: int) -> Matrix:
    """Return the weights of so many examples, all 1 for None."""
    if sample_weight is None:
        return np.ones(count)
    try:
        weights = np.array(sample_weight, np.float64)
    except (TypeError, ValueError):
        raise DataError("sample_weight must have numbers only") from None
    if weights.shape != (count,):
        raise DataError(
            f"sample_weight must have one number for each of {count} examples, "
            f"not the shape {weights.shape}"
        )
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise DataError("sample_weight must have finite numbers from 0 up")
    return weights


def weights_of_classes(class_weight: Any, classes: NDArray[Any], y: Any) -> Matrix:
    """Return the weight of each class, as scikit-learn understands `class_weight`."""
    try:
        weights: Matrix = compute_class_weight(class_weight, classes=classes, y=np.asarray(y))
    except ValueError as error:  # of scikit-learn: a class that has no weight
        raise ParameterError(f"class_weight does not fit y: {error}") from None
    return weights
