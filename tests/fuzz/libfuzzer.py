"""libFuzzer, which makes inputs that go where none has gone before.

It comes with clang for targets in C++ (`native.py`), and with the package atheris for those in
Python (`guided.py`). What it finds goes to `findings`, where `test_findings.py` replays it; inputs
that went somewhere new are in ``build/corpus-NAME`` until `keep.py` chooses some of them.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
FINDINGS = Path(__file__).parent / "findings"


def corpus_folder(name: str, inputs: list[bytes]) -> Path:
    """Return the folder of what has been tried, with these inputs in it."""
    folder = ROOT / "build" / f"corpus-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(inputs):
        (folder / f"seed{number}").write_bytes(content)
    return folder


def fuzz(
    command: list[str], name: str, target: str, folder: Path, seconds: float, **environment: str
) -> int:
    """Run a program made with libFuzzer; print how often it ran the target, or what it found."""
    FINDINGS.mkdir(exist_ok=True)
    command = [*command, str(folder), f"-max_total_time={max(1, round(seconds))}", "-timeout=120"]
    command += ["-report_slow_units=60", "-max_len=4096"]
    command += [f"-artifact_prefix={FINDINGS}/{target}-", "-print_final_stats=1"]
    inherited = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    done = subprocess.run(
        command,
        env={**inherited, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        print(done.stdout[-4000:])
        return 1
    counted = re.search(r"number_of_executed_units: (\d+)", done.stdout)
    print(f"{name}: {int(counted[1]) if counted else 0:,} executions in {seconds:g} s", flush=True)
    return 0
