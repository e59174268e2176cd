"""Memory: the peak of a Gram matrix, and a matrix streamed to a file (Linux only)."""

from __future__ import annotations

import resource
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType

import numpy as np

import treekernels as tk
from common import (
    FILES,
    Row,
    arguments,
    fewest,
    in_fresh_process,
    load_texts,
    memory_now,
    report,
    say,
    target,
)

STREAMED_TREES = 20_000
ALLOWANCE_MB = 200.0
NOTES = [
    "Each line was measured in processes of its own; the forest was there before the call.",
    "Peak: ru_maxrss after the call, less ru_maxrss (or what was resident) just before it.",
    "Streaming: float32; own memory is the highest RssAnon seen during the call (asked every 5 ms)",
    "less that before, so that pages of the mapped file, which the system may drop, do not count.",
    "The array in memory is new and untouched, as the file is.",
]


def main() -> None:
    args = arguments(__doc__ or "", quick=1_000)
    tables = {
        "Peak of the SST Gram matrix of treebank, float64": [
            row
            for threads in (1, 2)
            for row in peak_rows(args.data / FILES["treebank"], args.trees, threads)
        ],
        "SST Gram matrix of propbank.boundary, in memory and streamed to a file": stream_rows(
            args.data / FILES["propbank"], fewest(args.trees, STREAMED_TREES), args.repeat
        ),
    }
    report(__file__, args, tables, NOTES)


def peak_rows(path: Path, limit: int | None, threads: int) -> list[Row]:
    """Compare the peak with the size of the matrix."""
    say(f"peak with {threads} threads")
    measured = in_fresh_process(gram_peak, path, limit, threads)
    matrix = measured["matrix"] / 1e6
    rows = []
    for before in ("peak before", "resident before"):
        growth = (measured["peak after"] - measured[before]) / 1e6
        rows.append(
            {
                "threads": threads,
                "trees": measured["trees"],
                "growth from": before,
                "MB": growth,
                "against": "the matrix",
                "matrix MB": matrix,
                "MB beyond it": growth - matrix,
                **target(growth - matrix, "MB", at_most=ALLOWANCE_MB),
            }
        )
    return rows


def gram_peak(path: Path, limit: int | None, threads: int) -> Row:
    """Compute a Gram matrix, in a process that does nothing else."""
    forest = tk.Forest.from_brackets(load_texts(path, limit))
    resident, peak = memory_now(), peak_memory()
    gram = tk.SubsetTreeKernel(decay=0.4)(forest, n_jobs=threads)
    return {
        "trees": len(forest),
        "matrix": gram.nbytes,
        "resident before": resident,
        "peak before": peak,
        "peak after": peak_memory(),
    }


def peak_memory() -> int:
    """Return the most memory this process has had, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def stream_rows(path: Path, limit: int | None, repeat: int) -> list[Row]:
    """Compare a matrix in memory with one in a mapped file."""
    results: dict[str, list[Row]] = {"in memory": [], "numpy.memmap": []}
    for _ in range(repeat):
        for where, runs in results.items():
            say(f"matrix: {where}")
            runs.append(in_fresh_process(fill, path, limit, where == "numpy.memmap"))
    in_memory = min(run["seconds"] for run in results["in memory"])
    rows = []
    for where, runs in results.items():
        seconds = min(run["seconds"] for run in runs)
        rows.append(
            {
                "matrix": where,
                "trees": runs[0]["trees"],
                "matrix MB": runs[0]["matrix"] / 1e6,
                "seconds": seconds,
                "seconds with flush": min(run["flushed"] for run in runs),
                "time to in memory": seconds / in_memory,
                "own memory MB": max(run["own memory"] for run in runs) / 1e6,
            }
        )
    return rows


def fill(path: Path, limit: int | None, mapped: bool) -> Row:
    """Compute a matrix into memory or into a file, in a process that does nothing else."""
    forest = tk.Forest.from_brackets(load_texts(path, limit))
    kernel = tk.SubsetTreeKernel(decay=0.4)
    shape = (len(forest), len(forest))
    with tempfile.TemporaryDirectory() as folder, HighestOwnMemory() as highest:
        start = time.perf_counter()
        if mapped:
            file = Path(folder) / "gram"
            out = np.memmap(file, dtype=np.float32, mode="w+", shape=shape)
            kernel(forest, out=out)
        else:
            out = kernel(forest, dtype=np.float32)
        seconds = time.perf_counter() - start
        if mapped:
            out.flush()
        flushed = time.perf_counter() - start
        matrix = out.nbytes
        del out
    return {
        "trees": len(forest),
        "matrix": matrix,
        "seconds": seconds,
        "flushed": flushed,
        "own memory": highest.bytes,
    }


class HighestOwnMemory:
    """The growth of this process's anonymous memory at its highest; Linux keeps no such peak."""

    def __enter__(self) -> HighestOwnMemory:
        self.bytes = 0
        self._before = memory_now("RssAnon")
        self._done = threading.Event()
        self._watcher = threading.Thread(target=self._watch)
        self._watcher.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._done.set()
        self._watcher.join()

    def _watch(self) -> None:
        while not self._done.wait(0.005):
            self.bytes = max(self.bytes, memory_now("RssAnon") - self._before)


if __name__ == "__main__":
    main()
