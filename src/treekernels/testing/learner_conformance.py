"""What every learner promises. `treekernels.testing.conformance` runs these checks."""

from __future__ import annotations

import copy
import functools
import inspect
import pickle
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from treekernels.kernels import Kernel, LinearKernel, SubsetTreeKernel
from treekernels.testing.checking import has_columns, on_column, refused, rows, sentences, trees_of

CHECKS: dict[str, Callable[..., None]] = {}

_close = functools.partial(assert_allclose, rtol=1e-9, atol=1e-9)


def _check(check: Callable[[Any, Any, Any], None]) -> Callable[..., None]:
    """Enter a check into the list, and give it its default examples and a copy of the learner."""

    @functools.wraps(check)
    def checked(learner: Any, X: Any = None, y: Any = None) -> None:
        if X is None:
            X, y = sentences(48)
            if not _classifies(learner):
                y = [float(text.count("(")) for text in X]
        check(_fresh(learner), X, np.asarray(y))

    CHECKS[check.__name__] = checked
    return checked


def _fresh(learner: Any, **parameters: Any) -> Any:
    """Give an unfitted copy whose randomness, if any, has a seed."""
    from sklearn.base import clone

    made = clone(learner)
    known = made.get_params(deep=False)
    if known.get("random_state", 0) is None:
        made.set_params(random_state=0)
    return made.set_params(**parameters)


def _classifies(learner: Any) -> bool:
    from sklearn.base import is_classifier

    return bool(is_classifier(learner))


def _kernel(learner: Any) -> Kernel:
    kernel = learner.get_params(deep=False).get("kernel")
    return SubsetTreeKernel() if kernel is None else kernel


def _scores(learner: Any, X: Any) -> NDArray[Any]:
    """Give the finest that the learner tells of examples."""
    of = getattr(learner, "decision_function", learner.predict)
    return np.asarray(of(X))


def _only_classifiers(learner: Any) -> None:
    if not _classifies(learner):
        raise SkipTest("not a classifier")


def _only_streams(learner: Any) -> None:
    if not hasattr(learner, "partial_fit"):
        raise SkipTest("there is no partial_fit")


def _only_with(learner: Any, parameter: str) -> None:
    if parameter not in learner.get_params(deep=False):
        raise SkipTest(f"there is no parameter {parameter}")


def _two(y: NDArray[Any]) -> NDArray[np.bool_]:
    """Make two classes of many: the first against the others."""
    return np.isin(y, np.unique(y)[:1])


def _batches(count: int, size: int) -> list[slice]:
    return [slice(first, first + size) for first in range(0, count, size)]


def _streamed(learner: Any, X: Any, y: NDArray[Any], size: int) -> Any:
    classes = np.unique(y)
    for where in _batches(len(y), size):
        learner.partial_fit(rows(X, where), y[where], classes=classes)
    return learner


@_check
def fit_returns_the_learner(learner: Any, X: Any, y: Any) -> None:
    assert learner.fit(X, y) is learner


@_check
def fit_leaves_parameters_alone(learner: Any, X: Any, y: Any) -> None:
    before = copy.deepcopy(learner.get_params(deep=False))
    learner.fit(X, y)
    assert learner.get_params(deep=False) == before


@_check
def fit_leaves_the_examples_alone(learner: Any, X: Any, y: Any) -> None:
    labels, matrix = y.copy(), _kernel(learner)(X)
    learner.fit(X, y)
    assert_array_equal(y, labels)
    assert_array_equal(_kernel(learner)(X), matrix)


@_check
def training_examples_are_learned(learner: Any, X: Any, y: Any) -> None:
    learner.fit(X, y)
    if _classifies(learner):
        chance = max(np.unique(y, return_counts=True)[1]) / len(y)
        assert learner.score(X, y) > (1 + chance) / 2
    else:
        assert learner.score(X, y) > 0.5


