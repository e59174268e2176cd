"""What the scripts on papers share: the folder above on the path, corpora, optional plots."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from scipy.stats import spearmanr

import treekernels as tk
from common import HERE, load_texts

PAIRS = 5000


def exact(decay: float) -> tk.SubsetTreeKernel:
    """Give the kernel that is estimated."""
    return tk.SubsetTreeKernel(decay, normalize=False, n_jobs=2)


def embedding(decay: float, dimension: int = 8192, **more: Any) -> tk.DistributedTrees:
    """Give distributed trees for a decay."""
    return tk.DistributedTrees(dimension, decay, n_jobs=2, **more)


def rho(values: np.ndarray, estimates: np.ndarray) -> float:
    """Give Spearman's rank correlation."""
    return float(spearmanr(values, estimates).statistic)


def corpus(data: Path, name: str, limit: int | None = None) -> tk.Forest:
    """Give the trees of qc, treebank or rte (texts and hypotheses of the development sets)."""
    files = {
        "qc": ["qc.train.tsv.gz"],
        "treebank": ["treebank.trees.gz"],
        "rte": [f"rte{number}.dev.tsv.gz" for number in (1, 2, 3)],
    }
    texts = [text for file in files[name] for text in load_texts(data / file)]
    return tk.Forest.from_brackets(texts[:limit])


def random_pairs(
    rows: int, columns: int, count: int, *, same: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Draw pairs, always the same ones; of different trees if both sides are the same forest."""
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, rows, count), rng.integers(0, columns, count)
    keep = (i != j) | (not same)
    return i[keep], j[keep]


def dot_products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Give the dot product of each row of one with that of the other, in double precision."""
    return np.array([np.dot(x, y) for x, y in zip(a, b, strict=True)], dtype=np.float64)


def plot(script: str, draw: Callable[[Any], Any], width: float = 10, height: float = 4) -> None:
    """Draw into results/<script>.png, if matplotlib is there."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("no plot: matplotlib is missing (pip install 'treekernels[bench]')")
        return
    figure = pyplot.figure(figsize=(width, height), layout="constrained")
    draw(figure)
    path = HERE / "results" / f"{Path(script).stem}.png"
    figure.savefig(path, dpi=120)
    print(f"plot: {path}")
