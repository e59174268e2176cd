"""PieceIndex: pieces, their trees and the similar ones among them, kept from one run to the next.

Files are known by their content, and trees too: each different one is in the index once, under its
fingerprint. What has not changed is neither read nor compared again. The similarity of two trees
depends on these two and on the kernel alone, so that the result has the same bits as that of a run
without an index. Weights that the kernel has learned stay as they are until there are twice as many
pieces, or half as many: a pair that was not alike yesterday is alike today only if it has changed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from treekernels.common.progress import Progress
from treekernels.common.version import __version__
from treekernels.data.forest import Forest, Source
from treekernels.errors import ModelFileError, ParseError
from treekernels.io.files.container import map_container
from treekernels.kernels import Kernel, TreeFeaturesKernel
from treekernels.search.duplicates.files.choice import FileChoice, LeftOut
from treekernels.search.duplicates.known_files import KnownFile, packed_files, unpacked_files
from treekernels.search.duplicates.near_copies import AllCopies, fingerprints_of, grouped_copies
from treekernels.search.duplicates.pieces import (
    Piece,
    chosen_files,
    default_reading,
    read_files,
)
from treekernels.search.duplicates.similar_trees import (
    SLACK,
    SimilarTrees,
    expression_of,
    learned_kernel,
)
from treekernels.search.index.origins import packed, unpacked
from treekernels.search.tree_index import TreeIndex

__all__ = ["PieceIndex"]

_MANY = 0.3  # of all trees: so many new ones are compared with all at once
_FEW = 0.01  # of all files: to read them again takes less time than to write the index


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
    kernel : Kernel, optional
        By default what suits the trees.
    threshold : float
        How similar trees have to be.
    smallest : int
        How many nodes a tree has at least.
    reading : dict
        How files are read: `format`, `without_names`, and options of the readers.
    name : str, optional
        What tells the kernel from others, if more does than how it is shown.
    """

    def __init__(
        self,
        kernel: Kernel | None,
        threshold: float,
        smallest: int,
        reading: Mapping[str, Any],
        *,
        name: str | None = None,
    ) -> None:
        self._asked_for = kernel
        self._name = name or ("auto" if kernel is None else repr(kernel))
        self._threshold = threshold
        self._smallest = smallest
        self._reading = dict(reading)
        self._files: dict[str, KnownFile] = {}
        self._order: list[str] = []
        self._opened: TreeIndex | None = TreeIndex(TreeFeaturesKernel())
        self._unopened: tuple[Any, ...] = ()  # path, kind and content of a file
        self._saved: set[str] = set()  # the fingerprints there
        self._expression = ""
        self._learned_from = 0  # pieces; 0 until there are some
        self._source: Source | None = None  # what the first pieces were of
        self._similar: dict[tuple[str, str], float] | None = {}
        self._unsaved: float = float("inf")  # files that differ from those in the file

    @property
    def _index(self) -> TreeIndex:
        """The trees. Those of a file are opened when something has to be compared."""
        if self._opened is None:
            path = self._unopened[0]
            self._opened, self._unopened = TreeIndex.of_content(*self._unopened), ()
            if self._saved != set(self._opened.ids):
                raise ModelFileError(f"{path}: its trees are not those of its files")
        return self._opened

    @property
    def settings(self) -> dict[str, Any]:
        """What has to be the same for an index to be of use."""
        return {
            "version": [__version__, *sys.version_info[:2]],
            "kernel": self._name,
            "threshold": self._threshold,
            "smallest": self._smallest,
            "reading": self._reading,
        }

    def __len__(self) -> int:
        return sum(len(file.pieces) for file in self._files.values())

    @property
    def is_worth_saving(self) -> bool:
        """Whether more has changed since it was saved than is quickly read again."""
        return self._unsaved > _FEW * len(self._files)

    @property
    def kernel(self) -> Kernel:
        """What trees are compared by, with the weights that it has learned."""
        kernel: Kernel = self._index.kernel
        return kernel

    @property
    def expression(self) -> str:
        """The kernel as text; one that was chosen, without its weights."""
        return self._expression

    def update(
        self, paths: Sequence[str], choice: FileChoice | None = None, *, strict: bool = False
    ) -> Update:
        """Read what is new or has changed, and forget files that are not there any more."""
        options = {k: v for k, v in self._reading.items() if k not in ("format", "without_names")}
        digests: dict[str, str] = {}
        chosen, left_out = chosen_files(
            paths, format=self._reading.get("format"), choice=choice, digests=digests
        )
        done = Update(left_out=left_out)
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
        self._order = [file for file, _ in chosen]
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
            self._unsaved += done.read + done.forgotten
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
            self._files[file] = KnownFile(digests[file], [], [], left_out.ignored[file])
        for piece, print_ in zip(pieces.pieces, prints, strict=True):
            place = (piece.first_line, piece.last_line, piece.name, piece.sentence, print_)
            self._files[piece.file].pieces.append(place)
        for problem in problems:
            entry = (problem.line, problem.column, problem.reason)
            self._files[str(problem.source)].problems.append(entry)
        return pieces.trees, prints

    def _in_use(self) -> set[str]:
        return {piece[-1] for file in self._files.values() for piece in file.pieces}

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
        learns = self._kernel_is_out_of_date()
        many = len(new) > _MANY * len(now) or slots > 2 * len(now) + 1000
        if learns or many or self._similar is None:
            kept = self._index.ids
            forest = Forest.concatenate([self._index.trees(kept), added])
            kernel = self._learned([*kept, *new], forest) if learns else self.kernel
            self._opened = TreeIndex(kernel)
            if len(forest):
                self._opened.add(forest, [*kept, *new])
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

    def _kernel_is_out_of_date(self) -> bool:
        count, then = len(self), self._learned_from
        learns = self._asked_for is None or self._asked_for.needs_fit
        return count > 0 and (then == 0 or (learns and not then <= 2 * count <= 4 * then))

    def _learned(self, names: list[str], trees: Forest) -> Kernel:
        """Return the kernel with weights learned from all pieces, whose trees have these names."""
        place_of = {name: place for place, name in enumerate(names)}
        places = [place_of[print_] for *_, print_ in self._places()]
        if not self._learned_from:
            self._source = trees.source
        self._learned_from = len(places)
        pieces = trees[np.array(places, np.intp)]
        kernel = learned_kernel(self._asked_for, pieces, self._source)
        self._expression = expression_of(kernel) if self._asked_for is None else self._name
        return kernel

    def _places(self) -> Iterator[tuple[str, int, int, str | None, str | None, str]]:
        """Yield file, lines, name, sentence and fingerprint of all pieces, in order."""
        for file in self._order:
            for piece in self._files[file].pieces:
                yield (file, *piece)

    def _values(self, first: Sequence[str], second: Sequence[str]) -> dict[tuple[str, str], float]:
        """Return the values of pairs of trees that are similar enough."""
        pairs = {(a, b) if a < b else (b, a) for a, b in zip(first, second, strict=True) if a != b}
        names = sorted({name for pair in pairs for name in pair})
        if not names:
            return {}
        number = {name: place for place, name in enumerate(names)}
        found = SimilarTrees.from_candidates(
            self._index.trees(names),
            self._index.kernel,
            self._index.column,
            self._threshold,
            [number[a] for a, _ in pairs],
            [number[b] for _, b in pairs],
        )
        return {(names[a], names[b]): value for a, b, value in zip(*found, strict=True)}

    def pieces(self) -> tuple[list[Piece], list[str]]:
        """Return all pieces, in the order in which they would be read, and their fingerprints."""
        places = list(self._places())
        return [Piece(*place[:5]) for place in places], [print_ for *_, print_ in places]

    def copies(self, *, n_jobs: int | None = None, progress: Progress | None = None) -> AllCopies:
        """Return the near-copies."""
        if self._similar is None:
            self._index.n_jobs = n_jobs
            near = self._index.duplicates(self._threshold * (1 - SLACK), progress=progress)
            name_of = self._index.ids
            present = np.cumsum(~self._index.removed) - 1
            self._similar = self._values(
                [name_of[item] for item in present[near.first]],
                [name_of[item] for item in present[near.second]],
            )
        pieces, names = self.pieces()
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
        return grouped_copies(
            pieces, tree_of, similar, lambda trees: [by_number[tree] for tree in trees]
        )

    def nearest(self, trees: Forest, most: int) -> list[list[tuple[Piece, float]]]:
        """Return the pieces that are most like each of some trees, the most similar first."""
        of_tree: dict[str, list[Piece]] = {}
        for piece, name in zip(*self.pieces(), strict=True):
            of_tree.setdefault(name, []).append(piece)
        return [
            [(piece, hit.similarity) for hit in hits for piece in of_tree[hit.id]][:most]
            for hits in self._index.search(trees, most)
        ]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save it as an index of trees, which can be searched, with notes of the files."""
        pairs = sorted((self._similar or {}).items())
        self._index.notes_ = {
            "settings": self.settings,
            "learned_from": self._learned_from,
            "source": self._source,
            "expression": self._expression,
            "order": packed(self._order),
            "files": packed_files(self._files),
            "compared": self._similar is not None,
            "pairs": packed([pair for pair, _ in pairs]),
            "values": np.array([value for _, value in pairs], float),
        }
        self._index.save(path)
        self._unsaved = 0

    def load(self, path: str | os.PathLike[str]) -> bool:
        """Take what was saved; False if there is nothing, or it was made in another way."""
        if not Path(path).exists():
            return False
        kind, content = map_container(path)
        try:
            notes = content.get("notes")
            if notes is None or _plain(notes["settings"]) != _plain(self.settings):
                return False
            files = unpacked_files(notes["files"])
            values = notes["values"].tolist()
            pairs = [(str(a), str(b)) for a, b in unpacked(notes["pairs"])]
            similar = dict(zip(pairs, values, strict=True)) if notes["compared"] else None
            order = [str(name) for name in unpacked(notes["order"])]
            self._learned_from = int(notes["learned_from"])
            self._source, self._expression = notes["source"], str(notes["expression"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelFileError(f"{path}: what it says of its files does not fit") from error
        self._files, self._similar, self._order = files, similar, order
        self._opened, self._unopened = None, (path, kind, content)
        self._saved = self._in_use()
        self._unsaved = 0
        return True


def _plain(value: Any) -> Any:
    """Return a value as it comes back from a file."""
    import json

    return json.loads(json.dumps(value))
