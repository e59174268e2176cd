"""What every learner promises, as checks that any learner can run."""

from __future__ import annotations

import copy
import functools
import pickle
from collections.abc import Callable
from typing import Any
from unittest import SkipTest

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from helpers import sentences
from treekernels.common.arrays import Array, Mask
from treekernels.data.table import Table
from treekernels.kernels import Kernel, SubsetTreeKernel
from treekernels.kernels.expressions.parsing import as_kernel
from treekernels.testing.checking import has_columns, on_column, refused, rows, trees_of

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


@check
def fit_changes_nothing_but_the_learner(learner: Any, X: Any, y: Any) -> None:
    parameters = copy.deepcopy(learner.get_params(deep=False))
    labels, matrix = y.copy(), kernel_of(learner)(X)
    assert learner.fit(X, y) is learner
    assert learner.get_params(deep=False) == parameters
    assert_array_equal(y, labels)
    assert_array_equal(kernel_of(learner)(X), matrix)


@check
def training_examples_are_learned(learner: Any, X: Any, y: Any) -> None:
    learner.fit(X, y)
    if classifies(learner):
        chance = max(np.unique(y, return_counts=True)[1]) / len(y)
        assert learner.score(X, y) > (1 + chance) / 2
    else:
        assert learner.score(X, y) > 0.5


@check
def there_is_one_prediction_for_each_example(learner: Any, X: Any, y: Any) -> None:
    predicted = learner.fit(X, y).predict(X)
    assert predicted.shape == (len(y),)
    assert learner.predict(rows(X, slice(0, 0))).shape == (0,)
    if classifies(learner):
        assert set(predicted) <= set(y)
        assert predicted.dtype == learner.classes_.dtype
    else:
        assert np.isfinite(predicted).all()


@check
def predictions_do_not_depend_on_their_company(learner: Any, X: Any, y: Any) -> None:
    learner.fit(X, y)
    alone = np.concatenate([scores(learner, rows(X, slice(i, i + 1))) for i in range(8)])
    close(alone, scores(learner, X)[:8])


@check
def prediction_changes_nothing(learner: Any, X: Any, y: Any) -> None:
    learner.fit(X, y)
    size = getattr(learner, "n_model_nodes_", 0)
    first = scores(learner, X)
    scores(learner, rows(X, slice(None, None, -1)))
    learner.predict(X)
    assert_array_equal(scores(learner, X), first)
    assert getattr(learner, "n_model_nodes_", 0) == size


@check
def fitting_again_equals_fitting_afresh(learner: Any, X: Any, y: Any) -> None:
    """To the bit: all randomness comes from the seed."""
    again = fresh(learner).fit(rows(X, slice(0, 30)), y[:30]).fit(X, y)
    assert_array_equal(scores(again, X), scores(learner.fit(X, y), X))


@check
def pickled_learners_score_the_same_bits(learner: Any, X: Any, y: Any) -> None:
    learner.fit(X, y)
    other = pickle.loads(pickle.dumps(learner))
    assert_array_equal(scores(other, X), scores(learner, X))


@check
def copies_are_independent(learner: Any, X: Any, y: Any) -> None:
    learner.fit(rows(X, slice(0, 30)), y[:30])
    other = copy.deepcopy(learner)
    before = scores(learner, X)
    if hasattr(other, "partial_fit"):
        other.partial_fit(X, y)
    else:
        other.fit(X, y)
    assert_array_equal(scores(learner, X), before)


@check
def threads_give_the_same_bits(learner: Any, X: Any, y: Any) -> None:
    only_with(learner, "n_jobs")
    first, second = (fresh(learner, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert_array_equal(scores(second, X), scores(first, X))
    assert_array_equal(scores(first.set_params(n_jobs=-1), X), scores(second, X))


@check
def other_numbers_of_labels_are_refused(learner: Any, X: Any, y: Any) -> None:
    refused(learner.fit, rows(X, slice(0, 0)), y[:0])
    refused(learner.fit, X, np.stack([y, y], axis=1))
    message = refused(learner.fit, X, y[:-1])
    assert str(len(y)) in message
    assert str(len(y) - 1) in message


@check
def missing_labels_are_refused(learner: Any, X: Any, y: Any) -> None:
    truth = two(y).astype(float)
    for missing in (np.nan, np.inf):
        refused(learner.fit, X, [missing, *truth[1:]])
    if classifies(learner):
        for gap in (None, float("nan")):
            labels = np.array(y, dtype=object)
            labels[3] = gap
            refused(learner.fit, X, labels)
            refused(learner.fit, X, labels.tolist())


@check
def forms_of_trees_are_learned_alike(learner: Any, X: Any, y: Any) -> None:
    forest = trees_of(X)
    texts = forest.to_brackets()
    expected = scores(fresh(learner).fit(texts, y), texts)
    for form in (forest, np.array(texts, dtype=object), list(forest)):
        close(scores(fresh(learner).fit(form, y), form), expected)
    mixed = fresh(learner).fit(forest, y)
    close(scores(mixed, texts), expected)


@check
def columns_are_learned_like_the_examples(learner: Any, X: Any, y: Any) -> None:
    if has_columns(X):
        raise SkipTest("the examples have columns already")
    looking = fresh(learner, kernel=on_column(kernel_of(learner), "column"))
    expected = scores(fresh(learner).fit(X, y), X)
    for form in ({"column": X}, Table({"column": X, "other": np.zeros(len(y))})):
        close(scores(fresh(looking).fit(form, y), form), expected)


@check
def a_stream_of_batches_equals_one_batch(learner: Any, X: Any, y: Any) -> None:
    only_streams(learner)
    whole = fresh(learner).partial_fit(X, y)
    for size in (1, 7, len(y) - 1):
        close(scores(streamed(fresh(learner), X, y, size), X), scores(whole, X))
