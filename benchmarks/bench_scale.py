"""Subset trees at scale: perceptrons of up to 2.2 million trees, and support vector machines."""

from __future__ import annotations

import gzip
import resource
import time
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import treekernels as tk
from common import Row, arguments, fewest, in_fresh_process, report, say, target

SOME = ("propbank.boundary",)
ALL = ("propbank.boundary", "ewt.boundary", "masc.boundary")
BLOCK = 20_000  # lines that are read at a time
STEP = 200_000  # examples between two looks at the cost of a tree
NOTES = [
    "SST kernel and learners as they are by default; the order is shuffled; a fresh process each.",
    "Forests are built before. The peak is that of the whole process, with the forest.",
]


def main() -> None:
    args = arguments(__doc__ or "", quick=20_000, repeat=1, parts=("perceptron", "cost", "machine"))
    tables: dict[str, list[Row]] = {}
    if "perceptron" in args.only:
        rows = perceptron_rows(args.data, args.trees, args.repeat)
        tables["One epoch of TreePerceptron"] = rows
    if "cost" in args.only:
        title = "The cost of a tree against the number learned, one thread"
        tables[title] = cost_rows(args.data, args.trees)
    if "machine" in args.only:
        tables["TreeSVC"] = machine_rows(args.data, args.trees)
    report(__file__, args, tables, NOTES)


def load(
    names: tuple[str, ...], data: Path, limit: int | None, *, shuffle: bool = True
) -> tuple[tk.Forest, np.ndarray]:
    """Return trees and labels of some files, in random order, read a block of lines at a time."""
    forest = tk.Forest()
    labels: list[str] = []
    for name in names:
        with gzip.open(data / f"{name}.tsv.gz", "rt", encoding="utf-8") as file:
            lines = islice(file, limit)
            while block := [line.rstrip("\n").split("\t") for line in islice(lines, BLOCK)]:
                forest.extend(row[-1] for row in block)
                labels += [row[0] for row in block]
    if not shuffle:
        return forest, np.array(labels)
    order = np.random.RandomState(0).permutation(len(forest))
    return forest[order], np.array(labels)[order]


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def learn(names: tuple[str, ...], data: Path, limit: int | None, repeat: int) -> Row:
    """Fit a perceptron on one and on two threads, by turns."""
    forest, labels = load(names, data, limit)
    seconds = {1: np.inf, 2: np.inf}
    learner: Any = None
    tk.TreePerceptron("sst", random_state=0).fit(
        forest[:100], labels[:100]
    )  # imports what it needs
    for _ in range(repeat):
        for threads in seconds:
            learner = tk.TreePerceptron("sst", epochs=1, random_state=0, n_jobs=threads)
            start = time.perf_counter()
            learner.fit(forest, labels)
            seconds[threads] = min(seconds[threads], time.perf_counter() - start)
    default = np.nan
    if names == SOME:
        start = time.perf_counter()
        tk.TreePerceptron("sst", random_state=0, n_jobs=1).fit(forest, labels)
        default = time.perf_counter() - start
    return {
        "by default, one thread, s": default,
        "examples": len(forest),
        "distinct subtrees": forest.n_subtrees,
        "updates": learner.n_updates_,
        "model": learner.n_model_nodes_,
        "one thread, s": seconds[1],
        "two threads, s": seconds[2],
        "ratio": seconds[1] / seconds[2],
        "peak, MB": peak(),
    }


def perceptron_rows(data: Path, limit: int | None, repeat: int) -> list[Row]:
    """One epoch over 364,000 and over 2.2 million trees, beside its targets."""
    rows: list[Row] = []
    for names, most in ((SOME, 4.0), (ALL, 100.0)):
        say(f"perceptron: {' + '.join(names)}")
        found = in_fresh_process(learn, names, data, limit, repeat + 1)
        wanted = [("one thread, s", {"at_most": most})]
        if names == ALL:
            wanted += [("ratio", {"at_least": 1.6}), ("peak, MB", {"at_most": 1500.0})]
        shown = {key: found[key] for key in ("examples", "distinct subtrees", "updates", "model")}
        rows.append({**shown, "what": "two threads, s", "measured": found["two threads, s"]})
        if names == SOME:
            default = found["by default, one thread, s"]
            rows.append({**shown, "what": "all epochs of the default, s", "measured": default})
        for what, bound in wanted:
            value = float(found[what])
            rows.append({**shown, "what": what, "measured": value, **target(value, **bound)})
    return rows


def stream(data: Path, limit: int | None) -> list[Row]:
    """Learn in steps, and take the time of each; and label some trees with each model."""
    forest, labels = load(ALL, data, limit)
    count = fewest(20_000, len(forest) // 2) or 1
    held, forest = forest[:count], forest[count:]
    labels = labels[count:]
    learner = tk.TreePerceptron("sst", average=None)
    rows: list[Row] = []
    step = min(STEP, max(1, len(forest) // 3))
    for first in range(0, len(forest) - step + 1, step):
        chosen = slice(first, first + step)
        start = time.perf_counter()
        learner.partial_fit(forest[chosen], labels[chosen], classes=np.unique(labels))
        learned = time.perf_counter()
        learner.decision_function(held)
        labelled = time.perf_counter()
        rows.append(
            {
                "learned": first + step,
                "updates": learner.n_updates_,
                "model": learner.n_model_nodes_,
                "us to learn a tree": 1e6 * (learned - start) / step,
                "us to label a tree": 1e6 * (labelled - learned) / count,
            }
        )
    return rows


def cost_rows(data: Path, limit: int | None) -> list[Row]:
    say("perceptron: the cost of a tree")
    rows: list[Row] = in_fresh_process(stream, data, limit)
    return rows


def machine(names: tuple[str, ...], C: float, data: Path, limit: int | None) -> Row:
    forest, labels = load(names, data, limit)
    learner = tk.TreeSVC("sst", C=C, random_state=0)
    start = time.perf_counter()
    learner.fit(forest, labels)
    return {
        "data": " + ".join(names),
        "examples": len(forest),
        "C": C,
        "s": time.perf_counter() - start,
        "epochs": learner.n_iter_,
        "support": len(learner.support_),
        "relative gap": learner.gap_ / learner.objective_,
        "peak, MB": peak(),
    }


def machine_rows(data: Path, limit: int | None) -> list[Row]:
    """Machines of all of PropBank, and of EWT, which has no target."""
    rows: list[Row] = []
    for names, C, most in ((SOME, 1.0, 12.0), (SOME, 10.0, 60.0), (("ewt.boundary",), 1.0, None)):
        say(f"machine: {names[0]}, C {C:g}")
        found = in_fresh_process(partial(machine, names, C), data, limit)
        rows.append(found if most is None else {**found, **target(found["s"], "s", at_most=most)})
    return rows


if __name__ == "__main__":
    main()
