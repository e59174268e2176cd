"""Near-copies among pieces of files: pairs, groups, and what they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treekernels.common.progress import Progress
from treekernels.kernels import Kernel
from treekernels.search.pieces import Piece, Pieces
from treekernels.search.results import Duplicates
from treekernels.search.tree_index import TreeIndex

__all__ = ["Copies", "CopyPair", "near_copies"]


@dataclass(frozen=True)
class CopyPair:
    """Two pieces that are alike."""

    first: Piece
    second: Piece
    similarity: float


@dataclass(frozen=True)
class Copies:
    """A group of pieces that are joined by pairs of near-copies, the most similar pair first."""

    pieces: list[Piece]
    pairs: list[CopyPair]

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        numbers = {piece: number for number, piece in enumerate(self.pieces)}
        return {
            "pieces": [
                {
                    "file": piece.file,
                    "first_line": piece.first_line,
                    "last_line": piece.last_line,
                    "name": piece.name,
                }
                for piece in self.pieces
            ],
            "pairs": [
                {
                    "first": numbers[pair.first],
                    "second": numbers[pair.second],
                    "similarity": pair.similarity,
                }
                for pair in self.pairs
            ],
        }


def near_copies(
    pieces: Pieces,
    kernel: Kernel,
    threshold: float,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> list[Copies]:
    """Return the groups of near-copies, the largest first.

    Pieces that lie in each other, such as a function in another one, are no copies of each other.
    """
    index = TreeIndex(kernel, n_jobs=n_jobs)
    index.add(pieces.trees)
    found = index.duplicates(threshold, progress=progress)
    apart = np.array(
        [
            not pieces.pieces[first].overlaps(pieces.pieces[second])
            for first, second in zip(found.first.tolist(), found.second.tolist(), strict=True)
        ],
        bool,
    )
    kept = Duplicates(found.ids, found.first[apart], found.second[apart], found.similarities[apart])
    groups = kept.item_groups()
    group_of = {item: number for number, group in enumerate(groups) for item in group}
    pairs: list[list[CopyPair]] = [[] for _ in groups]
    for first, second, value in zip(
        kept.first.tolist(), kept.second.tolist(), kept.similarities.tolist(), strict=True
    ):
        pair = CopyPair(pieces.pieces[first], pieces.pieces[second], value)
        pairs[group_of[first]].append(pair)
    return [
        Copies(
            [pieces.pieces[item] for item in group],
            sorted(own, key=lambda pair: -pair.similarity),
        )
        for group, own in zip(groups, pairs, strict=True)
    ]
