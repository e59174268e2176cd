"""What pruning by document frequency (min_df, link_length) does to distributed trees.

How well do dot products rank pairs of trees as the exact kernel does, and how well do machines
learn from them, with and without pruning: for trees that were fitted and for unseen ones, by decay,
dimension, number of trees and length of links.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import ways
from shared import (  # first: it sets the path
    PAIRS,
    corpus,
    dimension_for,
    dot_products,
    embedding,
    exact,
    finish,
    random_pairs,
    rho,
)
from shared import claim as paper_says
from sklearn.svm import SVC

import treekernels as tk
from common import Row, arguments, say

DECAYS = [0.2, 0.4, 0.6, 0.8]
SAMPLE = 500  # trees of a side
NOTES = [
    f"rho: Spearman's, of kernel values (not normalised) and dot products of {PAIRS:,} random",
    "pairs of different trees; d = 8192, float32 unless said. Unseen: one half of a corpus was",
    f"fitted, the other was not; pairs are of {SAMPLE} trees of either half. rte: texts and",
    "hypotheses of the three development sets. Accuracy: SVC (C = 10) on normalised kernel values",
    "or dot products; the 6 classes of the 500 test questions. Random pairs of trees share few",
    "fragments, so that rho says little of near duplicates, which lose most; accuracy does.",
]
PRUNINGS: dict[str, dict[str, Any]] = {
    "none": {},
    "min_df 2, links of 2": {"min_df": 2, "link_length": 2},
    "min_df 2, links of 3": {"min_df": 2, "link_length": 3},
    "min_df 5, links of 3": {"min_df": 5, "link_length": 3},
    "min_df 10, links of 3": {"min_df": 10, "link_length": 3},
    "min_df 20, links of 3": {"min_df": 20, "link_length": 3},
}


def main() -> None:
    args = arguments(__doc__ or "")
    tables = {
        "Accuracy, qc": accuracy_rows(args.trees, *ways.questions(args.data, args.trees)),
        "rho of fitted and unseen trees": unseen_rows(args.data, args.trees),
        "rho by dimension and number of trees, qc": size_rows(args.data, args.trees),
    }
    finish(
        __file__,
        args,
        what="Beyond the paper: what pruning by document frequency does",
        data="The questions, the Penn Treebank sample, and trees of RTE-1 to 3.",
        parameters={"dimension": dimension_for(args.trees), "pairs": PAIRS, "C": 10, "seed": 0},
        tables=tables,
        claims=claims(tables),
        notes=NOTES,
        draw=lambda figure: draw(figure, tables),
    )


def unseen_rows(data: Path, limit: int | None) -> list[Row]:
    rows: list[Row] = []
    for name in ("qc", "treebank", "rte"):
        forest = corpus(data, name, limit)
        order = np.random.default_rng(1).permutation(len(forest))
        half = forest[order[::2]]
        fitted, unseen = half[:SAMPLE], forest[order[1::2][:SAMPLE]]
        for decay in (0.4, 0.8):
            say(f"{name}: unseen trees, decay {decay}")
            sides = {
                "fitted pairs": (fitted, fitted, True),
                "fitted with unseen": (fitted, unseen, False),
                "unseen pairs": (unseen, unseen, True),
            }
            kept: dict[str, Any] = {}
            for title, (one, two, same) in sides.items():
                i, j = random_pairs(len(one), len(two), PAIRS, same=same)
                kept[title] = (i, j, exact(decay)(one, None if same else two)[i, j])
            for title, more in PRUNINGS.items():
                made = embedding(decay, dimension_for(limit), **more).fit(half)
                vectors = {id(fitted): made.transform(fitted), id(unseen): made.transform(unseen)}
                row: Row = {"data": name, "decay": decay, "pruning": title}
                row["links kept"] = None if made.links_ is None else len(made.links_)
                for side, (one, two, _) in sides.items():
                    i, j, values = kept[side]
                    row[side] = rho(values, dot_products(vectors[id(one)][i], vectors[id(two)][j]))
                rows.append(row)
    return rows


def size_rows(data: Path, limit: int | None) -> list[Row]:
    forest = corpus(data, "qc", limit)
    rows: list[Row] = []
    for count in (1000, 5452):
        fitted = forest[np.random.default_rng(2).permutation(len(forest))[:count]]
        some = fitted[:SAMPLE]
        i, j = random_pairs(len(some), len(some), PAIRS, same=True)
        for decay in (0.4, 0.8):
            values = exact(decay)(some)[i, j]
            for dimension in (dimension_for(limit) // 4, dimension_for(limit)):
                say(f"qc: {len(fitted)} trees, decay {decay}, d = {dimension}")
                row: Row = {"trees": len(fitted), "decay": decay, "dimension": dimension}
                for title, more in PRUNINGS.items():
                    vectors = embedding(decay, dimension, **more).fit(fitted).transform(some)
                    row[title] = rho(values, dot_products(vectors[i], vectors[j]))
                rows.append(row)
        if count >= len(forest):
            break
    return rows


def accuracy_rows(
    limit: int | None, train: tk.Forest, y: Any, test: tk.Forest, y_test: Any
) -> list[Row]:
    """Learn from Gram matrices, exact and of dot products, in the same way."""

    def accuracy(gram: np.ndarray, other: np.ndarray) -> float:
        return float(SVC(kernel="precomputed", C=10).fit(gram, y).score(other, y_test))

    rows: dict[str, Row] = {"exact": {"pruning": "exact kernel"}}
    for decay in DECAYS if limit is None else (0.4, 0.8):
        say(f"accuracy, decay {decay}")
        kernel = tk.SubsetTreeKernel(decay, n_jobs=2)
        rows["exact"][str(decay)] = accuracy(kernel(train), kernel(test, train))
        for title, more in PRUNINGS.items():
            made = embedding(decay, dimension_for(limit), normalize=True, **more).fit(train)
            a, b = made.transform(train), made.transform(test)
            result = accuracy(ways.squares(a), (b @ a.T).astype(float))
            rows.setdefault(title, {"pruning": title})[str(decay)] = result
    return list(rows.values())


def claims(tables: dict[str, list[Row]]) -> list[Row]:
    of = {row["pruning"]: row for row in tables["Accuracy, qc"]}
    exact_ones = {key: value for key, value in of["exact kernel"].items() if key != "pruning"}
    made: list[Row] = []
    for decay, value in exact_ones.items():
        plain, pruned = (of[name][decay] for name in ("none", "min_df 2, links of 3"))
        made.append(
            paper_says(
                f"Beyond the paper: qc, decay {decay}, accuracy with min_df 2 less that without",
                ours=100 * (pruned - plain),
                unit="points",
                why=f"The exact kernel has {value:.3f}.",
            )
        )
    return made


def draw(figure: Any, tables: dict[str, list[Row]]) -> None:
    place = figure.subplots()
    for row in tables["Accuracy, qc"]:
        decays = [decay for decay in DECAYS if str(decay) in row]
        place.plot(decays, [row[str(decay)] for decay in decays], label=row["pruning"])
    place.set(xlabel="decay", ylabel="accuracy, qc")
    place.legend(fontsize="x-small")


if __name__ == "__main__":
    main()
