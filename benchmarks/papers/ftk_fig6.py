"""Fig. 6 of Moschitti (EACL 2006): time of a kernel value by QTK and FTK against tree size."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from shared import claim as paper_says
from shared import corpus, exponent, finish, track, trees_of_size  # first: it sets the path
from timing import Stopwatch
from verdicts import exactly, exponents_about, greater

import treekernels as tk
from common import Row, arguments, pairs

SIZES = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120]
WAYS = {"QTK": "qtk", "FTK": "ftk", "corpus": "corpus"}
EXAMPLE = (
    "(S (N Mary) (VP (V brought) (NP (D a) (N cat))))",
    "(VP (V brought) (NP (D a) (N cat)))",
)
SAMPLES = 5
TREES = 100  # of a size in each sample
LONG = 30  # nodes, from which the constant share of the time is small
Times = dict[str, list[list[float]]]  # microseconds a pair, by size and sample
NOTES = [
    f"{SAMPLES} samples of {TREES} trees of about equal size, drawn from the Penn Treebank sample,",
    "and all pairs of each; SST, decay 0.4, not normalised, one thread. QTK is the matrix over all",
    "pairs of nodes of two trees, words included. The time of the corpus algorithm falls with the",
    "number of trees, and this is few.",
]


def main() -> None:
    args = arguments(__doc__ or "", repeat=3, quick=400)
    watch = Stopwatch(args.repeat)
    fewest, most = (2, 30) if args.trees is not None else (90, TREES)
    forest = corpus(args.data, "treebank", args.trees)
    rows: list[Row] = []
    times: Times = {name: [] for name in WAYS}
    for size in track(SIZES, "tree sizes"):
        trees = trees_of_size(forest, size, size + max(8, size // 8), len(forest))
        if len(trees) < fewest:  # what a call costs by itself would be seen
            continue
        row: Row = {"nodes": float(trees.sizes.mean()), "trees": min(most, len(trees))}
        result = [measure(trees, sample, most, watch) for sample in range(SAMPLES)]
        for name in WAYS:
            times[name].append([sample[name] for sample in result])
            row[f"{name}, us"] = float(np.mean(times[name][-1]))
        rows.append(row)
    finish(
        __file__,
        args,
        what="Fig. 2, 3 and 6: fragments of the example; time of a kernel value by size of trees",
        data="The Penn Treebank sample (3,914 trees) stands in for the whole Penn Treebank, of "
        "which the paper takes the first 500 trees of each size.",
        parameters={"kernel": "SST", "decay": 0.4, "trees of a size": most, "samples": SAMPLES},
        tables={"One kernel value": rows},
        claims=[*example_claims(), *claims(rows, times)],
        notes=[*NOTES, watch.note()],
        draw=lambda figure: draw(figure, rows),
    )


def measure(trees: tk.Forest, sample: int, most: int, watch: Stopwatch) -> dict[str, float]:
    """Return the microseconds of one value by each algorithm, for some trees drawn at random."""
    chosen = trees[np.random.default_rng(sample).permutation(len(trees))[:most]]
    calls = {
        name: partial(tk.SubsetTreeKernel(normalize=False, algorithm=way, n_jobs=1), chosen)
        for name, way in WAYS.items()
    }
    seconds = watch.seconds(calls)
    return {name: 1e6 * own / pairs(len(chosen)) for name, own in seconds.items()}


def example_claims() -> list[Row]:
    """Count the fragments of the paper's example."""
    whole, verb_phrase = EXAMPLE
    subtrees = fragments(tk.SubtreeKernel(1.0, normalize=False), whole) - 1
    subsets = fragments(tk.SubsetTreeKernel(1.0, normalize=False), verb_phrase)
    return [
        paper_says(
            f"{says} of the example",
            published=published,
            ours=ours,
            holds=exactly(ours == published),
            why=why,
        )
        for says, published, ours, why in (
            ("Fig. 2: 6 subtrees", 6, subtrees, "Beside the tree itself, which is drawn as such."),
            ("Fig. 3: 17 subset trees of the verb phrase", 17, subsets, ""),
        )
    ]


def fragments(kernel: tk.Kernel, text: str) -> int:
    """Count the fragments of a tree in which none occurs twice: its value with itself."""
    return round(float(kernel([text])[0, 0]))


def claims(rows: list[Row], times: Times) -> list[Row]:
    long = [place for place, row in enumerate(rows) if row["nodes"] >= LONG]
    if len(long) < 3:
        return []
    nodes = [rows[place]["nodes"] for place in long]
    powers = {
        name: [
            exponent(nodes, [times[name][place][sample] for place in long])
            for sample in range(SAMPLES)
        ]
        for name in WAYS
    }
    ratios = np.array(times["QTK"]) / np.array(times["FTK"])
    beyond = np.array(times["QTK"][-1]) / np.array(times["corpus"][-1])
    return [
        paper_says(
            "FTK's running time is linear in the size of the trees (exponent)",
            published=1.0,
            ours=float(np.mean(powers["FTK"])),
            holds=exponents_about(powers["FTK"], 1.0),
            why="The lists of productions are merged in linear time. What is above 1 are pairs of "
            "equal productions, whose number grows with the product of the sizes.",
        ),
        paper_says(
            "QTK's is quadratic (exponent)",
            published=2.0,
            ours=float(np.mean(powers["QTK"])),
            holds=exponents_about(powers["QTK"], 2.0),
            why="All pairs of nodes are looked at.",
        ),
        paper_says(
            "FTK is much faster than QTK (times, largest trees)",
            ours=float(np.mean(ratios[-1])),
            unit="times",
            holds=greater(list(np.log(ratios[-1] / 2))),
            why="Much faster is taken to be more than twice as fast. With trees of "
            f"{rows[0]['nodes']:.0f} nodes it is {np.mean(ratios[0]):.1f} times.",
        ),
        paper_says(
            "Beyond the paper: the corpus algorithm against QTK (times, largest trees)",
            ours=float(np.mean(beyond)),
            unit="times",
            why="Each pair of distinct subtrees is compared once for all trees.",
        ),
    ]


def draw(figure: Any, rows: list[Row]) -> None:
    nodes = [row["nodes"] for row in rows]
    for place, scale in zip(figure.subplots(1, 2), ("linear", "log"), strict=True):
        for name in WAYS:
            values = [row[f"{name}, us"] for row in rows]
            place.plot(nodes, values, marker="o", ms=3, label=name)
        place.set(xlabel="nodes of a tree", ylabel="microseconds", xscale=scale, yscale=scale)
    place.legend()


if __name__ == "__main__":
    main()
