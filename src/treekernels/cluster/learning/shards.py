"""Partitions as learners take them: examples, targets and weights side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from treekernels.cluster.learning.descent_tasks import Shard
from treekernels.cluster.learning.labels import ClassLabels, align_labels
from treekernels.cluster.partitions import Part, Partitions
from treekernels.common.checks import check_numbers
from treekernels.data.columns import length
from treekernels.data.estimator import columns_seen
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest
from treekernels.kernels import Kernel
from treekernels.learners.base.example_weights import (
    TrainingSet,
    check_bounds,
    check_sample_weight,
    weights_in_outputs,
)
from treekernels.learners.base.labels import one_column, signs_of_classes


def examples_of(part: Any, kernel: Kernel) -> Examples:
    """Return what the kernel looks at of a partition."""
    return kernel.examples(part) if length(part) else Examples({None: Forest()})


def diagonal_sums(examples: Examples, kernel: Kernel) -> tuple[float, float]:
    """Return the sum of K(x, x) over some examples, and that of its roots."""
    values = kernel.diag(examples) if len(examples) else np.empty(0)
    return float(np.sum(values)), float(np.sum(np.sqrt(values)))


def columns_of_parts(data: Partitions) -> dict[str, Any]:
    """Return the columns of X, as the first part that is not empty has them."""
    columns = (part for part in data.collect(_columns) if part is not None)
    return next(columns, {"count": 1, "names": None})


def _columns(part: Any) -> dict[str, Any] | None:
    return columns_seen(part) if length(part) else None


def weights_for(sample_weight: Any, data: Partitions) -> Partitions | None:
    """Return the weights of examples in partitions like theirs."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, Partitions) and not hasattr(sample_weight, "__dask_graph__"):
        sample_weight = check_sample_weight(sample_weight, len(data))
    return align_labels(sample_weight, data)


def joined_parts(function: Any, columns: list[Partitions | None], *args: Any) -> Partitions:
    """Return what a function makes of the parts of several partitions, side by side."""
    given = [column for column in columns if column is not None]
    client = given[0].client
    missing = [column is None for column in columns]

    def make(*futures: Any) -> Any:
        rest = iter(futures)
        parts = [None if gap else next(rest) for gap in missing]
        return client.submit(function, *parts, *args, pure=False)

    rows = zip(*(column.parts for column in given), strict=True)
    return Partitions(client, [Part(make, list(row)) for row in rows])


def training_set(examples: Examples, y: Any, weight: Any, labels: ClassLabels) -> TrainingSet:
    """Return a partition for an on-line learner."""
    numbers = labels.numbers(y) if len(examples) else np.empty(0, np.uint32)
    if weight is None and labels.weights is None:
        return TrainingSet(examples, numbers)
    weights = check_sample_weight(weight, len(examples))
    if labels.weights is not None:
        weights = weights * labels.weights[numbers]
    data = TrainingSet(examples, numbers, weights)
    used = np.flatnonzero(weights)
    return data if len(used) == len(data) else data.take(used)


def class_shard(
    examples: Examples, y: Any, weight: Any, penalty: float, labels: ClassLabels
) -> Shard:
    """Return a partition for a support vector machine that tells classes apart."""
    count = len(labels.classes)
    numbers = labels.numbers(y) if len(examples) else np.empty(0, np.uint32)
    weights = weights_in_outputs(numbers, count, labels.weights, labels.shares)
    bound = penalty * weights * check_sample_weight(weight, len(examples))[:, None]
    return Shard(examples, signs_of_classes(numbers, count), check_bounds(bound))


def numeric_shard(examples: Examples, y: Any, weight: Any, penalty: float) -> Shard:
    """Return a partition for a support vector machine that predicts numbers."""
    if not len(examples):
        return Shard(examples, np.zeros((0, 1)), np.zeros((0, 1)))
    target = check_numbers("y", one_column(y))[:, None]
    bound = penalty * check_sample_weight(weight, len(target))[:, None]
    return Shard(examples, target, check_bounds(bound))
