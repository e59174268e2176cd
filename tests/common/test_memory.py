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


def group(folder: Path, limit: str, used: str, stat: str = "", version: int = 2) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    names = ("memory.max", "memory.current")
    if version == 1:
        names = ("memory.limit_in_bytes", "memory.usage_in_bytes")
    for name, text in zip((*names, "memory.stat"), (limit, used, stat), strict=True):
        (folder / name).write_text(text + "\n")


def test_limits_of_groups_within_groups(tmp_path: Path) -> None:
    """As SLURM and systemd set them: the process is in a group far below the root."""
    system, membership = tmp_path / "system", tmp_path / "cgroup"
    membership.write_text("0::/slurm/job_7/step_0\n")
    group(system / "slurm" / "job_7" / "step_0", "max", "300")
    group(system / "slurm" / "job_7", "1000", "400", "anon 5\ninactive_file 100\nactive_file 7")
    group(system / "slurm", "5000", "500")
    assert memory._left_to_group(system, membership) == 700
    group(system / "slurm" / "job_7" / "step_0", "350", "300")
    assert memory._left_to_group(system, membership) == 50
    membership.write_text("0::/elsewhere\n")
    assert memory._left_to_group(system, membership) is None
    membership.write_text("0::/../slurm/job_7\n")  # seen from within a container
    assert memory._left_to_group(system, membership) is None
    membership.write_text("3:cpu,cpuacct:/a\n2:memory:/a/b\nnonsense\n")
    group(system / "memory" / "a" / "b", str(2**63 - 4096), "1", version=1)
    group(system / "memory" / "a", "900", "100", "total_inactive_file 50", version=1)
    assert memory._left_to_group(system, membership) == 850


def test_limits_of_groups(tmp_path: Path) -> None:
    assert memory._left_to_group(tmp_path, tmp_path / "none") is None
    (tmp_path / "memory.max").write_text("max\n")
    assert memory._left_to_group(tmp_path, tmp_path / "none") is None
    (tmp_path / "memory.max").write_text("1000000\n")
    (tmp_path / "memory.current").write_text("400000\n")
    assert memory._left_to_group(tmp_path, tmp_path / "none") == 600_000
    (tmp_path / "memory.max").unlink()
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "memory.limit_in_bytes").write_text("500\n")
    (tmp_path / "memory" / "memory.usage_in_bytes").write_text("700\n")
    assert memory._left_to_group(tmp_path, tmp_path / "none") == 0
    info = tmp_path / "meminfo"
    info.write_text("MemTotal: 10 kB\nMemAvailable:    5 kB\n")
    assert memory._available(info) == 5 * 1024
    assert memory._available(tmp_path / "none") is None
