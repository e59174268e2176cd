"""What the learners have in common: the kernel, the examples, the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from treekernels.common.progress import progress_bar
from treekernels.kernels import Kernel
from treekernels.kernels.base import Run, thread_count
from treekernels.learners.examples import Examples
from treekernels.learners.model import kernel_or_default
from treekernels.learners.model_owner import ModelOwner, reads_model
from treekernels.learners.summand_models import WeightedExamples

__all__ = ["Learner", "encoded", "known_classes"]

Matrix = NDArray[np.float64]


class Learner(ModelOwner, BaseEstimator):  # type: ignore[misc]
    """An estimator whose model is a weighted sum of examples, seen through a kernel."""

    kernel: Kernel | None
    n_jobs: int | None
    verbose: bool

    @property
    def kernel_(self) -> Kernel:
        """The kernel in use: `kernel`, or the default if that is None."""
        return kernel_or_default(self.kernel)

    def _examples(self, X: Any, y: Any = None) -> Examples:
        examples = Examples.of(X, self.kernel_)
        if y is not None and len(examples) != len(y):
            raise ValueError(f"X has {len(examples)} examples, and y {len(y)} labels")
        if y is not None and len(examples) == 0:
            raise ValueError("there are no examples to learn from")
        return examples

    def _scores(self, X: Any) -> Matrix:
        check_is_fitted(self)
        with progress_bar(type(self).__name__, verbose=bool(self.verbose)) as progress:
            return self._model.score(self._examples(X), Run(thread_count(self.n_jobs), progress))

    @property
    @reads_model
    def n_model_nodes_(self) -> int:
        """The size of the model: distinct subtrees, and what other kernels keep."""
        check_is_fitted(self)
        return self._model.size

    @reads_model
    def feature_counts(self) -> dict[Any, int]:
        """Return how many features there are in each column of vectors that was learned from."""
        check_is_fitted(self)
        return self._model.feature_counts()

    @reads_model
    def weighted_examples(self) -> list[WeightedExamples]:
        """Return what was learned as weighted examples, one list for each kernel with fragments.

        The columns of the weights are those of `decision_function`.
        """
        check_is_fitted(self)
        return self._model.weighted_examples()


def encoded(y: Any, classes: NDArray[Any] | None = None) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Return the classes, sorted, and the number of each label among them."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"y must have one dimension, not {labels.ndim}")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError("y contains NaN or infinity: every example needs a label")
    if labels.dtype.kind in "OU" and any(label is None or label != label for label in y):
        raise ValueError("y contains None or NaN: every example needs a label")
    if classes is None:
        classes = np.unique(labels)
    else:
        classes = np.unique(np.asarray(classes))
        unknown = np.setdiff1d(labels, classes)
        if len(unknown):
            raise ValueError(f"y has labels that are not among the classes: {unknown[:5]}")
    if len(classes) < 2:
        raise ValueError(f"y has one class only ({classes[0]!r}): there is nothing to tell apart")
    return classes, np.searchsorted(classes, labels).astype(np.uint32)


def known_classes(classes: Any) -> NDArray[Any]:
    """See that classes from a file are what `encoded` gives."""
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or len(classes) < 2:
        raise ValueError("the classes are not a list of two or more")
    if not np.array_equal(np.unique(classes), classes):
        raise ValueError("the classes are not in order")
    return classes
