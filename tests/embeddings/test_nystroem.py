"""Nystroem's vectors: dot products are what the definition says, for any kernel."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import treekernels as tk
from helpers import random_forest
from treekernels.embeddings.landmarks import leverage_scores
from treekernels.errors import DataError, ModelFileError, ParameterError
from treekernels.io.files.container import read_container, write_container
from treekernels.testing.strategies import trees as random_trees

SELECTIONS = ("uniform", "kmeans++", "leverage")
TREES = tk.Forest(random_forest(60, 5, size=12))
OTHERS = tk.Forest(random_forest(20, 6, size=12))
TABLE = tk.Table({"tree": TREES, "vector": np.random.RandomState(0).normal(size=(60, 3))})
PAIRS = tk.Pairs(TREES, tk.Forest(random_forest(60, 7, size=12)))

# A kernel, and examples that it takes.
CASES: dict[str, tuple[Any, Any]] = {
    "default": (None, TREES),
    "partial": ("ptk(0.3)", TREES),
    "not normalised": (tk.SubtreeKernel(normalize=False), TREES),
    "subpath": (tk.SubpathKernel(), TREES),
    "elastic": (tk.ElasticTreeKernel(), TREES),
    "columns": (tk.SubsetTreeKernel(on="tree") + 0.1 * tk.RBFKernel(on="vector"), TABLE),
    "product": (tk.SubsetTreeKernel(on="tree") * tk.PolynomialKernel(2, on="vector"), TABLE),
    "pairs": (tk.TripartiteKernel(), PAIRS),
    "both sides": (tk.SubsetTreeKernel(on="text") + tk.PartialTreeKernel(on="hypothesis"), PAIRS),
    "vectors": (tk.RBFKernel(0.1), TABLE["vector"]),
    "learned weights": (tk.SubsetTreeKernel(weights="idf"), TREES),
}


def _expected(kernel: Any, X: Any, landmarks: Any, Y: Any) -> Any:
    """The definition, by a pseudo-inverse: K(X, L) K(L, L)^+ K(L, Y)."""
    inverse = np.linalg.pinv(kernel(landmarks), rcond=1e-10, hermitian=True)
    return kernel(X, landmarks) @ inverse @ kernel(landmarks, Y)


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("case", CASES)
def test_dot_products(case: str, selection: Any) -> None:
    kernel, X = CASES[case]
    embedding = tk.TreeNystroem(kernel, 20, selection=selection, random_state=1)
    vectors = embedding.fit_transform(X[:40])
    fitted = embedding.kernel_
    places = embedding.landmark_indices_
    assert len(set(places.tolist())) == len(places) <= 20
    others = embedding.transform(X[40:])
    assert vectors.shape == (40, embedding.n_components_)
    expected = _expected(fitted, X[40:], embedding.landmarks_, X[:40])
    np.testing.assert_allclose(others @ vectors.T, expected, atol=1e-8 * np.abs(expected).max())
    # Exact where one of the two is a landmark, and never too large for a tree with itself.
    exact = fitted(X[40:], X[:40][places])
    np.testing.assert_allclose(others @ vectors[places].T, exact, atol=1e-8 * np.abs(exact).max())
    diagonal = fitted.diag(X[40:])
    assert ((others**2).sum(axis=1) <= diagonal * (1 + 1e-9)).all()


@given(st.lists(random_trees(), min_size=1, max_size=12), st.sampled_from(SELECTIONS))
def test_all_as_landmarks_is_the_kernel_itself(trees: list[Any], selection: Any) -> None:
    """With copies among the trees the Gram matrix has not its full rank; that does no harm."""
    forest = tk.Forest(trees)
    kernel = tk.SubsetTreeKernel(normalize=False)
    embedding = tk.TreeNystroem(kernel, 100, selection=selection, random_state=0)
    vectors = embedding.fit_transform(forest)
    values = kernel(forest)
    np.testing.assert_allclose(vectors @ vectors.T, values, atol=1e-7 * max(1e-300, values.max()))
    assert len(embedding.landmark_indices_) == len(set(map(str, forest)))


@pytest.mark.parametrize("selection", SELECTIONS)
def test_dependent_landmarks_do_no_harm(selection: Any) -> None:
    """A hundred vectors in three dimensions, most of them nearly the same."""
    random = np.random.RandomState(3)
    X = random.normal(size=(100, 3))
    X[10:] = X[:1] + 1e-13 * random.normal(size=(90, 3))
    embedding = tk.TreeNystroem(tk.LinearKernel(), 60, selection=selection, random_state=0)
    vectors = embedding.fit_transform(X)
    assert embedding.n_components_ <= 3
    chosen = X[embedding.landmark_indices_]
    basis = np.linalg.svd(chosen, full_matrices=False)[2][: embedding.n_components_]
    np.testing.assert_allclose(vectors @ vectors.T, X @ basis.T @ basis @ X.T, atol=1e-6)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_trees_that_are_like_nothing(selection: Any) -> None:
    words = ["(a)", "(b)", "(c)"]  # without productions: K(x, x) is 0
    embedding = tk.TreeNystroem("sst", 2, selection=selection, random_state=0).fit(words)
    vectors = embedding.transform(["(a)", "(A b)"])
    assert vectors.tolist() == [[0.0], [0.0]]


def test_an_indefinite_kernel_is_noticed() -> None:
    kernel = tk.MappingKernel(lambda x: [x], lambda p, q: float(p != q))
    with pytest.warns(UserWarning, match="not a valid kernel"):
        tk.TreeNystroem(kernel, 3).fit(["a", "b", "c"])


def test_kmeans_weights_are_squared_distances() -> None:
    """With one example far away, how often it is second follows from its squared distance."""
    X = np.array([[0.0], [1.0], [3.0]])
    second = []
    for seed in range(600):
        embedding = tk.TreeNystroem("linear", 2, selection="kmeans++", random_state=seed).fit(X)
        first, other = embedding.landmark_indices_.tolist()
        if first == 0:
            second.append(other)
    assert len(second) > 150
    assert np.mean(np.array(second) == 2) == pytest.approx(0.9, abs=0.07)  # 9 of 1 + 9


def test_kmeans_weighs_by_the_nearest_landmark_rather_than_the_last() -> None:
    """Of two pairs that are far apart, one of each comes first; the third is of either pair."""
    X = np.array([[0.0], [1.0], [1000.0], [1001.0]])
    beside_the_second = []
    for seed in range(100):
        embedding = tk.TreeNystroem("linear", 3, selection="kmeans++", random_state=seed).fit(X)
        pairs = embedding.landmark_indices_ // 2
        assert pairs[0] != pairs[1]
        beside_the_second.append(pairs[1] == pairs[2])
    assert 35 <= sum(beside_the_second) <= 65


@given(st.integers(2, 12), st.integers(1, 11), st.integers(0, 100))
def test_leverage_scores(size: int, count: int, seed: int) -> None:
    count = min(count, size - 1)
    rows = np.random.RandomState(seed).normal(size=(size, size + 2))
    matrix = rows @ rows.T
    scores = leverage_scores(matrix, count)
    assert scores.sum() == pytest.approx(count, rel=1e-6)
    # The definition, with the ridge that a search finds.
    low, high = 1e-9, 1e9
    for _ in range(200):
        ridge = np.sqrt(low * high)
        result = np.trace(matrix @ np.linalg.inv(matrix + ridge * np.eye(size)))
        low, high = (ridge, high) if result > count else (low, ridge)
    expected = np.diag(matrix @ np.linalg.inv(matrix + ridge * np.eye(size)))
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-8)


def test_choosing_compares_a_part_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treekernels.embeddings.landmarks._FEWEST_CANDIDATES", 10)
    for selection in ("kmeans++", "leverage"):
        embedding = tk.TreeNystroem(n_components=4, selection=selection, random_state=0).fit(TREES)
        random = np.random.RandomState(0)
        order = random.permutation(60)
        assert set(embedding.landmark_indices_.tolist()) <= set(order[:20].tolist())


def test_the_same_seed_gives_the_same_landmarks() -> None:
    for selection in SELECTIONS:
        made = [
            tk.TreeNystroem(None, 9, selection=selection, random_state=seed).fit(TREES)
            for seed in (4, 4, 5)
        ]
        first, second, other = (each.landmark_indices_.tolist() for each in made)
        assert first == second != other


def test_threads_give_the_same_bits() -> None:
    for selection in SELECTIONS:
        one, two = (
            tk.TreeNystroem("ptk", 9, selection=selection, random_state=0, n_jobs=jobs)
            for jobs in (1, 2)
        )
        assert np.array_equal(one.fit_transform(TREES), two.fit_transform(TREES))


def test_blocks_files_and_types(tmp_path: Path) -> None:
    embedding = tk.TreeNystroem("ptk", 9, random_state=0).fit(TREES)
    expected = embedding.transform(OTHERS)
    for where, block in embedding.blocks(OTHERS, rows=7):
        np.testing.assert_allclose(block, expected[where], rtol=1e-12, atol=1e-14)
    written = embedding.transform(OTHERS, out=tmp_path / "vectors.npy")
    assert np.array_equal(written, expected)
    out = np.empty(expected.shape)
    assert embedding.transform(OTHERS, out=out) is out
    assert np.array_equal(out, expected)
    narrow = embedding.set_params(dtype="float32").transform(OTHERS)
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(narrow, expected, atol=1e-6)
    done: list[tuple[int, int]] = []
    embedding.transform(OTHERS, progress=lambda *units: done.append(units))
    assert done


def test_in_scikit_learn() -> None:
    labels = np.array([str(tree.label) for tree in TREES])
    model = make_pipeline(tk.TreeNystroem("sst", 30, random_state=0), LogisticRegression(C=100))
    grid = {"treenystroem__kernel__decay": [0.2, 0.4], "treenystroem__n_components": [10, 30]}
    search = GridSearchCV(model, grid, cv=2).fit(TREES, labels)
    assert search.best_estimator_[0].kernel_.decay == search.best_params_[next(iter(grid))]
    names = model.fit(TREES, labels)[0].get_feature_names_out()
    assert names[0] == "treenystroem0"
    frame = clone(model[0]).set_output(transform="pandas").fit_transform(TREES)
    assert frame.columns.tolist() == names.tolist()
    copied = pickle.loads(pickle.dumps(model))
    assert copied.predict(OTHERS).tolist() == model.predict(OTHERS).tolist()


@pytest.mark.parametrize("case", CASES)
def test_round_trip(case: str, tmp_path: Path) -> None:
    kernel, X = CASES[case]
    embedding = tk.TreeNystroem(kernel, 9, selection="kmeans++", random_state=0).fit(X)
    tk.save(embedding, tmp_path / "model.tkm")
    loaded = tk.load(tmp_path / "model.tkm")
    assert isinstance(loaded, tk.TreeNystroem)
    assert loaded.get_params(deep=False) == embedding.get_params(deep=False)
    assert loaded.landmark_indices_.tolist() == embedding.landmark_indices_.tolist()
    # Its forest has other subtrees beside, so that sums may be made in another order.
    np.testing.assert_allclose(loaded.transform(X), embedding.transform(X), rtol=0, atol=1e-12)
    tk.save(loaded, tmp_path / "again.tkm")
    assert (tmp_path / "again.tkm").read_bytes() == (tmp_path / "model.tkm").read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        {"map": np.zeros((3, 9))},
        {"map": np.full((9, 9), np.inf)},
        {"map": np.zeros((9, 10))},
        {"indices": np.arange(9.0)},
        {"kernel": "sst"},
        {"landmarks": {}},
    ],
    ids=str,
)
def test_files_that_fit_nothing_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "model.tkm"
    tk.save(tk.TreeNystroem(n_components=9, random_state=0).fit(TREES), path)
    kind, content = read_container(path)
    content["state"].update(change)
    write_container(path, kind, content)
    with pytest.raises(ModelFileError):
        tk.load(path)


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        tk.TreeNystroem().transform(TREES)
    with pytest.raises(NotFittedError):
        tk.save(tk.TreeNystroem(), tmp_path / "model.tkm")
    with pytest.raises(ParameterError, match="n_components must be an integer from 1 up"):
        tk.TreeNystroem(n_components=0).fit(TREES)
    with pytest.raises(ParameterError, match=r"selection must be 'uniform', 'kmeans\+\+' or"):
        tk.TreeNystroem(selection="best").fit(TREES)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no examples"):
        tk.TreeNystroem().fit([])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # more landmarks than examples are no reason to warn
        assert tk.TreeNystroem(n_components=500).fit(TREES).n_components_ <= 60


def test_the_trees_decide_on_the_kernel() -> None:
    code = tk.Forest(TREES, source="code")
    expected = tk.TreeFeaturesKernel(weights="idf").fitted_on(code)
    embedding = tk.TreeNystroem(n_components=9, random_state=0).fit(code)
    assert repr(embedding.kernel_) == repr(expected)
    named = tk.TreeNystroem(expected, 9, random_state=0).fit(code)
    np.testing.assert_array_equal(embedding.transform(TREES), named.transform(TREES))
    table = {"tree": code, "numbers": np.eye(len(code))}
    both = tk.TreeNystroem(n_components=9, random_state=0).fit(table).kernel_
    assert {leaf.on for leaf in both.leaves()} == {"tree", "numbers"}
