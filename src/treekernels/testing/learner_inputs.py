"""What learners promise of the forms of examples and of labels."""

from __future__ import annotations

import copy
import warnings
from typing import Any
from unittest import SkipTest

import numpy as np
from numpy.testing import assert_array_equal

from treekernels.kernels import LinearKernel
from treekernels.testing.checking import has_columns, on_column, refused, rows, trees_of
from treekernels.testing.learner_checking import (
    check,
    close,
    fresh,
    kernel_of,
    only_classifiers,
    scores,
    two,
)


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
    from treekernels.data.table import Table

    if has_columns(X):
        raise SkipTest("the examples have columns already")
    looking = fresh(learner, kernel=on_column(kernel_of(learner), "column"))
    expected = scores(fresh(learner).fit(X, y), X)
    for form in ({"column": X}, Table({"column": X, "other": np.zeros(len(y))})):
        close(scores(fresh(looking).fit(form, y), form), expected)


@check
def data_frames_are_learned_like_the_examples(learner: Any, X: Any, y: Any) -> None:
    try:
        import pandas as pd
    except ImportError:
        raise SkipTest("pandas is not installed") from None
    if has_columns(X) or hasattr(X, "tocsr"):
        raise SkipTest("the examples do not fit into a column")
    looking = fresh(learner, kernel=on_column(kernel_of(learner), "column"))
    index = np.arange(len(y))[::-1]
    frame = pd.DataFrame({"column": list(X)}, index=index)
    looking.fit(frame, pd.Series(y, index=index))
    close(scores(looking, frame), scores(learner.fit(X, y), X))


@check
def columns_of_trees_and_vectors_are_learned_together(learner: Any, X: Any, y: Any) -> None:
    forest = trees_of(X)
    random = np.random.RandomState(0)
    vectors = random.normal(size=(len(y), 3))
    columns = {"tree": forest, "vector": vectors}
    kernel = on_column(kernel_of(learner), "tree") + 0.5 * LinearKernel(on="vector")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-learn's kind, on slow convergence
        both = fresh(learner, kernel=kernel).fit(columns, y)
    assert np.isfinite(scores(both, columns)).all()
    moved = {**columns, "vector": vectors + 1}
    assert not np.array_equal(scores(both, moved), scores(both, columns))
    close(scores(copy.deepcopy(both), columns), scores(both, columns))


@check
def vectors_of_another_width_are_refused(learner: Any, X: Any, y: Any) -> None:
    random = np.random.RandomState(0)
    learner = fresh(learner, kernel=LinearKernel())
    learner.fit(random.normal(size=(len(y), 3)), y)
    refused(learner.predict, random.normal(size=(4, 2)))


@check
def trees_seen_before_do_not_matter(learner: Any, X: Any, y: Any) -> None:
    """Nor does the order in which labels got their numbers."""
    from treekernels.data.forest import Forest

    forest = trees_of(X)
    other = Forest.from_brackets(["(z (y x))", *reversed(forest.to_brackets()), "(q r)"])
    same = other[-2:0:-1]
    assert same.to_brackets() == forest.to_brackets()
    expected = learner.fit(forest, y)
    close(scores(fresh(learner).fit(same, y), same), scores(expected, forest))


@check
def any_type_of_label_can_be_learned(learner: Any, X: Any, y: Any) -> None:
    only_classifiers(learner)
    classes, numbers = np.unique(y, return_inverse=True)
    expected = scores(fresh(learner).fit(X, numbers), X)
    names = np.array([f"class {number}" for number in range(len(classes))])
    for labels in (numbers - 5, numbers.astype(np.int8), numbers * 1.0, names[numbers]):
        fitted = fresh(learner).fit(X, labels)
        assert_array_equal(scores(fitted, X), expected)
        assert fitted.predict(X).dtype == labels.dtype
        assert set(fitted.predict(X)) <= set(labels)
    named = fresh(learner).fit(X, names.astype(object)[numbers].tolist())
    assert_array_equal(scores(named, X), expected)


@check
def truth_values_can_be_learned(learner: Any, X: Any, y: Any) -> None:
    only_classifiers(learner)
    fitted = fresh(learner).fit(X, two(y))
    assert fitted.predict(X).dtype == bool
    assert_array_equal(scores(fitted, X), scores(learner.fit(X, two(y).astype(int)), X))


@check
def classes_are_sorted(learner: Any, X: Any, y: Any) -> None:
    only_classifiers(learner)
    assert_array_equal(learner.fit(rows(X, slice(None, None, -1)), y[::-1]).classes_, np.unique(y))


@check
def two_classes_have_one_score(learner: Any, X: Any, y: Any) -> None:
    only_classifiers(learner)
    truth = two(y)
    scores = learner.fit(X, truth).decision_function(X)
    assert scores.shape == (len(y),)
    assert_array_equal(learner.predict(X), scores > 0)


@check
def more_classes_have_a_score_each(learner: Any, X: Any, y: Any) -> None:
    only_classifiers(learner)
    if len(np.unique(y)) < 3:
        raise SkipTest("there are two classes only")
    scores = learner.fit(X, y).decision_function(X)
    assert scores.shape == (len(y), len(np.unique(y)))
    assert_array_equal(learner.predict(X), learner.classes_[scores.argmax(axis=1)])
