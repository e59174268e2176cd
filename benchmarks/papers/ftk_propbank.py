"""Fig. 7, Tables 2 and 4 of Moschitti (EACL 2006): accuracy of kernels on arguments of PropBank."""

from __future__ import annotations

from typing import Any

import numpy as np
from argument_claims import Statements, decay_claims
from argument_kernels import (
    CHOICE,
    FACTORS,
    GAMMAS,
    MACHINE,
    SINGLE,
    SUMS,
    Split,
    Tried,
    accuracy,
    decay_rows,
    decay_table,
    draw_scores,
    score_rows,
    try_kernels,
    validation,
)
from evaluation import by_sentence, folds_by_sentence
from propbank import load  # it sets the path
from shared import claim as paper_says
from shared import finish, mark_numbers, track
from verdicts import greater

import treekernels as tk
from common import Row, arguments

FOLDS = 5
OVERLAP = 1 / (FOLDS - 1)  # test examples for each training example
CURVE = [1 / 8, 1 / 4, 1 / 2]
VALIDATION = 0.2  # of a training part
DECAYS_ON = 1 / 4  # of a training part
# Percent of the multi-classifier on PropBank, as far as the text of the paper has them.
PUBLISHED = {"Linear": 87.6, "Poly": 90.5, "Linear+ST": 88.6, "Linear+SST": 89.4}
NOTES = [
    "Five folds by sentence; what is said of a kernel is the mean of them. A fifth of a",
    f"training part is its validation part. {CHOICE} Decays are compared with a quarter of each",
    "training part, and the j of the kernel. Points of the curves are shares of the sentences of",
    "each training part, with the same j.",
    MACHINE,
]


