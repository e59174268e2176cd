"""Learners on the weighted forest: training, prediction, memory, and growth with the examples."""

from __future__ import annotations

import resource
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import treekernels as tk
from common import (
    Row,
    arguments,
    best_seconds,
    fewest,
    in_fresh_process,
    load_rows,
    report,
    say,
    target,
)

STANDARD_LIMIT = 100_000
NOTES = [
    "SST kernel, decay 0.4, normalised; C 1; one thread but where it says two.",
    "Peak is of the whole process, with the forest. propbank.args: 80/20 by sentence, seed 0.",
    "Forests are built before; figures of the existing program are from the project's issue.",
]


def main() -> None:
    args = arguments(__doc__ or "", quick=1_000, repeat=1)
    tables = {
        "Support vector machines, all classes one against the others": [
            *machine_rows("qc", args.data, args.trees),
            *machine_rows("propbank.args", args.data, args.trees),
        ],
        "propbank.boundary, in the order of the file": growth_rows(args.data, args.trees),
        "Scoring by a perceptron of all of propbank.boundary": score_rows(
            args.data, args.trees, args.repeat
        ),
    }
    report(__file__, args, tables, NOTES)


def split(name: str, data: Path, limit: int | None) -> tuple[Any, ...]:
    """Return training and test trees and labels."""
    if name == "qc":
        train = load_rows(data / "qc.train.tsv.gz", limit)
        test = load_rows(data / "qc.test.tsv.gz", limit)
    else:
        rows = load_rows(data / "propbank.args.tsv.gz", limit)
        sentences = sorted({row[1] for row in rows})
        chosen = np.random.default_rng(0).permutation(len(sentences))[: len(sentences) // 5]
        held_out = {sentences[number] for number in chosen}
        train = [row for row in rows if row[1] not in held_out]
        test = [row for row in rows if row[1] in held_out]
    parts: list[Any] = []
    for part in (train, test):
        parts += [tk.Forest.from_brackets([row[-1] for row in part]), [row[0] for row in part]]
    return tuple(parts)


def train(name: str, data: Path, limit: int | None) -> Row:
    """Train and test one machine, in a process of its own."""
    train_trees, train_labels, test_trees, test_labels = split(name, data, limit)
    machine = tk.TreeSVC("sst", C=1.0, random_state=0)  # imports scikit-learn
    start = time.perf_counter()
    machine.fit(train_trees, train_labels)
    trained = time.perf_counter()
    predicted = machine.predict(test_trees)
    done = time.perf_counter()
    return {
        "train": trained - start,
        "test": done - trained,
        "trees": len(train_trees),
        "tested": len(test_trees),
        "epochs": machine.n_iter_,
        "gap": machine.gap_ / machine.objective_,
        "accuracy": 100 * float(np.mean(predicted == np.array(test_labels))),
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def machine_rows(name: str, data: Path, limit: int | None) -> list[Row]:
    """Put a machine's figures beside their targets."""
    say(f"{name}: training")
    found = in_fresh_process(train, name, data, limit)
    start = {"data": name, "trees": found["trees"]}
    if name == "qc":
        wanted = [
            ("train, s", found["train"], {"at_most": 2.0}),
            (f"predict {found['tested']} trees, ms", 1e3 * found["test"], {"at_most": 50.0}),
            ("accuracy, %", found["accuracy"], {"at_least": 87.2}),
        ]
    else:
        wanted = [
            ("train, s", found["train"], {"at_most": 5.0}),
            ("peak, MB", found["peak MB"], {"at_most": 300.0}),
            ("accuracy, %", found["accuracy"], None),
        ]
    rows = [
        {**start, "what": what, "measured": value, **(target(value, **bound) if bound else {})}
        for what, value, bound in wanted
    ]
    rows.append({**start, "what": "epochs", "measured": found["epochs"]})
    rows.append({**start, "what": "relative duality gap", "measured": found["gap"]})
    return rows


def boundary(data: Path, limit: int | None) -> tuple[tk.Forest, np.ndarray]:
    """Return the trees and labels of boundary detection."""
    rows = load_rows(data / "propbank.boundary.tsv.gz", limit)
    return tk.Forest.from_brackets([row[-1] for row in rows]), np.array([row[0] for row in rows])


def learn(solver: str, forest: tk.Forest, labels: np.ndarray) -> Row:
    """Go once through all examples."""
    if solver == "svm":
        learner: Any = tk.TreeSVC("sst", C=1.0, random_state=0)
    else:
        learner = tk.TreePerceptron("sst", average="vote", epochs=1, shuffle=False, solver=solver)
    start = time.perf_counter()
    learner.fit(forest, labels)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "model": learner.n_model_nodes_, "learner": learner}


def growth_rows(data: Path, limit: int | None) -> list[Row]:
    """Time and model size against the number of examples, beside the standard perceptron."""
    forest, labels = boundary(data, limit)
    rows: list[Row] = []
    count = len(forest)
    sizes = [size for size in (12_500, 25_000, 50_000, 100_000, 200_000) if size < count]
    for size in [*sizes, count]:
        part, part_labels = forest[:size], labels[:size]
        say(f"boundary: {size:,} examples")
        start = {"examples": size, "distinct subtrees": part.n_subtrees}
        dag = learn("forest", part, part_labels)
        rows.append({**start, "learner": "voted perceptron", **shown(dag)})
        if size == count and limit is None:
            rows[-1] |= target(dag["seconds"], "s", at_most=10.0)
        machine = learn("svm", part, part_labels)
        rows.append({**start, "learner": "TreeSVC", **shown(machine)})
        if size <= STANDARD_LIMIT:
            standard = learn("standard", part, part_labels)
            ratio = standard["seconds"] / dag["seconds"]
            rows.append({**start, "learner": "standard perceptron", **shown(standard)})
            rows[-1]["slower than voted"] = ratio
            if size == STANDARD_LIMIT:
                rows[-1] |= target(ratio, at_least=20.0)
    return rows


def shown(found: Row) -> Row:
    """Return the columns of one learner; a standard perceptron's model is counted in trees."""
    return {"seconds": found["seconds"], "model size": found["model"]}


def score_rows(data: Path, limit: int | None, repeat: int) -> list[Row]:
    """Score trees that share more and more of their subtrees, and on two threads."""
    forest, labels = boundary(data, limit)
    say("boundary: a model to score with")
    learner = tk.TreePerceptron("sst", shuffle=False, average=None, epochs=1).fit(forest, labels)
    count = fewest(20_000, len(forest)) or 0
    some = forest[np.random.default_rng(0).permutation(len(forest))[:count]]
    rows: list[Row] = []
    for copies in (1, 2, 4):
        trees = some[np.tile(np.arange(count), copies)]
        seconds = best_seconds({"all": partial(learner.decision_function, trees)}, repeat + 1)[
            "all"
        ]
        rows.append(
            {
                "trees": len(trees),
                "distinct subtrees": trees.n_subtrees,
                "threads": 1,
                "ms": 1e3 * seconds,
                "us a tree": 1e6 * seconds / len(trees),
            }
        )
    learner.n_jobs = 2
    trees = forest
    two = best_seconds({"all": partial(learner.decision_function, trees)}, repeat + 1)["all"]
    learner.n_jobs = 1
    one = best_seconds({"all": partial(learner.decision_function, trees)}, repeat + 1)["all"]
    for threads, seconds in ((1, one), (2, two)):
        rows.append(
            {
                "trees": len(trees),
                "distinct subtrees": trees.n_subtrees,
                "threads": threads,
                "ms": 1e3 * seconds,
                "us a tree": 1e6 * seconds / len(trees),
            }
        )
    rows[-1] |= {"ratio": one / two, **target(one / two, at_least=1.8)}
    return rows


if __name__ == "__main__":
    main()
