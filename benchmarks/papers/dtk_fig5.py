"""Fig. 5 of Zanzotto and Dell'Arciprete (ICML 2012): time of FTK and of a dot product by size."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from shared import claim as paper_says  # it sets the path
from shared import exponent, finish, track
from threadpoolctl import threadpool_limits
from timing import Stopwatch
from verdicts import exponents_about, greater

import treekernels as tk
from common import Row, arguments, load_texts, pairs
from treekernels.kernels.base.matrices import Run

DIMENSION = 8192
SAMPLES = 5
# Questions are the paper's trees; larger ones are sentences of the Penn Treebank, and texts of
# several sentences of RTE-5.
SIZES = {
    "qc.train.tsv.gz": [(8, 16), (18, 22), (28, 32), (38, 44), (50, 58), (58, 120)],
    "treebank.trees.gz": [(70, 90), (100, 130)],
    "rte5.dev.tsv.gz": [(180, 240), (260, 330), (350, 450), (450, 800)],
}
WAYS = ("FTK", "corpus", "dot product", "one matrix product")
NOTES = [
    "Five random samples of each size, of up to 60 trees each, all pairs of a sample; SST,",
    "decay 0.4, not normalised, one thread; d = 8192, float32. What is prepared once for each tree",
    "is not in it: neither sorted nodes nor vectors, whose cost has a column of its own. Dot",
    "products are computed one after the other in a native loop (numpy.vecdot), as FTK goes",
    "through pairs, or as one matrix product for a whole sample.",
]


def main() -> None:
    args = arguments(__doc__ or "", repeat=5)
    watch = Stopwatch(args.repeat)
    rows: list[Row] = []
    for file, sizes in track(SIZES.items(), "tree sizes"):
        forest = tk.Forest.from_brackets(load_texts(args.data / file))
        nodes = forest.sizes.astype(int)
        for low, high in sizes:
            places = np.flatnonzero((nodes >= low) & (nodes < high))
            count = min(len(places), 60 if args.trees is None else 6)
            if count < 2:
                continue
            for sample in range(SAMPLES):
                chosen = forest[np.random.default_rng(sample).choice(places, count, replace=False)]
                rows.append({"file": file.split(".")[0], "size": low, "sample": sample})
                rows[-1] |= measure(chosen, watch)
    mean_rows = means(rows)
    finish(
        __file__,
        args,
        what="Fig. 5: time of one kernel value against the size of the trees",
        data="The paper's questions, parsed anew, and larger trees of the Penn Treebank and RTE-5.",
        parameters={"dimension": DIMENSION, "decay": 0.4, "samples of a size": SAMPLES},
        tables={"One kernel value, us, mean of five samples": mean_rows},
        claims=claims(rows),
        notes=[*NOTES, watch.note()],
        draw=lambda figure: draw(figure, mean_rows),
        width=7,
    )


def measure(chosen: tk.Forest, watch: Stopwatch) -> Row:
    count = len(chosen)
    embedding = tk.DistributedTrees(DIMENSION)
    vectors = embedding.transform(chosen)
    exact = {
        name: tk.SubsetTreeKernel(normalize=False, algorithm=algorithm).prepare(chosen)
        for name, algorithm in (("FTK", "ftk"), ("corpus", "corpus"))
    }
    out = np.empty((count, count))
    calls = {
        **{name: partial(matrix.fill, out, Run()) for name, matrix in exact.items()},
        "dot product": partial(one_by_one, vectors),
        "one matrix product": partial(np.matmul, vectors, vectors.T),
        "a vector": partial(embedding.transform, chosen),
    }
    evaluations = {"FTK": pairs(count), "corpus": pairs(count), "a vector": count}
    with threadpool_limits(1):
        seconds = watch.seconds(calls)
    us = {name: 1e6 * s / evaluations.get(name, count**2) for name, s in seconds.items()}
    return {"nodes of both": 2 * float(chosen.sizes.mean()), "trees": count, **us}


def one_by_one(vectors: np.ndarray) -> np.ndarray:
    """Return the dot products of all pairs, computed one after the other."""
    if hasattr(np, "vecdot"):
        return np.asarray(np.vecdot(vectors[:, None], vectors[None]))
    return np.einsum("ik,jk->ij", vectors, vectors)


def means(rows: list[Row]) -> list[Row]:
    """Return the mean of the samples of each size."""
    made = []
    for key in dict.fromkeys((row["file"], row["size"]) for row in rows):
        some = [row for row in rows if (row["file"], row["size"]) == key]
        names = ("nodes of both", "trees", *WAYS, "a vector")
        result = {name: float(np.mean([row[name] for row in some])) for name in names}
        made.append({"file": key[0], **result})
    return made


def claims(rows: list[Row]) -> list[Row]:
    by_sample = [[row for row in rows if row["sample"] == number] for number in range(SAMPLES)]
    if len(by_sample[0]) < 2:
        return []

    def powers(name: str, *files: str) -> list[float]:
        some = [[row for row in sample if row["file"] in files] for sample in by_sample]
        return [
            exponent([row["nodes of both"] for row in sample], [row[name] for row in sample])
            for sample in some
        ]

    def ratios(a: str, b: str, place: int) -> list[float]:
        return [sample[place][a] / sample[place][b] for sample in by_sample]

    def log_greater(values: list[float]) -> Any:
        return greater(list(np.log(values)))

    everything = tuple(file.split(".")[0] for file in SIZES)
    dot, ftk = powers("dot product", *everything), powers("FTK", *everything)
    vector = powers("a vector", *everything)
    small, large = ratios("dot product", "FTK", 0), ratios("FTK", "dot product", -1)
    largest = by_sample[0][-1]["nodes of both"]
    questions = [row for row in by_sample[0] if row["file"] == "qc"]
    last = len(questions) - 1
    crossing = next(
        (row["nodes of both"] for row in means(rows) if row["FTK"] > row["dot product"]), None
    )
    where = (
        f"here from about {crossing:,.0f} nodes of both trees on"
        if crossing is not None
        else "here at no size"
    )
    return [
        paper_says(
            "The time of a dot product does not depend on the trees (exponent)",
            published=0.0,
            ours=float(np.mean(dot)),
            holds=exponents_about(dot, 0.0),
            why="It is d multiplications.",
        ),
        paper_says(
            "That of FTK grows very quickly with their size (exponent; more than linear)",
            ours=float(np.mean(ftk)),
            holds=greater([value - 1 for value in ftk]),
            why=f"From {by_sample[0][0]['nodes of both']:.0f} to {largest:,.0f} nodes of both. On "
            f"questions alone it is {np.mean(powers('FTK', 'qc')):.2f}; the paper on FTK calls it "
            "linear on average.",
        ),
        paper_says(
            "FTK is faster for small trees (dot product to FTK, smallest)",
            ours=float(np.mean(small)),
            unit="times",
            holds=log_greater(small),
            why="Few productions are shared.",
        ),
        paper_says(
            "The dot product is faster for the largest questions (FTK to dot product)",
            ours=float(np.mean(ratios("FTK", "dot product", last))),
            unit="times",
            holds=log_greater(ratios("FTK", "dot product", last)),
            why=f"The curves cross, as in the paper, but {where}: our FTK is faster than the "
            "paper's.",
        ),
        paper_says(
            "A vector is computed in time linear in the nodes of its tree (exponent)",
            published=1.0,
            ours=float(np.mean(vector)),
            holds=exponents_about(vector, 1.0),
            why="Equal subtrees of a sample are computed once, which helps small trees more.",
        ),
        paper_says(
            f"The larger the trees, the larger the advantage (FTK to dot product, {largest:,.0f} "
            "nodes of both, against the smallest)",
            ours=float(np.mean(np.array(large) * np.array(small))),
            unit="times",
            holds=log_greater(list(np.array(large) * np.array(small))),
            why=f"FTK takes {np.mean(large):.1f} times as long as the dot product there.",
        ),
        paper_says(
            "Beyond the paper: dot product to the exact corpus algorithm, largest trees",
            ours=float(np.mean(ratios("dot product", "corpus", -1))),
            unit="times",
            why="The exact algorithm looks at a whole corpus at once; so does one matrix product, "
            f"which takes {np.mean(ratios('one matrix product', 'corpus', -1)):.2f} times as long "
            "as it.",
        ),
    ]


def draw(figure: Any, rows: list[Row]) -> None:
    place = figure.subplots()
    for name in WAYS:
        nodes = [row["nodes of both"] for row in rows]
        place.plot(nodes, [row[name] for row in rows], marker="o", ms=3, label=name)
    place.set(xlabel="nodes of both trees", ylabel="microseconds", xscale="log", yscale="log")
    place.legend()


if __name__ == "__main__":
    main()
