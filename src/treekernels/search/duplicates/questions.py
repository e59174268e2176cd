"""Questions that somebody who writes code asks of a repository: is it there already?

Answers are short, whatever is asked: places with lines and a name, how alike they are, and which
lines are shared. They hold no source texts, and names have no characters that cannot be seen: what
stands in a repository comes from strangers.
"""

from __future__ import annotations

import textwrap
import threading
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import PurePosixPath

from treekernels.common.text import count_noun
from treekernels.drawing.markup import visible_text
from treekernels.errors import DataError
from treekernels.io.files.lock import locked
from treekernels.io.formats import format_of, known_extension
from treekernels.io.reading.input.lines import Contents
from treekernels.io.reading.read import read
from treekernels.search.duplicates.files.choice import FileChoice
from treekernels.search.duplicates.files.revisions import changes_since
from treekernels.search.duplicates.near_copies import Copies
from treekernels.search.duplicates.piece_index import PieceIndex
from treekernels.search.duplicates.pieces import CODE, Piece, Pieces, default_reading
from treekernels.search.duplicates.reports.differences import shared_lines

__all__ = ["Answer", "Asked", "Repository", "Similar"]

_MOST_ASKED = 10  # pieces in an answer
_MOST_SIMILAR = 20  # for each of them
_MOST_CHARACTERS = 200_000  # of code in a question
_LEAST_NODES = 10
_LONGEST_NAME = 200
_MOST_LINES = 400  # that are compared
_MOST_RANGES = 5


@dataclass(frozen=True)
class Similar:
    """A piece of the repository that is like another one.

    Attributes
    ----------
    file, first_line, last_line, name
        Where it is.
    similarity : float
        From 0 to 1.
    shared : str
        Which of its lines stand in the other one too.
    """

    file: str
    first_line: int
    last_line: int
    name: str
    similarity: float
    shared: str


@dataclass(frozen=True)
class Asked:
    """A piece that was asked about, and what is like it, the most similar first."""

    file: str
    first_line: int
    last_line: int
    name: str
    similar: list[Similar]


@dataclass(frozen=True)
class Answer:
    """What is known of each piece that has something like it.

    Attributes
    ----------
    summary : str
        A sentence or two.
    pieces : list of Asked
    """

    summary: str
    pieces: list[Asked]


