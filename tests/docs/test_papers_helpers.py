"""What the scripts on papers share: times by turns, what is chosen beforehand, counts, contests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from papers_data import make_data

PAPERS = Path(__file__).parents[2] / "benchmarks" / "papers"
if not PAPERS.is_dir():
    pytest.skip("the benchmarks are not part of this copy", allow_module_level=True)
sys.path.insert(0, str(PAPERS))

import argument_kernels  # noqa: E402
import beyond_curves  # noqa: E402
import boundary_claims  # noqa: E402
import contests  # noqa: E402
import ftk_fig6  # noqa: E402
import pairs_constraints  # noqa: E402
import timing  # noqa: E402

import run  # noqa: E402


def test_what_is_timed_runs_alone() -> None:
    timed = {path.stem for path in PAPERS.glob("*_*.py") if "Stopwatch(" in path.read_text()}
    assert timed == run.TIMED


def says(values: Iterator[float], order: list[str], name: str) -> Callable[[], list[float]]:
    def run() -> list[float]:
        order.append(name)
        return [next(values)]

    return run


def test_calls_take_turns_and_what_differs_runs_again() -> None:
    order: list[str] = []
    restless = chain([1.0, 2.0, 4.0, 2.0], repeat(2.0))
    watch = timing.Stopwatch(rounds=3)
    found = watch.by_turns(
        {"calm": says(repeat(5.0), order, "calm"), "restless": says(restless, order, "restless")}
    )
    assert order[:6] == ["calm", "restless", "restless", "calm", "restless", "calm"]
    assert order.count("calm") == 3
    assert order.count("restless") == 5  # 1, 2, 4, 2, 2: the middle half is 2
    assert (found["calm"].item(), found["restless"].item()) == (5, 2)
    assert "Of 2 times 0 had not settled" in watch.note()


def test_what_never_settles_is_told() -> None:
    order: list[str] = []
    watch = timing.Stopwatch(rounds=3)
    watch.by_turns({"wild": says(iter(2.0**n for n in range(20)), order, "wild")})
    assert len(order) == timing.MOST_ROUNDS
    assert "Of 1 times 1 had not settled" in watch.note()
    once = timing.Stopwatch(rounds=1)
    once.by_turns({"wild": says(iter([7.0]), order, "wild")})  # a slice asks for a single round


def test_rows_have_the_median_of_their_times() -> None:
    times = iter([[3.0, 9.0], [1.0, 9.1], [2.0, 9.2]])
    watch = timing.Stopwatch(rounds=3)
    rows = watch.rows({"a": lambda: [{"size": n, "seconds": s} for n, s in enumerate(next(times))]})
    assert rows == {"a": [{"size": 0, "seconds": 2.0}, {"size": 1, "seconds": 9.1}]}


def test_short_calls_run_often_enough_to_be_timed() -> None:
    calls: list[int] = []
    seconds = timing.Stopwatch(rounds=2).seconds({"short": lambda: calls.append(1)})
    assert len(calls) > 1000
    assert 0 < seconds["short"] < 1e-4


def test_cost_factor_comes_first_and_then_gamma(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[float, float, int]] = []

    def score(kernel: tk.Kernel, X: Any, y: Any, split: Any, j: float = 1.0) -> float:
        last = kernel.summands()[-1]
        gamma = float(last.weight) if len(kernel.summands()) > 1 else 0.0
        seen.append((j, gamma, len(split[0])))
        return -abs(j - 7) - abs(gamma - 0.3)

    monkeypatch.setattr(argument_kernels, "accuracy", score)
    split = np.arange(9), np.arange(9, 12)
    both = (tk.SubtreeKernel(), tk.SubsetTreeKernel())
    chosen = argument_kernels.choose(both, tk.Table({}), np.zeros(12), split)
    assert (chosen.j, chosen.gamma) == (7, 0.3)
    assert [j for j, _, size in seen if size == 3] == argument_kernels.FACTORS
    assert [gamma for _, gamma, size in seen if size == 9] == argument_kernels.GAMMAS
    alone = argument_kernels.choose(tk.SubtreeKernel(), tk.Table({}), np.zeros(12), split)
    assert (alone.j, alone.gamma) == (7, None)


def test_cost_factor_weighs_positive_examples() -> None:
    """Where nothing tells the classes apart, the dearer errors decide."""
    X = tk.Table({"tree": tk.Forest(["(S (A a))"] * 40)})
    y = np.arange(40) % 4 == 0
    split = np.arange(40), np.arange(4)
    kernel = tk.SubsetTreeKernel(on="tree")
    assert not argument_kernels.predict(kernel, X, y, split).any()
    assert argument_kernels.predict(kernel, X, y, split, j=30).all()


def test_out_degrees_are_those_of_every_tree() -> None:
    rng = np.random.default_rng(0)
    texts = ["(S (A b) (A c d e))", "(S (T (T (A c d e f))))"]
    texts += [f"(S {'(A a) ' * n}(B {'b ' * (n % 5 + 1)}))" for n in rng.integers(0, 9, 20)]
    forest = tk.Forest(texts)
    expected = [max(len(node.children) for node in tree.preorder()) for tree in forest]
    assert boundary_claims.largest_outdegrees(forest).tolist() == expected


def test_signs_of_subsets_are_the_multiplicities_of_the_kernel(tmp_path: Path) -> None:
    name = make_data(tmp_path, sentences=12) / "rte2.dev.anchored.tsv.gz"
    found = pairs_constraints.compare(tk.read(name, format="anchored-pairs"), 30, 0)
    assert found["counted"] == found["agree"] > 30
    possible, alternatives, all_of_them = found["sizes"].T
    assert (alternatives <= possible).all()
    assert (alternatives <= all_of_them).all()
    assert pairs_constraints.multiplicities([{(1, 1)}, {(1, 1), (2, 2)}]) == {
        ((1, 1),): 0,
        ((1, 1), (2, 2)): 1,
    }


def test_examples_of_the_papers_are_counted() -> None:
    assert [row["holds"] for row in ftk_fig6.example_claims()] == [True, True]
    third, fifth = pairs_constraints.example_claims()
    assert "(1, 1), (2, 5), (3, 4); (1, 3), (2, 5), (3, 4)" in third["why"]
    assert fifth["holds"] is True


def test_runs_share_neither_training_nor_test_examples() -> None:
    parts = np.array_split(np.random.default_rng(0).permutation(50), 5)
    splits = beyond_curves.splits_of(parts, 8)
    assert splits is not None
    for side in (0, 1):
        places = np.concatenate([split[side] for split in splits])
        assert len(set(places.tolist())) == len(places)
    assert all(not set(train) & set(test) for train, test in splits)
    assert beyond_curves.splits_of(parts, 11) is None


def test_automatic_choice_is_measured_by_the_best_fixed_kernel() -> None:
    noise = np.array([0.1, -0.1, 0.0, 0.1, -0.1])
    scores = {"auto": 80 + noise, "a": 80.2 + noise[::-1], "b": 70 + noise}
    own = contests.Contest(scores)
    assert own.best_fixed() == "a"
    assert own.automatic("here")["holds"] is True
    worse = contests.Contest(scores | {"auto": 79 + noise})
    assert worse.automatic("here")["holds"] is False
    assert own.better("a", "a", "b")["holds"] is True
