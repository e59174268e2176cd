"""What every learner promises. `treekernels.testing.conformance` runs these checks."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings
from typing import Any
from unittest import SkipTest

import numpy as np
from numpy.testing import assert_array_equal

from treekernels.testing.checking import refused, rows, trees_of
from treekernels.testing.learner_checking import (
    batches,
    check,
    classifies,
    close,
    fresh,
    kernel_of,
    only_classifiers,
    only_streams,
    only_with,
    scores,
    two,
)


@check
def fit_returns_the_learner(learner: Any, X: Any, y: Any) -> None:
    assert learner.fit(X, y) is learner


@check
def fit_leaves_parameters_alone(learner: Any, X: Any, y: Any) -> None:
    before = copy.deepcopy(learner.get_params(deep=False))
    learner.fit(X, y)
    assert learner.get_params(deep=False) == before


@check
def fit_leaves_the_examples_alone(learner: Any, X: Any, y: Any) -> None:
    labels, matrix = y.copy(), kernel_of(learner)(X)
    learner.fit(X, y)
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
def no_examples_have_no_predictions(learner: Any, X: Any, y: Any) -> None:
    assert learner.fit(X, y).predict(rows(X, slice(0, 0))).shape == (0,)


@check
def trees_unlike_any_seen_are_predicted(learner: Any, X: Any, y: Any) -> None:
    trees_of(X)
    strange = ["(never (seen before))", "(new)", "(S S S)"]
    assert np.isfinite(scores(learner.fit(X, y), strange)).all()


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
def prediction_between_batches_changes_nothing(learner: Any, X: Any, y: Any) -> None:
    only_streams(learner)
    asked, silent = fresh(learner), fresh(learner)
    for where in batches(len(y), 10):
        asked.partial_fit(rows(X, where), y[where], classes=np.unique(y))
        asked.predict(X)
        silent.partial_fit(rows(X, where), y[where], classes=np.unique(y))
    close(scores(asked, X), scores(silent, X))


@check
def fitting_again_equals_fitting_afresh(learner: Any, X: Any, y: Any) -> None:
    again = fresh(learner).fit(rows(X, slice(0, 30)), y[:30]).fit(X, y)
    assert_array_equal(scores(again, X), scores(learner.fit(X, y), X))


@check
def a_seed_gives_the_same_bits(learner: Any, X: Any, y: Any) -> None:
    assert_array_equal(scores(fresh(learner).fit(X, y), X), scores(learner.fit(X, y), X))


@check
def without_shuffling_the_seed_does_not_matter(learner: Any, X: Any, y: Any) -> None:
    only_with(learner, "shuffle")
    one, two = (fresh(learner, shuffle=False, random_state=seed).fit(X, y) for seed in (1, 2))
    assert_array_equal(scores(one, X), scores(two, X))


@check
def shuffling_saves_examples_sorted_by_class(learner: Any, X: Any, y: Any) -> None:
    only_with(learner, "shuffle")
    order = np.argsort(y, kind="stable")
    assert fresh(learner).fit(rows(X, order), y[order]).score(X, y) > 0.6


@check
def clones_are_unfitted(learner: Any, X: Any, y: Any) -> None:
    from sklearn.exceptions import NotFittedError

    fitted = learner.fit(X, y)
    for unfitted in (fresh(fitted), fresh(learner)):
        try:
            unfitted.predict(X)
        except NotFittedError:
            continue
        raise AssertionError("an unfitted learner has predicted")


@check
def clones_have_equal_parameters(learner: Any, X: Any, y: Any) -> None:
    assert repr(fresh(learner.fit(X, y)).get_params()) == repr(learner.get_params())


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
def threads_predict_the_same_bits(learner: Any, X: Any, y: Any) -> None:
    only_with(learner, "n_jobs")
    learner.fit(X, y)
    expected = scores(learner.set_params(n_jobs=1), X)
    for n_jobs in (2, 3, -1):
        assert_array_equal(scores(learner.set_params(n_jobs=n_jobs), X), expected)


@check
def threads_learn_the_same_bits(learner: Any, X: Any, y: Any) -> None:
    only_with(learner, "n_jobs")
    one, two = (fresh(learner, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert_array_equal(scores(one, X), scores(two, X))


@check
def weights_of_one_change_nothing(learner: Any, X: Any, y: Any) -> None:
    if "sample_weight" not in inspect.signature(learner.fit).parameters:
        raise SkipTest("examples have no weights")
    weighted = fresh(learner).fit(X, y, sample_weight=np.ones(len(y)))
    assert_array_equal(scores(weighted, X), scores(learner.fit(X, y), X))


@check
def senseless_weights_are_refused(learner: Any, X: Any, y: Any) -> None:
    if "sample_weight" not in inspect.signature(learner.fit).parameters:
        raise SkipTest("examples have no weights")
    ones = np.ones(len(y))
    for weights in (ones[1:], -ones, ones * np.nan, np.ones((len(y), 2))):
        refused(learner.fit, X, y, sample_weight=weights)


@check
def one_class_is_refused(learner: Any, X: Any, y: Any) -> None:
    only_classifiers(learner)
    assert "class" in refused(learner.fit, X, np.full(len(y), y[0]))


@check
def no_examples_are_refused(learner: Any, X: Any, y: Any) -> None:
    refused(learner.fit, rows(X, slice(0, 0)), y[:0])


@check
def too_few_labels_are_refused(learner: Any, X: Any, y: Any) -> None:
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
def labels_in_a_matrix_are_refused(learner: Any, X: Any, y: Any) -> None:
    refused(learner.fit, X, np.stack([y, y], axis=1))


@check
def what_is_not_a_kernel_is_refused(learner: Any, X: Any, y: Any) -> None:
    assert "nonsense" in refused(fresh(learner, kernel="nonsense").fit, X, y)
    assert "0.4" in refused(fresh(learner, kernel=0.4).fit, X, y)


@check
def broken_trees_are_refused_and_forgotten(learner: Any, X: Any, y: Any) -> None:
    texts = trees_of(X).to_brackets()
    learner.fit(texts, y)
    before = scores(learner, texts)
    refused(learner.fit, [*texts[:-1], "(A (b"], y)
    refused(learner.predict, ["(A (b"])
    assert_array_equal(scores(learner, texts), before)


@check
def parameters_of_the_kernel_can_be_searched(learner: Any, X: Any, y: Any) -> None:
    from sklearn.model_selection import GridSearchCV

    kernel = kernel_of(learner)
    place = next((name for name in kernel.get_params() if name.endswith("decay")), None)
    if place is None:
        raise SkipTest("the kernel has no decay")
    learner = fresh(learner, kernel=kernel)
    search = GridSearchCV(learner, {f"kernel__{place}": [0.2, 0.6]}, cv=2, error_score="raise")
    search.fit(X, y)
    assert search.best_estimator_.kernel.get_params()[place] in (0.2, 0.6)
    assert search.predict(X).shape == (len(y),)
    assert kernel.get_params() == kernel_of(learner).get_params()


@check
def cross_validation_learns(learner: Any, X: Any, y: Any) -> None:
    from sklearn.model_selection import cross_validate

    if isinstance(X, dict):
        raise SkipTest("scikit-learn cannot cut a dict")
    result = cross_validate(learner, X, y, cv=3, return_estimator=True, error_score="raise")
    assert len(result["estimator"]) == 3
    assert result["test_score"].mean() > (0.5 if classifies(learner) else 0)


@check
def a_pipeline_learns(learner: Any, X: Any, y: Any) -> None:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    pipeline = make_pipeline(FunctionTransformer(), fresh(learner)).fit(X, y)
    assert_array_equal(pipeline.predict(X), learner.fit(X, y).predict(X))


@check
def one_against_the_rest_learns(learner: Any, X: Any, y: Any) -> None:
    from sklearn.multiclass import OneVsRestClassifier

    only_classifiers(learner)
    assert OneVsRestClassifier(learner).fit(X, y).score(X, y) > 0.6


@check
def probabilities_can_be_calibrated(learner: Any, X: Any, y: Any) -> None:
    from sklearn.calibration import CalibratedClassifierCV

    only_classifiers(learner)
    if isinstance(X, dict):
        raise SkipTest("scikit-learn cannot cut a dict")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-learn, on scores that separate perfectly
        calibrated = CalibratedClassifierCV(learner, cv=3).fit(X, y)
    probabilities = calibrated.predict_proba(X)
    assert probabilities.shape == (len(y), len(np.unique(y)))
    close(probabilities.sum(axis=1), 1)
