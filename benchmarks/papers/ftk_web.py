"""Fig. 7 of Moschitti (EACL 2006) on 80,769 arguments of web texts, and the cost factor j."""

from __future__ import annotations

from typing import Any

import numpy as np
from argument_kernels import FACTORS, MACHINE, SINGLE, SST, Split, accuracy, choose, predict
from evaluation import by_sentence, f1, f1_counts, folds_by_sentence
from propbank import document, load  # it sets the path
from shared import claim as paper_says
from shared import finish, mark_numbers, track
from verdicts import greater

import treekernels as tk
from common import Row, arguments, say

FOLDS = 5
OVERLAP = 1 / (FOLDS - 1)
CURVE = [1 / 8, 1 / 2, 1.0]
KERNELS = {name: SINGLE[name] for name in ("ST", "SST", "Linear", "Poly")}
COST_SHARE = 1 / 16  # of the training documents, for the machines of single classes
FEWEST = 10  # examples of a class in the test part, for its own machine
NOTES = [
    "Five folds by document; points of the curves are shares of the documents of each training",
    "part, and the mean of the folds. The cost factor j of each kernel is chosen in the first",
    "fold, by the accuracy on an eighth of the training documents, with machines that learn from",
    "a third of the examples of another.",
    "F1 by cost factor: one machine for each class against all others, SST, trained on a sixteenth",
    "of the training documents; an error on an example of the class costs j times as much as one",
    f"on another. {MACHINE}",
]


def main() -> None:
    args = arguments(__doc__ or "", repeat=1, quick=800)
    X, y, sentences = load(args.data, args.trees, "ewt")
    whole = args.trees is None  # a slice has too few documents
    documents = [document(sentence) if whole else sentence for sentence in sentences]
    folds = folds_by_sentence(documents, FOLDS)
    within = inside(folds[0], documents, 1 / 8 if whole else 1 / 3)
    factors = {name: choose(kernel, X, y, within).j for name, kernel in KERNELS.items()}
    say(f"cost factors: {factors}")
    curve: list[Row] = []
    for share in track(CURVE if whole else CURVE[-2:], "learning curves"):
        parts = [shortened(fold, documents, share) for fold in folds]
        row: Row = {"examples": round(float(np.mean([len(train) for train, _ in parts])))}
        for name, kernel in KERNELS.items():
            row[name] = np.array([accuracy(kernel, X, y, part, factors[name]) for part in parts])
            say(f"{row['examples']:,} examples, {name}: {row[name].mean():.2f} %")
        curve.append(row)
    share, fewest, some = (COST_SHARE, FEWEST, FACTORS) if whole else (1 / 2, 1, FACTORS[:2])
    parts = [shortened(fold, documents, share) for fold in folds]
    costs = cost_rows(X, y, parts, fewest, some)
    means = [{k: float(np.mean(v)) if k in KERNELS else v for k, v in r.items()} for r in curve]
    finish(
        __file__,
        args,
        what="Fig. 7 on more data: learning curves up to 64,000 arguments, and cost factors",
        data="`ewt.args`: 80,769 arguments of the English Web Treebank in the public release of "
        "PropBank; the paper has 122,774 for training.",
        parameters={
            "decay of ST": 1.0,
            "decay of SST": 0.4,
            "C": "1 / mean of K(x, x)",
            "j": FACTORS,
        },
        tables={
            "Accuracy against training examples, %": means,
            "Cost factors": [{"kernel": name, "j": j} for name, j in factors.items()],
            "F1 of single classes by cost factor, %": [
                {k: float(np.mean(v)) if k.startswith("j") else v for k, v in row.items()}
                for row in costs
            ],
        },
        claims=[*curve_claims(curve), *cost_claims(costs)],
        notes=NOTES,
        draw=lambda figure: draw(figure, means, costs),
    )


def shortened(split: Split, documents: list[str], share: float) -> Split:
    """Return a split with a share of the documents of its training part."""
    train, test = split
    if share == 1:
        return split
    within = [documents[i] for i in train]
    return train[by_sentence(within, [share, 1 - share], seed=1)[0]], test


