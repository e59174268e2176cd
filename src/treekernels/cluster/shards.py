"""Partitions as learners take them: examples, targets and weights side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.cluster.descent_tasks import Shard
from treekernels.cluster.partitions import Part, Partitions
from treekernels.cluster.targets import Labels, label_numbers, paired
from treekernels.data.columns import length
from treekernels.data.estimator import columns_seen
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest
from treekernels.errors import ParameterError
from treekernels.kernels import Kernel
from treekernels.learners.base.example_weights import (
    check_bounds,
    check_sample_weight,
    weights_in_outputs,
    weights_of_classes,
)
from treekernels.learners.base.labels import one_column, real_values, signs_of_classes
from treekernels.learners.online.training_set import TrainingSet

__all__ = [
    "ClassTargets",
    "columns_of_parts",
    "diagonal_sum",
    "joined_parts",
    "numeric_shard",
    "refuse_unfitted",
    "examples_of",
    "weights_for",
]


def refuse_unfitted(kernel: Kernel) -> None:
    """Raise a `ParameterError` for a kernel that would have to see all trees at once."""
    kernel.check_parameters()
    if kernel.needs_fit:
        raise ParameterError(
            "the kernel's weights need to see all trees, and a worker sees a part of them: give "
            "the learner kernel.fitted_on(trees)"
        )


def examples_of(part: Any, kernel: Kernel) -> Examples:
    """Return what the kernel looks at of a partition."""
    return kernel.examples(part) if length(part) else Examples({None: Forest()})


def diagonal_sum(examples: Examples, kernel: Kernel) -> float:
    """Return the sum of K(x, x)."""
    return float(np.sum(kernel.diag(examples))) if len(examples) else 0.0


def columns_of_parts(data: Partitions) -> dict[str, Any]:
    """Return what X has for columns, as the first part that is not empty has them."""
    found = data.collect(_columns)
    return next((columns for columns in found if columns is not None), {"count": 1, "names": None})


def _columns(part: Any) -> dict[str, Any] | None:
    return columns_seen(part) if length(part) else None


def weights_for(sample_weight: Any, data: Partitions) -> Partitions | None:
    """Return the weights of examples in partitions like theirs."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, Partitions) and not hasattr(sample_weight, "__dask_graph__"):
        sample_weight = check_sample_weight(sample_weight, len(data))
    return paired(sample_weight, data)


def joined_parts(function: Any, columns: list[Partitions | None], *args: Any) -> Partitions:
    """Return what a function makes of the parts of several partitions, side by side."""
    there = [column for column in columns if column is not None]
    client = there[0].client
    missing = [column is None for column in columns]

    def make(*futures: Any) -> Any:
        given = iter(futures)
        all_ = [None if gap else next(given) for gap in missing]
        return client.submit(function, *all_, *args, pure=False)

    rows = zip(*(column.parts for column in there), strict=True)
    return Partitions(client, [Part(make, list(row)) for row in rows])


@dataclass(frozen=True)
class ClassTargets:
    """How labels become targets and weights, the same for all partitions.

    Attributes
    ----------
    classes : array
    as_text : bool
    class_weights : array or None
        One for each class.
    shares : array or None
        The part of all examples that each class has, where either side of an output is to weigh
        half.
    """

    classes: NDArray[Any]
    as_text: bool
    class_weights: NDArray[np.float64] | None = None
    shares: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, labels: Labels, class_weight: Any) -> ClassTargets:
        """Return the targets of classes with weights as in scikit-learn."""
        balanced = isinstance(class_weight, str)
        if class_weight is None:
            return cls(labels.classes, labels.as_text)
        if balanced and len(labels.classes) > 2:
            shares = labels.counts / labels.counts.sum()
            return cls(labels.classes, labels.as_text, None, shares)
        given = labels.balanced() if balanced else class_weight
        weights = weights_of_classes(given, labels.classes, labels.classes)
        return cls(labels.classes, labels.as_text, weights)

    def _numbers(self, y: Any, count: int) -> NDArray[np.uint32]:
        return label_numbers(y, self.classes, self.as_text) if count else np.empty(0, np.uint32)

    def training_set(self, examples: Examples, y: Any, weight: Any) -> TrainingSet:
        """Return a partition for an on-line learner."""
        numbers = self._numbers(y, len(examples))
        weights = check_sample_weight(weight, len(examples))
        if self.class_weights is not None:
            weights = weights * self.class_weights[numbers]
        if weight is None and self.class_weights is None:
            return TrainingSet(examples, numbers)
        data = TrainingSet(examples, numbers, weights)
        used = np.flatnonzero(weights)
        return data if len(used) == len(data) else data.take(used)

    def shard(self, examples: Examples, y: Any, weight: Any, penalty: float) -> Shard:
        """Return a partition for a support vector machine."""
        count = len(self.classes)
        numbers = self._numbers(y, len(examples))
        weights = weights_in_outputs(numbers, count, self.class_weights, self.shares)
        bound = penalty * weights * check_sample_weight(weight, len(examples))[:, None]
        return Shard(examples, signs_of_classes(numbers, count), check_bounds(bound))


def numeric_shard(examples: Examples, y: Any, weight: Any, penalty: float) -> Shard:
    """Return a partition for a regression."""
    if not len(examples):
        return Shard(examples, np.zeros((0, 1)), np.zeros((0, 1)))
    target = real_values(one_column(y))[:, None]
    bound = penalty * check_sample_weight(weight, len(target))[:, None]
    return Shard(examples, target, check_bounds(bound))
