"""Features with names: compared by name, learned with, saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk

VECTORS = st.lists(
    st.none() | st.dictionaries(st.sampled_from("abcde"), st.sampled_from([1.0, -0.5, 2.0])),
    min_size=1,
    max_size=5,
).filter(lambda vectors: any(vector is not None for vector in vectors))


def column(vectors: list[Any]) -> Any:
    result = np.empty(len(vectors), object)
    result[:] = vectors
    return result


@given(VECTORS, VECTORS)
def test_dot_products_by_name(rows: list[Any], others: list[Any]) -> None:
    def dot(x: Any, y: Any) -> float:
        return sum(x[name] * y.get(name, 0.0) for name in x) if x and y else 0.0

    expected = np.array([[dot(x, y) for y in others] for x in rows])
    np.testing.assert_allclose(tk.LinearKernel()(column(rows), column(others)), expected)
    table = tk.Table({"bow": column(rows)})
    other = tk.Table({"bow": column(others)})
    np.testing.assert_allclose(tk.LinearKernel(on="bow")(table, other), expected)


def examples(words: str, count: int = 40, seed: int = 0) -> tuple[tk.Table, Any]:
    rng = np.random.default_rng(seed)
    vectors = [
        {word: float(rng.integers(1, 4)) for word in rng.choice(list(words), 3)}
        for _ in range(count)
    ]
    y = np.array([int("a" in vector or "b" in vector) for vector in vectors])
    y[:2] = 0, 1
    trees = tk.Forest([f"(S (X {rng.choice(list('xyz'))}))" for _ in range(count)])
    return tk.Table({"tree": trees, "bow": column(vectors)}), y


@pytest.mark.parametrize(
    "learner",
    [tk.TreeSVC("sst", random_state=0), tk.TreePerceptron("sst", random_state=0)],
    ids=repr,
)
@pytest.mark.parametrize("vectors", [tk.LinearKernel(on="bow"), tk.RBFKernel(0.5, on="bow")])
def test_learning(learner: Any, vectors: Any, tmp_path: Path) -> None:
    X, y = examples("abcdef")
    machine = learner.set_params(kernel=tk.SubsetTreeKernel(on="tree") + vectors).fit(X, y)
    assert machine.score(X, y) > 0.7
    # Names that were never learned from, in another order, and fewer of them, change nothing.
    tested = [{"zzz": 5.0, **vector} for vector in reversed(X["bow"])]
    other = tk.Table({"tree": X["tree"][::-1], "bow": column(tested)})
    if isinstance(vectors, tk.LinearKernel):
        np.testing.assert_allclose(
            machine.decision_function(other), machine.decision_function(X)[::-1]
        )
    scores = machine.decision_function(X[3:4])
    np.testing.assert_allclose(scores, machine.decision_function(X)[3:4])
    tk.save(machine, tmp_path / "model.tkm")
    loaded = tk.load(tmp_path / "model.tkm")
    np.testing.assert_array_equal(loaded.decision_function(X), machine.decision_function(X))


def test_new_names_may_come_later() -> None:
    X, y = examples("abcdef")
    more, labels = examples("efghia", seed=1)
    kernel = tk.SubsetTreeKernel(on="tree") + tk.LinearKernel(on="bow")
    stream = tk.TreePerceptron(kernel, random_state=0)
    stream.partial_fit(X, y, classes=[0, 1]).partial_fit(more, labels)
    both = tk.Table(
        {
            "tree": tk.Forest.concatenate([X["tree"], more["tree"]]),
            "bow": np.concatenate([X["bow"], more["bow"]]),
        }
    )
    at_once = tk.TreePerceptron(kernel, random_state=0)
    at_once.partial_fit(both, np.concatenate([y, labels]), classes=[0, 1])
    np.testing.assert_allclose(stream.decision_function(both), at_once.decision_function(both))


def test_texts_as_values() -> None:
    texts = column([{"a": "x", "b": 2}, {"a": "y"}, {"a": "x", "b": "2"}])
    numbers = column([{"a=x": 1, "b": 2}, {"a=y": 1}, {"a=x": 1, "b=2": 1}])
    np.testing.assert_array_equal(tk.LinearKernel()(texts), tk.LinearKernel()(numbers))


def test_what_cannot_be() -> None:
    named = column([{"a": 1.0}])
    with pytest.raises(ValueError, match=r"RBFKernel needs gamma=\.\.\. where features have names"):
        tk.RBFKernel()(named)
    with pytest.raises(ValueError, match="features with names, and others with numbers"):
        tk.LinearKernel()(named, [[1.0]])
    with pytest.raises(ValueError, match="vector 1: the value of the feature 'a' is \\[1\\]"):
        tk.LinearKernel()(column([{"a": [1]}]))
    with pytest.raises(ValueError, match="vector 2 is of type str"):
        tk.LinearKernel()(column([{"a": 1}, "x"]))
    with pytest.raises(ValueError, match="vectors of numbers were expected"):
        tk.LinearKernel()(np.array(["x", "y"], object))
