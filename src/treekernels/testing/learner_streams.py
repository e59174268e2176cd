"""What learners promise about saving, resuming, and examples that come in batches."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np
from numpy.testing import assert_array_equal

from treekernels import learners
from treekernels.persistence import load, save
from treekernels.testing.checking import refused, rows, trees_of
from treekernels.testing.learner_checking import (
    batches,
    check,
    close,
    fresh,
    kernel_of,
    only_classifiers,
    only_streams,
    only_with,
    scores,
    streamed,
)


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