def inside(split: Split, documents: list[str], share: float) -> Split:
    """Return two parts of a training part, each a share of its documents."""
    train = split[0]
    first, second, _ = by_sentence([documents[i] for i in train], [share, share, 1 - 2 * share])
    return train[first], train[second]


def cost_rows(
    X: tk.Table, y: np.ndarray, parts: list[Split], fewest: int, factors: list[int]
) -> list[Row]:
    """Return F1 of each class in each fold, for every cost factor."""
    rows: list[Row] = []
    for label in track(sorted(set(y)), "cost factors"):
        if any((y[places] == label).sum() < fewest for part in parts for places in part):
            continue
        examples = np.mean([(y[train] == label).sum() for train, _ in parts])
        row: Row = {"class": label, "examples": round(float(examples))}
        for factor in factors:
            result = [predict(SST, X, y == label, part, factor) for part in parts]
            scores = [
                float(f1(f1_counts(got, y[part[1]] == label).sum(0)))
                for got, part in zip(result, parts, strict=True)
            ]
            row[f"j = {factor}"] = 100 * np.array(scores)
        rows.append(row)
    return rows


def curve_claims(curve: list[Row]) -> list[Row]:
    def gain(a: str, b: str) -> np.ndarray:
        values: np.ndarray = curve[-1][a] - curve[-1][b]
        return values

    def claim(says: str, values: np.ndarray, holds: Any, why: str) -> Row:
        return paper_says(says, ours=float(values.mean()), unit="points", holds=holds, why=why)

    examples = curve[-1]["examples"]
    made = [
        claim(
            f"{a} is more accurate than {b} ({examples:,} examples)",
            gain(a, b),
            greater(list(gain(a, b)), overlap=OVERLAP),
            "",
        )
        for a, b in (("SST", "ST"), ("Poly", "SST"), ("Poly", "Linear"))
    ]
    gained = {name: curve[-1][name] - curve[-2][name] for name in KERNELS}
    for name in ("ST", "Linear", "Poly"):
        more = gained["SST"] - gained[name]
        made.append(
            claim(
                f"At its end the curve of SST is steeper than {name}'s ({examples:,} examples)",
                more,
                greater(list(more), overlap=OVERLAP),
                f"From {curve[-2]['examples']:,} examples on SST gains {gained['SST'].mean():.2f} "
                f"points, {name} {gained[name].mean():.2f}.",
            )
        )
    return made


def cost_claims(costs: list[Row]) -> list[Row]:
    """Put the gain of the best cost factor beside; the paper gives none."""
    made = []
    for row in costs:
        best = max(tried(row), key=lambda factor: float(np.mean(row[f"j = {factor}"])))
        made.append(
            paper_says(
                f"Cost factors were tried to adjust precision and recall: {row['class']}",
                ours=float(np.mean(row[f"j = {best}"] - row["j = 1"])),
                unit="points",
                why=f"j = {best} has the highest F1, so much above j = 1. The paper gives none.",
            )
        )
    return made


def tried(row: Row) -> list[int]:
    return [factor for factor in FACTORS if f"j = {factor}" in row]


def draw(figure: Any, curve: list[Row], costs: list[Row]) -> None:
    lines, factors = figure.subplots(1, 2)
    examples = [row["examples"] for row in curve]
    for name in KERNELS:
        lines.plot(examples, [row[name] for row in curve], marker="o", ms=3, label=name)
    lines.set(xlabel="training examples", ylabel="accuracy, %", title="Fig. 7")
    mark_numbers(lines, examples)
    lines.legend(fontsize="small")
    for row in costs:
        values = [float(np.mean(row[f"j = {factor}"])) for factor in tried(row)]
        factors.plot(tried(row), values, marker="o", ms=3, label=row["class"])
    factors.set(xlabel="cost factor j", ylabel="F1, %")
    mark_numbers(factors, FACTORS)
    if costs:
        factors.legend(fontsize="small", ncols=3, loc="center", bbox_to_anchor=(0.6, 0.26))


if __name__ == "__main__":
    main()
