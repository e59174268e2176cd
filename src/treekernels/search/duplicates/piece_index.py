"""PieceIndex: pieces, their trees and the similar ones among them, kept from one run to the next.

Files are known by their content, and trees too: each different one is in the index once, under its
fingerprint. What has not changed is neither read nor compared again. The similarity of two trees
depends on these two alone, so that the result has the same bits as that of a run without an index.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from treekernels.common.progress import Progress
from treekernels.common.version import __version__
from treekernels.data.forest import Forest
from treekernels.errors import DataError, ModelFileError, ParseError
from treekernels.io.reading.input.lines import bytes_of
from treekernels.kernels import Kernel
from treekernels.search.duplicates.files.choice import FileChoice, LeftOut
from treekernels.search.duplicates.near_copies import AllCopies, fingerprints_of, grouped_copies
from treekernels.search.duplicates.pieces import (
    Piece,
    chosen_files,
    default_reading,
    read_files,
)
from treekernels.search.duplicates.similar_trees import SLACK, SimilarTrees
from treekernels.search.tree_index import TreeIndex

__all__ = ["PieceIndex"]

_MANY = 0.3  # of all trees: so many new ones are compared with all at once


@dataclass
class _File:
    """What is known of a file."""

    digest: str
    pieces: list[tuple[int, int, str | None, str]]  # lines, name, and fingerprint of the tree
    problems: list[tuple[int, int | None, str]]
    ignored: int = 0


@dataclass
class Update:
    """What an update did: how many files were read or forgotten, and what was left out."""

    read: int = 0
    forgotten: int = 0
    kept: int = 0
    left_out: LeftOut = field(default_factory=LeftOut)
    problems: list[ParseError] = field(default_factory=list)


class PieceIndex:
    """Pieces of files, with all pairs of similar trees.

    Parameters
    ----------
    kernel : Kernel
    threshold : float
        How similar trees have to be.
    smallest : int
        How many nodes a tree has at least.
    reading : dict
        How files are read: `format`, `without_names`, and options of the readers.
    """

    def __init__(
        self, kernel: Kernel, threshold: float, smallest: int, reading: Mapping[str, Any]
    ) -> None:
        self._kernel = kernel
        self._threshold = threshold
        self._smallest = smallest
        self._reading = dict(reading)
        self._files: dict[str, _File] = {}
        self._order: list[str] = []
        self._index = TreeIndex(kernel)
        self._similar: dict[tuple[str, str], float] | None = {}
        self.has_changed = True

    @property
    def settings(self) -> dict[str, Any]:
        """What has to be the same for an index to be of use."""
        return {
            "version": [__version__, *sys.version_info[:2]],
            "kernel": repr(self._kernel),
            "threshold": self._threshold,
            "smallest": self._smallest,
            "reading": self._reading,
        }

    def __len__(self) -> int:
        return sum(len(file.pieces) for file in self._files.values())

    def update(
        self, paths: Sequence[str], choice: FileChoice | None = None, *, strict: bool = False
    ) -> Update:
        """Read what is new or has changed, and forget files that are not there any more."""
        options = {k: v for k, v in self._reading.items() if k not in ("format", "without_names")}
        chosen, left_out = chosen_files(paths, format=self._reading.get("format"), choice=choice)
        done = Update(left_out=left_out)
        digests = {file: _digest(file, kind) for file, kind in chosen}
        changed: dict[str, list[str]] = {}
        for file, kind in chosen:
            known = self._files.get(file)
            if known is None or known.digest != digests[file]:
                changed.setdefault(kind, []).append(file)
        old = self._in_use()
        gone = self._files.keys() - digests.keys()
        for file in gone:
            del self._files[file]
        read_ones = []
        for kind, files in changed.items():
            reading = {
                **default_reading(kind, self._reading.get("without_names", False)),
                **options,
            }
            read_ones.append(self._read(files, kind, digests, reading, strict))
        self._order = list(digests)
        done.read, done.forgotten = sum(map(len, changed.values())), len(gone)
        done.kept = len(chosen) - done.read
        for file in self._order:
            known = self._files[file]
            done.left_out.ignored[file] += known.ignored
            done.problems += [
                ParseError(reason, source=file, line=line, column=column)
                for line, column, reason in known.problems
            ]
        if done.read or done.forgotten:
            self.has_changed = True
            trees = Forest.concatenate([forest for forest, _ in read_ones])
            self._take(trees, [name for _, prints in read_ones for name in prints], old)
        return done

    def _read(
        self,
        files: list[str],
        kind: str,
        digests: dict[str, str],
        reading: dict[str, Any],
        strict: bool,
    ) -> tuple[Forest, list[str]]:
        """Read files, and return the trees of their pieces, with fingerprints."""
        problems: list[ParseError] = []
        left_out = LeftOut()
        pieces = read_files(
            files, kind, problems=None if strict else problems, left_out=left_out, **reading
        ).at_least(self._smallest)
        prints = fingerprints_of(pieces.trees)
        for file in files:
            self._files[file] = _File(digests[file], [], [], left_out.ignored[file])
        for piece, print_ in zip(pieces.pieces, prints, strict=True):
            place = (piece.first_line, piece.last_line, piece.name, print_)
            self._files[piece.file].pieces.append(place)
        for problem in problems:
            entry = (problem.line, problem.column, problem.reason)
            self._files[str(problem.source)].problems.append(entry)
        return pieces.trees, prints

    def _in_use(self) -> set[str]:
        return {piece[3] for file in self._files.values() for piece in file.pieces}

    def _take(self, trees: Forest, prints: list[str], old: set[str]) -> None:
        """Bring the trees of the index, and the pairs, up to what pieces there are."""
        now = self._in_use()
        places = {name: place for place, name in reversed(list(enumerate(prints)))}
        new = [name for name in dict.fromkeys(prints) if name not in old]
        added = trees[np.array([places[name] for name in new], np.intp)]
        gone = old - now
        slots = len(self._index.removed)
        if gone:
            self._index.remove(gone)
        many = len(new) > _MANY * len(now) or slots > 2 * len(now) + 1000
        if self._kernel.needs_fit or many or self._similar is None:
            kept = self._index.ids
            forest = Forest.concatenate([self._index.trees(kept), added])
            self._index = TreeIndex(self._kernel)
            if len(forest):
                self._index.add(forest, [*kept, *new])
            self._similar = None
            return
        similar = {pair: value for pair, value in self._similar.items() if gone.isdisjoint(pair)}
        if new:
            self._index.add(added, new)
            near = self._index.within(added, self._threshold * (1 - SLACK))
            first = [name for name, hits in zip(new, near, strict=True) for _ in range(len(hits))]
            second = [id_ for hits in near for id_ in hits.ids]
            similar.update(self._values(first, second))
        self._similar = similar

    def _values(self, first: Sequence[str], second: Sequence[str]) -> dict[tuple[str, str], float]:
        """Return the values of pairs of trees that are similar enough."""
        pairs = {(a, b) if a < b else (b, a) for a, b in zip(first, second, strict=True) if a != b}
        names = sorted({name for pair in pairs for name in pair})
        if not names:
            return {}
        number = {name: place for place, name in enumerate(names)}
        found = SimilarTrees.from_candidates(
            self._index.trees(names),
            self._index,
            self._threshold,
            [number[a] for a, _ in pairs],
            [number[b] for _, b in pairs],
        )
        return {(names[a], names[b]): value for a, b, value in zip(*found, strict=True)}

    def copies(
        self, *, n_jobs: int | None = None, progress: Progress | None = None
    ) -> tuple[AllCopies, int]:
        """Return the near-copies, and the number of pieces."""
        self._index.n_jobs = n_jobs
        if self._similar is None:
            near = self._index.duplicates(self._threshold * (1 - SLACK), progress=progress)
            name_of = self._index.ids
            present = np.cumsum(~self._index.removed) - 1
            self._similar = self._values(
                [name_of[item] for item in present[near.first]],
                [name_of[item] for item in present[near.second]],
            )
        pieces, names = [], []
        for file in self._order:
            for first, last, name, print_ in self._files[file].pieces:
                pieces.append(Piece(file, first, last, name))
                names.append(print_)
        number = {name: place for place, name in enumerate(dict.fromkeys(names))}
        entries = sorted(
            (min(number[a], number[b]), max(number[a], number[b]), value)
            for (a, b), value in self._similar.items()
        )
        similar = SimilarTrees(
            np.array([a for a, _, _ in entries], np.intp),
            np.array([b for _, b, _ in entries], np.intp),
            np.array([value for _, _, value in entries], float),
        )
        by_number = list(number)
        tree_of = [number[name] for name in names]
        found = grouped_copies(
            pieces, tree_of, similar, lambda trees: [by_number[tree] for tree in trees]
        )
        return found, len(pieces)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save it as an index of trees, which can be searched, with notes of the files."""
        pairs = sorted((self._similar or {}).items())
        self._index.notes_ = {
            "settings": self.settings,
            "order": self._order,
            "files": [
                [name, file.digest, file.pieces, file.problems, file.ignored]
                for name, file in self._files.items()
            ],
            "compared": self._similar is not None,
            "pairs": [list(pair) for pair, _ in pairs],
            "values": np.array([value for _, value in pairs], float),
        }
        self._index.save(path)

    def load(self, path: str | os.PathLike[str]) -> bool:
        """Take what was saved; False if there is nothing, or it was made in another way."""
        if not Path(path).exists():
            return False
        index = TreeIndex.load(path)
        notes = index.notes_
        try:
            if notes is None or _plain(notes["settings"]) != _plain(self.settings):
                return False
            files = {
                str(name): _File(
                    str(digest),
                    [(int(a), int(b), c, str(d)) for a, b, c, d in pieces],
                    [(int(a), b, str(c)) for a, b, c in problems],
                    int(ignored),
                )
                for name, digest, pieces, problems, ignored in notes["files"]
            }
            values = notes["values"].tolist()
            pairs = [(str(a), str(b)) for a, b in notes["pairs"]]
            similar = dict(zip(pairs, values, strict=True)) if notes["compared"] else None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelFileError(f"{path}: what it says of its files does not fit") from error
        self._files, self._similar, self._index = files, similar, index
        self._order = [str(name) for name in notes["order"]]
        if self._in_use() != set(index.ids):
            raise ModelFileError(f"{path}: its trees are not those of its files")
        self.has_changed = False
        return True


def _digest(file: str, kind: str) -> str:
    try:
        content = bytes_of(file)
    except (OSError, DataError, ParseError):
        return ""  # the reader will say what is wrong with it
    return hashlib.blake2b(content, digest_size=16, person=kind.encode()[:16]).hexdigest()


def _plain(value: Any) -> Any:
    """Return a value as it comes back from a file."""
    import json

    return json.loads(json.dumps(value))
