"""How many threads `n_jobs` asks for."""

from __future__ import annotations

import joblib
import pytest

from treekernels.kernels.base.kernel import thread_count


def test_negative_numbers_count_down_from_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joblib, "cpu_count", lambda: 4)
    asked = (None, 1, 3, -1, -2, -4, -9)
    assert [thread_count(n_jobs) for n_jobs in asked] == [1, 1, 3, 4, 3, 1, 1]
