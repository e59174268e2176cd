"""What the scripts on distributed trees share: the questions, matrices of vectors, plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import shared  # noqa: F401  (first: it sets the path)
from scipy.linalg.blas import ssyrk

import treekernels as tk
from common import Row

DECAYS = [0.2, 0.4, 0.6, 0.8, 1.0]
PAPERS_OWN = ("product", "convolution")


def questions(data: Path, limit: int | None) -> tuple[tk.Forest, Any, tk.Forest, Any]:
    """Return training trees, their classes, test trees, their classes."""
    train, test = (
        tk.read(data / f"qc.{part}.tsv.gz", columns=["label", "fine", "tree"])[:limit]
        for part in ("train", "test")
    )
    return train["tree"], train["label"].astype(str), test["tree"], test["label"].astype(str)


def squares(vectors: np.ndarray) -> np.ndarray:
    """Return the dot products of vectors with each other, half of which need computing."""
    upper = np.triu(ssyrk(1.0, vectors.T, trans=1)).astype(float)
    return upper + np.triu(upper, 1).T


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
