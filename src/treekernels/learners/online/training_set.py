"""TrainingSet: what an on-line learner learns from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.data.examples import Examples
from treekernels.learners.base.example_weights import check_sample_weight, weights_of_classes

__all__ = ["TrainingSet"]


@dataclass(frozen=True)
class TrainingSet:
    """Examples, the numbers of their classes and, unless all weigh 1, their weights."""

    examples: Examples
    labels: NDArray[np.uint32]
    weights: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: NDArray[np.intp]) -> TrainingSet:
        """Return some of the examples."""
        weights = None if self.weights is None else self.weights[rows]
        return TrainingSet(self.examples.take(rows), self.labels[rows], weights)

    def weighted(self, sample_weight: Any, class_weight: Any, classes: NDArray[Any]) -> TrainingSet:
        """Return the examples with weights, without those that weigh nothing."""
        if sample_weight is None and class_weight is None:
            return self
        weights = check_sample_weight(sample_weight, len(self))
        if class_weight is not None:
            counted = classes[self.labels[weights > 0]]
            weights = weights * weights_of_classes(class_weight, classes, counted)[self.labels]
        used = np.flatnonzero(weights)
        weighted = TrainingSet(self.examples, self.labels, weights)
        return weighted if len(used) == len(self) else weighted.take(used)

    def digest(self) -> str:
        """Return a text that is another one for other examples, labels or weights."""
        own = self.examples.digest(self.labels)
        if self.weights is None:
            return own
        return f"{own} {hashlib.sha256(self.weights.tobytes()).hexdigest()}"
