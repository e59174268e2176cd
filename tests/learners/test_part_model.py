"""Learning with mapping kernels: one weight for each class of parts, and one call for each pair."""

from __future__ import annotations

import copy
import itertools
import operator
import pickle
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from oracles.mappings import mapping_score, written_out
from treekernels import _native
from treekernels.errors import DataError
from treekernels.io.files.container import read_container, write_container
from treekernels.kernels.parts.features import part_features
from treekernels.learners.models.model import Model

COUNT = 30


def numbers(x: Any) -> list[int]:
    return list(x)


def nearness(p: int, q: int) -> float:
    return 1.0 / (1 + abs(p - q))


def parity(p: int) -> int:
    return p % 2


def tens(p: int) -> int:
    return p // 10


class Calls:
    """A local kernel that counts its calls, each way."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[int, int]] = Counter()

    def __call__(self, p: int, q: int) -> float:
        self.counts[p, q] += 1
        return nearness(p, q)

    @property
    def pairs(self) -> set[tuple[int, int]]:
        """The pairs that were asked for: once, or the first hundred once each way."""
        assert set(self.counts.values()) == {1}
        both = {(min(p, q), max(p, q)) for p, q in self.counts}
        assert len(self.counts) <= len(both) + 100
        return both


def data(count: int, seed: int = 0) -> tuple[list[list[int]], Any]:
    """Return examples of numbers below COUNT, and labels that depend on them."""
    random = np.random.RandomState(seed)
    X = [random.randint(0, COUNT, 12).tolist() for _ in range(count)]
    weights = np.random.RandomState(99).normal(size=COUNT)
    y = [int(weights[x].sum() + random.normal() > 0) for x in X]
    return X, np.array(y)


KERNELS = {
    "plain": tk.MappingKernel(numbers, nearness),
    "normalized": tk.MappingKernel(numbers, nearness, normalize=True),
    "key": tk.MappingKernel(numbers, nearness, key=tens, group=parity),
    "pairs": tk.MappingKernel(
        numbers, nearness, key=tens, pairs=operator.eq, pairs_key=parity, normalize=True
    ),
    "sum": 0.25 * tk.MappingKernel(numbers, nearness, pairs=operator.eq) + 2,
}


@pytest.mark.parametrize("average", [None, "mean", "vote"])
def test_a_thousand_examples_make_465_calls_and_30_weights(average: Any) -> None:
    X, y = data(1000)
    local = Calls()
    learner = tk.TreePerceptron(tk.MappingKernel(numbers, local), average=average)
    learner.fit(X, y)
    learner.predict(X[:100])
    learner.decision_function(X[:5])
    learner.partial_fit(X[:300], y[:300])
    learner.predict(X)
    assert len(local.pairs) == COUNT * (COUNT + 1) // 2 == 465
    assert learner.n_model_nodes_ == COUNT


@pytest.mark.parametrize(
    ("solver", "cache_size", "normalize"),
    [("forest", 200, True), ("forest", 0.1, False), ("forest", 0.1, True), ("gram", 200, True)],
)
def test_machines_call_once_for_each_pair(solver: Any, cache_size: float, normalize: bool) -> None:
    X, y = data(300)
    local = Calls()
    kernel = tk.MappingKernel(numbers, local, normalize=normalize)
    machine = tk.TreeSVC(kernel, C=0.1, solver=solver, cache_size=cache_size).fit(X, y)
    machine.predict(X)
    assert len(local.pairs) == 465
    if solver == "forest":
        assert machine.n_model_nodes_ == COUNT


RELATION = written_out(range(8), lambda p, q: p // 3 == q // 3)
EXAMPLES = st.lists(st.tuples(st.lists(st.integers(0, 7), max_size=5), st.floats(-9, 9)))


@given(EXAMPLES, st.lists(st.integers(0, 7), max_size=5), st.integers(0, 5))
def test_a_score_is_an_explicit_sum(support: Any, query: list[int], cut: int) -> None:
    kernel = tk.MappingKernel(
        numbers, lambda p, q: 1.0 + (p == q), key=parity, pairs=lambda p, q: (p, q) in RELATION
    )
    model, split = tk.WeightedForest(kernel), tk.WeightedForest(kernel)
    for forest, parts in ((model, [support]), (split, [support[:cut], support[cut:]])):
        for part in parts:
            forest.add([x for x, _ in part], [alpha for _, alpha in part])
    expected = mapping_score(query, support, RELATION, lambda p, q: 1.0 + (p == q), parity)
    np.testing.assert_allclose(model.score([query]), [expected], rtol=1e-9, atol=1e-9)
    assert np.array_equal(split.score([query]), model.score([query]))
    assert len(model) == len({p for x, alpha in support if alpha for p in x})


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("cache_size", [200, 0.1])
def test_machines_find_what_the_gram_solver_finds(kernel: Any, cache_size: float) -> None:
    X, y = data(200)
    Z = data(50, seed=1)[0]
    options = {"C": 0.02, "tol": 1e-5}
    machine = tk.TreeSVC(kernel, solver="forest", cache_size=cache_size, **options).fit(X, y)
    other = tk.TreeSVC(kernel, solver="gram", **options).fit(X, y)
    assert machine.solver_ == "forest"
    assert machine.n_model_nodes_ < other.n_model_nodes_
    np.testing.assert_allclose(machine.decision_function(Z), other.decision_function(Z), atol=1e-2)
    values = np.array([sum(x) for x in X]) / 100
    regression = tk.TreeSVR(kernel, solver="forest", cache_size=cache_size, **options)
    standard = tk.TreeSVR(kernel, solver="gram", **options)
    np.testing.assert_allclose(
        regression.fit(X, values).predict(Z), standard.fit(X, values).predict(Z), atol=1e-2
    )


def test_the_descent_is_on_features_or_on_a_matrix() -> None:
    """Features where they are few; a matrix for many classes, or where there are no features."""
    X, y = data(200)
    few = tk.MappingKernel(numbers, nearness)
    many = tk.MappingKernel(lambda x: [1000 * i + i * sum(x) for i in x[:3]], nearness)
    indefinite = tk.MappingKernel(numbers, lambda p, q: float(p != q))
    for kernel, wanted in ((few, True), (many, False), (indefinite, False)):
        classes = kernel.part_classes()
        rows = classes.count(X)
        features = part_features(classes, rows, most=len(X) ** 2 // 3)
        assert (features is not None) == wanted
        if features is not None:
            np.testing.assert_allclose((features @ features.T).toarray(), kernel(X), rtol=1e-9)
        summand = kernel.native_summand(kernel.examples(X), 1.0, 1, 0)
        kind = _native.LinearSummand if wanted else _native.FloatMatrixSummand
        assert isinstance(summand, kind)
    machine = tk.TreeSVC(many, solver="forest", cache_size=0.1, tol=1e-6).fit(X, y)
    gram = tk.TreeSVC(many, solver="gram", tol=1e-6).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), gram.decision_function(X), atol=1e-3)


@pytest.mark.parametrize(
    ("name", "average"),
    [("normalized", None), ("sum", "mean"), ("pairs", "vote"), ("plain", "mean")],
)
def test_batches_in_any_split(name: str, average: Any) -> None:
    X, y = data(300)
    kernel = KERNELS[name]
    whole = tk.TreePerceptron(kernel, average=average).partial_fit(X, y)
    bounds = [0, 1, 5, 100, 101, 290, 300]
    split = tk.TreePerceptron(kernel, average=average)
    for first, last in itertools.pairwise(bounds):
        split.partial_fit(X[first:last], y[first:last], classes=[0, 1])
    assert split.n_updates_ == whole.n_updates_
    np.testing.assert_allclose(
        split.decision_function(X), whole.decision_function(X), rtol=1e-9, atol=1e-9
    )


def test_a_model_is_restored_when_parts_come_in_another_order(tmp_path: Path) -> None:
    """As those of a set do in another process."""
    turned = False

    def words(text: str) -> list[str]:
        return text.split()[::-1] if turned else text.split()

    def key(word: str) -> Any:
        return frozenset(word), (len(word), word[0])

    def overlap(p: Any, q: Any) -> float:
        return float(len(p[0] & q[0]))

    kernel = tk.MappingKernel(words, overlap, key=key, on="text")
    X = {"text": ["the dog barks", "the cats sleep all day", "dogs sleep", "nobody barks"]}
    alphas = np.arange(8.0).reshape(4, 2) - 3
    model = tk.WeightedForest(kernel, 2)
    model.add(X, alphas)
    write_container(tmp_path / "state", "state", model._state())
    turned = True
    other = tk.WeightedForest(kernel, 2)
    other._restore(read_container(tmp_path / "state")[1])
    assert len(other) == len(model) == 9
    np.testing.assert_allclose(other.score(X), kernel(X, X) @ alphas, rtol=1e-12)
    other.add(X, alphas)
    np.testing.assert_allclose(other.score(X), 2 * kernel(X, X) @ alphas, rtol=1e-12)
    assert len(other) == 9


def test_a_state_of_other_parts_is_refused() -> None:
    kernel = tk.MappingKernel(str.split, lambda p, q: 1.0)
    state = tk.WeightedForest(kernel)
    state.add(["a b", "c"], [1.0, 2.0])
    (saved,) = state._state()["model"]
    for changed in (
        {"columns": {None: ["a x", "c"]}},
        {"columns": {None: ["a b d", "c"]}},
        {"classes": saved["classes"][:2]},
        {"weights": np.zeros((3, 2))},
    ):
        with pytest.raises(ValueError, match=r"others than those saved|another shape"):
            Model(kernel, 1).restore([{**saved, **changed}])


def test_examples_that_cannot_be_added_leave_all_as_it_was() -> None:
    forest = tk.WeightedForest(tk.MappingKernel(numbers, nearness))
    forest.add([[1, 2], [2, 3]], [1.0, 2.0])
    before = forest.score([[1], [2]])
    with pytest.raises(DataError, match="cannot be told"):
        forest.add([[7], [[8]]], [1.0, 1.0])
    assert len(forest) == 3
    assert np.array_equal(forest.score([[1], [2]]), before)


def test_several_threads_ask_at_once() -> None:
    X, y = data(200)
    local = Calls()
    learner = tk.TreePerceptron(tk.MappingKernel(numbers, local), average=None).fit(X, y)
    queries = [[[COUNT + i % 40, i % 7]] for i in range(200)]
    expected = [copy.deepcopy(learner).decision_function(query) for query in queries]
    local.counts.clear()
    with ThreadPoolExecutor(4) as pool:
        scores = list(pool.map(learner.decision_function, queries))
    assert np.array_equal(scores, expected)
    assert local.pairs
    pickle.loads(pickle.dumps(learner)).predict(X)