@_check
def there_is_one_prediction_for_each_example(learner: Any, X: Any, y: Any) -> None:
    predicted = learner.fit(X, y).predict(X)
    assert predicted.shape == (len(y),)
    if _classifies(learner):
        assert set(predicted) <= set(y)
        assert predicted.dtype == learner.classes_.dtype
    else:
        assert np.isfinite(predicted).all()


@_check
def predictions_do_not_depend_on_their_company(learner: Any, X: Any, y: Any) -> None:
    learner.fit(X, y)
    alone = np.concatenate([_scores(learner, rows(X, slice(i, i + 1))) for i in range(8)])
    _close(alone, _scores(learner, X)[:8])


@_check
def no_examples_have_no_predictions(learner: Any, X: Any, y: Any) -> None:
    assert learner.fit(X, y).predict(rows(X, slice(0, 0))).shape == (0,)


@_check
def trees_unlike_any_seen_are_predicted(learner: Any, X: Any, y: Any) -> None:
    trees_of(X)
    strange = ["(never (seen before))", "(new)", "(S S S)"]
    assert np.isfinite(_scores(learner.fit(X, y), strange)).all()


@_check
def prediction_changes_nothing(learner: Any, X: Any, y: Any) -> None:
    learner.fit(X, y)
    size = getattr(learner, "n_model_nodes_", 0)
    first = _scores(learner, X)
    _scores(learner, rows(X, slice(None, None, -1)))
    learner.predict(X)
    assert_array_equal(_scores(learner, X), first)
    assert getattr(learner, "n_model_nodes_", 0) == size


@_check
def prediction_between_batches_changes_nothing(learner: Any, X: Any, y: Any) -> None:
    _only_streams(learner)
    asked, silent = _fresh(learner), _fresh(learner)
    for where in _batches(len(y), 10):
        asked.partial_fit(rows(X, where), y[where], classes=np.unique(y))
        asked.predict(X)
        silent.partial_fit(rows(X, where), y[where], classes=np.unique(y))
    _close(_scores(asked, X), _scores(silent, X))


@_check
def fitting_again_equals_fitting_afresh(learner: Any, X: Any, y: Any) -> None:
    again = _fresh(learner).fit(rows(X, slice(0, 30)), y[:30]).fit(X, y)
    assert_array_equal(_scores(again, X), _scores(learner.fit(X, y), X))


@_check
def a_seed_gives_the_same_bits(learner: Any, X: Any, y: Any) -> None:
    assert_array_equal(_scores(_fresh(learner).fit(X, y), X), _scores(learner.fit(X, y), X))


@_check
def without_shuffling_the_seed_does_not_matter(learner: Any, X: Any, y: Any) -> None:
    _only_with(learner, "shuffle")
    one, two = (_fresh(learner, shuffle=False, random_state=seed).fit(X, y) for seed in (1, 2))
    assert_array_equal(_scores(one, X), _scores(two, X))


@_check
def shuffling_saves_examples_sorted_by_class(learner: Any, X: Any, y: Any) -> None:
    _only_with(learner, "shuffle")
    order = np.argsort(y, kind="stable")
    assert _fresh(learner).fit(rows(X, order), y[order]).score(X, y) > 0.6


@_check
def clones_are_unfitted(learner: Any, X: Any, y: Any) -> None:
    from sklearn.exceptions import NotFittedError

    fitted = learner.fit(X, y)
    for unfitted in (_fresh(fitted), _fresh(learner)):
        try:
            unfitted.predict(X)
        except NotFittedError:
            continue
        raise AssertionError("an unfitted learner has predicted")


@_check
def clones_have_equal_parameters(learner: Any, X: Any, y: Any) -> None:
    assert repr(_fresh(learner.fit(X, y)).get_params()) == repr(learner.get_params())


@_check
def pickled_learners_score_the_same_bits(learner: Any, X: Any, y: Any) -> None:
    learner.fit(X, y)
    other = pickle.loads(pickle.dumps(learner))
    assert_array_equal(_scores(other, X), _scores(learner, X))


