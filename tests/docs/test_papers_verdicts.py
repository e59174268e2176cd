"""The rule by which docs/papers.md judges statements: benchmarks/papers/verdicts.py."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

PAPERS = Path(__file__).parents[2] / "benchmarks" / "papers"
if not PAPERS.is_dir():
    pytest.skip("the benchmarks are not part of this copy", allow_module_level=True)
sys.path.insert(0, str(PAPERS))

import verdicts  # noqa: E402

CLEAR = [1.0, 1.2, 0.9, 1.1, 1.0]


def test_difference_needs_five_runs() -> None:
    assert verdicts.greater(CLEAR).holds is True
    assert verdicts.greater([-value for value in CLEAR]).holds is False
    assert verdicts.greater(CLEAR[:4]).holds == "open"
    assert verdicts.equal(CLEAR[:4], 10).holds == "open"
    assert verdicts.about(CLEAR[:4], 1).holds == "open"


def test_p_is_that_of_the_paired_t_test() -> None:
    a, b = np.random.default_rng(0).random((2, 7))
    p = stats.ttest_rel(a, b).pvalue
    assert f"p = {p:.2g}" in verdicts.greater(a - b).test


def test_equality_within_a_margin() -> None:
    near = [0.1, -0.1, 0.2, 0.0, 0.1]
    assert verdicts.equal(near, 0.5).holds is True
    assert verdicts.equal(near, 0.1).holds == "open"
    assert verdicts.equal(CLEAR, 0.5).holds is False
    assert verdicts.equal([-value for value in CLEAR], 0.5).holds is False
    assert verdicts.not_greater([-value for value in CLEAR], 0.5).holds is True
    assert verdicts.not_greater(CLEAR, 0.5).holds is False


def test_false_alarms_are_as_rare_as_the_level_says() -> None:
    rng = np.random.default_rng(0)
    alarms = sum(verdicts.greater(rng.normal(size=6)).holds != "open" for _ in range(1000))
    assert 25 <= alarms <= 80  # 50 expected
    equal = sum(verdicts.equal(rng.normal(1, 0.3, 6), 1).holds is True for _ in range(1000))
    assert equal <= 80
