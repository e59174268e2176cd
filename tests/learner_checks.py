"""What every learner promises, as checks, and sentences to learn from."""

from __future__ import annotations

import copy
import functools
import inspect
import pickle
import random
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from treekernels import learners
from treekernels.common.arrays import Array, Mask
from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.kernels import Kernel, LinearKernel, SubsetTreeKernel
from treekernels.kernels.expressions.parsing import as_kernel
from treekernels.persistence import load, save
from treekernels.testing.checking import data_frame, has_columns, on_column, refused, rows, trees_of

CHECKS: dict[str, Callable[[Any], None]] = {}
_WORDS = ("a", "b", "c", "d")

close = functools.partial(assert_allclose, rtol=1e-9, atol=1e-9)


def sentences(count: int, classes: int = 3, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return sentences as trees, and their kind, which shows in the structure alone."""
    rng = random.Random(seed)
    texts, kinds = [], []
    for number in range(count):
        one, two, three = (rng.choice(_WORDS) for _ in range(3))
        noun, verb, thing = f"(NP (N {one}))", f"(V {two})", f"(NP (N {three}))"
        if rng.random() < 0.5:
            thing = f"(NP (D the) (N {three}))"
        kind = number % classes
        texts.append(
            [
                f"(S {noun} (VP {verb} {thing}))",
                f"(SQ (AUX did) {noun} {verb} {thing})",
                f"(IMP (VP {verb} {thing}))",
            ][kind]
        )
        kinds.append(["statement", "question", "command"][kind])
    return texts, kinds


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
    made = clone(learner)
    known = made.get_params(deep=False)
    if known.get("random_state", 0) is None:
        made.set_params(random_state=0)
    return made.set_params(**parameters)


def classifies(learner: Any) -> bool:
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
    first, second = (fresh(learner, shuffle=False, random_state=seed).fit(X, y) for seed in (1, 2))
    assert_array_equal(scores(first, X), scores(second, X))


@check
def clones_are_unfitted_and_equal(learner: Any, X: Any, y: Any) -> None:
    unfitted = fresh(learner.fit(X, y))
    assert repr(unfitted.get_params()) == repr(learner.get_params())
    try:
        unfitted.predict(X)
    except NotFittedError:
        return
    raise AssertionError("an unfitted learner has predicted")


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
def weights_of_one_change_nothing_and_senseless_ones_are_refused(
    learner: Any, X: Any, y: Any
) -> None:
    if "sample_weight" not in inspect.signature(learner.fit).parameters:
        raise SkipTest("examples have no weights")
    ones = np.ones(len(y))
    weighted = fresh(learner).fit(X, y, sample_weight=ones)
    assert_array_equal(scores(weighted, X), scores(learner.fit(X, y), X))
    for weights in (ones[1:], -ones, ones * np.nan, np.ones((len(y), 2))):
        refused(learner.fit, X, y, sample_weight=weights)


@check
def one_class_is_refused(learner: Any, X: Any, y: Any) -> None:
    only_classifiers(learner)
    assert "class" in refused(learner.fit, X, np.full(len(y), y[0]))


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
def data_frames_are_learned_like_the_examples(learner: Any, X: Any, y: Any) -> None:
    frame = data_frame(X, np.arange(len(y))[::-1])
    looking = fresh(learner, kernel=on_column(kernel_of(learner), "column"))
    looking.fit(frame, frame.assign(label=y)["label"])
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
        assert_array_equal(fitted.classes_, np.unique(labels))
        assert fitted.predict(X).dtype == labels.dtype
    named = fresh(learner).fit(X, names.astype(object)[numbers].tolist())
    assert_array_equal(scores(named, X), expected)


@check
def two_classes_have_one_score(learner: Any, X: Any, y: Any) -> None:
    only_classifiers(learner)
    truth = two(y)
    scores = learner.fit(X, truth).decision_function(X)
    assert scores.shape == (len(y),)
    assert learner.predict(X).dtype == bool
    assert_array_equal(learner.predict(X), scores > 0)


@check
def more_classes_have_a_score_each(learner: Any, X: Any, y: Any) -> None:
    only_classifiers(learner)
    if len(np.unique(y)) < 3:
        raise SkipTest("there are two classes only")
    scores = learner.fit(X, y).decision_function(X)
    assert scores.shape == (len(y), len(np.unique(y)))
    assert_array_equal(learner.predict(X), learner.classes_[scores.argmax(axis=1)])


def _reloaded(learner: Any) -> Any:
    if type(learner) is not getattr(learners, type(learner).__name__, None):
        raise SkipTest("only learners of treekernels can be saved")
    leaves = learner.kernel_.leaves()
    if any(callable(value) for leaf in leaves for value in leaf.get_params(deep=False).values()):
        raise SkipTest("functions cannot be saved as data")
    with tempfile.TemporaryDirectory() as folder:
        save(learner, Path(folder) / "model.tkm")
        return load(Path(folder) / "model.tkm")


@check
def saved_learners_score_the_same_bits(learner: Any, X: Any, y: Any) -> None:
    other = _reloaded(learner.fit(X, y))
    assert repr(other.get_params()) == repr(learner.get_params())
    assert {name for name in vars(learner) if name.endswith("_")} <= set(vars(other))
    assert_array_equal(scores(other, X), scores(learner, X))
    assert_array_equal(other.predict(X), learner.predict(X))


@check
def saving_loading_and_going_on_equals_never_having_stopped(learner: Any, X: Any, y: Any) -> None:
    only_streams(learner)
    stopped, steady = fresh(learner), fresh(learner)
    for where in batches(len(y), 9):
        batch = rows(X, where), y[where]
        stopped.partial_fit(*batch, classes=np.unique(y))
        stopped = _reloaded(stopped)
        steady.partial_fit(*batch, classes=np.unique(y))
    close(scores(stopped, X), scores(steady, X))
    assert_array_equal(stopped.predict(X), steady.predict(X))


@check
def a_stream_of_batches_equals_one_batch(learner: Any, X: Any, y: Any) -> None:
    only_streams(learner)
    whole = fresh(learner).partial_fit(X, y)
    for size in (1, 7, len(y) - 1):
        close(scores(streamed(fresh(learner), X, y, size), X), scores(whole, X))


@check
def one_epoch_in_order_equals_one_batch(learner: Any, X: Any, y: Any) -> None:
    only_streams(learner)
    only_with(learner, "shuffle")
    only_with(learner, "epochs")
    fitted = fresh(learner, shuffle=False, epochs=1).fit(X, y)
    close(scores(fitted, X), scores(fresh(learner).partial_fit(X, y), X))


@check
def memory_is_bounded_by_the_distinct_subtrees(learner: Any, X: Any, y: Any) -> None:
    only_streams(learner)
    summands = kernel_of(learner).summands()
    whole = all(summand.kernel.learned_as == "forest" for summand in summands)
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


@check
def the_first_batch_may_lack_classes(learner: Any, X: Any, y: Any) -> None:
    only_streams(learner)
    only_classifiers(learner)
    order = np.argsort(y, kind="stable")
    first = order[:3]
    learner.partial_fit(rows(X, first), y[first], classes=np.unique(y))
    assert_array_equal(learner.classes_, np.unique(y))
    learner.partial_fit(rows(X, order[::-1]), y[order[::-1]])
    assert set(learner.predict(X)) <= set(y)


@check
def labels_that_were_not_announced_are_refused(learner: Any, X: Any, y: Any) -> None:
    only_streams(learner)
    only_classifiers(learner)
    numbers = np.unique(y, return_inverse=True)[1]
    learner.partial_fit(X, numbers)
    before = scores(learner, X)
    assert "99" in refused(learner.partial_fit, rows(X, slice(0, 2)), [0, 99])
    assert_array_equal(scores(learner, X), before)