@_check
def copies_are_independent(learner: Any, X: Any, y: Any) -> None:
    learner.fit(rows(X, slice(0, 30)), y[:30])
    other = copy.deepcopy(learner)
    before = _scores(learner, X)
    if hasattr(other, "partial_fit"):
        other.partial_fit(X, y)
    else:
        other.fit(X, y)
    assert_array_equal(_scores(learner, X), before)


def _reloaded(learner: Any) -> Any:
    import treekernels

    if type(learner) is not getattr(treekernels, type(learner).__name__, None):
        raise SkipTest("only learners of treekernels can be saved")
    with tempfile.TemporaryDirectory() as folder:
        treekernels.save(learner, Path(folder) / "model.tkm")
        return treekernels.load(Path(folder) / "model.tkm")


@_check
def saved_learners_score_the_same_bits(learner: Any, X: Any, y: Any) -> None:
    other = _reloaded(learner.fit(X, y))
    assert repr(other.get_params()) == repr(learner.get_params())
    assert_array_equal(_scores(other, X), _scores(learner, X))
    assert_array_equal(other.predict(X), learner.predict(X))


@_check
def saved_learners_have_all_attributes(learner: Any, X: Any, y: Any) -> None:
    learner.fit(X, y)
    learned = {name for name in vars(learner) if name.endswith("_")}
    assert learned <= set(vars(_reloaded(learner)))


@_check
def saving_loading_and_going_on_equals_never_having_stopped(learner: Any, X: Any, y: Any) -> None:
    _only_streams(learner)
    stopped, steady = _fresh(learner), _fresh(learner)
    for where in _batches(len(y), 9):
        batch = rows(X, where), y[where]
        stopped.partial_fit(*batch, classes=np.unique(y))
        stopped = _reloaded(stopped)
        steady.partial_fit(*batch, classes=np.unique(y))
    _close(_scores(stopped, X), _scores(steady, X))
    assert_array_equal(stopped.predict(X), steady.predict(X))


@_check
def pickling_and_going_on_equals_never_having_stopped(learner: Any, X: Any, y: Any) -> None:
    _only_streams(learner)
    stopped, steady = _fresh(learner), _fresh(learner)
    for where in _batches(len(y), 9):
        batch = rows(X, where), y[where]
        stopped = pickle.loads(pickle.dumps(stopped.partial_fit(*batch, classes=np.unique(y))))
        steady.partial_fit(*batch, classes=np.unique(y))
    _close(_scores(stopped, X), _scores(steady, X))


@_check
def a_stream_of_batches_equals_one_batch(learner: Any, X: Any, y: Any) -> None:
    _only_streams(learner)
    whole = _fresh(learner).partial_fit(X, y)
    for size in (1, 7, len(y) - 1):
        _close(_scores(_streamed(_fresh(learner), X, y, size), X), _scores(whole, X))


@_check
def one_epoch_in_order_equals_one_batch(learner: Any, X: Any, y: Any) -> None:
    _only_streams(learner)
    _only_with(learner, "shuffle")
    _only_with(learner, "epochs")
    fitted = _fresh(learner, shuffle=False, epochs=1).fit(X, y)
    _close(_scores(fitted, X), _scores(_fresh(learner).partial_fit(X, y), X))


@_check
def memory_is_bounded_by_the_distinct_subtrees(learner: Any, X: Any, y: Any) -> None:
    from treekernels.learners.terms import terms_of

    _only_streams(learner)
    whole = all(term.has_forest for term in terms_of(_kernel(learner)))
    if not whole or learner.get_params().get("solver") == "standard":
        raise SkipTest("the model keeps its examples")
    subtrees = _subtrees(X)
    sizes = [learner.partial_fit(X, y).n_model_nodes_ for _ in range(4)]
    assert max(sizes) <= subtrees
    assert sizes[-1] == sizes[-2]


def _subtrees(X: Any) -> int:
    """Count the distinct subtrees of trees."""
    seen: set[str] = set()
    open_ = list(trees_of(X))
    while open_:
        tree = open_.pop()
        seen.add(str(tree))
        open_ += tree.children
    return len(seen)


