"""Which decay suits which trees, and what weights and damped counts do: a table for the docs.

One corpus after the other, from questions of twenty nodes to programs of four hundred. Accuracy is
that of a support vector machine (C of 1 and 10, the better one) on trees that it was not fitted
on; the mean is that of the values of different trees, normalised: where it is next to nothing, each
tree is like itself and like nothing else. Weights are counted on the training trees.
"""

from __future__ import annotations

import argparse
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.svm import SVC

import treekernels as tk
from bench_code_search import json_lines, ranking
from common import Row, arguments, load_rows, load_texts, report, say
from treekernels.demo.functions import functions
from treekernels.readers import from_code, from_html_string

NOTES = [
    "At most 1,500 trees for training and 500 for testing, chosen at random, always the same ones.",
    "gcj: MAP@R of programs among each other; all of them, names and literals hidden.",
    "treebank: nothing to be told apart, so that there is the mean only.",
]
SETTINGS: dict[str, tk.Kernel] = {
    **{f"decay {decay:g}": tk.SubsetTreeKernel(decay) for decay in (0.8, 0.4, 0.2, 0.1, 0.05)},
    "0.4, log": tk.SubsetTreeKernel(0.4, counts="log"),
    "0.4, idf": tk.SubsetTreeKernel(0.4, weights="idf"),
    "0.4, idf, log": tk.SubsetTreeKernel(0.4, weights="idf", counts="log"),
    "0.1, idf, log": tk.SubsetTreeKernel(0.1, weights="idf", counts="log"),
}
ELASTIC: dict[str, tk.Kernel] = {
    f"decay {decay:g}": tk.ElasticTreeKernel(decay) for decay in (1.0, 0.7, 0.4, 0.2, 0.1, 0.05)
}
TRAINING, TESTING = 1500, 500
SMALLER = 600  # trees in all for the elastic kernel, and half as many programs


def main() -> None:
    args = arguments(__doc__ or "", repeat=1, parts=("subset", "elastic"))
    tables: dict[str, list[Row]] = {}
    for kind, settings in (("subset", SETTINGS), ("elastic", ELASTIC)):
        if kind in args.only:
            tables |= study(args, kind, settings)
    report(__file__, args, tables, NOTES)


def study(
    args: argparse.Namespace, kind: str, settings: dict[str, tk.Kernel]
) -> dict[str, list[Row]]:
    """Return how well each setting does on each corpus, and the mean values."""
    quality: list[Row] = []
    means: list[Row] = []
    limit = args.trees if kind == "subset" else min(args.trees or SMALLER, SMALLER)
    for name, trees, labels in corpora(args.data, limit):
        if kind == "elastic" and name == "gcj":
            trees, labels = trees[: SMALLER // 2], labels[: SMALLER // 2]
        sizes = {"corpus": name, "nodes": float(np.mean(trees.sizes))}
        quality.append(dict(sizes))
        means.append(dict(sizes))
        for setting, kernel in settings.items():
            say(f"{kind}, {name}, {setting}")
            score, mean = measure(kernel, trees, labels, search=name == "gcj")
            means[-1][setting] = mean
            if score is not None:
                quality[-1][setting] = score
    quality = [row for row in quality if len(row) > 2]
    return {f"How well: {kind}": quality, f"Mean value: {kind}": means}


def corpora(data: Path, limit: int | None) -> Iterator[tuple[str, tk.Forest, Any]]:
    """Yield names, trees, and labels or None."""
    rng = np.random.default_rng(0)

    def some(trees: tk.Forest, labels: Any) -> tuple[tk.Forest, Any]:
        count = min(len(trees), TRAINING + TESTING, limit or len(trees))
        rows = rng.choice(len(trees), count, replace=False)
        return trees[rows], None if labels is None else np.asarray(labels)[rows]

    for name, file in (("qc", "qc.train.tsv.gz"), ("propbank.args", "propbank.args.tsv.gz")):
        rows = load_rows(data / file)
        texts = [next(field for field in row if field.startswith("(")) for row in rows]
        yield name, *some(tk.Forest.from_brackets(texts), [row[0] for row in rows])
    treebank = load_texts(data / "treebank.trees.gz")
    yield "treebank", *some(tk.Forest.from_brackets(treebank), None)
    yield "functions", *some(*functions())
    yield "pages", *some(*pages(400))
    yield "gcj", *some(*programs(data))


def programs(folder: Path) -> tuple[tk.Forest, Any]:
    """Return the programs of `gcj`, and their problems."""
    lines = json_lines(folder / "gcj.java.jsonl.gz")
    hidden: dict[str, Any] = {"errors": True, "names": "none", "literals": False}
    sources = [line["source"].replace("\0", " ") for line in lines]
    trees = [from_code(source, "java", **hidden) for source in sources]
    return tk.Forest(trees), np.array([line["problem"] for line in lines])


def pages(count: int) -> tuple[tk.Forest, Any]:
    """Return pages of four templates, which differ in what their lists hold."""
    rng = random.Random(0)
    words = [f"w{number}" for number in range(200)]

    def text() -> str:
        return " ".join(rng.choices(words, k=rng.randint(1, 4)))

    def links(tag: str) -> str:
        return "".join(f"<{tag}><a>{text()}</a></{tag}>" for _ in range(rng.randint(3, 9)))

    def item(kind: int) -> str:
        head = f"<h2>{text()}</h2>" if kind % 2 else f"<h2><a>{text()}</a></h2>"
        tail = f"<p>{text()}</p>" if kind < 2 else f"<p>{text()}</p><p><b>{text()}</b></p>"
        return f"<div>{head}{tail}</div>"

    found, kinds = [], []
    for _ in range(count):
        kind = rng.randrange(4)
        items = "".join(
            item(kind if rng.random() < 0.6 else rng.randrange(4))
            for _ in range(rng.randint(8, 25))
        )
        body = f"<ul>{links('li')}</ul><div>{items}</div><p>{text()}</p>"
        found.append(from_html_string(f"<html><body>{body}</body></html>"))
        kinds.append(kind)
    return tk.Forest(found), np.array(kinds)


def measure(
    kernel: tk.Kernel, trees: tk.Forest, labels: Any, *, search: bool
) -> tuple[float | None, float]:
    """Return how well a kernel does, and the mean of what trees have in common."""
    training = int(len(trees) * TRAINING / (TRAINING + TESTING))
    fitted = kernel.fitted_on(trees if search else trees[:training])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tk.SmallValuesWarning)
        values = fitted(trees)
    mean = float((values.sum() - np.trace(values)) / (len(values) * (len(values) - 1)))
    if labels is None:
        return None, mean
    if search:
        return ranking(values, labels)[0], mean
    accuracies = []
    for penalty in (1.0, 10.0):
        machine = SVC(C=penalty, kernel="precomputed")
        machine.fit(values[:training, :training], labels[:training])
        found = machine.predict(values[training:, :training])
        accuracies.append(float(np.mean(found == labels[training:])))
    return max(accuracies), mean


if __name__ == "__main__":
    main()
