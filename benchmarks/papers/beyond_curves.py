"""Beyond the papers: learning curves of the automatic choice, beside kernels that are fixed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from contests import AUTO, Contest, Split, programs, quiet_accuracy, some_of
from evaluation import by_sentence
from shared import claim as judged
from shared import finish, mark_numbers, track
from verdicts import MARGINS, all_of, greater, not_greater

import treekernels as tk
from bench_code_search import json_lines
from common import Row, arguments, load_rows, say

FIXED = [
    "sst",
    "sst(leaf_weight=1)",
    "sst + subpath(max_length=4, counts=log, weights=idf)",
    "sst + features(weights=idf)",
    "features(weights=idf)",
    "features",
]
SIZES = [100, 300, 900, 2700]
RUNS = 5
TESTED = 1000  # at most, of the fifth that follows
TASKS = {
    "questions (qc)": "qc.train.tsv.gz",
    "documents (inex05)": "inex05.train.tsv.gz",
    "documents (inex06)": "inex06.train.tsv.gz",
    "roles (propbank)": "propbank.args.tsv.gz",
    "roles (framenet)": "framenet.args.tsv.gz",
    "programs (gcj)": "gcj.java.jsonl.gz",
}
NOTES = [
    "Each corpus is split into five parts at random, by sentence where there are some. A run",
    "learns from the first examples of one part and is tested on the next, of which it looks at",
    f"{TESTED:,} at most: no two runs share what they learn from, nor what they are tested on.",
    "TreeSVC with its defaults. The fixed kernels are those of the portfolio that are quick to",
    "compare; which of them is the best is read off the tests, as nobody could beforehand.",
]


def main() -> None:
    args = arguments(__doc__ or "", repeat=1, quick=250)
    curves: dict[str, dict[int, Contest]] = {}
    for name, file in track(TASKS.items(), "tasks"):
        trees, labels, groups = load(args.data / file, args.trees)
        parts = by_sentence(groups, [1 / RUNS] * RUNS)
        curves[name] = {
            size: contest(trees, labels, splits)
            for size in (SIZES if args.trees is None else [10, 20, 40])
            if (splits := splits_of(parts, size)) is not None
        }
        say(f"{name}: {', '.join(f'{n:,}' for n in curves[name])}")
    rows = [
        {"task": name, "examples": size}
        | {kernel: float(result.scores[kernel].mean()) for kernel in (AUTO, *FIXED)}
        for name, curve in curves.items()
        for size, result in curve.items()
    ]
    finish(
        __file__,
        args,
        what="Learning curves: the automatic choice beside fixed kernels",
        data="Questions, XML documents, semantic roles and programs in Java.",
        parameters={"C": 10, "runs": RUNS, "fixed kernels": len(FIXED)},
        tables={"Accuracy, %, mean of five runs": rows},
        claims=[row for name, result in curves.items() if result for row in claims(name, result)],
        notes=NOTES,
        draw=lambda figure: draw(figure, rows),
        height=7,
    )


def load(path: Path, limit: int | None) -> tuple[tk.Forest, np.ndarray, list[str]]:
    """Return trees, their classes, and what must stay together: the tree alone, or a sentence."""
    if path.name.startswith("gcj"):
        trees, labels = programs(some_of(json_lines(path), limit), "java")
        return trees, labels, list(map(str, range(len(labels))))
    rows = some_of(load_rows(path), limit)
    columns = [next(n for n, field in enumerate(row) if field.startswith("(")) for row in rows]
    trees = tk.Forest.from_brackets([row[n] for row, n in zip(rows, columns, strict=True)])
    sentences = ".args." in path.name
    groups = [row[1] if sentences else str(number) for number, row in enumerate(rows)]
    return trees, np.array([row[0] for row in rows]), groups


def splits_of(parts: list[np.ndarray], size: int) -> list[Split] | None:
    """Return what each run learns from and is tested on, None if a part has too few examples."""
    if min(map(len, parts)) < size:
        return None
    shuffled = [np.random.default_rng(0).permutation(part) for part in parts]
    following = shuffled[1:] + shuffled[:1]
    return [(part[:size], other[-TESTED:]) for part, other in zip(shuffled, following, strict=True)]


def contest(trees: tk.Forest, labels: np.ndarray, splits: list[Split]) -> Contest:
    """Return the accuracy of each kernel in each run."""
    return Contest(
        {kernel: quiet_accuracy(kernel, trees, labels, splits) for kernel in (AUTO, *FIXED)}
    )


def claims(task: str, curve: dict[int, Contest]) -> list[Row]:
    """Judge the automatic choice at all sizes of a task together."""
    margin = MARGINS["points"]
    lost, gained, cells = [], [], []
    for size, result in curve.items():
        best = result.best_fixed()
        below = result.scores[best] - result.scores[AUTO]
        above = result.scores[AUTO] - result.scores["sst"]
        lost.append(not_greater(list(below), margin, "points"))
        gained.append(greater(list(above)))
        cells.append(
            {"examples": size, "best fixed kernel": best}
            | {"best fixed, %": float(result.scores[best].mean())}
            | {"auto, %": float(result.scores[AUTO].mean()), "off by": float(0 - below.mean())}
            | {"test": lost[-1].test}
        )
    last = list(curve.values())[-1]
    more = last.scores[AUTO] - last.scores["sst"]
    return [
        judged(
            f"{task}: the automatic choice is at most {margin:g} points below the best fixed "
            "kernel, at every size",
            ours=min(row["off by"] for row in cells),
            unit="points",
            holds=all_of(lost),
            why="The size at which it is furthest below.",
            cells=cells,
        ),
        judged(
            f"{task}: it is better than subset trees ({list(curve)[-1]:,} examples)",
            ours=float(more.mean()),
            unit="points",
            holds=gained[-1],
        ),
    ]


def draw(figure: Any, rows: list[Row]) -> None:
    for place, task in zip(figure.subplots(2, 3).flat, TASKS, strict=True):
        shown = [row for row in rows if row["task"] == task]
        sizes = [row["examples"] for row in shown]
        for kernel in FIXED:
            place.plot(sizes, [row[kernel] for row in shown], marker="o", ms=3, label=kernel)
        place.plot(sizes, [row[AUTO] for row in shown], "k--", marker="s", ms=4, label=AUTO)
        place.set(title=task, xlabel="examples", ylabel="accuracy, %")
        mark_numbers(place, sizes)
    lines = place.get_legend_handles_labels()
    figure.legend(*lines, loc="outside lower center", ncols=3, fontsize="small")


if __name__ == "__main__":
    main()