class Repository:
    """Files that are looked at again before each answer, of which only those are read that changed.

    Parameters
    ----------
    paths : sequence of str
    index : PieceIndex
        Its threshold is that of copies.
    choice : FileChoice
    file : str, optional
        Where the index is kept.
    renamed : bool, default=False
        Whether names and literals do not count.
    """

    def __init__(
        self,
        paths: Sequence[str],
        index: PieceIndex,
        choice: FileChoice,
        *,
        file: str | None = None,
        renamed: bool = False,
    ) -> None:
        self._paths = list(paths)
        self._index = index
        self._choice = choice
        self._file = file
        self._renamed = renamed
        self._lock = threading.Lock()
        if file is not None:
            index.load(file)

    def similar_to(
        self, code: str, file_name: str = "code.py", *, most: int = 5, least: float = 0.5
    ) -> Answer:
        """Return what is like the functions of some code, or like all of it if it has none.

        Parameters
        ----------
        code : str
        file_name : str
            Its ending says which language it is; no such file is opened.
        most : int
            How many pieces to name for each function.
        least : float
            How similar they have to be.
        """
        if len(code) > _MOST_CHARACTERS:
            raise DataError(f"more than {_MOST_CHARACTERS:,} characters: ask about a part of it")
        code = textwrap.dedent(code)
        asked = self._read(code, file_name)
        if not asked.pieces:
            return Answer(f"This is too small: it has fewer than {_LEAST_NODES} nodes.", [])
        lines = code.splitlines()
        with self._lock:
            self._look()
            found = self._index.nearest(asked.trees[:_MOST_ASKED], min(max(most, 1), _MOST_SIMILAR))
            count = len(self._index)
        pieces = []
        for piece, hits in zip(asked.pieces, found, strict=False):
            own = lines[piece.first_line - 1 : piece.last_line]
            similar = [self._similar(own, hit, value) for hit, value in hits if value >= least]
            if similar:
                pieces.append(_asked(piece, similar))
        return Answer(_summary(len(asked.pieces), len(pieces), count), pieces)

    def copied_by_change(self, since: str = "HEAD", *, most: int = 5) -> Answer:
        """Return what the pieces that have changed since a revision of git are near-copies of."""
        with self._lock:
            changes = changes_since(since)
            self._look()
            groups = self._index.copies().groups
            changed = sum(map(changes.touch, self._index.pieces()[0]))
            count = len(self._index)
        copies: dict[Piece, dict[Piece, float]] = {}
        for group in groups:
            for piece in group.pieces:
                if changes.touch(piece):
                    copies.setdefault(piece, {}).update(_others(group, piece))
        pieces = []
        for piece, others in list(copies.items())[:_MOST_ASKED]:
            own = piece.text().splitlines()
            best = sorted(others.items(), key=lambda entry: -entry[1])
            kept = best[: min(max(most, 1), _MOST_SIMILAR)]
            pieces.append(_asked(piece, [self._similar(own, *entry) for entry in kept]))
        return Answer(_summary(changed, len(copies), count), pieces)

    def _look(self) -> None:
        """Bring the index up to date."""
        with nullcontext() if self._file is None else locked(self._file):
            self._index.update(self._paths, self._choice)
            if self._file is not None and self._index.is_worth_saving:
                self._index.save(self._file)

    def _read(self, code: str, file_name: str) -> Pieces:
        """Return the functions of some code, or all of it as one piece."""
        name = f"code{PurePosixPath(file_name).suffix}"
        kind = format_of(name) if known_extension(name) else None
        if kind not in CODE:
            raise DataError(
                f"{visible_text(file_name[:_LONGEST_NAME])!r} does not say which language this is: "
                "give a name such as code.py or code.java"
            )
        content = Contents(name, code.encode("utf-8", "replace"))
        reading = default_reading(kind, self._renamed)
        functions = read([content], kind, origin=True, **reading)
        if len(functions):
            places = (functions[column] for column in ("file", "line", "last_line", "name"))
            pieces = [Piece(str(f), int(a), int(b), n) for f, a, b, n in zip(*places, strict=True)]
            large = Pieces(functions.forest("tree"), pieces).at_least(_LEAST_NODES)
            if large.pieces:
                return large
        reading.pop("each")
        whole = read(content, kind, **reading)
        return Pieces(whole, [Piece(name, 1, code.count("\n") + 1)]).at_least(_LEAST_NODES)

    def _similar(self, own: list[str], piece: Piece, value: float) -> Similar:
        lines = piece.text().splitlines()[:_MOST_LINES]
        _, shared = shared_lines(own[:_MOST_LINES], lines, self._renamed)
        telling = [place for place in sorted(shared) if lines[place].strip()]
        return Similar(*_place(piece), round(value, 3), _ranges(telling, piece.first_line))


def _others(group: Copies, piece: Piece) -> Iterable[tuple[Piece, float]]:
    """Return the other pieces of a group, with how similar they are to one of them."""
    values = {
        frozenset(group.fingerprints[side] for side in (pair.first, pair.second)): pair.similarity
        for pair in group.pairs
    }
    for other in group.pieces:
        if other != piece:
            prints = frozenset((group.fingerprints[piece], group.fingerprints[other]))
            yield other, 1.0 if len(prints) == 1 else values[prints]


def _asked(piece: Piece, similar: list[Similar]) -> Asked:
    return Asked(*_place(piece), similar)


def _place(piece: Piece) -> tuple[str, int, int, str]:
    file, name = (visible_text(text[:_LONGEST_NAME]) for text in (piece.file, piece.name or ""))
    return file, piece.first_line, piece.last_line, name


def _ranges(places: list[int], first_line: int) -> str:
    """Return lines as people write them, such as 3-5, 9."""
    ranges: list[tuple[int, int]] = []
    for place in places:
        if ranges and ranges[-1][1] == place - 1:
            ranges[-1] = (ranges[-1][0], place)
        else:
            ranges.append((place, place))
    texts = [
        str(first + first_line) if first == last else f"{first + first_line}-{last + first_line}"
        for first, last in sorted(sorted(ranges, key=lambda r: r[0] - r[1])[:_MOST_RANGES])
    ]
    more = f" and {len(ranges) - _MOST_RANGES} more" if len(ranges) > _MOST_RANGES else ""
    return f"lines {', '.join(texts)}{more}" if texts else "structure only"


def _summary(asked: int, shown: int, count: int) -> str:
    """Return how many pieces were compared, and how many have something like them."""
    more = f" Only the first {_MOST_ASKED} are listed." if asked > _MOST_ASKED else ""
    return (
        f"{count_noun(asked, 'piece')} compared with the {count:,} of the repository: "
        f"{shown or 'none'} with something like it.{more}"
    )
