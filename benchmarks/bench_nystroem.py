"""Vectors of trees: accuracy and time by dimension, of TreeNystroem beside DistributedTrees.

`TreeSVC` learns from the vectors with a linear kernel, and from the trees themselves for
comparison. Questions are those of `qc`, trained and tested as they are divided; arguments are those
of `propbank.args`, trained on the files of the Wall Street Journal below 0150 and tested on the
others.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import treekernels as tk
from common import Row, arguments, load_rows, report, say

DECAY = 0.4
DIMENSIONS = (64, 256, 1024, 2048)
DISTRIBUTED = (256, 1024, 2048, 8192)
SEEDS = {"qc": 3, "propbank.args": 1}
SELECTIONS = ("uniform", "kmeans++", "leverage")
NOTES = [
    "Normalised values, decay 0.4. 'vectors': processor seconds to fit and to make the vectors of",
    "all trees, train and test; 'learning': of TreeSVC (C = 10) and its predictions, with a linear",
    "kernel on the vectors or with the kernel itself on the trees. All on one thread.",
    "Vectors of Nystroem on qc: mean of three seeds, with their standard deviation.",
]


@dataclass
class Task:
    """Trees to learn from and trees to test on."""

    name: str
    train: tk.Forest
    labels: np.ndarray
    test: tk.Forest
    truth: np.ndarray


def tasks(args: Namespace) -> Iterator[Task]:
    """Read the questions and the arguments."""
    train = load_rows(args.data / "qc.train.tsv.gz", args.trees)
    test = load_rows(args.data / "qc.test.tsv.gz", args.trees)
    yield _task("qc", train, test)
    rows = load_rows(args.data / "propbank.args.tsv.gz", None)
    below = [row for row in rows if row[1] < "wsj_0150"]
    yield _task("propbank.args", below[: args.trees], [r for r in rows if r[1] >= "wsj_0150"])


def _task(name: str, train: list[list[str]], test: list[list[str]]) -> Task:
    trees = tk.Forest.from_brackets([row[-1] for row in [*train, *test]])
    labels = np.array([row[0] for row in [*train, *test]])
    count = len(train)
    return Task(name, trees[:count], labels[:count], trees[count:], labels[count:])


def measure_vectors(task: Task, embedding: Any) -> Row:
    """Make vectors, learn from them, and test."""
    start = time.process_time()
    X = embedding.fit_transform(task.train)
    Z = embedding.transform(task.test)
    made = time.process_time()
    machine = tk.TreeSVC("linear", C=10, random_state=0).fit(X, task.labels)
    accuracy = float(np.mean(machine.predict(Z) == task.truth))
    done = time.process_time()
    return {"accuracy": 100 * accuracy, "vectors": made - start, "learning": done - made}


def measure_kernel(task: Task, kernel: tk.Kernel) -> Row:
    """Learn from the trees themselves, and test."""
    start = time.process_time()
    machine = tk.TreeSVC(kernel, C=10, random_state=0).fit(task.train, task.labels)
    accuracy = float(np.mean(machine.predict(task.test) == task.truth))
    return {"accuracy": 100 * accuracy, "learning": time.process_time() - start}


def rows_of(task: Task) -> Iterator[Row]:
    """Measure everything on one task."""
    for name, kernel in {
        "sst": tk.SubsetTreeKernel(DECAY),
        "ptk": tk.PartialTreeKernel(DECAY),
    }.items():
        columns = {"task": task.name, "kernel": name}
        yield {**columns, "way": "TreeSVC", **measure_kernel(task, kernel)}
        for dimension in DISTRIBUTED:
            own: Any = {"min_df": 2} if name == "sst" else {"kernel": "partial"}
            embedding = tk.DistributedTrees(dimension, DECAY, normalize=True, **own)
            more = {"way": "DistributedTrees", "dimension": dimension}
            yield {**columns, **more, **measure_vectors(task, embedding)}
        for selection in SELECTIONS if name == "sst" else SELECTIONS[:1]:
            for dimension in DIMENSIONS:
                more = {"way": f"TreeNystroem, {selection}", "dimension": dimension}
                yield {**columns, **more, **mean_of_seeds(task, kernel, dimension, selection)}


def mean_of_seeds(task: Task, kernel: tk.Kernel, dimension: int, selection: Any) -> Row:
    """Measure vectors of Nystroem, with other landmarks each time."""
    measured = [
        measure_vectors(
            task,
            tk.TreeNystroem(
                kernel, dimension, selection=selection, dtype="float32", random_state=seed
            ),
        )
        for seed in range(SEEDS[task.name])
    ]
    means = {key: float(np.mean([row[key] for row in measured])) for key in measured[0]}
    return {**means, "deviation": float(np.std([row["accuracy"] for row in measured]))}


def main() -> None:
    """Measure both tasks, and print one table."""
    args = arguments((__doc__ or "").splitlines()[0], repeat=1, parts=tuple(SEEDS))
    rows = []
    for task in (task for task in tasks(args) if task.name in args.only):
        for row in rows_of(task):
            say("  ".join(f"{value:.1f}" if isinstance(value, float) else f"{value}"
                          for value in row.values()))  # fmt: skip
            rows.append(row)
    report(__file__, args, {"Accuracy in percent, and processor seconds": rows}, NOTES)


if __name__ == "__main__":
    main()
