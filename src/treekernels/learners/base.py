"""What the learners have in common: the kernel, the examples, the classes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treekernels.common.checks import Rule, check_parameters, check_verbose, rules
from treekernels.common.progress import progress_bar
from treekernels.data.columns import column_names
from treekernels.data.pairs import Pairs
from treekernels.errors import DataError, ParameterError
from treekernels.kernels import Kernel
from treekernels.kernels.base import Run, thread_count
from treekernels.learners.examples import Examples
from treekernels.learners.model import kernel_or_default
from treekernels.learners.model_owner import ModelOwner, reads_model
from treekernels.learners.summand_models import WeightedExamples

__all__ = ["Learner", "encoded", "known_classes"]

Matrix = NDArray[np.float64]


def _check_n_jobs(name: str, value: Any) -> int:
    return thread_count(value)


def _check_path(name: str, value: Any) -> Any:
    if value is not None and not isinstance(value, str | os.PathLike):
        raise ParameterError(f"{name} must be the name of a file, or None, not {value!r}")
    return value


def _check_random_state(name: str, value: Any) -> Any:
    try:
        check_random_state(value)
    except ValueError:
        raise ParameterError(
            f"{name} must be an integer from 0 to {2**32 - 1}, a RandomState or None, not {value!r}"
        ) from None
    return value


class Learner(ModelOwner, BaseEstimator):  # type: ignore[misc]
    """An estimator whose model is a weighted sum of examples, seen through a kernel."""

    kernel: Kernel | None
    n_jobs: int | None
    verbose: bool

    parameter_rules: Mapping[str, Rule] = rules(
        random_state=_check_random_state,
        checkpoint=_check_path,
        n_jobs=_check_n_jobs,
        verbose=check_verbose,
    )

    _sometimes_fitted: tuple[str, ...] = ()  # attributes that not every fit sets

    input_columns: dict[str, Any] | None = None
    """What X had for columns in `fit`: their "count", and their "names" or None."""

    def _adopt(self, fitted: Mapping[str, Any]) -> None:
        """Become what was learned aside, in one step: Ctrl-C comes before it or after it."""
        kept = {name: old for name, old in vars(self).items() if name not in self._sometimes_fitted}
        new = {name: value for name, value in fitted.items() if name != "_lock"}
        self.__dict__ = {**kept, **new}

    @property
    def kernel_(self) -> Kernel:
        """The kernel in use: `kernel`, or the default if that is None."""
        return kernel_or_default(self.kernel)

    def learned_kernel(self) -> Kernel:
        """Return the kernel that was learned with, whatever `kernel` has been set to since."""
        self._check_fitted()
        learned: Kernel = vars(self).get("_kernel") or self._model.kernel
        return learned

    def _check_parameters(self) -> None:
        """Raise a `ParameterError` if a parameter is not what it may be."""
        check_parameters(self, self.parameter_rules)

    def _check_fitted(self) -> None:
        if "_model" not in vars(self):  # to ask scikit-learn takes longer than to score a tree
            check_is_fitted(self)

    def _examples(self, X: Any, y: Any = None) -> Examples:
        examples = Examples.of(X, self.kernel_)
        if y is not None and not isinstance(X, Examples):
            examples.features = _features_of(X)
        if y is not None and len(examples) != len(y):
            raise DataError(f"X has {len(examples)} examples, and y {len(y)} labels")
        if y is not None and len(examples) == 0:
            raise DataError("there are no examples to learn from")
        return examples

    @property
    def n_features_in_(self) -> int:
        """The number of columns of X in `fit`; 1 for trees alone."""
        return int(self._learned_features()["count"])

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the columns of X in `fit`, if they had names."""
        names = self._learned_features()["names"]
        if names is None:
            raise AttributeError("X had no columns with names in fit")
        return np.array(names, object)

    def _learned_features(self) -> dict[str, Any]:
        if self.input_columns is None:
            raise AttributeError(f"this {type(self).__name__} is not fitted")
        return self.input_columns

    def _scores(self, X: Any) -> Matrix:
        self._check_fitted()
        with progress_bar(type(self).__name__, verbose=bool(self.verbose)) as progress:
            return self._model.score(self._examples(X), Run(thread_count(self.n_jobs), progress))

    @property
    @reads_model
    def n_model_nodes_(self) -> int:
        """The size of the model: distinct subtrees, and what other kernels keep."""
        self._check_fitted()
        return self._model.size

    @reads_model
    def feature_counts(self) -> dict[Any, int]:
        """Return how many features there are in each column of vectors that was learned from."""
        self._check_fitted()
        return self._model.feature_counts()

    @reads_model
    def weighted_examples(self) -> list[WeightedExamples]:
        """Return what was learned as weighted examples, one list for each kernel with fragments.

        The columns of the weights are those of `decision_function`.
        """
        self._check_fitted()
        return self._model.weighted_examples()


def _features_of(X: Any) -> dict[str, Any]:
    """Return how many columns X has, and their names if they are texts."""
    names = None if isinstance(X, Pairs) else column_names(X)
    shape: tuple[int, ...] = getattr(X, "shape", ())
    count = len(names) if names is not None else int(shape[1]) if len(shape) > 1 else 1
    are_texts = bool(names) and all(isinstance(name, str) for name in names or ())
    return {"count": count, "names": list(names or ()) if are_texts else None}


def encoded(y: Any, classes: NDArray[Any] | None = None) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Return the classes, sorted, and the number of each label among them."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise DataError(f"y must have one dimension, not {labels.ndim}")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise DataError("y contains NaN or infinity: every example needs a label")
    if labels.dtype.kind in "OU" and any(label is None or label != label for label in y):
        raise DataError("y contains None or NaN: every example needs a label")
    if classes is None:
        classes = np.unique(labels)
    else:
        classes = np.unique(np.asarray(classes))
        unknown = np.setdiff1d(labels, classes)
        if len(unknown):
            raise DataError(f"y has labels that are not among the classes: {unknown[:5]}")
    if len(classes) < 2:
        raise DataError(f"y has one class only ({classes[0]!r}): there is nothing to tell apart")
    return classes, np.searchsorted(classes, labels).astype(np.uint32)


def known_classes(classes: Any) -> NDArray[Any]:
    """See that classes from a file are what `encoded` gives."""
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or len(classes) < 2:
        raise ValueError("the classes are not a list of two or more")
    if not np.array_equal(np.unique(classes), classes):
        raise ValueError("the classes are not in order")
    return classes
