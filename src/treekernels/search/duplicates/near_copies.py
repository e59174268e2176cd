"""Near-copies among pieces of files: groups of them, and what they would save."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.progress import Progress
from treekernels.data.forest import Forest
from treekernels.kernels import Kernel
from treekernels.search.duplicates.groups import linked_groups
from treekernels.search.duplicates.pieces import Piece, Pieces
from treekernels.search.duplicates.similar_trees import SimilarTrees


@dataclass(frozen=True)
class CopyPair:
    """Two pieces that are alike."""

    first: Piece
    second: Piece
    similarity: float


@dataclass(frozen=True)
class Copies:
    """A group of pieces, each of which is a near-copy of every other.

    Attributes
    ----------
    pieces : list of Piece
    pairs : list of CopyPair
        The most similar first. Of pieces whose trees are equal, only the first is in pairs with
        others.
    fingerprints : dict
        For each piece what its tree is, in a few letters: equal trees have equal ones.
    new : set of Piece or None
        Those that were not there before, if that was asked.
    """

    pieces: list[Piece]
    pairs: list[CopyPair]
    fingerprints: dict[Piece, str] = field(default_factory=dict)
    new: frozenset[Piece] | None = None

    @property
    def spare_lines(self) -> int:
        """How many lines could go if only the longest of the pieces were kept."""
        lengths = [piece.line_count for piece in self.pieces]
        return sum(lengths) - max(lengths)

    @property
    def most_similar(self) -> float:
        """The largest similarity."""
        return self.pairs[0].similarity

    @property
    def least_similar(self) -> float:
        """The smallest similarity."""
        return self.pairs[-1].similarity

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        numbers = {piece: number for number, piece in enumerate(self.pieces)}
        return {
            "spare_lines": self.spare_lines,
            "pieces": [
                {
                    **piece.as_data(),
                    "fingerprint": self.fingerprints.get(piece),
                    **({} if self.new is None else {"new": piece in self.new}),
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


@dataclass(frozen=True)
class AllCopies:
    """All groups of near-copies, those first of which the most lines could go.

    Attributes
    ----------
    groups : list of Copies
    fingerprints : dict
        The pieces that have each fingerprint, of those that have a near-copy.
    """

    groups: list[Copies]
    fingerprints: dict[str, list[Piece]]


def near_copies(
    pieces: Pieces,
    kernel: Kernel,
    threshold: float,
    *,
    learned_here: bool = False,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> AllCopies:
    """Return the groups of near-copies.

    Pieces that lie in each other, such as a function in another one, are no copies of each other.
    `learned_here` says that the kernel has learned its weights from these pieces.
    """
    places, tree_of = numbered_trees(pieces.trees.roots)
    distinct = pieces.trees[places]
    similar = SimilarTrees.of(
        distinct, kernel, threshold, learned_here=learned_here, n_jobs=n_jobs, progress=progress
    )
    return grouped_copies(
        pieces.pieces, tree_of, similar, lambda trees: fingerprints_of(distinct[trees])
    )


def grouped_copies(
    pieces: list[Piece],
    tree_of: list[int],
    similar: SimilarTrees,
    fingerprints: Callable[[list[int]], list[str]],
) -> AllCopies:
    """Return groups of pieces by the similar ones among their different trees.

    These are numbered in the order of their first pieces.
    """
    of_tree: dict[int, list[Piece]] = defaultdict(list)
    for piece, tree in zip(pieces, tree_of, strict=True):
        of_tree[tree].append(piece)
    pairs = list(zip(similar.first.tolist(), similar.second.tolist(), strict=True))
    value_of = dict(zip(pairs, similar.similarities.tolist(), strict=True))
    groups = linked_groups(similar.first, similar.second, similar.similarities)
    in_pairs = {tree for pair in pairs for tree in pair}
    groups += [[tree] for tree, same in of_tree.items() if len(same) > 1 and tree not in in_pairs]
    involved = sorted({tree for group in groups for tree in group})
    prints = dict(zip(involved, fingerprints(involved), strict=True))
    copies = [
        group
        for trees_of_group in groups
        if (group := _copies(trees_of_group, of_tree, value_of, prints)) is not None
    ]
    copies = _outermost(copies)
    copies.sort(key=lambda group: (-group.spare_lines, -group.most_similar, _order(group)))
    return AllCopies(copies, {prints[tree]: of_tree[tree] for tree in involved})


def numbered_trees(roots: NDArray[np.uint32]) -> tuple[NDArray[np.intp], list[int]]:
    """Return where each different root occurs first, and for each its number in that order."""
    _, places, inverse = np.unique(roots, return_index=True, return_inverse=True)
    order = np.argsort(places)
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    return places[order], rank[inverse].tolist()


def _copies(
    trees: list[int],
    of_tree: dict[int, list[Piece]],
    value_of: dict[tuple[int, int], float],
    prints: dict[int, str],
) -> Copies | None:
    """Return the pieces of some trees that lie in no other of them, if these are several."""
    everything = {piece: tree for tree in trees for piece in of_tree[tree]}
    kept = {piece: everything[piece] for piece in _not_inside_others(everything)}
    if len(kept) < 2:
        return None
    firsts: dict[int, Piece] = {}
    pairs = []
    for piece, tree in kept.items():
        if tree in firsts:
            pairs.append(CopyPair(firsts[tree], piece, 1.0))
        else:
            firsts[tree] = piece
    there = list(firsts)
    for place, one in enumerate(there):
        for other in there[place + 1 :]:
            if (value := value_of.get((min(one, other), max(one, other)))) is not None:
                pairs.append(CopyPair(firsts[one], firsts[other], value))
    pairs.sort(key=lambda pair: -pair.similarity)
    return Copies(list(kept), pairs, {piece: prints[tree] for piece, tree in kept.items()})


def _not_inside_others(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the pieces that lie in no other of them, in the order of files and lines."""
    kept: list[Piece] = []
    for piece in sorted(pieces, key=lambda p: (p.file, p.first_line, -p.last_line)):
        if not (kept and kept[-1].surrounds(piece)):
            kept.append(piece)
    return kept


def _outermost(groups: list[Copies]) -> list[Copies]:
    """Leave out groups whose pieces are all parts of the pieces of another one, each of its own."""
    by_file: dict[str, list[tuple[Piece, int]]] = defaultdict(list)
    for number, group in enumerate(groups):
        for piece in group.pieces:
            by_file[piece.file].append((piece, number))
    kept = []
    for number, group in enumerate(groups):
        around = [
            {
                (other, outer)
                for outer, other in by_file[piece.file]
                if other != number and outer != piece and outer.surrounds(piece)
            }
            for piece in group.pieces
        ]
        common = set.intersection(*({other for other, _ in each} for each in around))
        inside = any(
            len({outer for each in around for other, outer in each if other == number_around})
            >= len(group.pieces)
            for number_around in common
        )
        if not inside:
            kept.append(group)
    return kept


def fingerprints_of(trees: Forest) -> list[str]:
    """Return for each tree what it is, in a few letters."""
    return [
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        for text in trees.to_brackets()
    ]


def _order(group: Copies) -> tuple[Any, ...]:
    first = group.pieces[0]
    return first.file, first.first_line, len(group.pieces), str(group.pieces[-1])