@_check
def the_first_batch_may_lack_classes(learner: Any, X: Any, y: Any) -> None:
    _only_streams(learner)
    _only_classifiers(learner)
    order = np.argsort(y, kind="stable")
    first = order[:3]
    learner.partial_fit(rows(X, first), y[first], classes=np.unique(y))
    assert_array_equal(learner.classes_, np.unique(y))
    learner.partial_fit(rows(X, order[::-1]), y[order[::-1]])
    assert set(learner.predict(X)) <= set(y)


@_check
def labels_that_were_not_announced_are_refused(learner: Any, X: Any, y: Any) -> None:
    _only_streams(learner)
    _only_classifiers(learner)
    numbers = np.unique(y, return_inverse=True)[1]
    learner.partial_fit(X, numbers)
    before = _scores(learner, X)
    assert "99" in refused(learner.partial_fit, rows(X, slice(0, 2)), [0, 99])
    assert_array_equal(_scores(learner, X), before)


@_check
def forms_of_trees_are_learned_alike(learner: Any, X: Any, y: Any) -> None:
    forest = trees_of(X)
    texts = forest.to_brackets()
    expected = _scores(_fresh(learner).fit(texts, y), texts)
    for form in (forest, np.array(texts, dtype=object), list(forest)):
        _close(_scores(_fresh(learner).fit(form, y), form), expected)
    mixed = _fresh(learner).fit(forest, y)
    _close(_scores(mixed, texts), expected)


@_check
def columns_are_learned_like_the_examples(learner: Any, X: Any, y: Any) -> None:
    from treekernels.table import Table

    if has_columns(X):
        raise SkipTest("the examples have columns already")
    looking = _fresh(learner, kernel=on_column(_kernel(learner), "column"))
    expected = _scores(_fresh(learner).fit(X, y), X)
    for form in ({"column": X}, Table({"column": X, "other": np.zeros(len(y))})):
        _close(_scores(_fresh(looking).fit(form, y), form), expected)


@_check
def data_frames_are_learned_like_the_examples(learner: Any, X: Any, y: Any) -> None:
    try:
        import pandas as pd
    except ImportError:
        raise SkipTest("pandas is not installed") from None
    if has_columns(X) or hasattr(X, "tocsr"):
        raise SkipTest("the examples do not fit into a column")
    looking = _fresh(learner, kernel=on_column(_kernel(learner), "column"))
    index = np.arange(len(y))[::-1]
    frame = pd.DataFrame({"column": list(X)}, index=index)
    looking.fit(frame, pd.Series(y, index=index))
    _close(_scores(looking, frame), _scores(learner.fit(X, y), X))


@_check
def columns_of_trees_and_vectors_are_learned_together(learner: Any, X: Any, y: Any) -> None:
    forest = trees_of(X)
    random = np.random.RandomState(0)
    vectors = random.normal(size=(len(y), 3))
    columns = {"tree": forest, "vector": vectors}
    kernel = on_column(_kernel(learner), "tree") + 0.5 * LinearKernel(on="vector")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-learn's kind, on slow convergence
        both = _fresh(learner, kernel=kernel).fit(columns, y)
    assert np.isfinite(_scores(both, columns)).all()
    moved = {**columns, "vector": vectors + 1}
    assert not np.array_equal(_scores(both, moved), _scores(both, columns))
    _close(_scores(copy.deepcopy(both), columns), _scores(both, columns))


@_check
def vectors_of_another_width_are_refused(learner: Any, X: Any, y: Any) -> None:
    random = np.random.RandomState(0)
    learner = _fresh(learner, kernel=LinearKernel())
    learner.fit(random.normal(size=(len(y), 3)), y)
    refused(learner.predict, random.normal(size=(4, 2)))


