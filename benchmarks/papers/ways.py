"""The distributed trees that the scripts on tasks compare, with the data of the tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import shared  # noqa: F401  (first: it sets the path)

import treekernels as tk
from common import Row

DECAYS = [0.2, 0.4, 0.6, 0.8, 1.0]
# The paper's convolution takes a Fourier transform for each node, too long for whole corpora; with
# affine permutations it needs none.
WAYS: dict[str, dict[str, Any]] = {
    "product, as in the paper": {"composition": "product", "permutations": "random"}
    | {"heads": "shared"},
    "convolution, affine permutations": {"composition": "convolution", "heads": "shared"},
    "sign": {},
    "sign, min_df 2": {"min_df": 2},
}


PAPERS_OWN = tuple(WAYS)[:2]


def questions(data: Path, limit: int | None) -> tuple[tk.Forest, Any, tk.Forest, Any]:
    """Return training trees, their classes, test trees, their classes."""
    train, test = (
        tk.read(data / f"qc.{part}.tsv.gz", columns=["label", "fine", "tree"])[:limit]
        for part in ("train", "test")
    )
    return train["tree"], train["label"].astype(str), test["tree"], test["label"].astype(str)


def entailments(data: Path, number: int, part: str, limit: int | None) -> tk.Table:
    """Return the pairs of a challenge: label, text and hypothesis."""
    names = ["label", "text", "hypothesis"]
    return tk.read(data / f"rte{number}.{part}.tsv.gz", columns=names)[:limit]


def draw_by_decay(place: Any, rows: list[Row], ylabel: str) -> None:
    """Draw one line a row; what the paper has, and the exact kernel, stand out."""
    for row in rows:
        name = row["kernel"]
        style = "k-" if name.startswith("TK") else ":" if name.startswith(PAPERS_OWN) else "-"
        decays = [decay for decay in DECAYS if row.get(str(decay)) is not None]
        values = [row[str(decay)] for decay in decays]
        place.plot(decays, values, style, marker="o", ms=3, label=name)
    place.set(xlabel="decay", ylabel=ylabel)
    place.legend(fontsize="small")


def mean(values: Any) -> float:
    """Return the mean as a plain number."""
    return float(np.mean(list(values)))
