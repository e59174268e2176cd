"""Fig. 5 and 6 of Da San Martino et al. (AAAI 2019): the voted DAG perceptron at its scale."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
from boundary_claims import fold_claims, large_claims
from evaluation import by_sentence, f1, f1_counts, folds_by_sentence
from propbank import document, load_boundary  # it sets the path
from shared import finish, track
from timing import Stopwatch

import treekernels as tk
from common import Row, arguments, say
from stream import (
    Candidates,
    combined,
    polynomial,
    sizes_up_to,
    stream,
    tree_kernel,
    written_out,
)

FOLDS = 5
TESTED = 10_000  # candidates of a test part
FOLD_SIZES = [100_000, 200_000, 400_000]
DUAL = 25_000  # examples, where Poly3 is compared with all support examples
CHOSEN_ON = 50_000  # examples, for decays and gamma
OTHERS = 20_000  # examples, for partial and elastic trees
SVM_MOST = 1_000_000  # examples of the paper's SVM
DECAYS = [0.2, 0.4, 0.6, 0.8, 1.0]
CHOICES = [(decay, gamma) for decay in (0.4, 0.6) for gamma in (0.3, 0.6, 0.9)]
LEARNERS = ("Tk", "Poly3", "Tk+Poly3", "SVM Tk")
NOTES = [
    "Five folds by document, of whose training parts a random order is gone through once; F1 is of",
    f"{TESTED:,} candidates of the test part, drawn at random. Then all training examples of the",
    "first fold, in one order. Votes are counted as in the paper. Poly3 is written out as a linear",
    "kernel on products of the seven features, which has the same values, unless it says 'as in",
    f"the paper'. Decay and gamma of Tk+Poly3 are chosen on {CHOSEN_ON:,} examples of the first",
    "fold, tested on other documents of its training part. SVM: SST, decay 0.4, C = 1 (the default",
    "of SVM-light for normalised kernels), gap 0.02, without a Gram matrix. Whole runs are timed",
    f"once in each fold, in another order each; those of {DUAL:,} examples as follows.",
]


def main() -> None:
    args = arguments(__doc__ or "", repeat=3, quick=3000)
    whole = args.trees is None
    trees, codes, y, sentences = load_boundary(args.data, args.trees, ("propbank", "ewt", "masc"))
    candidates = Candidates(trees, codes, y)
    groups = [document(s) if whole else s for s in sentences]
    say(f"{len(y):,} candidates of {len(set(groups)):,} documents")
    sizes = FOLD_SIZES if whole else [len(y) // 6, len(y) // 3, len(y) // 2]
    folds = [
        (shuffled(train, seed), shuffled(test, seed)[:TESTED])
        for seed, (train, test) in enumerate(folds_by_sentence(groups, FOLDS))
    ]
    decay, gamma, choices = choose(candidates, folds[0][0], groups)
    sums = combined(decay, gamma), combined(decay, gamma, polynomial())
    watch = Stopwatch(args.repeat)
    result = [
        fold_rows(candidates, fold, number, sizes, sums, watch)
        for number, fold in enumerate(track(folds, "folds"))
    ]
    decays = decay_scores(candidates, folds)
    others = other_kernels(candidates, *folds[0])
    large = large_rows(candidates, *folds[0], sums[0])
    finish(
        __file__,
        args,
        what="Fig. 5 and 6: time and F1 of the voted DAG perceptron, and of an SVM",
        data="2,214,079 boundary candidates of the Wall Street Journal sample, the English Web "
        "Treebank and MASC, in the public release of PropBank, split by document, stand in for "
        "the 4,463,066 of the whole Penn Treebank. The paper's numerical features are not given; "
        "Poly3 here sees the seven features of Gildea and Jurafsky.",
        parameters={"candidates": len(y), "positive": int(y.sum()), "C": 1.0}
        | {"nodes of a tree": float(trees.sizes.mean()), "training": len(folds[0][0])}
        | {"Tk+Poly3": f"decay {decay}, gamma {gamma}"},
        tables={
            "Time and F1, all training examples": large,
            "Time and F1, mean of five folds": averaged(result),
            "F1 of Tk by decay, mean of five folds": [
                {"decay": decay, "F1, %": float(np.mean(own))} for decay, own in decays.items()
            ],
            "Tk+Poly3 on the validation part": choices,
            f"Other kernels, {others[0]['examples']:,} examples, one fold": others,
        },
        claims=[
            *fold_claims(result, decays, decay, gamma),
            *large_claims(large, trees, y),
        ],
        notes=[*NOTES, watch.note()],
        draw=lambda figure: draw(figure, large),
    )


def shuffled(places: np.ndarray, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(places)


def score(learner: Any, candidates: Candidates, places: np.ndarray) -> float:
    """Return F1 in percent."""
    predicted = learner.predict(candidates.table(places))
    return 100 * float(f1(f1_counts(predicted, candidates.y[places]).sum(0)))


def measured(
    name: str,
    kernel: tk.Kernel,
    candidates: Candidates,
    order: np.ndarray,
    test: np.ndarray,
    sizes: list[int],
) -> list[Row]:
    """Return time and F1 of a voted perceptron at each size."""

    def look(learner: tk.TreePerceptron) -> Row:
        return {"F1, %": score(learner, candidates, test)}

    rows, _ = stream(kernel, candidates, order, sizes, look)
    return [{"learner": name, **row} for row in rows]


def machine(candidates: Candidates, order: np.ndarray, test: np.ndarray) -> Row:
    """Return time and F1 of a support vector machine."""
    learner = tk.TreeSVC(tree_kernel(0.4), C=1.0, tol=0.02, random_state=0, n_jobs=1)
    table, labels = tk.Table({"tree": candidates.trees[order]}), candidates.y[order]
    start = time.process_time()
    learner.fit(table, labels)
    row: Row = {"examples": len(order), "seconds": time.process_time() - start}
    return {"learner": "SVM Tk", **row, "F1, %": score(learner, candidates, test)}


def choose(
    candidates: Candidates, order: np.ndarray, groups: list[str]
) -> tuple[float, float, list[Row]]:
    """Return decay and gamma of the combination that are best on a validation part."""
    first, second = by_sentence([groups[i] for i in order], [0.9, 0.1])
    train, validation = order[first][:CHOSEN_ON], order[second][:TESTED]
    rows: list[Row] = []
    for decay, gamma in track(CHOICES, "decay and gamma"):
        _, learner = stream(combined(decay, gamma), candidates, train, [len(train)])
        rows.append(
            {"decay": decay, "gamma": gamma, "F1, %": score(learner, candidates, validation)}
        )
    best = max(rows, key=lambda row: row["F1, %"])
    return best["decay"], best["gamma"], rows


def fold_rows(
    candidates: Candidates,
    fold: tuple[np.ndarray, np.ndarray],
    number: int,
    sizes: list[int],
    sums: tuple[tk.Kernel, tk.Kernel],
    watch: Stopwatch,
) -> list[Row]:
    """Return time and F1 of all learners in one fold, which run in another order in each."""
    order, test = fold
    kernels = {"Tk": tree_kernel(0.4), "Poly3": written_out(), "Tk+Poly3": sums[0]}
    runs = {
        name: partial(measured, name, kernel, candidates, order, test, sizes)
        for name, kernel in kernels.items()
    }
    runs["SVM Tk"] = lambda: [machine(candidates, order[: sizes[0]], test)]
    result: dict[str, list[Row]] = {}
    first = number % len(LEARNERS)
    for name in LEARNERS[first:] + LEARNERS[:first]:
        result[name] = runs[name]()
        say(str(result[name][-1]))
    dual = {"Tk": kernels["Tk"], "Poly3": polynomial(), "Tk+Poly3": sums[1]}
    small = [min(DUAL, sizes[0])]
    timed = watch.rows(
        {
            f"{name}, as in the paper": lambda k=kernel: stream(k, candidates, order, small)[0]
            for name, kernel in dual.items()
        }
    )
    return [row for name in LEARNERS for row in result[name]] + [
        {"learner": name, **own[0]} for name, own in timed.items()
    ]


def decay_scores(
    candidates: Candidates, folds: list[tuple[np.ndarray, np.ndarray]]
) -> dict[float, np.ndarray]:
    """Return F1 of the tree kernel in each fold for every decay."""
    scores: dict[float, list[float]] = {decay: [] for decay in DECAYS}
    for order, test in folds:
        for decay in DECAYS:
            kernel, size = tree_kernel(decay), min(CHOSEN_ON, len(order))
            _, learner = stream(kernel, candidates, order, [size])
            scores[decay].append(score(learner, candidates, test))
    return {decay: np.array(own) for decay, own in scores.items()}


def other_kernels(candidates: Candidates, order: np.ndarray, test: np.ndarray) -> list[Row]:
    """Return time and F1 of kernels that the paper only speaks of."""
    kernels: dict[str, tk.Kernel] = {
        "subset trees": tree_kernel(0.4),
        "partial trees": tk.PartialTreeKernel(on="tree"),
        "elastic trees": tk.ElasticTreeKernel(on="tree"),
    }
    size = min(OTHERS, len(order))
    rows = [
        measured(name, kernel, candidates, order, test, [size])[0]
        for name, kernel in kernels.items()
    ]
    return [{"kernel": row.pop("learner"), **row} for row in rows]


def large_rows(
    candidates: Candidates, order: np.ndarray, test: np.ndarray, both: tk.Kernel
) -> list[Row]:
    """Return all learners with all training examples."""
    sizes = sizes_up_to(len(order), least=min(100_000, len(order)))
    kernels = {"Tk": tree_kernel(0.4), "Poly3": written_out(), "Tk+Poly3": both}
    rows: list[Row] = []
    for name, kernel in track(kernels.items(), "all training examples"):
        rows += measured(name, kernel, candidates, order, test, sizes)
        say(str(rows[-1]))
    for size in track(sorted({min(SVM_MOST, len(order)), len(order)}), "SVM"):
        rows.append(machine(candidates, order[:size], test))
        say(str(rows[-1]))
    return rows


def averaged(result: list[list[Row]]) -> list[Row]:
    """Return the mean of the folds."""
    rows: list[Row] = []
    for same in zip(*result, strict=True):
        row: Row = {"learner": same[0]["learner"], "examples": same[0]["examples"]}
        for column in ("seconds", "updates", "F1, %"):
            if column in same[0]:
                row[column] = float(np.mean([own[column] for own in same]))
        rows.append(row)
    return rows


def draw(figure: Any, rows: list[Row]) -> None:
    seconds, scores = figure.subplots(1, 2)
    for name in LEARNERS:
        some = [row for row in rows if row["learner"] == name]
        examples = [row["examples"] for row in some]
        style = "k--" if "SVM" in name else "-"
        seconds.plot(examples, [r["seconds"] for r in some], style, marker="o", ms=3, label=name)
        scores.plot(examples, [r["F1, %"] for r in some], style, marker="o", ms=3, label=name)
    seconds.set(xlabel="examples", ylabel="seconds", title="Fig. 5", xscale="log", yscale="log")
    scores.set(xlabel="examples", ylabel="F1, %", title="Fig. 6", xscale="log")
    seconds.legend()


if __name__ == "__main__":
    main()
