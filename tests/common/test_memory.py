"""How much memory there is, and Gram matrices that do not fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import treekernels as tk
from treekernels.common import limits, memory


def test_a_matrix_that_does_not_fit_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    forest = tk.Forest(["(A a)"] * 3000)
    monkeypatch.setattr(limits, "free_memory", lambda: 140_000_000)
    with pytest.raises(
        tk.KernelMemoryError, match=r"3,000 x 3,000 examples takes 72.0 MB"
    ) as refused:
        tk.SubsetTreeKernel()(forest)
    for remedy in ("solver='forest'", "DistributedTrees", "out=", "float32", "fewer trees"):
        assert remedy in str(refused.value)
    with pytest.raises(tk.KernelMemoryError, match="free memory"):
        tk.TreeSVC("sst", solver="gram").fit(forest, np.arange(3000) % 2)
    monkeypatch.setattr(limits, "free_memory", lambda: 150_000_000)
    assert tk.SubsetTreeKernel()(forest).shape == (3000, 3000)
    monkeypatch.setattr(limits, "free_memory", lambda: None)
    assert tk.SubsetTreeKernel()(forest, dtype="float32").shape == (3000, 3000)


def test_memory_is_asked_of_the_system() -> None:
    free = memory.free_memory()
    assert free is None or 1 << 20 < free < 1 << 50


def test_limits_of_groups(tmp_path: Path) -> None:
    assert memory._left_to_group(tmp_path) is None
    (tmp_path / "memory.max").write_text("max\n")
    assert memory._left_to_group(tmp_path) is None
    (tmp_path / "memory.max").write_text("1000000\n")
    (tmp_path / "memory.current").write_text("400000\n")
    assert memory._left_to_group(tmp_path) == 600_000
    (tmp_path / "memory.max").unlink()
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "memory.limit_in_bytes").write_text("500\n")
    (tmp_path / "memory" / "memory.usage_in_bytes").write_text("700\n")
    assert memory._left_to_group(tmp_path) == 0
    info = tmp_path / "meminfo"
    info.write_text("MemTotal: 10 kB\nMemAvailable:    5 kB\n")
    assert memory._available(info) == 5 * 1024
    assert memory._available(tmp_path / "none") is None
