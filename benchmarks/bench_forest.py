"""Building a Forest from text: speed, growth of time and memory with size, adding in batches."""

from __future__ import annotations

import ctypes
import gc
import time
from functools import partial
from pathlib import Path
from statistics import median

import treekernels as tk
from common import (
    FILES,
    Row,
    arguments,
    best_seconds,
    in_fresh_process,
    load_texts,
    memory_now,
    report,
    say,
    target,
)

BATCHES = (10_000, 1_000, 100, 1)
NOTES = [
    "Texts are in memory as Python strings when timing starts, but for tk.read, which decompresses",
    "and splits lines too; its time is that of the processor, as a thread decompresses.",
    "Growth: 1x is an eighth of the file from its start, 8x all of it, each in a process of its",
    "own; memory is the growth of the resident set by the first forest built; the time to add a",
    "tree is the median of 200 calls of extend on the finished forest.",
]


def main() -> None:
    args = arguments(__doc__ or "", quick=2_000)
    boundary = args.data / FILES["propbank"]
    growth = growth_rows(boundary, args.trees, args.repeat)
    files = sorted(args.data.glob("*.gz"))
    speed = [speed_row(path, args.trees, args.repeat) for path in files]
    if args.trees is None:
        names = [*FILES.values(), "ewt.boundary.tsv.gz"]
        speed += [read_row(args.data / name, args.repeat) for name in names]
    eighth = load_texts(boundary, growth[0]["trees"])
    tables = {
        "Building from text, and reading files": speed,
        f"Growth on {boundary.name}": growth,
        f"Adding {len(eighth):,} trees of {boundary.name}": batch_rows(eighth, args.repeat),
    }
    report(__file__, args, tables, NOTES)


def speed_row(path: Path, limit: int | None, repeat: int) -> Row:
    """Time the texts of one file."""
    say(f"building from {path.name}")
    texts = load_texts(path, limit)
    nodes = tk.Forest.from_brackets(texts).n_nodes
    seconds = best_seconds({"build": partial(tk.Forest.from_brackets, texts)}, repeat)["build"]
    return rate(path, "from_brackets", len(texts), nodes, seconds)


def read_row(path: Path, repeat: int) -> Row:
    """Time reading one file."""
    say(f"reading {path.name}")
    found = tk.read(path)
    forest = found if isinstance(found, tk.Forest) else found["tree"]
    seconds = best_seconds({"read": partial(tk.read, path)}, repeat, time.process_time)["read"]
    at_least = 8.0 if forest.n_nodes > 1_000_000 else 1.0
    return rate(path, "tk.read", len(forest), forest.n_nodes, seconds, at_least)


def rate(
    path: Path, how: str, trees: int, nodes: int, seconds: float, at_least: float = 1.0
) -> Row:
    millions = nodes / seconds / 1e6
    return {
        "file": path.name,
        "how": how,
        "trees": trees,
        "nodes": nodes,
        "seconds": seconds,
        "million nodes/s": millions,
        **target(millions, at_least=at_least),
    }


def growth_rows(path: Path, limit: int | None, repeat: int) -> list[Row]:
    """Build 1x, 2x, 4x, 8x trees."""
    trees = len(load_texts(path, limit))
    rows: list[Row] = []
    for times in (1, 2, 4, 8):
        say(f"growth: {times}x")
        row = in_fresh_process(build_alone, path, trees * times // 8, repeat)
        first = rows[0] if rows else row
        row["time a node to 1x"] = row["ns a node"] / first["ns a node"]
        row["memory a subtree to 1x"] = row["bytes a subtree"] / first["bytes a subtree"]
        rows.append({"": f"{times}x", **row})
    return rows


def build_alone(path: Path, limit: int, repeat: int) -> Row:
    """Build a forest, in a process that does nothing else."""
    texts = load_texts(path, limit)
    gc.collect()
    give_back_free_memory()
    before = memory_now()
    forest = tk.Forest.from_brackets(texts)
    resident = memory_now() - before
    nodes, subtrees = forest.n_nodes, forest.n_subtrees
    one_more = 1e6 * median(seconds_to_extend(forest, text) for text in texts[:200])
    del forest
    seconds = best_seconds({"build": partial(tk.Forest.from_brackets, texts)}, repeat)["build"]
    return {
        "trees": len(texts),
        "nodes": nodes,
        "subtrees": subtrees,
        "seconds": seconds,
        "ns a node": 1e9 * seconds / nodes,
        "MB": resident / 1e6,
        "bytes a subtree": resident / subtrees,
        "us to add a tree": one_more,
    }


def seconds_to_extend(forest: tk.Forest, text: str) -> float:
    start = time.perf_counter()
    forest.extend([text])
    return time.perf_counter() - start


def give_back_free_memory() -> None:
    """Return what reading has freed to the system, or the forest would grow into it unseen."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it
    if trim is not None:
        trim(0)


def batch_rows(texts: list[str], repeat: int) -> list[Row]:
    """Compare `extend` with building in one go."""
    say("extend in batches")
    calls = {"in one go": partial(tk.Forest.from_brackets, texts)}
    for size in BATCHES:
        if size < len(texts):
            calls[f"extend, batches of {size:,}"] = partial(extended, texts, size)
    seconds = best_seconds(calls, repeat)
    return [
        {
            "how": how,
            "seconds": taken,
            "us a tree": 1e6 * taken / len(texts),
            "time to one go": taken / seconds["in one go"],
        }
        for how, taken in seconds.items()
    ]


def extended(texts: list[str], size: int) -> tk.Forest:
    forest = tk.Forest()
    for start in range(0, len(texts), size):
        forest.extend(texts[start : start + size])
    return forest


if __name__ == "__main__":
    main()