@_check
def trees_seen_before_do_not_matter(learner: Any, X: Any, y: Any) -> None:
    """Nor does the order in which labels got their numbers."""
    from treekernels.forest import Forest

    forest = trees_of(X)
    other = Forest.from_brackets(["(z (y x))", *reversed(forest.to_brackets()), "(q r)"])
    same = other[-2:0:-1]
    assert same.to_brackets() == forest.to_brackets()
    expected = learner.fit(forest, y)
    _close(_scores(_fresh(learner).fit(same, y), same), _scores(expected, forest))


@_check
def any_type_of_label_can_be_learned(learner: Any, X: Any, y: Any) -> None:
    _only_classifiers(learner)
    classes, numbers = np.unique(y, return_inverse=True)
    expected = _scores(_fresh(learner).fit(X, numbers), X)
    names = np.array([f"class {number}" for number in range(len(classes))])
    for labels in (numbers - 5, numbers.astype(np.int8), numbers * 1.0, names[numbers]):
        fitted = _fresh(learner).fit(X, labels)
        assert_array_equal(_scores(fitted, X), expected)
        assert fitted.predict(X).dtype == labels.dtype
        assert set(fitted.predict(X)) <= set(labels)
    named = _fresh(learner).fit(X, names.astype(object)[numbers].tolist())
    assert_array_equal(_scores(named, X), expected)


@_check
def truth_values_can_be_learned(learner: Any, X: Any, y: Any) -> None:
    _only_classifiers(learner)
    fitted = _fresh(learner).fit(X, _two(y))
    assert fitted.predict(X).dtype == bool
    assert_array_equal(_scores(fitted, X), _scores(learner.fit(X, _two(y).astype(int)), X))


@_check
def classes_are_sorted(learner: Any, X: Any, y: Any) -> None:
    _only_classifiers(learner)
    assert_array_equal(learner.fit(rows(X, slice(None, None, -1)), y[::-1]).classes_, np.unique(y))


@_check
def two_classes_have_one_score(learner: Any, X: Any, y: Any) -> None:
    _only_classifiers(learner)
    truth = _two(y)
    scores = learner.fit(X, truth).decision_function(X)
    assert scores.shape == (len(y),)
    assert_array_equal(learner.predict(X), scores > 0)


@_check
def more_classes_have_a_score_each(learner: Any, X: Any, y: Any) -> None:
    _only_classifiers(learner)
    if len(np.unique(y)) < 3:
        raise SkipTest("there are two classes only")
    scores = learner.fit(X, y).decision_function(X)
    assert scores.shape == (len(y), len(np.unique(y)))
    assert_array_equal(learner.predict(X), learner.classes_[scores.argmax(axis=1)])


@_check
def threads_predict_the_same_bits(learner: Any, X: Any, y: Any) -> None:
    _only_with(learner, "n_jobs")
    learner.fit(X, y)
    expected = _scores(learner.set_params(n_jobs=1), X)
    for n_jobs in (2, 3, -1):
        assert_array_equal(_scores(learner.set_params(n_jobs=n_jobs), X), expected)


