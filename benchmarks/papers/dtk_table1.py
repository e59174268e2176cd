"""Table 1 of Zanzotto and Dell'Arciprete (ICML 2012): what kernels cost, measured."""

from __future__ import annotations

import time
from collections import Counter
from functools import partial
from typing import Any

import numpy as np
from shared import claim as paper_says  # it sets the path
from shared import exponent, finish, track
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits
from timing import Stopwatch
from verdicts import exponents_about
from ways import mean, questions, squares

import treekernels as tk
from common import Row, arguments, load_texts, pairs
from treekernels.kernels.base.matrices import Run

DIMENSION = 8192
SAMPLES = 5
SIZES = [(20, 30), (40, 55), (80, 105), (160, 210), (320, 440)]
ALGORITHMS = {"TK, all pairs of nodes": "qtk", "FTK": "ftk", "corpus": "corpus"}
DAG = "TreeSVC: a DAG of all fragments"
COMPOSED = ("product", "convolution")
LEFT_OUT = 5  # labels that ATK does not look at
COST = 10.0
NOTES = [
    "Learning: microseconds of one kernel value, five random samples of 48 trees of each size,",
    "from the Penn Treebank and RTE-5, SST, decay 0.4, one thread, without what is prepared once",
    "for each tree. Classification, one run: microseconds for one question, by machines",
    "learned from the 5,452 questions (six classes, one against all, C = 10). ATK (Rieck et al.,",
    f"2010) looks at some labels only; here the {LEFT_OUT} that meet most often are left out,",
    "by weights of 0; the selection is by cost alone, not learned as theirs. FTK+FS (Pighin and",
    "Moschitti, 2010) makes the best fragments explicit; here a model is a DAG of all of them.",
]


def main() -> None:
    args = arguments(__doc__ or "", repeat=3)
    watch = Stopwatch(args.repeat)
    growth = learning(args, watch)
    rows, left_out = classification(args)
    composed = compositions(args, watch)
    finish(
        __file__,
        args,
        what="Table 1: time and space of tree kernels",
        data="The paper gives formulas; we measured. Trees of the Penn Treebank and RTE-5 for "
        "learning, the paper's questions for classification.",
        parameters={"dimension": DIMENSION, "decay": 0.4, "left out by ATK": ", ".join(left_out)},
        tables={"Learning, us a value": means(growth), "Classification of questions": rows}
        | {"One composition, us, mean of five": composition_means(composed)},
        claims=claims(growth, rows) + composition_claims(composed),
        notes=[*NOTES, watch.note()],
        draw=lambda figure: draw(figure, means(growth)),
        width=7,
    )


def learning(args: Any, watch: Stopwatch) -> list[Row]:
    """Time single values by size."""
    texts = [
        text
        for file in ("treebank.trees.gz", "rte5.dev.tsv.gz")
        for text in load_texts(args.data / file)
    ]
    forest = tk.Forest.from_brackets(texts)
    nodes = forest.sizes.astype(int)
    rows: list[Row] = []
    for low, high in track(SIZES, "tree sizes"):
        places = np.flatnonzero((nodes >= low) & (nodes < high))
        count = min(len(places), 48 if args.trees is None else 4)
        if count < 2:
            continue
        for sample in range(SAMPLES):
            chosen = forest[np.random.default_rng(sample).choice(places, count, replace=False)]
            out = np.empty((count, count))
            calls: dict[str, Any] = {}
            for name, algorithm in ALGORITHMS.items():
                kernel = tk.SubsetTreeKernel(normalize=False, algorithm=algorithm)
                calls[name] = partial(kernel.prepare(chosen).fill, out, Run())
            vectors = tk.DistributedTrees(DIMENSION).transform(chosen)
            calls["DTK, one matrix product"] = partial(np.matmul, vectors, vectors.T)
            with threadpool_limits(1):
                seconds = watch.seconds(calls)
            size = {"nodes of a tree": float(chosen.sizes.mean()), "size": low, "sample": sample}
            rows.append(size | {name: 1e6 * s / pairs(count) for name, s in seconds.items()})
            rows[-1]["DTK, one matrix product"] *= pairs(count) / count**2
    return rows


