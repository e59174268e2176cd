"""Pieces of files: what each tree of a collection was read from, with file and lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.errors import DataError, ParseError
from treekernels.io.formats import format_of, known_extension
from treekernels.io.reading.read import read
from treekernels.io.reading.sources import files_of, sniffed_format

_CODE = ("python", "tree-sitter")
_WHOLE_FILES = ("xml", "html", "json")


@dataclass(frozen=True)
class Piece:
    """A part of a file: a function, a page, or a tree on a line of its own."""

    file: str
    first_line: int
    last_line: int
    name: str | None = None

    def __str__(self) -> str:
        lines = str(self.first_line)
        if self.last_line != self.first_line:
            lines += f"-{self.last_line}"
        return f"{self.file}:{lines}"

    def overlaps(self, other: Piece) -> bool:
        """Return whether both are parts of the same lines."""
        return (
            self.file == other.file
            and self.first_line <= other.last_line
            and other.first_line <= self.last_line
        )

    def text(self) -> str:
        """Return the lines as they are in the file now."""
        try:
            lines = Path(self.file).read_text("utf-8", errors="replace").splitlines()
        except OSError:
            return ""
        return "\n".join(lines[self.first_line - 1 : self.last_line])


@dataclass(frozen=True)
class Pieces:
    """Trees, and the piece that each of them is."""

    trees: Forest
    pieces: list[Piece]

    def at_least(self, nodes: int) -> Pieces:
        """Return those whose trees have at least this number of nodes."""
        large = self.trees.sizes >= nodes
        kept = [piece for piece, keep in zip(self.pieces, large, strict=True) if keep]
        return Pieces(self.trees[large], kept)


def read_pieces(
    paths: Sequence[str],
    *,
    format: str | None = None,
    problems: list[ParseError] | None = None,
    without_names: bool = False,
    **options: Any,
) -> Pieces:
    """Read files, folders and patterns: code by its functions, pages as a whole, trees as they are.

    Parameters
    ----------
    paths : sequence of str
    format : str, optional
        As in `treekernels.read`.
    problems : list, optional
        Receives what could not be read; without it, the first such thing is an error.
    without_names : bool, default=False
        Hide names and literals of code, so that copies in which they were changed are equal.
    **options
        For the reader. `each` overrides that code is read by functions.
    """
    by_format: dict[str, list[str]] = {}
    for path in paths:
        for file, kind in _files(path, format):
            by_format.setdefault(kind, []).append(file)
    forests: list[Forest] = []
    pieces: list[Piece] = []
    for kind, files in by_format.items():
        defaults: dict[str, Any] = {}
        if kind in _CODE:
            hidden = {"names": "none", "literals": False} if without_names else {}
            defaults = {"each": "function", **hidden}
        reading = {**defaults, **options, "skip_bad": problems is not None, "problems": problems}
        table = read(files, kind, origin=True, **reading)
        forest = next((column for column in table.values() if isinstance(column, Forest)), None)
        if forest is None:
            raise DataError("there is no column of trees")
        forests.append(forest)
        pieces += _pieces_of(table, len(forest), kind, reading.get("each"))
    return Pieces(Forest.concatenate(forests), pieces)


def _files(path: str, format: str | None) -> list[tuple[str, str]]:
    """Return files with their formats. Of a folder that holds code, the code alone."""
    if format is None and Path(path).is_dir():
        code = [
            (str(file.path), kind)
            for kind in _CODE
            for file in files_of(path, kind)[0]
            if known_extension(file.path) and format_of(file.path) == kind
        ]
        if code:
            return code
    return [
        (str(file.path), format or sniffed_format(file.path)) for file in files_of(path, format)[0]
    ]


def _pieces_of(table: Table, count: int, kind: str, each: Any) -> list[Piece]:
    files = [str(file) for file in table["file"]] if "file" in table else [""] * count
    starts = [int(line) for line in table["line"]] if "line" in table else _numbered(files)
    names = list(table["name"]) if "name" in table else [None] * count
    ends = [int(line) for line in table["last_line"]] if "last_line" in table else starts
    if kind in _WHOLE_FILES or (kind in _CODE and each in (None, "module")):
        lengths = {file: _length(file) for file in files}
        starts, ends = [1] * count, [lengths[file] for file in files]
    return [Piece(*place) for place in zip(files, starts, ends, names, strict=True)]


def _length(file: str) -> int:
    """Return the number of lines of a file, at least one."""
    return max(1, len(Path(file).read_bytes().splitlines()))


def _numbered(files: list[str]) -> list[int]:
    """Return the number of each tree in its file, where lines are not known."""
    counts: dict[str, int] = {}
    numbers = []
    for file in files:
        counts[file] = counts.get(file, 0) + 1
        numbers.append(counts[file])
    return numbers
