"""ClassLabels: the classes of all partitions, and what each partition's labels stand for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.cluster.partitions import Partitions, partitions
from treekernels.common.arrays import object_array
from treekernels.errors import DataError
from treekernels.learners.base.example_weights import weights_of_classes
from treekernels.learners.base.labels import encoded, one_column


def align_labels(y: Any, X: Partitions) -> Partitions:
    """Return labels in partitions like those of the examples that they belong to."""
    if y is None:
        raise DataError("fit requires y to be passed, but the target y is None")
    labels = y if isinstance(y, Partitions) else partitions(y, client=X.client)
    if labels.lengths == X.lengths:
        return labels
    if len(labels) != len(X):
        raise DataError(f"X has {len(X)} examples, and y {len(labels)} labels")
    return labels.cut([0, *np.cumsum(X.lengths).tolist()])


@dataclass(frozen=True)
class ClassLabels:
    """The classes of all partitions, with their weights if they have any."""

    classes: NDArray[Any]  # sorted
    counts: NDArray[np.int64]  # how many examples of all partitions each has
    as_text: bool  # whether labels that are numbers in one partition are texts in another
    weights: NDArray[np.float64] | None = None  # one for each class
    # The part of all examples that each class has, if either side of an output is to weigh half.
    shares: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, y: Partitions) -> ClassLabels:
        """Find the classes of all partitions."""
        parts = y.collect(_count)
        kinds = {kind for _, kind in parts if kind}
        as_text = "O" in kinds and len(kinds) > 1
        totals: Counter[Any] = Counter()
        for part, _ in parts:
            for label, count in part.items():
                totals[str(label) if as_text else label] += count
        if not totals:
            raise DataError("there are no examples to learn from")
        texts = all(isinstance(label, str) for label in totals)
        classes, places = encoded(np.array(list(totals), object if texts else None))
        counts = np.zeros(len(classes), np.int64)
        counts[places] = list(totals.values())
        return cls(classes, counts, as_text)

    def weighted(self, class_weight: Any, *, by_output: bool = False) -> ClassLabels:
        """Return the same classes with weights as in scikit-learn.

        With `by_output`, "balanced" gives half of the weight to either side of every output.
        """
        if class_weight is None:
            return self
        if isinstance(class_weight, str):
            if by_output and len(self.classes) > 2:
                return replace(self, shares=self.counts / self.counts.sum())
            balanced = self.counts.sum() / (len(self.classes) * self.counts)
            class_weight = dict(zip(self.classes.tolist(), balanced.tolist(), strict=True))
        return replace(self, weights=weights_of_classes(class_weight, self.classes, self.classes))

    def numbers(self, y: Any) -> NDArray[np.uint32]:
        """Return the number of each label of a partition among the classes."""
        labels = one_column(y)
        if self.as_text or labels.dtype.kind == "U":
            labels = object_array([str(label) for label in labels] if self.as_text else labels)
        return np.searchsorted(self.classes, labels).astype(np.uint32)


def _count(y: Any) -> tuple[dict[Any, int], str]:
    """Return how many examples of a partition have each label, and of what kind the labels are."""
    labels = one_column(y)
    if not len(labels):
        return {}, ""
    if labels.dtype.kind == "f":
        encoded(np.append(labels, [0.0, 1.0]))  # raises an error for measured numbers
    if labels.dtype.kind == "O" and any(label is None for label in labels):
        raise DataError("y contains None or NaN: every example needs a label")
    kind = "O" if labels.dtype.kind in "OU" else "n"
    return dict(Counter(labels.tolist())), kind
