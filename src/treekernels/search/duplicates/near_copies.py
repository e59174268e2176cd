"""Near-copies among pieces of files: pairs, groups, and what they share."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from treekernels.common.progress import Progress
from treekernels.kernels import Kernel
from treekernels.search.duplicates.pieces import Piece, Pieces
from treekernels.search.tree_index import TreeIndex


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
            "pieces": [asdict(piece) for piece in self.pieces],
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
    similar = index.duplicates(threshold, progress=progress)
    places = list(zip(similar.first.tolist(), similar.second.tolist(), strict=True))
    piece = pieces.pieces
    apart = [not piece[first].overlaps(piece[second]) for first, second in places]
    copies = similar.chosen(np.array(apart, bool))
    groups: list[Copies] = []
    group_of: dict[int, Copies] = {}
    for items in copies.item_groups():
        groups.append(Copies([piece[item] for item in items], []))
        group_of.update(dict.fromkeys(items, groups[-1]))
    for place in np.argsort(-copies.similarities, kind="stable").tolist():
        first, second = int(copies.first[place]), int(copies.second[place])
        pair = CopyPair(piece[first], piece[second], float(copies.similarities[place]))
        group_of[first].pairs.append(pair)
    return groups
