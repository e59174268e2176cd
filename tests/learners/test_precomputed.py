"""Kernel methods of scikit-learn on trees do what they do on the matrix that they are given."""

from __future__ import annotations

import inspect
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import (
    DBSCAN,
    HDBSCAN,
    AffinityPropagation,
    AgglomerativeClustering,
    SpectralClustering,
)
from sklearn.decomposition import KernelPCA
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    LocalOutlierFactor,
    NearestNeighbors,
    RadiusNeighborsClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KernelCenterer
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

import treekernels as tk
from treekernels.errors import DataError, ParameterError
from treekernels.testing.strategies import trees as random_trees

_rng = random.Random(0)


def _sentence(kind: int) -> str:
    subject, verb = f"(NP (N {_rng.choice('abcd')}))", f"(V {_rng.choice('vwxyz')})"
    forms = (f"(S {subject} (VP {verb}))", f"(SQ {verb} {subject})", f"(S (VP {verb} {subject}))")
    return forms[kind]


TREES = [_sentence(number % 3) for number in range(48)]
OTHERS = [_sentence(number % 3) for number in range(9)]
LABELS = np.array(["a", "b", "c"] * 16)
NUMBERS = np.arange(48.0) % 3 + np.array([len(tree) for tree in TREES]) / 10
KERNEL = tk.PartialTreeKernel(0.3)
K = KERNEL(TREES)
K_OTHERS = KERNEL(OTHERS, TREES)


def _distances(values: Any, rows: Any, columns: Any) -> Any:
    """The distance of each pair, by the definition, one after the other."""
    result = np.empty(values.shape)
    for i, j in np.ndindex(*values.shape):
        result[i, j] = max(0.0, rows[i] + columns[j] - 2 * values[i, j]) ** 0.5
    return result


D = _distances(K, KERNEL.diag(TREES), KERNEL.diag(TREES))
np.fill_diagonal(D, 0)
D_OTHERS = _distances(K_OTHERS, KERNEL.diag(OTHERS), KERNEL.diag(TREES))

# An estimator, by which parameter it is told, what it gets, and what it is to learn.
PREDICTING = [
    (SVC(), "kernel", K, LABELS),
    (NuSVC(nu=0.2), "kernel", K, LABELS),
    (SVC(C=3, decision_function_shape="ovo"), "kernel", K, LABELS),
    (SVR(), "kernel", K, NUMBERS),
    (NuSVR(), "kernel", K, NUMBERS),
    (OneClassSVM(), "kernel", K, None),
    (KernelRidge(alpha=0.1), "kernel", K, NUMBERS),
    (KNeighborsClassifier(4, weights="distance"), "metric", D, LABELS),
    (KNeighborsRegressor(3), "metric", D, NUMBERS),
    (RadiusNeighborsClassifier(1.3), "metric", D, LABELS),
    (LocalOutlierFactor(5, novelty=True), "metric", D, None),
    (OneVsOneClassifier(SVC()), "estimator__kernel", K, LABELS),
    (OneVsRestClassifier(SVC()), "estimator__kernel", K, LABELS),
    (make_pipeline(KernelPCA(4), LogisticRegression()), "kernelpca__kernel", K, LABELS),
    (make_pipeline(KernelCenterer(), SVC()), "svc__kernel", K, LABELS),
    (GridSearchCV(SVC(), {"C": [0.1, 10]}, cv=3), "estimator__kernel", K, LABELS),
]


