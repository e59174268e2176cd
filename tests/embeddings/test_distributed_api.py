"""DistributedTrees as a user meets it: scikit-learn, files, progress, errors."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import treekernels as tk
from helpers import random_forest


def question(rng: random.Random) -> tuple[str, int]:
    words = [rng.choice("abcd") for _ in range(3)]
    if rng.random() < 0.5:
        return f"(SQ (AUX did) (NP (N {words[0]})) (V {words[1]}) (NP (N {words[2]})))", 1
    return f"(S (NP (N {words[0]})) (VP (V {words[1]}) (NP (N {words[2]}))))", 0


RNG = random.Random(0)
TEXTS, ANSWERS = map(list, zip(*(question(RNG) for _ in range(80)), strict=True))
Y = np.array(ANSWERS)
FORMS: dict[str, Any] = {
    "list": TEXTS,
    "array": np.array(TEXTS, dtype=object),
    "series": pd.Series(TEXTS),
    "forest": tk.Forest(TEXTS),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("more", [{}, {"min_df": 2}, {"composition": "convolution"}])
def test_pipeline_with_a_linear_machine(form: str, more: dict[str, Any]) -> None:
    X = FORMS[form]
    model = make_pipeline(tk.DistributedTrees(1024, **more), LinearSVC())
    assert model.fit(X[:50], Y[:50]).score(X[50:], Y[50:]) == 1


def test_partial_fit_on_blocks() -> None:
    embedding = tk.DistributedTrees(512)
    model = SGDClassifier(random_state=0)
    for where, vectors in embedding.blocks(TEXTS, rows=16):
        assert vectors.shape == (16, 512)
        model.partial_fit(vectors, Y[where], classes=[0, 1])
    assert model.score(embedding.transform(TEXTS), Y) == 1
    whole = np.vstack([vectors for _, vectors in embedding.blocks(TEXTS)])
    assert np.array_equal(whole, embedding.transform(TEXTS))


def test_only_pruning_needs_to_be_fitted() -> None:
    assert tk.DistributedTrees(64).transform(TEXTS).shape == (80, 64)
    with pytest.raises(NotFittedError):
        tk.DistributedTrees(64, min_df=2).transform(TEXTS)


# Where the result goes


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_into_an_array(dtype: str) -> None:
    embedding = tk.DistributedTrees(64, dtype=dtype)
    expected = embedding.transform(TEXTS)
    wider = np.full((80, 70), 7, dtype)
    out = wider[:, 3:67]
    assert embedding.transform(TEXTS, out=out) is out
    assert np.array_equal(out, expected)
    assert (wider[:, :3] == 7).all()
    assert (wider[:, 67:] == 7).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("form", [str, Path])
def test_into_a_file(tmp_path: Path, form: Any, dtype: str, monkeypatch: Any) -> None:
    monkeypatch.setattr("treekernels.io.files.npy._BLOCK_BYTES", 64 * 8 * 7)  # several blocks
    embedding = tk.DistributedTrees(64, min_df=2, dtype=dtype).fit(TEXTS)
    path = tmp_path / "vectors.npy"
    told: list[tuple[int, int]] = []
    result = embedding.transform(
        TEXTS, out=form(path), progress=lambda done, total: told.append((done, total))
    )
    assert np.array_equal(np.load(path), embedding.transform(TEXTS))
    assert np.array_equal(result, np.load(path))
    assert told[-1] == (80, 80)
    assert [file.name for file in tmp_path.iterdir()] == ["vectors.npy"]


def test_a_file_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        tk.DistributedTrees(64).transform(TEXTS, out=tmp_path / "a.npy", progress=fail)
    with pytest.raises(ValueError, match=r"ends in \.npy"):
        tk.DistributedTrees(64).transform(TEXTS, out=tmp_path / "a.txt")
    assert list(tmp_path.iterdir()) == []


# Long calls


def test_progress() -> None:
    told: list[tuple[int, int]] = []
    forest = tk.Forest(random_forest(3000, 1, size=60))
    embedding = tk.DistributedTrees(8192)
    embedding.transform(forest, progress=lambda done, total: told.append((done, total)))
    assert told
    assert all(0 <= done <= total for done, total in told)
    assert told == sorted(told)


# Errors


def test_random_convolutions_need_a_power_of_two() -> None:
    odd = tk.DistributedTrees(1000, composition="convolution", permutations="random")
    with pytest.raises(tk.ParameterError, match="power of two, not 1000"):
        odd.fit_transform(TEXTS)


def test_bad_input() -> None:
    embedding = tk.DistributedTrees(64)
    with pytest.raises(tk.ParseError, match="tree 2, column 1"):
        embedding.transform(["(A b)", "(A b"])
    with pytest.raises(TypeError, match=r"write \[text\]"):
        embedding.transform("(A b)")
    with pytest.raises(ValueError, match="shape"):
        embedding.transform(TEXTS, out=np.empty((80, 65), np.float32))
    with pytest.raises(ValueError, match="float64"):
        embedding.transform(TEXTS, out=np.empty((80, 64)))
    with pytest.raises(ValueError, match="another dimension"):
        embedding.compose(np.ones(64), np.ones(65))
