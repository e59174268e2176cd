"""Distributed partial trees and pairs: the error of dot products by dimension, and the time.

Values are normalised. The error is the root of the mean square over random pairs of examples.
Trees are questions and sentences of the Penn Treebank; pairs are those of the RTE-2 test set.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import treekernels as tk
from common import Row, arguments, load_rows, load_texts, report, say

DIMENSIONS = (256, 1024, 4096, 16384)
DECAYS = (0.2, 0.4)
NOTES = [
    "Root of the mean square error of normalised values, over 2,000 random pairs of examples;",
    "'of independent vectors' is 1 / sqrt(dimension). Processor seconds on one thread.",
]


def examples(data: Any, limit: int | None) -> Iterator[tuple[str, Any]]:
    """Read trees and pairs."""
    yield "qc.train", tk.Forest.from_brackets(load_texts(data / "qc.train.tsv.gz", limit or 2000))
    yield "treebank", tk.Forest.from_brackets(load_texts(data / "treebank.trees.gz", limit or 1000))
    rows = load_rows(data / "rte2.test.tsv.gz", limit or 800)
    sides = [[field for field in row if field[:1] == "("] for row in rows]
    yield "rte2 pairs", tk.Pairs([side[0] for side in sides], [side[1] for side in sides])


def error_of(vectors: Any, exact: Any, rows: Any, columns: Any) -> float:
    """Return the root of the mean square error of some dot products."""
    dots = np.einsum("ij,ij->i", vectors[rows], vectors[columns])
    return float(np.sqrt(np.mean((dots - exact) ** 2)))


def rows_of(name: str, X: Any) -> Iterator[Row]:
    """Measure one set of examples."""
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(len(X), size=(2, 2000))
    for decay in DECAYS:
        if isinstance(X, tk.Pairs):
            kernels = (tk.PartialTreeKernel(decay, decay, on=side) for side in X.columns)
            exact = np.prod([kernel(X)[rows, columns] for kernel in kernels], axis=0)
        else:
            exact = tk.PartialTreeKernel(decay, decay)(X)[rows, columns]
        for dimension in DIMENSIONS:
            way: Any = tk.DistributedPairs if isinstance(X, tk.Pairs) else tk.DistributedTrees
            embedding = way(
                dimension, decay, kernel="partial", vertical_decay=decay, normalize=True
            )
            start = time.process_time()
            vectors = embedding.fit_transform(X)
            taken = time.process_time() - start
            yield {
                "data": name,
                "decays": decay,
                "dimension": dimension,
                "error": error_of(vectors, exact, rows, columns),
                "of independent vectors": 1 / np.sqrt(dimension),
                "us an example": 1e6 * taken / len(X),
            }


def main() -> None:
    """Measure all, and print one table."""
    args = arguments((__doc__ or "").splitlines()[0], repeat=1)
    found = []
    for name, X in examples(args.data, args.trees):
        for row in rows_of(name, X):
            say("  ".join(f"{value:.4f}" if isinstance(value, float) else f"{value}"
                          for value in row.values()))  # fmt: skip
            found.append(row)
    report(__file__, args, {"Error of dot products": found}, NOTES)


if __name__ == "__main__":
    main()