@pytest.mark.parametrize(
    ("estimator", "parameter", "matrix", "y"), PREDICTING, ids=lambda value: type(value).__name__
)
def test_predictions_are_those_from_the_matrix(
    estimator: Any, parameter: str, matrix: Any, y: Any
) -> None:
    expected = clone(estimator).set_params(**{parameter: "precomputed"}).fit(matrix, y)
    adapter = tk.as_precomputed(estimator, KERNEL)
    assert clone(adapter).get_params().keys() == adapter.get_params().keys()
    fitted = pickle.loads(pickle.dumps(adapter.fit(TREES, y)))
    others = K_OTHERS if matrix is K else D_OTHERS
    for method in ("predict", "decision_function", "predict_proba", "score_samples"):
        assert hasattr(fitted, method) == hasattr(expected, method), method
        if hasattr(expected, method):
            wanted, got = getattr(expected, method)(others), getattr(fitted, method)(OTHERS)
            if wanted.dtype.kind == "f":
                np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-7)
            else:
                assert got.tolist() == wanted.tolist()
    if y is not None:
        assert fitted.score(TREES, y) == pytest.approx(expected.score(matrix, y), abs=1e-6)
    assert is_classifier(adapter) == is_classifier(estimator)
    assert is_regressor(adapter) == is_regressor(estimator)


CLUSTERING = [
    (SpectralClustering(3, random_state=0), "affinity", K),
    (AffinityPropagation(random_state=0), "affinity", K),
    (AgglomerativeClustering(3, linkage="average"), "metric", D),
    (DBSCAN(0.7), "metric", D),
    (HDBSCAN(copy=True), "metric", D),
]


@pytest.mark.parametrize(
    ("estimator", "parameter", "matrix"), CLUSTERING, ids=lambda value: type(value).__name__
)
def test_clusters_are_those_of_the_matrix(estimator: Any, parameter: str, matrix: Any) -> None:
    expected = clone(estimator).set_params(**{parameter: "precomputed"}).fit_predict(matrix)
    adapter = tk.as_precomputed(estimator, KERNEL)
    assert adapter.fit_predict(TREES).tolist() == expected.tolist()
    assert clone(adapter).fit(TREES).labels_.tolist() == expected.tolist()
    assert hasattr(adapter, "predict") == hasattr(estimator, "predict")


def test_transformations() -> None:
    expected = KernelPCA(3, kernel="precomputed").fit(K)
    adapter = tk.as_precomputed(KernelPCA(3), KERNEL)
    np.testing.assert_allclose(adapter.fit_transform(TREES), expected.transform(K), atol=1e-7)
    np.testing.assert_allclose(adapter.transform(OTHERS), expected.transform(K_OTHERS), atol=1e-9)
    np.testing.assert_array_equal(adapter.eigenvalues_, expected.eigenvalues_)
    assert adapter.get_feature_names_out().tolist() == ["kernelpca0", "kernelpca1", "kernelpca2"]
    frame = clone(adapter).set_output(transform="pandas").fit_transform(TREES)
    assert frame.shape == (48, 3)
    model = make_pipeline(adapter, LogisticRegression()).fit(TREES, LABELS)
    other = make_pipeline(expected, LogisticRegression()).fit(K, LABELS)
    assert model.predict(OTHERS).tolist() == other.predict(K_OTHERS).tolist()


def test_neighbours() -> None:
    adapter = tk.as_precomputed(NearestNeighbors(n_neighbors=3), KERNEL).fit(TREES)
    expected = NearestNeighbors(n_neighbors=3, metric="precomputed").fit(D)
    for options in ({}, {"n_neighbors": 5}):
        distances, places = adapter.kneighbors(OTHERS, **options)
        wanted, _ = expected.kneighbors(D_OTHERS, **options)
        np.testing.assert_allclose(distances, wanted, atol=1e-7)
        np.testing.assert_allclose(
            np.take_along_axis(D_OTHERS, places, axis=1), distances, atol=1e-7
        )
    own, _ = adapter.kneighbors()  # of the training examples, without themselves
    np.testing.assert_allclose(own, expected.kneighbors()[0], atol=1e-7)
    near, _ = adapter.radius_neighbors(OTHERS, radius=0.9)
    for row, found in zip(D_OTHERS, near, strict=True):
        assert len(found) == (row <= 0.9).sum()