def means(rows: list[Row]) -> list[Row]:
    """Return the mean of the samples of each size."""
    names = ("nodes of a tree", *ALGORITHMS, "DTK, one matrix product")
    return [
        {name: mean(row[name] for row in rows if row["size"] == size) for name in names}
        for size in dict.fromkeys(row["size"] for row in rows)
    ]


def costly_labels(forest: tk.Forest) -> list[str]:
    """Return the labels of inner nodes that meet most often: those with the largest squares."""
    counts: Counter[tuple[str, ...]] = Counter()
    for tree in forest:
        for node in tree.preorder():
            if not node.is_leaf:
                counts[(node.label, *(child.label for child in node.children))] += 1
    meetings: Counter[str] = Counter()
    for (label, *_), count in counts.items():
        meetings[label] += count**2
    return [label for label, _ in meetings.most_common(LEFT_OUT)]


def classification(args: Any) -> tuple[list[Row], list[str]]:
    """Time the classification of a question by machines that were learned in several ways."""
    train, y, test, truth = questions(args.data, args.trees)
    left_out = costly_labels(train[:1000])
    rows: list[Row] = []
    kernels = {
        "FTK": tk.SubsetTreeKernel(algorithm="ftk"),
        "corpus": tk.SubsetTreeKernel(),
        "ATK, corpus": tk.SubsetTreeKernel(weights=dict.fromkeys(left_out, 0.0)),
    }

    def note(model: str, spent: float, scores: np.ndarray, classes: Any, **more: Any) -> None:
        right = np.asarray(classes)[scores.argmax(1)] == truth
        row: Row = {"model": model, "us a question": 1e6 * spent / len(test)}
        rows.append(row | {"accuracy, %": 100 * float(right.mean())} | more)

    for name, kernel in kernels.items():
        start = time.process_time()
        gram = kernel(train)
        learned = time.process_time() - start
        machine = OneVsRestClassifier(SVC(kernel="precomputed", C=COST)).fit(gram, y)
        support = np.unique(np.concatenate([each.support_ for each in machine.estimators_]))
        start = time.process_time()
        across = np.zeros((len(test), len(train)))
        across[:, support] = kernel(test, train[support])
        scores = machine.decision_function(across)
        note(
            f"support trees, {name}",
            time.process_time() - start,
            scores,
            machine.classes_,
            **{"matrix to learn from, s": learned, "kept": f"{len(support):,} trees"},
        )
    model = tk.TreeSVC(tk.SubsetTreeKernel(), C=COST, random_state=0).fit(train, y)
    start = time.process_time()
    scores = model.decision_function(test)
    kept = {"kept": f"{model.n_model_nodes_:,} subtrees"}
    note(DAG, time.process_time() - start, scores, model.classes_, **kept)
    made = tk.DistributedTrees(DIMENSION, normalize=True, min_df=2).fit(train)
    a = made.transform(train)
    machine = OneVsRestClassifier(SVC(kernel="precomputed", C=COST)).fit(squares(a), y)
    weights = np.array(
        [each.dual_coef_[0] @ a[each.support_] for each in machine.estimators_], np.float32
    )
    offsets = np.array([each.intercept_[0] for each in machine.estimators_])
    start = time.process_time()
    b = made.transform(test)
    middle = time.process_time()
    with threadpool_limits(1):
        scores = b @ weights.T + offsets
    kept = {"a vector besides, us": 1e6 * (middle - start) / len(test)}
    kept["kept"] = f"{DIMENSION:,} numbers a class"
    note("linear, on DTK's vectors", time.process_time() - middle, scores, machine.classes_, **kept)
    return rows, left_out


def compositions(args: Any, watch: Stopwatch) -> list[Row]:
    """Time one composition of two vectors by dimension, random permutations as in the paper."""
    rows: list[Row] = []
    for sample in range(SAMPLES):
        for power in (13, 15, 17) if args.trees is None else (10, 12):
            calls = {}
            for name in COMPOSED:
                made = tk.DistributedTrees(
                    2**power, composition=name, permutations="random", seed=sample
                )
                a, b = (made.label_vector(label) for label in "ab")
                calls[name] = partial(made.compose, a, b)
            seconds = watch.seconds(calls)
            us = {name: 1e6 * value for name, value in seconds.items()}
            rows.append({"sample": sample, "dimension": 2**power, **us})
    return rows