@_check
def threads_learn_the_same_bits(learner: Any, X: Any, y: Any) -> None:
    _only_with(learner, "n_jobs")
    one, two = (_fresh(learner, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert_array_equal(_scores(one, X), _scores(two, X))


@_check
def weights_of_one_change_nothing(learner: Any, X: Any, y: Any) -> None:
    if "sample_weight" not in inspect.signature(learner.fit).parameters:
        raise SkipTest("examples have no weights")
    weighted = _fresh(learner).fit(X, y, sample_weight=np.ones(len(y)))
    assert_array_equal(_scores(weighted, X), _scores(learner.fit(X, y), X))


@_check
def senseless_weights_are_refused(learner: Any, X: Any, y: Any) -> None:
    if "sample_weight" not in inspect.signature(learner.fit).parameters:
        raise SkipTest("examples have no weights")
    ones = np.ones(len(y))
    for weights in (ones[1:], -ones, ones * np.nan, np.ones((len(y), 2))):
        refused(learner.fit, X, y, sample_weight=weights)


@_check
def one_class_is_refused(learner: Any, X: Any, y: Any) -> None:
    _only_classifiers(learner)
    assert "class" in refused(learner.fit, X, np.full(len(y), y[0]))


@_check
def no_examples_are_refused(learner: Any, X: Any, y: Any) -> None:
    refused(learner.fit, rows(X, slice(0, 0)), y[:0])


@_check
def too_few_labels_are_refused(learner: Any, X: Any, y: Any) -> None:
    message = refused(learner.fit, X, y[:-1])
    assert str(len(y)) in message
    assert str(len(y) - 1) in message


@_check
def missing_labels_are_refused(learner: Any, X: Any, y: Any) -> None:
    truth = _two(y).astype(float)
    for missing in (np.nan, np.inf):
        refused(learner.fit, X, [missing, *truth[1:]])
    if _classifies(learner):
        for gap in (None, float("nan")):
            labels = np.array(y, dtype=object)
            labels[3] = gap
            refused(learner.fit, X, labels)
            refused(learner.fit, X, labels.tolist())


@_check
def labels_in_a_matrix_are_refused(learner: Any, X: Any, y: Any) -> None:
    refused(learner.fit, X, np.stack([y, y], axis=1))


@_check
def what_is_not_a_kernel_is_refused(learner: Any, X: Any, y: Any) -> None:
    assert "linear" in refused(_fresh(learner, kernel="linear").fit, X, y)


@_check
def broken_trees_are_refused_and_forgotten(learner: Any, X: Any, y: Any) -> None:
    texts = trees_of(X).to_brackets()
    learner.fit(texts, y)
    before = _scores(learner, texts)
    refused(learner.fit, [*texts[:-1], "(A (b"], y)
    refused(learner.predict, ["(A (b"])
    assert_array_equal(_scores(learner, texts), before)


@_check
def parameters_of_the_kernel_can_be_searched(learner: Any, X: Any, y: Any) -> None:
    from sklearn.model_selection import GridSearchCV

    kernel = _kernel(learner)
    place = next((name for name in kernel.get_params() if name.endswith("decay")), None)
    if place is None:
        raise SkipTest("the kernel has no decay")
    learner = _fresh(learner, kernel=kernel)
    search = GridSearchCV(learner, {f"kernel__{place}": [0.2, 0.6]}, cv=2, error_score="raise")
    search.fit(X, y)
    assert search.best_estimator_.kernel.get_params()[place] in (0.2, 0.6)
    assert search.predict(X).shape == (len(y),)
    assert kernel.get_params() == _kernel(learner).get_params()


@_check
def cross_validation_learns(learner: Any, X: Any, y: Any) -> None:
    from sklearn.model_selection import cross_validate

    if isinstance(X, dict):
        raise SkipTest("scikit-learn cannot cut a dict")
    result = cross_validate(learner, X, y, cv=3, return_estimator=True, error_score="raise")
    assert len(result["estimator"]) == 3
    assert result["test_score"].mean() > (0.5 if _classifies(learner) else 0)


@_check
def a_pipeline_learns(learner: Any, X: Any, y: Any) -> None:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    pipeline = make_pipeline(FunctionTransformer(), _fresh(learner)).fit(X, y)
    assert_array_equal(pipeline.predict(X), learner.fit(X, y).predict(X))


@_check
def one_against_the_rest_learns(learner: Any, X: Any, y: Any) -> None:
    from sklearn.multiclass import OneVsRestClassifier

    _only_classifiers(learner)
    assert OneVsRestClassifier(learner).fit(X, y).score(X, y) > 0.6


@_check
def probabilities_can_be_calibrated(learner: Any, X: Any, y: Any) -> None:
    from sklearn.calibration import CalibratedClassifierCV

    _only_classifiers(learner)
    if isinstance(X, dict):
        raise SkipTest("scikit-learn cannot cut a dict")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-learn, on scores that separate perfectly
        calibrated = CalibratedClassifierCV(learner, cv=3).fit(X, y)
    probabilities = calibrated.predict_proba(X)
    assert probabilities.shape == (len(y), len(np.unique(y)))
    _close(probabilities.sum(axis=1), 1)
