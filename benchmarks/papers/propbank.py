"""The arguments of PropBank, as trees and as the seven features, for the scripts on papers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import shared  # noqa: F401  (first: it sets the path)
from features import Features, boundary_features, marked_features, passives
from sklearn.feature_extraction import DictVectorizer

import treekernels as tk
from common import load_rows


def load(data: Path, limit: int | None) -> tuple[tk.Table, np.ndarray, list[str]]:
    """Return trees, marked trees and features of arguments; their labels; their sentences."""
    rows = load_rows(data / "propbank.args.tsv.gz", limit)
    marked = tk.Forest.from_brackets(
        [row[2] for row in load_rows(data / "propbank.args.marked.tsv.gz", limit)]
    )
    sentences = [row[1] for row in rows]
    described = marked_features(marked, sentences, passives(_boundary(data, None)))
    trees = tk.Forest.from_brackets([row[2] for row in rows])
    table = tk.Table({"tree": trees, "marked": marked, "features": vectors(described)})
    return table, np.array([row[0] for row in rows]), sentences


def load_boundary(data: Path, limit: int | None) -> tuple[tk.Table, np.ndarray, list[str]]:
    """Return trees and features of boundary candidates; whether they are arguments; sentences."""
    rows = _boundary(data, limit)
    sentences = [row[1] for row in rows]
    trees = tk.Forest.from_brackets([row[2] for row in rows])
    features = vectors(boundary_features(trees, sentences, passives(rows)))
    return tk.Table({"tree": trees, "features": features}), _positive(rows), sentences


def vectors(described: Sequence[Features]) -> np.ndarray:
    """Return one 0/1 column for each value of each feature, as a sparse matrix."""
    return DictVectorizer().fit_transform(described)


def _boundary(data: Path, limit: int | None) -> list[list[str]]:
    return load_rows(data / "propbank.boundary.tsv.gz", limit)


def _positive(rows: Sequence[Sequence[str]]) -> np.ndarray:
    return np.array([row[0] == "+1" for row in rows])
