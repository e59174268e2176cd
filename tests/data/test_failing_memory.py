"""Memory runs out in the core, at any allocation of any operation."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from operations import ALONE, CHANGING, READING

HERE = Path(__file__).parents[1]
OPERATIONS = [*READING, *CHANGING, *ALONE]
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or "LD_PRELOAD" in os.environ,
    reason="memory fails by a library that Linux loads first, where a sanitizer is not",
)


def run_out_of_memory(folder: Path, step: int, *names: str) -> dict[str, dict[str, object]]:
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("there is no C++ compiler here")
    library = folder / "failing_memory.so"
    source = HERE / "failing_memory.cpp"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-std=c++17", "-o", library, source], check=True
    )
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", HERE / "failing_memory.py", str(step), *names],
        env={**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": str(HERE)},
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
    )
    assert done.returncode == 0, (done.stdout[-300:], done.stderr[-3000:])
    results = [json.loads(line) for line in done.stdout.splitlines()]
    return {result["name"]: result for result in results}


def check(results: dict[str, dict[str, object]]) -> None:
    wrong = {name: result["wrong"] for name, result in results.items() if result["wrong"]}
    assert wrong == {}
    assert all(result["failures"] for result in results.values())


def test_memory_runs_out_now_and_then(tmp_path: Path) -> None:
    results = run_out_of_memory(tmp_path, 401)
    assert list(results) == OPERATIONS
    check(results)


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATIONS)
def test_memory_runs_out_at_every_allocation(name: str, tmp_path: Path) -> None:
    check(run_out_of_memory(tmp_path, 1, name))
