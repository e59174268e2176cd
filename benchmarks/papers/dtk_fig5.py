"""Fig. 5 of Zanzotto and Dell'Arciprete (ICML 2012): time of FTK and of a dot product by size."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
from shared import claim as paper_says  # it sets the path
from shared import corpus, exponent, finish, track, trees_of_size
from threadpoolctl import threadpool_limits

import treekernels as tk
from common import Row, arguments, best_seconds, pairs

DIMENSION = 8192
SIZES = [(8, 16), (18, 22), (28, 32), (38, 44), (50, 58), (58, 120)]
WAYS = ("FTK", "corpus", "dot product", "in one matrix product")
NOTES = [
    "Trees of about equal size, up to 150 of them, all pairs; SST, decay 0.4, not normalised,",
    "one thread; d = 8192, float32; processor time, best of several by turns. Dot products are",
    "of vectors made before, called one by one as kernel values are, or as one matrix product;",
    "what a vector costs has a column of its own.",
]


def main() -> None:
    args = arguments(__doc__ or "", repeat=15)
    forest = corpus(args.data, "qc", args.trees)
    rows: list[Row] = []
    for low, high in track(SIZES, "tree sizes"):
        chosen = trees_of_size(forest, low, high, 150 if args.trees is None else 30)
        if len(chosen) >= 2:
            rows.append(measure(chosen, args.repeat))
    finish(
        __file__,
        args,
        what="Fig. 5: time of one kernel value against the size of the trees",
        data="The paper's questions, parsed anew.",
        parameters={"dimension": DIMENSION, "decay": 0.4},
        tables={"One kernel value, us": rows},
        claims=claims(rows),
        notes=NOTES,
        draw=lambda figure: draw(figure, rows),
        width=7,
    )


def measure(chosen: tk.Forest, repeat: int) -> Row:
    count = len(chosen)
    embedding = tk.DistributedTrees(DIMENSION)
    vectors = embedding.transform(chosen)
    calls = {
        "FTK": partial(tk.SubsetTreeKernel(normalize=False, algorithm="ftk"), chosen),
        "corpus": partial(tk.SubsetTreeKernel(normalize=False), chosen),
        "dot product": partial(dots, vectors),
        "in one matrix product": partial(np.matmul, vectors, vectors.T),
        "a vector": partial(embedding.transform, chosen),
    }
    evaluations = {"FTK": pairs(count), "corpus": pairs(count), "a vector": count}
    with threadpool_limits(1):
        seconds = best_seconds(calls, repeat, time.process_time)
    us = {name: 1e6 * s / evaluations.get(name, count**2) for name, s in seconds.items()}
    return {"nodes of both": round(2 * float(chosen.sizes.mean())), "trees": count, **us}


def dots(vectors: np.ndarray) -> None:
    for a in vectors:
        for b in vectors:
            np.dot(a, b)


def claims(rows: list[Row]) -> list[Row]:
    if len(rows) < 2:
        return []
    first, last = rows[0], rows[-1]
    nodes = [row["nodes of both"] for row in rows]
    power = {name: exponent(nodes, [row[name] for row in rows]) for name in WAYS}
    ratio = last["FTK"] / last["dot product"]
    smaller = first["FTK"] < first["dot product"]
    beyond = last["dot product"] / last["corpus"]
    return [
        paper_says(
            "The time of a dot product does not depend on the trees (exponent)",
            published=0.0,
            ours=power["dot product"],
            holds=abs(power["dot product"]) < 0.2,
            why="It is d multiplications.",
        ),
        paper_says(
            "That of FTK grows very quickly with their size (exponent)",
            ours=power["FTK"],
            holds=power["FTK"] > 1.2,
            why="It grows about linearly, as the paper on FTK says.",
        ),
        paper_says(
            "FTK is faster for small trees (dot product to FTK, smallest)",
            ours=first["dot product"] / first["FTK"],
            unit="times",
            holds=smaller,
            why="Few productions are shared.",
        ),
        paper_says(
            "The dot product is faster for large trees (FTK to dot product, largest)",
            ours=ratio,
            unit="times",
            holds=ratio > 1,
            why=f"FTK takes {last['FTK']:.2g} us there, the dot product "
            f"{last['dot product']:.2g} us; the curves of the paper cross earlier because its FTK "
            "is slower.",
        ),
        paper_says(
            "Beyond the paper: the exact corpus algorithm is faster than the estimate "
            "(dot product to corpus, largest trees)",
            ours=beyond,
            unit="times",
            why="The exact values of all pairs cost less than dot products one by one; one matrix "
            "product is what makes vectors worth while, and linear models on them.",
        ),
    ]


def draw(figure: Any, rows: list[Row]) -> None:
    place = figure.subplots()
    for name in WAYS:
        nodes = [row["nodes of both"] for row in rows]
        place.plot(nodes, [row[name] for row in rows], marker="o", ms=3, label=name)
    place.set(xlabel="nodes of both trees", ylabel="microseconds", yscale="log")
    place.legend()


if __name__ == "__main__":
    main()
