"""What the learners of the library promise beyond `learner_conformance`, as further checks."""

from __future__ import annotations

import copy
import inspect
import re
import tempfile
import warnings
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np
from numpy.testing import assert_array_equal

from learner_conformance import (
    CHECKS as CHECKS,
)
from learner_conformance import (
    batches,
    check,
    close,
    fresh,
    kernel_of,
    only_classifiers,
    only_streams,
    only_with,
    scores,
    two,
)
from treekernels import learners
from treekernels.data.forest import Forest
from treekernels.kernels import LinearKernel
from treekernels.persistence import load, save
from treekernels.testing.checking import on_column, refused, rows, trees_of


@check
def trees_unlike_any_seen_are_predicted(learner: Any, X: Any, y: Any) -> None:
    trees_of(X)
    strange = ["(never (seen before))", "(new)", "(S S S)"]
    assert np.isfinite(scores(learner.fit(X, y), strange)).all()


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
def broken_trees_are_refused_and_forgotten(learner: Any, X: Any, y: Any) -> None:
    texts = trees_of(X).to_brackets()
    learner.fit(texts, y)
    before = scores(learner, texts)
    refused(learner.fit, [*texts[:-1], "(A (b"], y)
    refused(learner.predict, ["(A (b"])
    assert_array_equal(scores(learner, texts), before)


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
    # Word vectors keep only the words that they have met, and say how many those are.
    words = re.compile(r"WordVectors\(<\d+ words, \d+ dimensions>")
    given, loaded = (
        words.sub("WordVectors(", repr(each.get_params())) for each in (learner, other)
    )
    assert loaded == given
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
