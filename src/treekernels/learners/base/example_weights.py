"""How much each example counts: weights of examples and of classes, and examples that have them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.arrays import Array, Floats, Places
from treekernels.common.checks import check_number
from treekernels.data.examples import Examples
from treekernels.errors import DataError, ParameterError


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


def check_sample_weight(sample_weight: Any, count: int) -> Floats:
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


def weights_of_classes(class_weight: Any, classes: Array, y: Any) -> Floats:
    """Return the weight of each class, as scikit-learn understands `class_weight`."""
    from sklearn.utils.class_weight import compute_class_weight

    try:
        weights: Floats = compute_class_weight(class_weight, classes=classes, y=np.asarray(y))
    except ValueError as error:  # of scikit-learn: a class that has no weight
        raise ParameterError(f"class_weight does not fit y: {error}") from None
    return weights


def combined_weights(
    sample_weight: Any, class_weight: Any, classes: Array, labels: Array
) -> Floats | None:
    """Return how much each example counts, times the weight of its class; None if all count 1."""
    if sample_weight is None and class_weight is None:
        return None
    weights = check_sample_weight(sample_weight, len(labels))
    if class_weight is None:
        return weights
    counted = classes[labels[weights > 0]]
    return weights * weights_of_classes(class_weight, classes, counted)[labels]


def weights_in_outputs(
    labels: Array, count: int, class_weights: Floats | None = None, shares: Floats | None = None
) -> Floats:
    """Return the weight of each example in each output of a machine of so many classes.

    With two classes there is one output, and both have a weight in it. With more there is one for
    each class, in which its weight is that of its own examples against all others.

    Parameters
    ----------
    labels : array of int
        The number of the class of each example.
    count : int
    class_weights : array, optional
        One for each class.
    shares : array, optional
        The part of all examples that each class has, if either side of an output is to weigh half.
    """
    members = labels[:, None] == np.arange(count)
    if shares is not None:
        return np.where(members, 0.5 / shares, 0.5 / (1 - shares))
    weights: Floats = np.ones((len(labels), count if count > 2 else 1))
    if class_weights is not None and count == 2:
        weights[:, 0] = class_weights[labels]
    elif class_weights is not None:
        weights[members] = class_weights[labels]
    return weights


def check_bounds(bound: Floats) -> Floats:
    """Return the largest weights that examples may get, each of which must be a number."""
    if not (np.isfinite(bound).all() and (bound >= 0).all()):
        raise DataError("the weights of examples and classes must be finite numbers from zero up")
    return bound


@dataclass(frozen=True)
class TrainingSet:
    """Examples, the numbers of their classes and, unless all weigh 1, their weights."""

    examples: Examples
    labels: NDArray[np.uint32]
    weights: Floats | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: Places) -> TrainingSet:
        """Return some of the examples."""
        weights = None if self.weights is None else self.weights[rows]
        return TrainingSet(self.examples.take(rows), self.labels[rows], weights)

    def weighted(self, sample_weight: Any, class_weight: Any, classes: Array) -> TrainingSet:
        """Return the examples with weights, without those that weigh nothing."""
        weights = combined_weights(sample_weight, class_weight, classes, self.labels)
        if weights is None:
            return self
        used = np.flatnonzero(weights)
        weighted = TrainingSet(self.examples, self.labels, weights)
        return weighted if len(used) == len(self) else weighted.take(used)

    def digest(self) -> str:
        """Return a text that is another one for other examples, labels or weights."""
        digest = self.examples.digest(self.labels)
        if self.weights is None:
            return digest
        return f"{digest} {hashlib.sha256(self.weights.tobytes()).hexdigest()}"
