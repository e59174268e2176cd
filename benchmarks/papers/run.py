"""Runs all experiments of this folder one after the other, and writes docs/papers.md."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from page import SCRIPTS, WHOLE, load  # it sets the path
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from common import RESULTS, about_machine

HERE = Path(__file__).resolve().parent
UNKNOWN = 120.0  # seconds, of a script that has not run yet


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--only", nargs="*", default=SCRIPTS, choices=SCRIPTS, metavar="SCRIPT")
    args = parser.parse_args()
    expected = {
        name: (load(RESULTS / f"{name}.json") or {}).get("seconds", UNKNOWN) for name in args.only
    }
    failed = []
    started = time.perf_counter()
    RESULTS.mkdir(exist_ok=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn()) as bar:
        whole = bar.add_task("papers", total=sum(expected.values()))
        for name, seconds in expected.items():
            bar.update(whole, description=name)
            if run(name, args.data, lambda step: bar.advance(whole, step), seconds):
                failed.append(name)
    if not failed and set(args.only) == set(SCRIPTS):
        about = {"machine": about_machine(), "seconds": time.perf_counter() - started}
        (RESULTS / f"{WHOLE}.json").write_text(json.dumps(about, indent=1) + "\n")
    subprocess.run([sys.executable, HERE / "page.py"], check=True)
    if failed:
        sys.exit(f"these failed, see their .log in {RESULTS.name}/slices: {', '.join(failed)}")


def run(name: str, data: Path, advance: Callable[[float], None], expected: float) -> int:
    """Run a script, and move the bar by what it is expected to take."""
    logs = RESULTS / "slices"
    logs.mkdir(exist_ok=True)
    moved, start = 0.0, time.perf_counter()
    with (logs / f"{name}.log").open("w") as log:
        command = [sys.executable, str(HERE / f"{name}.py"), "--data", str(data)]
        with subprocess.Popen(command, stdout=log, stderr=log) as process:
            while process.poll() is None:
                time.sleep(0.5)
                step = min(expected, time.perf_counter() - start) - moved
                moved += step
                advance(step)
    advance(expected - moved)
    return process.returncode


if __name__ == "__main__":
    main()