@pytest.mark.parametrize(
    "ensemble",
    [
        BaggingClassifier(SVC(), 5, random_state=0),
        BaggingClassifier(KNeighborsClassifier(3), 5, random_state=0),
        VotingClassifier([("svc", SVC()), ("neighbours", KNeighborsClassifier(3))]),
        StackingClassifier([("svc", SVC()), ("neighbours", KNeighborsClassifier(3))], cv=3),
        CalibratedClassifierCV(SVC(), cv=3),
    ],
    ids=lambda ensemble: type(ensemble).__name__,
)
def test_ensembles(ensemble: Any) -> None:
    adapter = tk.as_precomputed(ensemble, KERNEL).fit(TREES, LABELS)
    assert adapter.score(OTHERS, ["a", "b", "c"] * 3) >= 8 / 9
    assert adapter.classes_.tolist() == ["a", "b", "c"]
    assert hasattr(adapter, "predict_proba") == hasattr(adapter.estimator_, "predict_proba")


def test_bagging_draws_examples_and_not_columns() -> None:
    bagged = tk.as_precomputed(BaggingRegressor(KernelRidge(), 4, random_state=0), KERNEL)
    bagged.fit(TREES, NUMBERS)
    expected = []
    for member, rows in zip(bagged.estimators_, bagged.estimators_samples_, strict=True):
        ridge = KernelRidge(kernel="precomputed").fit(K[np.ix_(rows, rows)], NUMBERS[rows])
        expected.append(ridge.predict(K_OTHERS[:, rows]))
        assert len(member.dual_coef_) == len(rows)
    np.testing.assert_allclose(bagged.predict(OTHERS), np.mean(expected, axis=0), rtol=1e-6)


def test_gaussian_processes() -> None:
    inner = GaussianProcessRegressor(alpha=0.01, optimizer=None)
    process = tk.as_precomputed(inner, KERNEL).fit(TREES, NUMBERS)
    mean, deviation = process.predict(OTHERS, return_std=True)
    weights = np.linalg.solve(K + 0.01 * np.eye(48), K_OTHERS.T)
    np.testing.assert_allclose(mean, weights.T @ NUMBERS, rtol=1e-6)
    variance = KERNEL.diag(OTHERS) - np.einsum("ij,ji->i", K_OTHERS, weights)
    np.testing.assert_allclose(deviation**2, variance, atol=1e-6)
    tuning = tk.as_precomputed(GaussianProcessRegressor(alpha=0.01), KERNEL).fit(TREES, NUMBERS)
    machine = tuning.estimator_
    assert not np.array_equal(machine.kernel_.theta, KERNEL.theta)
    likelihood = machine.log_marginal_likelihood_value_
    assert likelihood >= machine.log_marginal_likelihood(KERNEL.theta)
    classifier = tk.as_precomputed(GaussianProcessClassifier(), KERNEL).fit(TREES, LABELS)
    assert classifier.predict_proba(OTHERS).shape == (9, 3)


def test_grid_search() -> None:
    grid = {"kernel__decay": [0.2, 0.4], "estimator__alpha": [0.1, 1.0]}
    for kernel in (None, "ptk", tk.PartialTreeKernel()):
        search = GridSearchCV(tk.as_precomputed(KernelRidge(), kernel), grid, cv=3)
        search.fit(tk.Forest(TREES), NUMBERS)
        assert search.best_params_.keys() == grid.keys()
        best = search.best_estimator_
        assert best.kernel_.decay == search.best_params_["kernel__decay"]
        assert best.estimator_.alpha == search.best_params_["estimator__alpha"]
    scores = cross_val_score(tk.as_precomputed(SVC(), KERNEL), TREES, LABELS, cv=3)
    assert scores.min() == 1


