"""What kernel="auto" chooses, how good that is, and how long it takes.

Each task is learned from two thirds of its trees and tested on the last third, but for questions,
which have a test file. Reading the programs takes tree-sitter-java and tree-sitter-cpp. "best" is
the kernel of the portfolio that does best on the test trees, which nobody can know beforehand.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

import treekernels as tk
from bench_code_search import json_lines
from common import Row, arguments, load_rows, report, say
from treekernels.demo.functions import functions
from treekernels.learners.base.comparison import compare_classes
from treekernels.readers import from_code

NOTES = [
    "TreeSVC with its defaults and random_state=0; accuracy on trees that it was not fitted on.",
    "Trees of a sentence are all learned from, or all tested on. Programs with their names.",
    "best: of the kernels that were compared, but for those that take over ten times as long.",
    "seconds: processor time of fit.",
]
ROLES = {
    "propbank": "propbank.args",
    "masc": "masc.args",
    "ewt": "ewt.args",
    "framenet": "framenet.args",
    "boundary": "propbank.boundary",
}
PROGRAMS = {"gcj": ("gcj.java", "java"), "poj104": ("poj104.valid", "cpp")}
TASKS = ("qc", "inex05", "inex06", *ROLES, "functions", *PROGRAMS)
WHOLE = {"qc.train": 5, "propbank.boundary": 1}  # and how often they are learned from, by turns
MOST_TREES = 7500
LOOKED_AT = (
    "sst",
    "sst(leaf_weight=1)",
    "sst + subpath(max_length=4, counts=log, weights=idf)",
    "sst + features(weights=idf)",
    "features(weights=idf)",
    "features",
)
SAMPLES = (300, 1200, 2400, 4800)
SLOW = ("ptk", "elastic")
Labelled = tuple[tk.Forest, Any]


def main() -> None:
    args = arguments(__doc__ or "", repeat=1, parts=(*TASKS, *WHOLE))
    tasks = [name for name in args.only if name in TASKS]
    rows = [measure(name, *task(name, args.data, args.trees)) for name in tasks]
    tables = {"Chosen kernels": rows} if rows else {}
    if whole := [name for name in args.only if name in WHOLE]:
        tables["Whole files"] = [cost(args.data / f"{name}.tsv.gz", args.trees) for name in whole]
    for name in ("qc", "inex06"):
        if name in args.only:
            training, _ = task(name, args.data, args.trees)
            tables[f"Training trees of {name}"] = [look(text, *training) for text in LOOKED_AT]
    report(__file__, args, tables, NOTES)


def cost(path: Path, limit: int | None) -> Row:
    """Return what `fit` takes on all trees of a file, in random order: the median of some runs."""
    trees, labels, _ = load(path)
    order = np.random.RandomState(0).permutation(len(trees))[:limit]
    trees, labels = trees[order], labels[order]
    some = trees[:100], labels[:100]
    seconds: dict[str, list[float]] = {"sst": [], "auto": []}
    chosen = ""
    for kernel in seconds:  # imports what it needs
        try_kernel(kernel, some, some)
    for _ in range(WHOLE[path.name.removesuffix(".tsv.gz")]):
        for kernel, taken in seconds.items():
            say(f"{path.name}: {kernel}")
            _, used, learner = try_kernel(kernel, (trees, labels), some)
            taken.append(used)
            if kernel == "auto":
                chosen = learner.selection_.expression
    sst, auto = (float(np.median(taken)) for taken in seconds.values())
    return {
        "file": path.name,
        "trees": len(trees),
        "sst, s": sst,
        "auto, s": auto,
        "chosen": chosen,
    }


def look(kernel: str, trees: tk.Forest, labels: Any) -> Row:
    """Return the accuracy in folds, and that of leaving one out in samples, as in `fit`."""
    say(f"{kernel} on the training trees")
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(labels, labels)
    scores = [
        try_kernel(kernel, (trees[train], labels[train]), (trees[test], labels[test]))[0]
        for train, test in folds
    ]
    row: Row = {"kernel": kernel, "five folds": float(np.mean(scores))}
    contest = compare_classes(labels, lambda mean: 10.0, 0)
    for size in SAMPLES:
        rivals = contest.compare(size)
        assert rivals is not None
        sample = trees[rivals.rows]
        gram = tk.parse_kernel(kernel).fitted_on(sample)(sample)
        row[f"{size:,}"] = rivals.mean(rivals.scores(gram))
    return row


def task(name: str, data: Path, limit: int | None) -> tuple[Labelled, Labelled]:
    """Return labelled trees to learn from, and others to test on."""
    if name == "qc":
        return tuple(load(data / f"qc.{part}.tsv.gz")[:2] for part in ("train", "test"))
    groups = None
    if name == "functions":
        trees, labels = functions()
    elif name in PROGRAMS:
        file, language = PROGRAMS[name]
        items = json_lines(data / f"{file}.jsonl.gz")
        trees = tk.Forest([from_code(item["source"], language, errors=True) for item in items])
        labels = np.array([str(item["problem"]) for item in items])
    elif name in ROLES:
        trees, labels, groups = load(data / f"{ROLES[name]}.tsv.gz")
    else:
        trees, labels, _ = load(data / f"{name}.train.tsv.gz")
    random = np.random.default_rng(0)
    if groups is None:
        order = random.permutation(len(trees))
    else:
        known, numbers = np.unique(groups, return_inverse=True)
        order = np.argsort(random.permutation(len(known))[numbers], kind="stable")
    order = order[: min(limit or MOST_TREES, MOST_TREES)]
    tested, learned = np.split(order, [len(order) // 3])
    return (trees[learned], labels[learned]), (trees[tested], labels[tested])


def load(path: Path) -> tuple[tk.Forest, Any, Any]:
    """Read trees, their labels, which stand first, and the second column."""
    rows = load_rows(path)
    texts = [next(field for field in row if field.startswith("(")) for row in rows]
    labels, groups = (np.array([row[column] for row in rows]) for column in (0, 1))
    return tk.Forest.from_brackets(texts), labels, groups


def measure(name: str, training: Labelled, test: Labelled) -> Row:
    """Return how sst, what is chosen, and the best of the portfolio do."""
    say(f"{name}: {len(training[0]):,} trees, tested on {len(test[0]):,}")
    sst, sst_seconds, _ = try_kernel("sst", training, test)
    auto, seconds, learner = try_kernel("auto", training, test)
    selection = learner.selection_
    chosen = selection.expression
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
        start = time.process_time()
        learner.fit(*training)
        taken = time.process_time() - start
    return learner.score(*test), taken, learner


if __name__ == "__main__":
    main()
