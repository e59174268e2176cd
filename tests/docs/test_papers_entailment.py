"""How the scripts on papers learn entailment: benchmarks/papers/rte.py."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from papers_data import make_data

PAPERS = Path(__file__).parents[2] / "benchmarks" / "papers"
if not PAPERS.is_dir():
    pytest.skip("the benchmarks are not part of this copy", allow_module_level=True)
sys.path.insert(0, str(PAPERS))

import evaluation  # noqa: E402
import rte  # noqa: E402


def test_machine_is_tested_on_what_it_has_not_seen(tmp_path: Path) -> None:
    """A kernel that only knows whether two pairs are the same learns nothing for the other half."""
    _, challenge = next(rte.challenges(make_data(tmp_path, sentences=10), None))
    right = rte.tested(np.eye(len(challenge.truth)), challenge, 1.0)
    assert [len(part) for part in right] == [10, 10]
    for part, (_, test) in zip(right, challenge.runs, strict=True):
        predicted = np.where(part, challenge.truth[test], 1 - challenge.truth[test])
        assert len(set(predicted)) == 1  # the same answer for all
    known = np.equal.outer(challenge.truth, challenge.truth).astype(float)
    assert all(part.all() for part in rte.tested(known, challenge, 1.0))


def answers(seed: int, share: float) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.random(size) < share for size in (300, 200, 250)]


def test_bootstrap_is_that_of_all_pairs() -> None:
    a, b = answers(0, 0.60), answers(1, 0.57)
    truth = np.ones(750)
    counts = [evaluation.right_counts(np.concatenate(x).astype(int), truth) for x in (a, b)]
    assert rte.bootstrap(a, b) == pytest.approx(evaluation.paired_bootstrap(*counts)["p"], abs=0.05)
    assert rte.bootstrap(a, a) == 1
    assert rte.bootstrap(answers(0, 0.7), b) < 0.01