def composition_means(rows: list[Row]) -> list[Row]:
    """Return the mean of the samples of each dimension."""
    return [
        {"dimension": d}
        | {name: mean(row[name] for row in rows if row["dimension"] == d) for name in COMPOSED}
        for d in dict.fromkeys(row["dimension"] for row in rows)
    ]


def composition_claims(rows: list[Row]) -> list[Row]:
    def powers(name: str) -> list[float]:
        some = [[row for row in rows if row["sample"] == number] for number in range(SAMPLES)]
        return [
            exponent([row["dimension"] for row in each], [row[name] for row in each])
            for each in some
        ]

    told = {
        "product": "The product is computed in time O(d) (exponent)",
        "convolution": "The convolution takes time O(d log d) (exponent; that of d log d is 1.1)",
    }
    return [
        paper_says(
            says,
            published=published,
            ours=mean(powers(name)),
            holds=exponents_about(powers(name), published),
            why="With permutations of all elements, which the caches of a processor do not like."
            if name == "product"
            else "",
        )
        for (name, says), published in zip(told.items(), (1.0, 1.1), strict=True)
    ]


def claims(growth: list[Row], rows: list[Row]) -> list[Row]:
    samples = [[row for row in growth if row["sample"] == number] for number in range(SAMPLES)]
    if len(samples[0]) < 2:
        return []

    def powers(name: str) -> list[float]:
        return [
            exponent([row["nodes of a tree"] for row in some], [row[name] for row in some])
            for some in samples
        ]

    plain, fast, constant = (
        powers(name) for name in ("TK, all pairs of nodes", "FTK", "DTK, one matrix product")
    )
    of = {row["model"]: row for row in rows}
    every, some = of["support trees, corpus"], of["support trees, ATK, corpus"]
    dag = of[DAG]
    return [
        paper_says(
            "TK takes time O(n²) (exponent)",
            published=2.0,
            ours=mean(plain),
            holds=exponents_about(plain, 2.0),
        ),
        paper_says(
            "FTK is linear in average for parse trees (exponent)",
            published=1.0,
            ours=mean(fast),
            holds=exponents_about(fast, 1.0),
            why="The trees go up to twenty times the size of those of the paper on FTK.",
        ),
        paper_says(
            "DTK takes time d, whatever the trees (exponent)",
            published=0.0,
            ours=mean(constant),
            holds=exponents_about(constant, 0.0),
        ),
        paper_says(
            "ATK is faster by a factor q (matrix of the questions, all labels to ATK)",
            ours=every["matrix to learn from, s"] / some["matrix to learn from, s"],
            unit="times",
            why=f"It costs accuracy: {some['accuracy, %']:.1f} instead of "
            f"{every['accuracy, %']:.1f} %. In this library weights={{label: 0}} does it; the "
            "exact kernel is fast enough that there is little to gain.",
        ),
        paper_says(
            "FTK+FS classifies in time k, FTK in A(n) for each support tree (support trees by FTK "
            "to a DAG)",
            ours=of["support trees, FTK"]["us a question"] / dag["us a question"],
            unit="times",
            why="What this library has instead of selected fragments: TreeSVC keeps all fragments "
            "of all support trees as one DAG, and a tree meets only what it shares with it. "
            "`tk.explain` lists the fragments with the largest weights.",
        ),
    ]


def draw(figure: Any, rows: list[Row]) -> None:
    place = figure.subplots()
    for name in (*ALGORITHMS, "DTK, one matrix product"):
        sizes = [row["nodes of a tree"] for row in rows]
        place.plot(sizes, [row[name] for row in rows], marker="o", ms=3, label=name)
    place.set(xlabel="nodes of a tree", ylabel="microseconds", xscale="log", yscale="log")
    place.legend()


if __name__ == "__main__":
    main()
