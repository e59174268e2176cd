"""Has anything become slower? Some tasks, each as a ratio to a fixed yardstick: `make track`.

The yardstick is work that no change of ours can touch: sorting, multiplying and a loop in plain
Python. It runs before and after each task, so that ratios of different days and computers can be
compared. Times are processor times, on one thread if `make track` has started this, and the best of
several runs. A run adds a line to `results/track.jsonl` with the commit, and the table says what
has moved by more than a fifth since the last line of another commit on the same trees. `--show`
prints that table without measuring.

Without the folder of corpora the trees are sentences of a small random grammar, so that every
computer can tell whether a change has made it slower; such lines are compared with each other only.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import treekernels as tk
from common import RESULTS, about_machine, load_rows, load_texts, print_table, say

LINES = RESULTS / "track.jsonl"
MOVED = 0.2  # of a ratio, which is more than the noise of a quiet computer
SECONDS = 8.0  # for one task, after which it is not repeated any more
Task = Callable[[], object]


class Corpus(NamedTuple):
    """Trees to measure on."""

    name: str
    sentences: list[str]
    questions: list[str]
    classes: list[str]
    arguments: list[str]
    decisions: list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of files")
    parser.add_argument(
        "--repeat", type=int, default=5, help="take the best of at most so many runs"
    )
    parser.add_argument("--only", nargs="+", help="measure these tasks alone, and write no line")
    parser.add_argument("--show", action="store_true", help="compare the last two lines, and stop")
    args = parser.parse_args()
    if args.show:
        lines = _lines()
        if not lines:
            parser.error(f"there is no line in {LINES.name} yet; measure once with `make track`")
        _compare(lines[-1], lines[:-1])
        return
    corpus = of_files(args.data) if args.data.is_dir() else of_a_grammar()
    all_tasks = tasks(corpus)
    if unknown := sorted(set(args.only or ()) - all_tasks.keys()):
        parser.error(f"there is no task {unknown[0]!r}; there are {', '.join(all_tasks)}")
    ratios = {}
    for name in args.only or all_tasks:
        say(name)
        ratios[name] = round(ratio(all_tasks[name], args.repeat), 4)
    line = {**about_machine(), "corpus": corpus.name, "ratios": ratios}
    earlier = _lines()
    if not args.only:
        RESULTS.mkdir(exist_ok=True)
        with LINES.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    _compare(line, earlier)


def tasks(corpus: Corpus) -> dict[str, Task]:
    """Return what is measured, by name; what a task needs is made before it is timed."""
    forest = tk.Forest.from_brackets(corpus.sentences)
    questions = tk.Forest.from_brackets(corpus.questions)
    arguments = tk.Forest.from_brackets(corpus.arguments)
    few = forest[:500]
    some = questions[:1500]
    fitted = tk.TreeSVC("sst", C=1).fit(some, corpus.classes[:1500])
    index = tk.TreeIndex(tk.SubsetTreeKernel())
    index.add(questions)
    file = Path(tempfile.mkdtemp()) / "trees.tsv.gz"
    with gzip.open(file, "wt", encoding="utf-8", compresslevel=1) as lines:
        rows = zip(corpus.decisions, corpus.arguments, strict=True)
        lines.writelines(f"{label}\t{tree}\n" for label, tree in rows)
    weighted = tk.TreeFeaturesKernel(weights="idf").fitted_on(questions)
    short = tk.Forest.from_brackets([min(corpus.questions, key=len)])

    def one_by_one() -> None:
        for _ in range(500):
            fitted.predict(short)

    def from_nothing() -> None:
        code = "import treekernels as tk; tk.TreeSVC().fit(['(A b)', '(A c)'] * 20, [0, 1] * 20)"
        subprocess.run([sys.executable, "-c", code], check=True)

    return {
        "text to forest": lambda: tk.Forest.from_brackets(corpus.sentences),
        "read .tsv.gz": lambda: tk.read(file),
        "subtrees, all pairs": lambda: tk.SubtreeKernel()(forest, n_jobs=1),
        "subset trees, all pairs": lambda: tk.SubsetTreeKernel()(forest, n_jobs=1),
        "subset trees, 500": lambda: tk.SubsetTreeKernel()(few, n_jobs=1),
        "partial trees, 500": lambda: tk.PartialTreeKernel()(few, n_jobs=1),
        "elastic trees, 500": lambda: tk.ElasticTreeKernel()(few, n_jobs=1),
        "features with idf": lambda: weighted(questions, n_jobs=1),
        "machine of questions": lambda: tk.TreeSVC("sst", C=1).fit(questions, corpus.classes),
        "machine, kernel chosen": lambda: tk.TreeSVC(C=1).fit(some, corpus.classes[:1500]),
        "partial machine": lambda: tk.TreeSVC("ptk", C=1).fit(
            arguments[:3000], corpus.decisions[:3000]
        ),
        "perceptron": lambda: tk.TreePerceptron("sst", epochs=1).fit(arguments, corpus.decisions),
        "label one tree, 500 times": one_by_one,
        "search": lambda: index.search(questions[:500], k=10),
        "near-copies": lambda: index.duplicates(threshold=0.9),
        "vectors of 4,096": lambda: tk.DistributedTrees(4096).fit_transform(some),
        "edit distances": lambda: tk.EditDistance()(few[:100], n_jobs=1),
        "first fit of a process": from_nothing,
    }


def ratio(task: Task, repeat: int) -> float:
    """Return how many yardsticks a task takes: the least of some runs of both, by turns."""
    least_task = least_yardstick = float("inf")
    started = time.monotonic()
    for run in range(repeat):
        least_yardstick = min(least_yardstick, _seconds(yardstick))
        least_task = min(least_task, _seconds(task))
        if run > 0 and time.monotonic() - started > SECONDS:
            break
    least_yardstick = min(least_yardstick, _seconds(yardstick))
    return least_task / least_yardstick


def yardstick() -> None:
    """Work of some hundredths of a second that is the same on every day."""
    numbers = np.random.RandomState(0).randint(0, 2**31, 300_000)
    np.sort(numbers)
    np.unique(numbers % 5000, return_counts=True)
    matrix = np.linspace(0, 1, 300 * 300).reshape(300, 300)
    for _ in range(4):
        matrix = matrix @ matrix / 300
    counts: dict[int, int] = {}
    for number in range(60_000):
        counts[number % 997] = counts.get(number % 997, 0) + number


def _seconds(call: Task) -> float:
    """Return the processor time of a call and of the processes that it starts."""
    before = _processor_time()
    call()
    return _processor_time() - before


def _processor_time() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def of_files(folder: Path) -> Corpus:
    """Return a part of the corpora that the other benchmarks use."""
    questions = load_rows(folder / "qc.train.tsv.gz")
    arguments = load_rows(folder / "propbank.boundary.tsv.gz", 50_000)
    return Corpus(
        "treebank, questions and PropBank",
        load_texts(folder / "treebank.trees.gz"),
        [row[-1] for row in questions],
        [row[0] for row in questions],
        [row[-1] for row in arguments],
        [row[0] for row in arguments],
    )


def of_a_grammar() -> Corpus:
    """Return sentences of a small random grammar, the same ones on every computer."""
    rules = {
        "S": ["NP VP", "NP VP PP", "ADVP NP VP", "SBAR NP VP"],
        "NP": ["D N", "D J N", "N", "NP PP", "NP SBAR", "D J J N", "NP C NP"],
        "VP": ["V NP", "V", "V NP PP", "V SBAR", "M VP", "VP ADVP"],
        "PP": ["P NP"],
        "SBAR": ["W S", "W VP"],
        "ADVP": ["A", "A A"],
    }
    random = np.random.RandomState(0)

    def tree(symbol: str, depth: int) -> str:
        if symbol not in rules:
            return f"({symbol} {symbol.lower()}{min(random.zipf(1.3), 999)})"
        choices = rules[symbol] if depth < 7 else rules[symbol][:1]
        if depth >= 9:
            return f"({symbol} (N n{min(random.zipf(1.3), 999)}))"
        children = choices[random.randint(len(choices))].split()
        return f"({symbol} {' '.join(tree(child, depth + 1) for child in children)})"

    sentences = [tree("S", 0) for _ in range(2500)]
    questions = [tree("S", 4) for _ in range(4000)]
    arguments = [tree("NP", 4) for _ in range(50_000)]
    return Corpus(
        "a random grammar",
        sentences,
        questions,
        [str(text.count("(J") % 6) for text in questions],
        arguments,
        [str(int("(SBAR" in text)) for text in arguments],
    )


def _lines() -> list[dict[str, Any]]:
    if not LINES.exists():
        return []
    return [json.loads(line) for line in LINES.read_text(encoding="utf-8").splitlines()]


def _compare(line: dict[str, Any], earlier: list[dict[str, Any]]) -> None:
    """Print a line beside the last one of another commit on the same trees."""
    before = [
        other
        for other in earlier
        if other["commit"] != line["commit"] and other["corpus"] == line["corpus"]
    ]
    print(f"commit {line['commit']}  load {line['load']}  trees of {line['corpus']}")
    rows = []
    for name, value in line["ratios"].items():
        row = {"task": name, "yardsticks": value}
        if before and name in before[-1]["ratios"]:
            change = value / before[-1]["ratios"][name] - 1
            row |= {"before": before[-1]["ratios"][name], "change": f"{change:+.0%}"}
            row["moved"] = ("slower" if change > 0 else "faster") if abs(change) > MOVED else ""
        rows.append(row)
    print_table(rows)
    if before:
        moved, since = sum(bool(row.get("moved")) for row in rows), before[-1]["commit"]
        print(f"\n{moved} of {len(rows)} tasks moved by more than a fifth since {since}.")
    else:
        print("\nThere is no earlier line of these trees to compare with.")


if __name__ == "__main__":
    main()
