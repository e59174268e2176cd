"""What kernel="auto" chooses, how good that is, and how long it takes.

Each task is learned from two thirds of its trees and tested on the last third, but for questions,
which have a test file. "best" is the kernel of the portfolio that does best on the test trees,
which nobody can know beforehand. Seconds are those of `fit`.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import treekernels as tk
from common import Row, arguments, load_rows, report, say
from treekernels.demo.functions import functions

NOTES = [
    "TreeSVC with its defaults and random_state=0; accuracy on trees that it was not fitted on.",
    "best: of the kernels that were compared, but for those that take over ten times as long.",
]
TASKS = ("qc", "inex05", "inex06", "propbank", "functions")
MOST_ARGUMENTS = 7500
SLOW = ("ptk", "elastic")
Labelled = tuple[tk.Forest, Any]


def main() -> None:
    args = arguments(__doc__ or "", repeat=1, parts=TASKS)
    rows = [measure(name, *split) for name, *split in tasks(args.data, args.only, args.trees)]
    report(__file__, args, {"Chosen kernels": rows}, NOTES)


def tasks(
    data: Path, wanted: list[str], limit: int | None
) -> Iterator[tuple[str, Labelled, Labelled]]:
    """Yield names, and labelled trees to learn from and to test on."""
    if "qc" in wanted:
        yield "qc", load(data / "qc.train.tsv.gz", limit), load(data / "qc.test.tsv.gz", limit)
    files = {"inex05": "inex05.train", "inex06": "inex06.train", "propbank": "propbank.args"}
    for name in TASKS[1:]:
        if name in wanted:
            trees, labels = (
                functions() if name == "functions" else load(data / f"{files[name]}.tsv.gz")
            )
            order = np.random.default_rng(0).permutation(len(trees))
            order = order[: min(limit or MOST_ARGUMENTS, MOST_ARGUMENTS)]
            tested, learned = order[: len(order) // 3], order[len(order) // 3 :]
            labels = np.asarray(labels)
            yield name, (trees[learned], labels[learned]), (trees[tested], labels[tested])


def load(path: Path, limit: int | None = None) -> Labelled:
    """Read trees and their labels, which stand first."""
    rows = load_rows(path)[:limit]
    texts = [next(field for field in row if field.startswith("(")) for row in rows]
    return tk.Forest.from_brackets(texts), np.array([row[0] for row in rows])


def measure(name: str, training: Labelled, test: Labelled) -> Row:
    """Return how sst, what is chosen, and the best of the portfolio do."""
    say(f"{name}: {len(training[0]):,} trees, tested on {len(test[0]):,}")
    sst, sst_seconds, _ = try_kernel("sst", training, test)
    auto, seconds, learner = try_kernel("auto", training, test)
    selection = learner.selection_
    chosen = " + ".join(trial.expression for trial in selection.trials if trial.chosen)
    tried = {"sst": sst, chosen: auto}
    for trial in selection.trials:
        if trial.expression not in tried and trial.expression not in SLOW:
            say(f"{name}: {trial.expression}")
            tried[trial.expression] = try_kernel(trial.expression, training, test)[0]
    best = max(tried, key=lambda expression: tried[expression])
    return {
        "task": name,
        "sst": sst,
        "auto": auto,
        "chosen": chosen,
        "best": f"{tried[best]:.4f} {best}",
        "seconds sst": sst_seconds,
        "seconds auto": seconds,
    }


def try_kernel(kernel: str, training: Labelled, test: Labelled) -> tuple[float, float, Any]:
    """Return the accuracy, the seconds of `fit`, and the learner."""
    learner = tk.TreeSVC(kernel, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tk.SmallValuesWarning)
        start = time.perf_counter()
        learner.fit(*training)
        taken = time.perf_counter() - start
    return learner.score(*test), taken, learner


if __name__ == "__main__":
    main()
