"""What the checks of learners share: their list, copies of learners, and when to skip one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any
from unittest import SkipTest

import numpy as np
from numpy.testing import assert_allclose

from treekernels.common.arrays import Array, Mask
from treekernels.kernels import Kernel, SubsetTreeKernel
from treekernels.kernels.expressions.parsing import as_kernel
from treekernels.testing.checking import rows, sentences

CHECKS: dict[str, Callable[..., None]] = {}

close = functools.partial(assert_allclose, rtol=1e-9, atol=1e-9)


def check(check: Callable[[Any, Any, Any], None]) -> Callable[..., None]:
    """Enter a check into the list, and give it its default examples and a copy of the learner."""

    @functools.wraps(check)
    def checked(learner: Any, X: Any = None, y: Any = None) -> None:
        if X is None:
            X, y = sentences(48)
            if not classifies(learner):
                y = [float(text.count("(")) for text in X]
        check(fresh(learner), X, np.asarray(y))

    CHECKS[check.__name__] = checked
    return checked


def fresh(learner: Any, **parameters: Any) -> Any:
    """Return an unfitted copy whose randomness, if any, has a seed."""
    from sklearn.base import clone

    made = clone(learner)
    known = made.get_params(deep=False)
    if known.get("random_state", 0) is None:
        made.set_params(random_state=0)
    return made.set_params(**parameters)


def classifies(learner: Any) -> bool:
    from sklearn.base import is_classifier

    return bool(is_classifier(learner))


def kernel_of(learner: Any) -> Kernel:
    """Return the kernel of a learner; subset trees stand for one that is still to be chosen."""
    kernel = learner.get_params(deep=False).get("kernel")
    return SubsetTreeKernel() if kernel in (None, "auto") else as_kernel(kernel)


def scores(learner: Any, X: Any) -> Array:
    """Return the scores of examples, or the predictions of a learner without scores."""
    score = getattr(learner, "decision_function", learner.predict)
    return np.asarray(score(X))


def only_classifiers(learner: Any) -> None:
    if not classifies(learner):
        raise SkipTest("not a classifier")


def only_streams(learner: Any) -> None:
    if not hasattr(learner, "partial_fit"):
        raise SkipTest("there is no partial_fit")


def only_with(learner: Any, parameter: str) -> None:
    if parameter not in learner.get_params(deep=False):
        raise SkipTest(f"there is no parameter {parameter}")


def two(y: Array) -> Mask:
    """Make two classes of many: the first against the others."""
    return np.isin(y, np.unique(y)[:1])


def batches(count: int, size: int) -> list[slice]:
    return [slice(first, first + size) for first in range(0, count, size)]


def streamed(learner: Any, X: Any, y: Array, size: int) -> Any:
    classes = np.unique(y)
    for where in batches(len(y), size):
        learner.partial_fit(rows(X, where), y[where], classes=classes)
    return learner
