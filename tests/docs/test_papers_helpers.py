"""What the scripts on papers share: times by turns, what is chosen beforehand, counts, contests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path

import numpy as np
import pytest

import treekernels as tk
from papers_data import make_data

PAPERS = Path(__file__).parents[2] / "benchmarks" / "papers"
if not PAPERS.is_dir():
    pytest.skip("the benchmarks are not part of this copy", allow_module_level=True)
sys.path.insert(0, str(PAPERS))

import contests  # noqa: E402
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


def test_automatic_choice_is_measured_by_the_best_fixed_kernel() -> None:
    noise = np.array([0.1, -0.1, 0.0, 0.1, -0.1])
    scores = {"auto": 80 + noise, "a": 80.2 + noise[::-1], "b": 70 + noise}
    own = contests.Contest(scores)
    assert own.best_fixed() == "a"
    assert own.automatic("here")["holds"] is True
    worse = contests.Contest(scores | {"auto": 79 + noise})
    assert worse.automatic("here")["holds"] is False
    assert own.better("a", "a", "b")["holds"] is True
