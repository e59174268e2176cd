"""Trees whose kernel values are numbers only once they are normalised, and very long chains."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk

pytestmark = pytest.mark.filterwarnings("ignore::treekernels.SmallValuesWarning")


def bushy(seed: int, levels: int = 11) -> str:
    """Return a binary tree of some 5,000 nodes."""
    choose = random.Random(seed).choice
    trees = [f"({choose('AB')} {choose('xy')})" for _ in range(2**levels)]
    while len(trees) > 1:
        trees = [f"(S {left} {right})" for left, right in zip(trees[::2], trees[1::2], strict=True)]
    return trees[0]


LARGE = tk.Forest([bushy(seed) for seed in (0, 1, 0, 1)])
CLASSES = ["s", "t", "s", "t"]
KERNEL = tk.SubsetTreeKernel(1.0)


@pytest.mark.parametrize(
    ("learner", "average"),
    [
        (tk.TreePerceptron, "vote"),
        pytest.param(tk.TreePerceptron, None, marks=pytest.mark.slow),
        pytest.param(tk.TreePassiveAggressive, "mean", marks=pytest.mark.slow),
    ],
)
def test_online_learners_go_on_one_by_one(learner: Any, average: Any, tmp_path: Path) -> None:
    assert min(LARGE.sizes) > 5000
    learned = learner(KERNEL, average=average, random_state=0).fit(LARGE, CLASSES)
    standard = learner(KERNEL, average=average, random_state=0, solver="standard")
    standard.fit(LARGE, CLASSES)
    assert learned.solver_ == "standard"
    expected = standard.decision_function(LARGE)
    np.testing.assert_allclose(learned.decision_function(LARGE), expected, rtol=1e-9)
    assert learned.predict(LARGE).tolist() == CLASSES
    tk.save(learned, tmp_path / "model")
    loaded = tk.load(tmp_path / "model")
    assert loaded.solver_ == "standard"
    np.testing.assert_array_equal(loaded.decision_function(LARGE), learned.decision_function(LARGE))
    loaded.partial_fit(LARGE, CLASSES)
    assert loaded.predict(LARGE).tolist() == CLASSES


def test_the_first_batch_decides(tmp_path: Path) -> None:
    stream = tk.TreePerceptron(KERNEL).partial_fit(LARGE, CLASSES)
    assert stream.solver_ == "standard"
    small = ["(S (A x) (A x))", "(S (B y) (B y))"]
    stream = tk.TreePerceptron(KERNEL).partial_fit(small, ["s", "t"])
    assert stream.solver_ == "forest"
    with pytest.raises(tk.KernelOverflowError, match="solver='standard' of perceptrons"):
        stream.partial_fit(LARGE, CLASSES)
    assert stream.predict(small).tolist() == ["s", "t"]


def test_values_that_are_too_large_without_normalising() -> None:
    kernel = tk.SubsetTreeKernel(1.0, normalize=False)
    for learner in (tk.TreePerceptron(kernel), tk.TreePassiveAggressive(kernel)):
        with pytest.raises(tk.KernelOverflowError, match="use normalize=True"):
            learner.fit(LARGE, CLASSES)


def test_machines_go_on_with_the_gram_matrix() -> None:
    machine = tk.TreeSVC(KERNEL, random_state=0).fit(LARGE, CLASSES)
    assert machine.solver_ == "gram"
    assert machine.predict(LARGE).tolist() == CLASSES


def chain(rng: random.Random, length: int) -> str:
    """Return nodes of one child each, mostly alike, that end in a tree which branches."""
    labels = [rng.choice("aaaaaaab") for _ in range(length)]
    end = rng.choice(["x", "(c x y)", "(c (d x) (d x))", "(c (a (a (a x))) (a (a y)))"])
    return "".join(f"({label} " for label in labels) + end + ")" * length


@pytest.mark.parametrize(
    ("decay", "counts", "leaf_weight"), [(0.4, "linear", 0.5), (0.4, "log", 0.0), (1.0, "log", 0.5)]
)
def test_chains_score_as_kernels_say(decay: float, counts: Any, leaf_weight: float) -> None:
    rng = random.Random(3)
    X = [chain(rng, rng.choice([3, 70, 300, 900])) for _ in range(12)] + ["(c (d x) (d x))", "(x)"]
    Z = [chain(rng, length) for length in (1500, 2000, 40)] + ["(c (a (a x)) (a (a y)))", "(x)"]
    kernel = tk.SubsetTreeKernel(decay, leaf_weight=leaf_weight, counts=counts, normalize=False)
    alpha = np.array([[rng.uniform(-1, 1), rng.uniform(-1e-6, 1e-6)] for _ in X])
    model = tk.WeightedForest(kernel, columns=2)
    model.add(X, alpha)
    values = kernel(Z, X)
    close = 1e-10 * (values @ np.abs(alpha))
    assert (np.abs(model.score(Z) - values @ alpha) <= close).all()
    many = Z * 20  # which are scored by several threads, in blocks
    assert (
        np.abs(model.score(many) - np.tile(values @ alpha, (20, 1))) <= np.tile(close, (20, 1))
    ).all()


def test_scoring_chains_takes_time_like_their_length() -> None:
    trees = tk.Forest(["(a " * 60_000 + "x" + ")" * 60_000])
    model = tk.WeightedForest(tk.SubsetTreeKernel())
    model.add(trees, [1.0])
    start = time.process_time()
    assert model.score(trees) == pytest.approx([1.0])
    assert time.process_time() - start < 5  # pair by pair it would be 20 s and more
