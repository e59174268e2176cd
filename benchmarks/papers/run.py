"""Runs all experiments of this folder, and writes docs/papers.md.

Those that judge times run alone, one after the other; of the others, two at a time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from page import SCRIPTS, WHOLE, load  # it sets the path
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from common import RESULTS, about_machine

HERE = Path(__file__).resolve().parent
UNKNOWN = 120.0  # seconds, of a script that has not run yet
AT_ONCE = 2
# What judges times: nothing else may run meanwhile.
TIMED = {
    "ftk_fig5",
    "ftk_fig6",
    "dtk_table1",
    "dtk_fig5",
    "dag_fig3",
    "dag_fig6",
    "dag_kernels",
    "pairs_fig7",
    "pairs_fig8",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--only", nargs="*", default=SCRIPTS, choices=SCRIPTS, metavar="SCRIPT")
    args = parser.parse_args()
    expected = {
        name: (load(RESULTS / f"{name}.json") or {}).get("seconds", UNKNOWN) for name in args.only
    }
    failed: list[str] = []
    started = time.perf_counter()
    RESULTS.mkdir(exist_ok=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn()) as bar:
        whole = bar.add_task("papers", total=sum(expected.values()))

        def follow(name: str) -> None:
            bar.update(whole, description=name)
            if run(name, args.data, lambda step: bar.advance(whole, step), expected[name]):
                failed.append(name)

        alone = [name for name in expected if name in TIMED]
        # The longest first, so that the last two end at about the same time.
        others = sorted(set(expected) - TIMED, key=lambda name: -expected[name])
        for names, at_once in ((alone, 1), (others, AT_ONCE)):
            with ThreadPoolExecutor(at_once) as pool:
                list(pool.map(follow, names))
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