def main() -> None:
    args = arguments(__doc__ or "", repeat=1, quick=800)
    X, y, sentences = load(args.data, args.trees)
    folds = folds_by_sentence(sentences, FOLDS)
    inner = validation(folds[0], sentences, VALIDATION)
    marked = {"SST, argument marked": tk.SubsetTreeKernel(0.4, on="marked")}
    tried = try_kernels(SINGLE | SUMS | marked, X, y, folds, inner)
    decays = decay_rows(X, y, [shortened(fold, sentences, DECAYS_ON) for fold in folds], tried)
    curve = curve_rows(X, y, folds, sentences, tried)
    curve.append(whole := {"examples": mean_size(folds)})
    for name in SINGLE:
        whole[name] = tried.accuracies(name)
    rows = score_rows(tried, PUBLISHED)
    tables = {
        "Tables 2 and 4: accuracy and F1, %": rows,
        "Fig. 7: accuracy against training examples, %": [averaged(row) for row in curve],
        "Accuracy by decay, %": decay_table(decays),
    }
    statements = Statements(tried, OVERLAP)
    finish(
        __file__,
        args,
        what="Fig. 7, Tables 2 and 4: accuracy of kernels on the arguments of PropBank",
        data="`propbank.args`: 19,589 arguments of the Penn Treebank sample stand in for the "
        "122,774 + 7,359 of PropBank 1.0 (its sections 02-21 and 23).",
        parameters={
            "decay of ST": 1.0,
            "decay of SST": 0.4,
            "C": "1 / mean of K(x, x)",
            "j": FACTORS,
            "gamma": GAMMAS,
        }
        | {"training": mean_size(folds), "test": len(y) // FOLDS},
        tables=tables,
        claims=[
            *beside(rows, mean_size(folds)),
            *about_corpus(X, y),
            *statements.features_and_sums(0.5, (1.0, 1.8)),
            statements.no_better("Words do not improve ST", "ST+bow", "ST", "See SST+bow."),
            statements.no_better(
                "Words do not improve SST",
                "SST+bow",
                "SST",
                "Pre-terminals with their words are fragments already.",
            ),
            *gradients(curve),
            *decay_claims(decays, OVERLAP),
            beyond(statements),
        ],
        notes=NOTES,
        draw=lambda figure: draw(figure, rows, [averaged(row) for row in curve]),
        height=4.5,
    )


def shortened(split: Split, sentences: list[str], share: float) -> Split:
    """Return a split with a share of the sentences of its training part."""
    train, test = split
    within = [sentences[i] for i in train]
    return train[by_sentence(within, [share, 1 - share], seed=1)[0]], test


def mean_size(folds: list[Split]) -> int:
    return round(float(np.mean([len(train) for train, _ in folds])))


def curve_rows(
    X: tk.Table, y: np.ndarray, folds: list[Split], sentences: list[str], tried: Tried
) -> list[Row]:
    """Return the accuracies in each fold for shares of the training parts."""
    rows: list[Row] = []
    for share in track(CURVE, "learning curves"):
        parts = [shortened(fold, sentences, share) for fold in folds]
        row: Row = {"examples": mean_size(parts)}
        for name, kernel in SINGLE.items():
            j = tried.settings[name].j
            row[name] = np.array([accuracy(kernel, X, y, part, j) for part in parts])
        rows.append(row)
    return rows


def averaged(row: Row) -> Row:
    return {k: float(v.mean()) if isinstance(v, np.ndarray) else v for k, v in row.items()}


def beside(rows: list[Row], training: int) -> list[Row]:
    """Put accuracies beside the published ones."""
    return [
        paper_says(
            f"Accuracy of {row['kernel']}",
            published=row["published"],
            ours=row["accuracy"],
            unit="%",
            why=f"{training:,} training examples instead of 122,774, and other frames; the order "
            "of the kernels can be compared.",
        )
        for row in rows
        if row["published"] is not None
    ]


def about_corpus(X: tk.Table, y: np.ndarray) -> list[Row]:
    """Put what is said of the corpus beside ours."""
    sizes = X["tree"].sizes
    return [
        paper_says(
            "Many trees are large, up to 100 nodes",
            published=100.0,
            ours=float(sizes.max()),
            unit="nodes",
            why=f"The mean is {sizes.mean():.0f}, and {np.mean(sizes > 50):.1%} have more than 50.",
        ),
        paper_says(
            "ARG0, ARG1 and ARGM contribute most to the accuracy (their share)",
            ours=100 * float(np.isin(y, ["ARG0", "ARG1", "ARGM"]).mean()),
            unit="%",
        ),
    ]


def gradients(curve: list[Row]) -> list[Row]:
    """Judge that SST gains most in the last part of the curve."""
    gained = {name: curve[-1][name] - curve[-2][name] for name in ("SST", "ST", "Linear", "Poly")}
    return [
        paper_says(
            f"At its end the curve of SST is steeper than that of {name}",
            ours=float((gained["SST"] - gained[name]).mean()),
            unit="points",
            holds=greater(list(gained["SST"] - gained[name]), overlap=OVERLAP),
            why=f"From {curve[-2]['examples']:,} to {curve[-1]['examples']:,} examples SST gains "
            f"{gained['SST'].mean():.2f} points, {name} {gained[name].mean():.2f}.",
        )
        for name in ("ST", "Linear", "Poly")
    ]


def beyond(statements: Statements) -> Row:
    """Say what it helps to mark the argument."""
    made = statements.above(
        "Beyond the paper: the argument's node marked in the tree",
        "SST, argument marked",
        "SST",
        "In a minimal subtree alone it is open which node is meant where chains are unary.",
    )
    return made | {"holds": None}


def draw(figure: Any, rows: list[Row], curve: list[Row]) -> None:
    bars, lines = figure.subplots(1, 2)
    draw_scores(bars, rows)
    examples = [row["examples"] for row in curve]
    for name in SINGLE:
        lines.plot(examples, [row[name] for row in curve], marker="o", ms=3, label=name)
    lines.set(xlabel="training examples", ylabel="accuracy, %", title="Fig. 7")
    mark_numbers(lines, examples)
    lines.legend(fontsize="small")


if __name__ == "__main__":
    main()
