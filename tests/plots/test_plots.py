"""Plots: they are drawn without a display, and show what they are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from treekernels import plots

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

TREES = ["(A (B b))", "(A (B c))", "(C (D d))", "(C (D e))", "(A (B b) c)", "(C (D d) c)"]
NAMES = ["one", "one", "two", "two", "one", "two"]
GRAM = tk.SubsetTreeKernel()(TREES)


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def drawn(ax: Any) -> Any:
    ax.figure.canvas.draw()
    return ax


def test_learning_curve() -> None:
    scores = np.array([[0.5, 0.7], [0.7, 0.9]])
    ax = drawn(plots.learning_curve([10, 20], scores, train_scores=[1, 0.9], baseline=0.4))
    train, test, baseline = (line.get_ydata() for line in ax.lines)
    assert list(train) == [1, 0.9]
    assert list(test) == pytest.approx([0.6, 0.8])
    assert list(baseline) == [0.4, 0.4]
    assert len(ax.collections) == 1  # the spread of the repeats
    assert ax.get_ylabel() == "accuracy"


def test_confusion_matrix() -> None:
    right, given = ["a", "b", "b", "c"], ["a", "b", "c", "d"]
    ax = drawn(plots.confusion_matrix(right, given))
    counts = np.array([int(text.get_text()) for text in ax.texts]).reshape(4, 4)
    assert counts.tolist() == [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c", "d"]
    many = [f"class {number}" for number in range(61)]
    assert drawn(plots.confusion_matrix(many, many)).get_xticklabels() == []


def test_gram_heatmap_puts_clusters_together() -> None:
    ax = drawn(plots.gram_heatmap(GRAM, NAMES))
    shown = ax.images[0].get_array()
    assert np.allclose(np.diag(shown), 1)
    assert (shown[:3, 3:] == 0).all()
    assert (np.diag(shown, 1) > 0).sum() == 4  # all but where the clusters meet
    assert len(ax.patches) == len(TREES)
    plain = plots.gram_heatmap(4 * GRAM[:2, :2], ax=pyplot.subplots()[1])
    assert plain.images[0].get_array().max() == pytest.approx(1)
    with pytest.raises(ValueError, match=r"square, and not of shape \(2, 6\)"):
        plots.gram_heatmap(GRAM[:2])


def test_maps_of_vectors_and_of_their_gram_matrix_agree() -> None:
    vectors = np.random.default_rng(0).normal(size=(12, 5))
    from_vectors = plots.embedding_map(vectors).collections[0].get_offsets()
    from_gram = plots.embedding_map(vectors @ vectors.T, gram=True).collections[0].get_offsets()
    assert np.allclose(from_vectors, from_gram)
    from sklearn.decomposition import PCA

    reference = PCA(2).fit_transform(vectors)
    assert np.allclose(np.abs(from_vectors), np.abs(reference))


@pytest.mark.parametrize("sparse", [False, True])
def test_map_of_many_vectors(sparse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy.sparse import csr_matrix

    from treekernels.plots import similarity

    vectors = np.random.default_rng(0).normal(size=(60, 8)) * np.arange(1, 9) + 3
    few = plots.embedding_map(vectors)
    monkeypatch.setattr(similarity, "MAX_PRODUCTS", 10)
    many = plots.embedding_map(csr_matrix(vectors) if sparse else vectors)
    assert np.allclose(few.collections[0].get_offsets(), many.collections[0].get_offsets())
    assert few.get_xlabel() == many.get_xlabel()


def test_many_classes() -> None:
    points = np.arange(30.0).reshape(15, 2)
    ax = drawn(plots.embedding_map(points, ["a", "a", *map(str, range(13))]))
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["a", "0", "1", "10", "11", "12", "2", "7 others"]
    assert [len(part.get_offsets()) for part in ax.collections] == [2, 1, 1, 1, 1, 1, 1, 7]


@pytest.mark.parametrize("name", ["$x^$", "_hidden", "<b>", "a\nb", "w" * 300, "$"])
def test_any_name_is_shown(name: str) -> None:
    labels = [name, "other"] * 3
    for ax in (
        plots.confusion_matrix(labels, labels),
        plots.gram_heatmap(GRAM, labels),
        plots.embedding_map(GRAM, labels, gram=True),
    ):
        drawn(ax)
        texts = ax.get_legend().get_texts() if ax.get_legend() else ax.get_xticklabels()
        assert len(texts) == 2
        assert max(len(text.get_text()) for text in texts) < 30
