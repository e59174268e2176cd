"""How many threads `n_jobs` asks for."""

from __future__ import annotations

import os
from pathlib import Path

import joblib
import pytest

from treekernels.common import cores
from treekernels.kernels.base import kernel
from treekernels.kernels.base.kernel import thread_count


def test_negative_numbers_count_down_from_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "usable_cores", lambda: 4)
    asked = (None, 1, 3, -1, -2, -4, -9)
    assert [thread_count(n_jobs) for n_jobs in asked] == [1, 1, 3, 4, 3, 1, 1]


def test_cores_are_those_that_joblib_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cores.usable_cores() == joblib.cpu_count()
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    assert cores.usable_cores() == joblib.cpu_count() == 1
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "no number")
    assert cores.usable_cores() >= 1


@pytest.fixture
def container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a computer of 64 cores says how many of them a container may use."""
    monkeypatch.delenv("LOKY_MAX_CPU_COUNT", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(64), raising=False)
    monkeypatch.setattr(cores, "_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(cores, "_OLD_QUOTA", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("quota", "expected"),
    [("max 100000", 64), ("150000 100000", 2), ("100 100000", 1), ("", 64), ("0 0", 64)],
)
def test_a_container_may_have_fewer(quota: str, expected: int, container: Path) -> None:
    (container / "cpu.max").write_text(quota)
    assert cores.usable_cores() == expected


@pytest.mark.parametrize(("quota", "expected"), [("-1", 64), ("250000", 3)])
def test_an_older_system_says_it_in_two_files(quota: str, expected: int, container: Path) -> None:
    (container / "cpu.cfs_quota_us").write_text(f"{quota}\n")
    (container / "cpu.cfs_period_us").write_text("100000\n")
    assert cores.usable_cores() == expected
