"""What the benchmarks share: arguments, data, timing, tables. It measures nothing itself."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
Row = dict[str, Any]

# Microseconds a pair of the fastest existing C program, from the project's issue on the exact
# kernels: 500 random trees of treebank.trees.gz, and qc.train, all pairs, one thread. Measured on
# the same kind of machine. Its licence forbids redistribution, so that it cannot be rerun here:
# ratios to it are the only ones that are not measured in one run.
EXISTING = {
    "SST": {"treebank": 1.46, "qc.train": 0.52},
    "PTK": {"treebank": 16.5, "qc.train": 2.6},
}
EXISTING_NAME = "existing C program (reported, not rerun)"

FILES = {
    "treebank": "treebank.trees.gz",
    "qc.train": "qc.train.tsv.gz",
    "propbank": "propbank.boundary.tsv.gz",
}


def arguments(
    description: str, *, repeat: int = 3, quick: int = 300, parts: Sequence[str] = ()
) -> argparse.Namespace:
    """Read the command line; `args.trees` is the limit on the trees of a file, None for all.

    `args.only` has the parts that are to be measured, all of them by default.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of files")
    parser.add_argument("--quick", action="store_true", help=f"only {quick:,} trees of each file")
    parser.add_argument("--trees", type=int, help="at most this many trees of each file")
    parser.add_argument("--repeat", type=int, default=repeat, help="take the best of so many runs")
    parser.add_argument("--results", type=Path, help="folder for what was found")
    if parts:
        parser.add_argument("--only", nargs="+", choices=parts, help="measure these parts alone")
    args = parser.parse_args()
    if parts and args.only is None:
        args.only = list(parts)
    if not args.data.is_dir():
        parser.error(f"there is no folder {args.data}; name that of the tree files with --data")
    if args.trees is None and args.quick:
        args.trees = quick
    if args.repeat < 1 or (args.trees is not None and args.trees < 2):
        parser.error("--repeat must be at least 1, and --trees at least 2")
    if args.results is None:  # a slice must not take the place of a whole run
        whole = args.trees is None and set(parts) <= set(getattr(args, "only", ()))
        args.results = RESULTS if whole else RESULTS / "slices"
    args.results.mkdir(parents=True, exist_ok=True)
    args.started = time.perf_counter()
    return args


def fewest(*limits: int | None) -> int | None:
    """Return the smallest of limits of which some may be None, for none."""
    return min((limit for limit in limits if limit is not None), default=None)


def load_texts(path: Path, limit: int | None = None) -> list[str]:
    """Return the trees of a file as bracket texts: the columns that start with a bracket."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        trees = (
            field for line in lines for field in line.rstrip("\n").split("\t") if field[:1] == "("
        )
        return list(islice(trees, limit))


def load_rows(path: Path, limit: int | None = None) -> list[list[str]]:
    """Return the columns of a file, line by line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t") for line in islice(lines, limit)]


def sample_indices(population: int, size: int) -> np.ndarray:
    """Choose trees at random, always the same ones."""
    return np.random.default_rng(0).choice(population, min(size, population), replace=False)


def touched(size: int, dtype: type = np.float64) -> np.ndarray:
    """Allocate a square matrix whose pages are in memory already."""
    out: np.ndarray = np.empty((size, size), dtype)
    out.fill(0)
    return out


def pairs(size: int) -> int:
    """Count unordered pairs, those of a tree with itself included."""
    return size * (size + 1) // 2


def best_seconds(
    calls: Mapping[str, Callable[[], object]],
    repeat: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Time calls by turns, so that a busy moment hits all of them, and keep the best of each."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(repeat):
        for name, call in calls.items():
            start = clock()
            call()
            best[name] = min(best[name], clock() - start)
    return best


def in_fresh_process(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function of a module in a new interpreter and give its result."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *args).result()


def memory_now(field: str = "VmRSS") -> int:
    """Return a field of /proc/self/status in bytes: VmRSS, or RssAnon without file pages."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except FileNotFoundError:
        raise SystemExit("memory can be measured on Linux only: no /proc/self/status") from None
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(field + ":"))


def target(
    measured: float, unit: str = "", *, at_least: float | None = None, at_most: float | None = None
) -> Row:
    """Return the columns that say what a figure should be and whether it is."""
    bound = at_least if at_least is not None else at_most
    assert bound is not None
    met = measured >= bound if at_least is not None else measured <= bound
    sign = ">=" if at_least is not None else "<="
    return {"target": f"{sign} {bound:,g} {unit}".rstrip(), "met": "ok" if met else "MISSED"}


def faster(
    columns: Row, trees: int, us: float, against: str, other: float, at_least: float | None = None
) -> Row:
    """Make a row that says how many times faster a Gram matrix is than something else."""
    measured = {"trees": trees, "us a pair": us, "against": against, "ratio": other / us}
    wanted = target(other / us, at_least=at_least) if at_least is not None else {}
    return {**columns, **measured, **wanted}


def say(text: str) -> None:
    """Tell on standard error what is being measured."""
    print(f"... {text}", file=sys.stderr, flush=True)


def report(
    script: str,
    args: argparse.Namespace,
    tables: Mapping[str, Sequence[Row]],
    notes: Sequence[str] = (),
    more: Mapping[str, Any] | None = None,
) -> None:
    """Print tables under a header that names commit and machine; write all to results/*.json."""
    machine = about_machine()
    if args.trees is not None and any("target" in row for rows in tables.values() for row in rows):
        limit = f"A slice, at most {args.trees:,} trees of each file"
        notes = [*notes, f"{limit}: the targets are meant for whole files, not for this."]
    print("  ".join(f"{name} {value}" for name, value in machine.items()))
    for title, rows in tables.items():
        print(f"\n{title}")
        print_table(rows)
    print()
    for note in notes:
        print(note)
    content = {
        "machine": machine,
        "arguments": {name: str(vars(args)[name]) for name in ("data", "quick", "trees", "repeat")},
        "seconds": time.perf_counter() - args.started,
        **(more or {}),
        "tables": dict(tables),
        "notes": list(notes),
    }
    path = args.results / f"{Path(script).stem}.json"
    path.write_text(json.dumps(content, indent=1) + "\n")


def about_machine() -> Row:
    """Say what was measured, and on what."""
    return {
        "commit": commit(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "cpu": cpu_model(),
        "load": f"{os.getloadavg()[0]:.1f}",
    }


def commit() -> str:
    """Return the short name of the commit that is checked out."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    try:
        done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def cpu_model() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, "unknown")


def print_table(rows: Sequence[Row]) -> None:
    """Print rows in aligned columns, numbers to the right."""
    headers = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[shown(row.get(name)) for name in headers] for row in rows]
    numeric = [all(isinstance(row.get(name, 0), int | float) for row in rows) for name in headers]
    widths = [max(map(len, column)) for column in zip(headers, *cells, strict=True)]
    for line in [headers, *cells]:
        aligned = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        )
        print("  " + "  ".join(aligned).rstrip())


def shown(value: object) -> str:
    """Format a cell: three digits are more than the noise allows."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
