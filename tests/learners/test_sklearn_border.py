"""Learners and vectors of trees in the hands of scikit-learn, from its oldest supported release on.

`test_estimator_checks.py` has scikit-learn's own checks; here is what people do with estimators.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import treekernels as tk

TREES = [f"(S (A {a}) (B {b}))" for a in "abc" for b in "defg"]
LABELS = np.array([0, 1] * 6)
SIZES = np.arange(12.0)
LEARNERS = [tk.TreeSVC, tk.TreeSVR, tk.TreePerceptron, tk.TreePassiveAggressive]
CLASSIFIERS = [tk.TreeSVC, tk.TreePerceptron, tk.TreePassiveAggressive]

every_learner = pytest.mark.parametrize("learner", LEARNERS)
every_classifier = pytest.mark.parametrize("learner", CLASSIFIERS)


def frame_classes() -> list[Any]:
    try:
        import polars
    except ImportError:  # not needed for the other tests
        return [pd.DataFrame]
    return [pd.DataFrame, polars.DataFrame]


every_frame = pytest.mark.parametrize(
    "frame", frame_classes(), ids=lambda frame: frame.__module__.split(".")[0]
)


@every_learner
def test_parameters_of_the_default_kernel(learner: Any) -> None:
    search = GridSearchCV(learner(random_state=0), {"kernel__decay": [0.1, 0.9]}, cv=2)
    search.fit(TREES, LABELS)
    assert search.best_estimator_.kernel == tk.SubsetTreeKernel(
        search.best_params_["kernel__decay"]
    )
    scores = [
        cross_validate(learner(tk.SubsetTreeKernel(decay), random_state=0), TREES, LABELS, cv=2)
        for decay in (0.1, 0.9)
    ]
    expected = [result["test_score"].mean() for result in scores]
    assert search.cv_results_["mean_test_score"].tolist() == pytest.approx(expected)


@every_learner
def test_nothing_is_set_before_it_is_asked_for(learner: Any) -> None:
    result = learner()
    assert result.kernel == "auto"
    assert result.get_params()["kernel"] == "auto"
    assert repr(result) == f"{learner.__name__}()"
    assert clone(result).kernel == "auto"
    result.set_params(kernel__decay=0.7, kernel__leaf_weight=1)
    assert result.kernel == tk.SubsetTreeKernel(0.7, leaf_weight=1)
    assert learner("sst").get_params()["kernel__decay"] == 0.4
    with pytest.raises(ValueError, match="no parameter 'depth'"):
        learner().set_params(kernel__depth=3)


@every_learner
def test_an_expression_is_a_kernel(learner: Any) -> None:
    text = "0.5*sst(0.3) + ptk"
    result = learner(text, random_state=0).fit(TREES, LABELS)
    kernel = 0.5 * tk.SubsetTreeKernel(0.3) + tk.PartialTreeKernel()
    other = learner(kernel, random_state=0).fit(TREES, LABELS)
    assert result.kernel == text
    assert result.kernel_ == kernel
    assert np.array_equal(result.predict(TREES), other.predict(TREES))
    assert clone(result).kernel == text
    assert result.get_params()["kernel__k2__decay"] == 0.4
    assert result.set_params(kernel="st", kernel__decay=0.5).kernel == tk.SubtreeKernel(0.5)
    with pytest.raises(ValueError, match="column 1: there is no kernel 'tsk'"):
        learner("tsk").fit(TREES, LABELS)
    with pytest.raises(ValueError, match="or an expression such as 'sst', not 3"):
        learner(3).fit(TREES, LABELS)
    assert "kernel__decay" not in learner("tsk").get_params()


def test_expressions_elsewhere(tmp_path: Any) -> None:
    forest = tk.WeightedForest("sst(0.5)")
    assert forest.kernel == tk.SubsetTreeKernel(0.5)
    search = GridSearchCV(tk.TreeSVC("sst"), {"kernel": ["sst", "st", "ptk"]}, cv=2).fit(
        TREES, LABELS
    )
    assert search.best_params_["kernel"] in ("sst", "st", "ptk")
    for name, other in (("sst", "subset"), ("st", "subtree")):
        vectors = [tk.DistributedTrees(64, kernel=item).transform(TREES) for item in (name, other)]
        assert np.array_equal(*vectors)
    machine = tk.TreeSVC("sst(0.5)", random_state=0).fit(TREES, LABELS)
    tk.save(machine, tmp_path / "model.tkm")
    loaded = tk.load(tmp_path / "model.tkm")
    assert loaded.kernel == "sst(0.5)"
    assert np.array_equal(loaded.decision_function(TREES), machine.decision_function(TREES))


def test_probabilities_are_there_only_if_asked_for() -> None:
    machine = tk.TreeSVC("sst", random_state=0).fit(TREES, LABELS)
    assert not hasattr(machine, "predict_proba")
    with pytest.raises(AttributeError, match="needs probability=True"):
        machine.predict_proba(TREES)
    calibrated = tk.TreeSVC("sst", probability=True, random_state=0)
    assert hasattr(calibrated, "predict_proba")
    shares = calibrated.fit(TREES, LABELS).predict_proba(TREES)
    assert shares.shape == (12, 2)
    assert np.allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize("form", [list, tk.Forest, lambda X: {"t": X}])
def test_calibration_honours_weights(form: Any) -> None:
    """An example of weight 0 takes part neither in the machine nor in the sigmoid."""
    X = TREES * 4
    y = np.array([label if place % 5 else 1 - label for place, label in enumerate([0, 1] * 24)])
    kernel = "sst(on=t)" if isinstance(form(X), dict) else "sst"
    machine = tk.TreeSVC(kernel, probability=True, random_state=0)
    weights = np.where(np.arange(48) % 5, 1.0, 1e-9)
    plain = clone(machine).fit(form(X), y).calibration_
    weighted = clone(machine).fit(form(X), y, sample_weight=weights).calibration_
    assert not np.allclose(plain, weighted, rtol=0.1)
    # Nearly without the wrong labels, the scores say more: the sigmoid is steeper.
    assert weighted[0, 0] < plain[0, 0] < 0


@every_classifier
def test_continuous_labels_are_refused(learner: Any) -> None:
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        learner().fit(TREES, np.linspace(0, 1, 12))
    assert learner().fit(TREES, LABELS.astype(float)).classes_.tolist() == [0.0, 1.0]


@every_learner
def test_a_column_of_labels(learner: Any) -> None:
    with pytest.warns(DataConversionWarning, match="column-vector y was passed") as caught:
        result = learner(random_state=0).fit(TREES, LABELS[:, None])
    assert caught[0].filename == __file__
    plain = learner(random_state=0).fit(TREES, LABELS)
    assert np.array_equal(result.predict(TREES), plain.predict(TREES))
    if hasattr(result, "partial_fit"):
        with pytest.warns(DataConversionWarning) as caught:
            result.partial_fit(TREES, LABELS[:, None])
        assert caught[0].filename == __file__
    for y, words in (
        (np.column_stack([LABELS, LABELS]), "y should be a 1d array"),
        (None, "requires y to be passed"),
    ):
        with pytest.raises(ValueError, match=words):
            learner().fit(TREES, y)


@every_frame
@every_learner
def test_one_column_of_trees_needs_no_name(learner: Any, frame: Any) -> None:
    X = frame({"tree": TREES, "size": SIZES})
    result = learner(random_state=0).fit(X, LABELS)
    assert np.array_equal(
        result.predict(X), learner(random_state=0).fit(TREES, LABELS).predict(TREES)
    )
    assert result.n_features_in_ == 2
    assert result.feature_names_in_.tolist() == ["tree", "size"]


@every_frame
@pytest.mark.parametrize("column", ["tree", ["tree"]], ids=["named column", "frame of one column"])
def test_column_transformer(frame: Any, column: Any) -> None:
    X = frame({"size": SIZES, "tree": TREES})
    columns = ColumnTransformer(
        [("trees", tk.DistributedTrees(64), column), ("rest", StandardScaler(), ["size"])]
    )
    vectors = columns.fit_transform(X)
    assert vectors.shape == (12, 65)
    assert np.array_equal(vectors[:, :64], tk.DistributedTrees(64).fit_transform(TREES))
    names = columns.get_feature_names_out()
    assert (names[0], names[-1]) == ("trees__distributedtrees0", "rest__size")
    pipeline = make_pipeline(columns, LogisticRegression()).fit(X, LABELS)
    assert pipeline.predict(X).shape == (12,)
    assert columns.named_transformers_["trees"].n_features_in_ == 1


@every_frame
def test_vectors_in_a_frame(frame: Any) -> None:
    library = frame.__module__.split(".")[0]
    embedding = tk.DistributedTrees(8).set_output(transform=library)
    for X in (TREES, tk.Forest(TREES), frame({"tree": TREES}), np.array(TREES, dtype=object)):
        vectors = embedding.fit_transform(X)
        assert isinstance(vectors, frame)
        assert list(vectors.columns) == [f"distributedtrees{place}" for place in range(8)]
        assert np.array_equal(vectors.to_numpy(), tk.DistributedTrees(8).transform(TREES))
    embedding.fit(frame({"tree": TREES}))
    assert embedding.feature_names_in_.tolist() == ["tree"]


@every_learner
def test_a_frame_of_numbers_is_a_matrix(learner: Any) -> None:
    X = pd.DataFrame({"a": SIZES, "b": SIZES % 3})
    result = learner("linear", random_state=0).fit(X, LABELS)
    other = learner("linear", random_state=0).fit(X.to_numpy(), LABELS)
    assert np.array_equal(result.predict(X), other.predict(X.to_numpy()))
    with pytest.raises(ValueError, match="The feature names should match"):
        result.predict(X[["b", "a"]])
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 2 features"):
        other.predict(np.ones((2, 3)))
    other.fit(np.ones((12, 3)) * SIZES[:, None], LABELS)  # to begin anew is another matter


def test_weights_are_routed() -> None:
    weights = np.where(np.arange(12) < 6, 1.0, 3.0)
    with sklearn.config_context(enable_metadata_routing=True):
        machine = tk.TreeSVC("sst", C=0.1, random_state=0).set_fit_request(sample_weight=True)
        machine.set_score_request(sample_weight=False)
        search = GridSearchCV(machine, {"C": [0.1]}, cv=2)
        search.fit(TREES, LABELS, sample_weight=weights)
        calibrated = tk.TreeSVC("sst", probability=True, random_state=0)
        inside = calibrated.fit(TREES, LABELS, sample_weight=weights).calibration_
        online = tk.TreePerceptron("sst").set_partial_fit_request(sample_weight=True, classes=True)
        assert online.get_metadata_routing().partial_fit.requests["classes"] is True
        assert not hasattr(tk.DistributedTrees(), "set_transform_request")
    by_hand = tk.TreeSVC("sst", C=0.1, random_state=0).fit(TREES, LABELS, sample_weight=weights)
    scores = search.best_estimator_.decision_function(TREES)
    assert np.array_equal(scores, by_hand.decision_function(TREES))
    assert np.array_equal(calibrated.fit(TREES, LABELS, sample_weight=weights).calibration_, inside)
