"""Labels of partitions: the classes of all of them, and their numbers in each."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.cluster.partitions import Partitions, partitions
from treekernels.errors import DataError
from treekernels.learners.base.labels import encoded, one_column

__all__ = ["Labels", "label_numbers", "paired"]


def paired(y: Any, X: Partitions) -> Partitions:
    """Return labels in partitions like those of the examples that they belong to."""
    if y is None:
        raise DataError("fit requires y to be passed, but the target y is None")
    labels = y if isinstance(y, Partitions) else partitions(y, client=X.client)
    if labels.lengths == X.lengths:
        return labels
    if len(labels) != len(X):
        raise DataError(f"X has {len(X)} examples, and y {len(labels)} labels")
    return labels.cut([0, *np.cumsum(X.lengths).tolist()])


class Labels:
    """What all partitions have for labels.

    Attributes
    ----------
    classes : array
        Sorted.
    counts : array
        How many examples of all partitions each has.
    as_text : bool
        Whether labels that are numbers in a partition are texts in another, and so in all.
    """

    def __init__(self, y: Partitions) -> None:
        found = y.collect(_count)
        kinds = {kind for _, kind in found if kind}
        self.as_text = "O" in kinds and len(kinds) > 1
        counts: Counter[Any] = Counter()
        for part, _ in found:
            for label, count in part.items():
                counts[str(label) if self.as_text else label] += count
        if not counts:
            raise DataError("there are no examples to learn from")
        names = _array(list(counts))
        self.classes, places = encoded(names)
        self.counts = np.zeros(len(self.classes), np.int64)
        self.counts[places] = list(counts.values())

    def balanced(self) -> dict[Any, float]:
        """Return the weights that ``class_weight="balanced"`` stands for."""
        weights = self.counts.sum() / (len(self.classes) * self.counts)
        return dict(zip(self.classes.tolist(), weights.tolist(), strict=True))


def _array(labels: list[Any]) -> NDArray[Any]:
    texts = all(isinstance(label, str) for label in labels)
    return np.array(labels, object) if texts else np.array(labels)


def _count(y: Any) -> tuple[dict[Any, int], str]:
    labels = one_column(y)
    if not len(labels):
        return {}, ""
    if labels.dtype.kind == "f":
        encoded(np.append(labels, [0.0, 1.0]))  # complains of what are no labels
    if labels.dtype.kind == "O" and any(label is None for label in labels):
        raise DataError("y contains None or NaN: every example needs a label")
    kind = "O" if labels.dtype.kind in "OU" else "n"
    return dict(Counter(labels.tolist())), kind


def label_numbers(y: Any, classes: NDArray[Any], as_text: bool) -> NDArray[np.uint32]:
    """Return the number of each label among the classes."""
    labels = one_column(y)
    if as_text or labels.dtype.kind == "U":
        texts = np.empty(len(labels), object)
        texts[:] = [str(label) for label in labels] if as_text else list(labels)
        labels = texts
    return np.searchsorted(classes, labels).astype(np.uint32)