def test_columns_and_learned_weights() -> None:
    vectors = np.arange(96.0).reshape(48, 2) % 7
    table = tk.Table({"tree": tk.Forest(TREES), "vector": vectors})
    kernel = tk.SubsetTreeKernel(weights="idf", on="tree") + 0.1 * tk.RBFKernel(on="vector")
    adapter = tk.as_precomputed(KernelRidge(), kernel).fit(table, NUMBERS)
    fitted = kernel.fitted_on(table)
    expected = KernelRidge(kernel="precomputed").fit(fitted(table), NUMBERS)
    np.testing.assert_allclose(
        adapter.predict(table[:5]), expected.predict(fitted(table[:5], table)), rtol=1e-9
    )
    assert adapter.n_features_in_ == 2
    assert adapter.feature_names_in_.tolist() == ["tree", "vector"]
    with pytest.raises(ParameterError, match="one column of trees"):
        tk.as_precomputed(BaggingRegressor(KernelRidge()), kernel).fit(table, NUMBERS)


@given(st.lists(random_trees(), min_size=2, max_size=8))
@settings(max_examples=30, deadline=None)
def test_distances_are_those_of_the_kernel(trees: list[Any]) -> None:
    kernel = tk.SubsetTreeKernel(normalize=False)
    forest = tk.Forest(trees)
    adapter = tk.as_precomputed(NearestNeighbors(n_neighbors=len(forest)), kernel).fit(forest)
    distances, places = adapter.kneighbors(forest)
    values, diagonal = kernel(forest), kernel.diag(forest)
    wanted = np.take_along_axis(_distances(values, diagonal, diagonal), places, axis=1)
    # A square root makes rounding visible: the squares agree to the precision of the values.
    np.testing.assert_allclose(distances**2, wanted**2, rtol=1e-9, atol=1e-12 * values.max())
    assert (np.diff(distances, axis=1) >= 0).all()


def boosted(estimator: Any) -> AdaBoostClassifier:
    """Return an ensemble of three; before 1.6 scikit-learn wanted probabilities by default."""
    default = inspect.signature(AdaBoostClassifier).parameters.get("algorithm")
    old = {"algorithm": "SAMME"} if default and default.default == "SAMME.R" else {}
    return AdaBoostClassifier(estimator, n_estimators=3, **old)


def test_errors() -> None:
    adapter = tk.as_precomputed(SVC(), KERNEL)
    with pytest.raises(NotFittedError):
        adapter.predict(TREES)
    with pytest.raises(NotFittedError):
        adapter.score(TREES, LABELS)
    with pytest.raises(AttributeError, match="support_"):
        _ = adapter.support_
    with pytest.raises(ParameterError, match=r"LogisticRegression has no.*tk\.TreeNystroem"):
        tk.as_precomputed(LogisticRegression()).fit(TREES, LABELS)
    with pytest.raises(ParameterError, match="an estimator of scikit-learn was expected"):
        tk.as_precomputed(SVC).fit(TREES, LABELS)
    with pytest.raises(DataError, match="48 examples, and y 3"):
        adapter.fit(TREES, LABELS[:3])
    with pytest.raises(DataError, match="no examples"):
        adapter.fit([], [])
    with pytest.raises(ParameterError, match="kernel must be"):
        tk.as_precomputed(SVC(), 3).fit(TREES, LABELS)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="n_jobs = 0"):
        tk.as_precomputed(SVC(), n_jobs=0).fit(TREES, LABELS)
    with pytest.raises(ValueError, match="sample_weight"):  # which boosting cannot do without
        tk.as_precomputed(boosted(SVC())).fit(TREES, LABELS)


def test_the_trees_decide_on_the_kernel() -> None:
    code = tk.Forest(TREES, source="code")
    adapter = tk.as_precomputed(AgglomerativeClustering(3, linkage="average")).fit(code)
    expected = tk.TreeFeaturesKernel(weights="idf").fitted_on(code)
    assert repr(adapter.kernel_) == repr(expected)
    named = tk.as_precomputed(AgglomerativeClustering(3, linkage="average"), expected)
    assert adapter.labels_.tolist() == named.fit_predict(code).tolist()
    assert clone(adapter).kernel == "auto"
    searched = tk.as_precomputed(KernelRidge()).set_params(kernel__decay=0.3)
    assert searched.kernel == tk.SubsetTreeKernel(0.3)
