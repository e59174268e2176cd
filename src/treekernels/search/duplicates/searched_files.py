"""The files whose trees an index for `treekernels search` holds, known by their content.

An update reads only what has changed, and makes the index that would be made of all files anew: the
same trees in the same order, with the same weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treekernels import _native
from treekernels.common.progress import Progress
from treekernels.data.forest import Forest, Source
from treekernels.errors import ModelFileError
from treekernels.search.duplicates.files.choice import LeftOut
from treekernels.search.duplicates.pieces import Piece, Pieces, chosen_files
from treekernels.search.index.origins import Origin, packed, unpacked
from treekernels.search.tree_index import TreeIndex

__all__ = ["SearchedFiles", "Update"]

_NOTE = "searched"


@dataclass(frozen=True)
class Update:
    """What an update did: how many files are new, changed or gone, and what was left out."""

    new: int
    changed: int
    gone: int
    left_out: LeftOut


@dataclass
class SearchedFiles:
    """What an index remembers of its files.

    Attributes
    ----------
    paths : list of str
        What it was made of.
    reading : dict
        How that was read, as plain data.
    kernel : str or None
        The kernel as it was asked for, if its weights are learned from all trees.
    digests : dict
        What the content of each file hashes to.
    ids : dict
        The ids of its trees in the index.
    source : str or None
        What the trees are of.
    """

    paths: list[str]
    reading: dict[str, Any]
    kernel: str | None
    digests: dict[str, str] = field(default_factory=dict)
    ids: dict[str, list[str]] = field(default_factory=dict)
    source: Source | None = None

    @classmethod
    def of(cls, index: TreeIndex, path: str) -> SearchedFiles | None:
        """Return what an index remembers, or None if it was made in another way."""
        note = (index.notes_ or {}).get(_NOTE)
        if note is None:
            return None
        try:
            return cls(**unpacked(note))
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"{path}: what it says of its files does not fit") from error

    def note_in(self, index: TreeIndex) -> None:
        """Let an index remember this."""
        index.notes_ = {**(index.notes_ or {}), _NOTE: packed(vars(self))}

    def update(
        self,
        index: TreeIndex,
        new_index: Callable[[], TreeIndex],
        read: Callable[[list[str]], Pieces],
        progress: Progress | None = None,
    ) -> tuple[TreeIndex, Update]:
        """Return an index of the files as they are now; the same one if nothing has changed.

        `new_index` makes an empty one, and `read` reads the pieces of some files.
        """
        digests: dict[str, str] = {}
        files, left_out = chosen_files(
            self.paths, format=self.reading.get("format_"), digests=digests
        )
        order = [file for file, _ in files]
        to_read = [file for file in order if self.digests.get(file) != (digests[file] or None)]
        new, gone = digests.keys() - self.digests.keys(), self.digests.keys() - digests.keys()
        done = Update(len(new), len(to_read) - len(new), len(gone), left_out)
        if not to_read and not gone:
            return index, done
        pieces = read(to_read) if to_read else Pieces(Forest(), [])
        ids = {file: self.ids[file] for file in order if file not in to_read}
        kept = [id_ for of_file in ids.values() for id_ in of_file]
        ids.update(ids_of(pieces.pieces, to_read))
        trees = index.trees(kept)
        old = Forest.from_roots(trees.dag, trees.roots, source=self.source)
        forest = Forest.concatenate([old, pieces.trees])
        origins: dict[str, Origin] = dict(zip(kept, map(index.origin, kept), strict=True))
        names = [name for name, _ in numbered(pieces.pieces)]
        origins.update(zip(names, map(origin_of, pieces.pieces), strict=True))
        place_of = {name: place for place, name in enumerate([*kept, *names])}
        sorted_names = [name for file in order for name in ids[file]]
        places = np.array([place_of[name] for name in sorted_names], np.intp)
        # Copied in their order, so that nodes have the numbers that they would have in a new index,
        # and sums over them the same last digits.
        dag = _native.Dag()
        roots = dag.import_nodes(forest.dag, forest.roots[places])
        updated = new_index()
        updated.add(
            Forest.from_roots(dag, roots, source=forest.source),
            sorted_names,
            origins=[origins[name] for name in sorted_names],
            progress=progress,
        )
        updated.reading_ = index.reading_
        self.digests, self.ids, self.source = digests, {f: ids[f] for f in order}, forest.source
        self.note_in(updated)
        return updated, done

    def replace(self, index: TreeIndex, pieces: Pieces, data: Sequence[str]) -> list[str]:
        """Take the files that some pieces were read from for known, and return ids for the pieces.

        What the index had of these files is removed from it.
        """
        digests: dict[str, str] = {}
        chosen_files(data, format=self.reading.get("format_"), digests=digests)
        old = [id_ for file in digests for id_ in self.ids.pop(file, [])]
        index.remove(old)
        self.ids.update(ids_of(pieces.pieces, digests))
        self.digests.update(digests)
        self.paths += [path for path in data if path not in self.paths]
        self.note_in(index)
        return [name for name, _ in numbered(pieces.pieces)]


def numbered(pieces: Sequence[Piece]) -> list[tuple[str, Piece]]:
    """Return pieces with ids that differ: file and lines, and a number where these are the same."""
    counts: Counter[str] = Counter()
    named = []
    for piece in pieces:
        name = str(piece)
        counts[name] += 1
        named.append((name if counts[name] == 1 else f"{name}#{counts[name]}", piece))
    return named


def ids_of(pieces: Sequence[Piece], files: Iterable[str]) -> dict[str, list[str]]:
    """Return the ids of the pieces of each file."""
    ids: dict[str, list[str]] = {file: [] for file in files}
    for name, piece in numbered(pieces):
        ids[piece.file].append(name)
    return ids


def origin_of(piece: Piece) -> Origin:
    """Return what is known of a piece beside its lines."""
    known = {"name": piece.name, "text": piece.sentence}
    return {key: value for key, value in known.items() if value is not None}
