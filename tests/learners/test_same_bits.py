"""Results have the same bits with any number of threads, and in any process."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import joblib
import numpy as np
import pytest

import treekernels as tk
from helpers import random_forest
from operations import TREE_KERNELS

TREES = tk.Forest.from_trees(random_forest(700, 5, size=14, labels=("S", "A", "B", "x", "y")))
SOME = TREES[:150]
CLASSES = np.array(["s", "t", "u"])[np.random.default_rng(0).integers(0, 3, len(TREES))]
PAIRS = tk.Pairs(
    ["(S (A:1 a) (B:2 b))", "(S (A:1 a) (B:2 c))", "(S (A a) (B:1 c))"] * 30,
    ["(T (A:1 a))", "(T (B:2 b))", "(T (B:1 c))"] * 30,
)
THREADS = (2, 3, 7)


def _learned(learner: Any, trees: tk.Forest) -> Any:
    learner.fit(trees, CLASSES[: len(trees)])
    return learner.decision_function(trees)


def _added(kernel: tk.Kernel, n_jobs: int) -> Any:
    forest = tk.WeightedForest(kernel, n_jobs=n_jobs)
    forest.add(SOME, np.linspace(-1, 1, len(SOME)))
    return forest.score(TREES)


def _hits(kernel: tk.Kernel, n_jobs: int) -> Any:
    index = tk.TreeIndex(kernel, n_jobs=n_jobs)
    index.add(TREES)
    results = index.search(SOME, k=5)
    pairs = [(pair.first, pair.second, pair.similarity) for pair in index.duplicates(0.5)]
    return [[(hit.id, hit.similarity) for hit in hits] for hits in results] + [pairs]


RESULTS: dict[str, Callable[[int], Any]] = {
    **{
        f"{name} kernel": lambda n, k=kernel: k(SOME, n_jobs=n)
        for name, kernel in TREE_KERNELS.items()
    },
    **{
        f"{name} kernel, two forests": lambda n, k=kernel: k(SOME, TREES[90:190], n_jobs=n)
        for name, kernel in TREE_KERNELS.items()
    },
    **{f"{name} forest": lambda n, k=kernel: _added(k, n) for name, kernel in TREE_KERNELS.items()},
    "single precision": lambda n: tk.SubsetTreeKernel()(TREES, n_jobs=n, dtype=np.float32),
    "one by one": lambda n: tk.SubsetTreeKernel(algorithm="ftk")(SOME, n_jobs=n),
    "pairs": lambda n: tk.TripartiteKernel()(PAIRS, n_jobs=n),
    "sum": lambda n: (tk.SubsetTreeKernel() + tk.PartialTreeKernel() ** 2)(SOME, n_jobs=n),
    **{
        f"perceptron, {average}": lambda n, a=average: _learned(
            tk.TreePerceptron("sst", average=a, n_jobs=n, random_state=0), TREES
        )
        for average in ("mean", "vote", None)
    },
    "partial perceptron": lambda n: _learned(
        tk.TreePerceptron(tk.PartialTreeKernel(), n_jobs=n, random_state=0), SOME
    ),
    "passive-aggressive": lambda n: _learned(
        tk.TreePassiveAggressive("sst", n_jobs=n, random_state=0), TREES
    ),
    "machine": lambda n: _learned(
        tk.TreeSVC("sst", n_jobs=n, random_state=0, solver="forest"), SOME
    ),
    "machine on a matrix": lambda n: _learned(tk.TreeSVC("sst", n_jobs=n, solver="gram"), SOME),
    **{
        f"vectors by {composition}": lambda n, c=composition: tk.DistributedTrees(
            99, composition=c, n_jobs=n
        ).transform(SOME)
        for composition in ("sign", "product", "convolution")
    },
    "chosen fragments": lambda n: tk.DistributedTrees(64, min_df=2, n_jobs=n).fit_transform(SOME),
    "index": lambda n: _hits(tk.SubsetTreeKernel(), n),
    "index of counted features": lambda n: _hits(tk.TreeFeaturesKernel(weights="idf"), n),
    "containment": lambda n: tk.containment(tk.SubsetTreeKernel(), SOME, SOME[:40], n_jobs=n),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RESULTS)
def test_threads_change_no_bit(name: str) -> None:
    expected = RESULTS[name](1)
    for n_jobs in THREADS:
        result = RESULTS[name](n_jobs)
        if isinstance(expected, list):
            assert result == expected
        else:
            np.testing.assert_array_equal(np.asarray(result), np.asarray(expected))


def _objects() -> dict[str, Any]:
    model = tk.WeightedForest(tk.PartialTreeKernel())
    model.add(SOME[:20], np.ones(20))
    index = tk.TreeIndex(tk.SubsetTreeKernel())
    index.add(SOME)
    return {
        "forest": SOME,
        "kernel": tk.SubsetTreeKernel(0.3),
        "model": model,
        "perceptron": tk.TreePerceptron("sst", random_state=0).fit(SOME, CLASSES[: len(SOME)]),
        "machine": tk.TreeSVC("sst", random_state=0).fit(SOME[:60], CLASSES[:60]),
        "embedding": tk.DistributedTrees(33).fit(SOME),
        "index": index,
    }


def answers(objects: dict[str, Any]) -> dict[str, Any]:
    """Return what the objects answer; also called in other processes."""
    trees = objects["forest"]
    return {
        "forest": trees.to_brackets(),
        "kernel": objects["kernel"](trees[:50], n_jobs=2).tobytes(),
        "model": objects["model"].score(trees).tobytes(),
        "perceptron": objects["perceptron"].decision_function(trees).tobytes(),
        "machine": objects["machine"].predict(trees).tolist(),
        "embedding": objects["embedding"].transform(trees).tobytes(),
        "index": [list(hits) for hits in objects["index"].search(trees[:5], k=3)],
    }


@pytest.mark.parametrize("way", ["fork", pytest.param("spawn", marks=pytest.mark.slow), "loky"])
def test_other_processes_answer_alike(way: str) -> None:
    objects = _objects()
    expected = answers(objects)
    if way == "loky":
        result = joblib.Parallel(n_jobs=2, backend="loky")(
            joblib.delayed(answers)(objects) for _ in range(2)
        )
    else:
        if way not in multiprocessing.get_all_start_methods():
            pytest.skip(f"this system cannot {way}")
        with ProcessPoolExecutor(1, multiprocessing.get_context(way)) as pool:
            result = [pool.submit(answers, objects).result(120)]
    for each in result:
        assert each == expected
    assert answers(pickle.loads(pickle.dumps(objects))) == expected


@pytest.mark.parametrize("learner", [tk.TreeSVC("sst", C=1), tk.TreePerceptron("sst + st")])
def test_a_tree_has_the_same_score_alone_and_among_many(learner: Any, tmp_path: Any) -> None:
    """Once `fit` is done, and also in a copy of the model, whatever was scored before."""
    learner.set_params(random_state=0)
    _learned(learner, TREES)
    tk.save(learner, tmp_path / "model.tkm")
    batch = learner.decision_function(TREES[200:300])
    for copy in (learner, tk.load(tmp_path / "model.tkm"), pickle.loads(pickle.dumps(learner))):
        one_by_one = [copy.decision_function(TREES[i : i + 1])[0] for i in range(200, 300)]
        assert np.array_equal(np.array(one_by_one), batch)


def test_what_was_scored_before_does_not_change_scores_of_a_stream(tmp_path: Any) -> None:
    """A model that grows is laid out for a batch alone: the next few trees see it as before."""
    streams = [tk.TreePerceptron("sst", average=None, random_state=0) for _ in range(2)]
    for stream in streams:
        stream.fit(SOME, CLASSES[:150]).partial_fit(TREES[150:], CLASSES[150:])
    streams[1].decision_function(TREES)
    tk.save(streams[1], tmp_path / "model.tkm")
    alone = [stream.decision_function(TREES[:5]) for stream in streams]
    assert np.array_equal(*alone)
    assert np.array_equal(tk.load(tmp_path / "model.tkm").decision_function(TREES[:5]), alone[0])
