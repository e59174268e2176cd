"""Pieces of files: what each tree of a collection was read from, with file and lines."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.errors import DataError, ParseError
from treekernels.io.formats import FORMATS, format_of, known_extension
from treekernels.io.readers.code.treesitter import language_of, missing_grammar
from treekernels.io.reading.input.lines import bytes_of
from treekernels.io.reading.input.sources import files_of, fitting_files, sniffed_format
from treekernels.io.reading.read import read
from treekernels.search.duplicates.files.choice import (
    LARGEST,
    FileChoice,
    LeftOut,
    is_generated,
)
from treekernels.search.duplicates.files.comments import switched_off, switches_off_file

CODE = ("python", "tree-sitter")
"""The formats of which functions are read."""
_WHOLE_FILES = ("xml", "html", "json")


@dataclass(frozen=True)
class Piece:
    """A part of a file: a function, a page, a tree on a line of its own, or a sentence."""

    file: str
    first_line: int
    last_line: int
    name: str | None = None
    sentence: str | None = None

    def __str__(self) -> str:
        lines = str(self.first_line)
        if self.last_line != self.first_line:
            lines += f"-{self.last_line}"
        return f"{self.file}:{lines}"

    @property
    def line_count(self) -> int:
        """How many lines it has."""
        return self.last_line - self.first_line + 1

    def surrounds(self, other: Piece) -> bool:
        """Return whether the lines of another piece are some of those of this one, but not all."""
        return (
            self.file == other.file
            and self.first_line <= other.first_line
            and other.last_line <= self.last_line
            and self.line_count > other.line_count
        )

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data; of what is no sentence, without a text."""
        text = {} if self.sentence is None else {"text": self.sentence}
        place = {"file": self.file, "first_line": self.first_line, "last_line": self.last_line}
        return {**place, "name": self.name, **text}

    def text(self) -> str:
        """Return the lines as they are in the file now."""
        try:
            lines = Path(self.file).read_text("utf-8", errors="replace").splitlines()
        except OSError:
            return ""
        return "\n".join(lines[self.first_line - 1 : self.last_line])


@dataclass(frozen=True)
class Pieces:
    """Trees, the piece that each of them is, and what was not looked at."""

    trees: Forest
    pieces: list[Piece]
    left_out: LeftOut = field(default_factory=LeftOut)

    def at_least(self, nodes: int) -> Pieces:
        """Return those whose trees have at least this number of nodes."""
        return self.chosen(self.trees.sizes >= nodes)

    def chosen(self, which: NDArray[np.bool_]) -> Pieces:
        """Return some of the pieces."""
        kept = [piece for piece, keep in zip(self.pieces, which, strict=True) if keep]
        return Pieces(self.trees[which], kept, self.left_out)


def read_pieces(
    paths: Sequence[str],
    *,
    format: str | None = None,
    problems: list[ParseError] | None = None,
    without_names: bool = False,
    choice: FileChoice | None = None,
    **options: Any,
) -> Pieces:
    """Read files, folders and patterns: code by its functions, pages as a whole, trees as they are.

    Parameters
    ----------
    paths : sequence of str
    format : str, optional
        As in `treekernels.read`.
    problems : list, optional
        Receives what could not be read; without it, the first such thing is an error. Of code with
        mistakes, the functions without any are read.
    without_names : bool, default=False
        Hide names and literals of code, so that copies in which they were changed are equal.
    choice : FileChoice, optional
        Which files of folders are looked at.
    **options
        For the reader. `each` overrides that code is read by functions.
    """
    files, left_out = chosen_files(paths, format=format, choice=choice)
    by_format: dict[str, list[str]] = {}
    for file, kind in files:
        by_format.setdefault(kind, []).append(file)
    read_ones = []
    for kind, names in by_format.items():
        reading = {**default_reading(kind, without_names), **options}
        read_ones.append(read_files(names, kind, problems=problems, left_out=left_out, **reading))
    trees = Forest.concatenate([part.trees for part in read_ones])
    return Pieces(trees, [piece for part in read_ones for piece in part.pieces], left_out)


def default_reading(kind: str, without_names: bool) -> dict[str, Any]:
    """Return the options with which files of a format are read: of code, its functions."""
    if kind not in CODE:
        return {}
    hidden = {"names": "none", "literals": False} if without_names else {}
    return {"each": "function", **hidden}


def read_files(
    files: list[str],
    kind: str,
    *,
    problems: list[ParseError] | None,
    left_out: LeftOut,
    **options: Any,
) -> Pieces:
    """Read files of one format, without what comments in them switch off."""
    reading = {**options, "skip_bad": problems is not None, "problems": problems}
    table = read(files, kind, origin=True, **reading)
    if not len(table):
        return Pieces(Forest(), [], left_out)
    forest = next((column for column in table.values() if isinstance(column, Forest)), None)
    if forest is None:
        raise DataError("there is no column of trees")
    pieces = _pieces_of(table, forest, kind, options.get("each"))
    whole = Pieces(forest, pieces, left_out)
    off = _switched_off(pieces) if kind in CODE else set()
    if not off:
        return whole
    left_out.ignored.update(pieces[number].file for number in off)
    return whole.chosen(np.array([number not in off for number in range(len(pieces))], bool))


def _switched_off(pieces: list[Piece]) -> set[int]:
    by_file: dict[str, list[int]] = {}
    for number, piece in enumerate(pieces):
        by_file.setdefault(piece.file, []).append(number)
    off: set[int] = set()
    for file, numbers in by_file.items():
        if (content := _content(file)) is not None:
            off.update(numbers[i] for i in switched_off(content, [pieces[n] for n in numbers]))
    return off


def chosen_files(
    paths: Sequence[str],
    *,
    format: str | None = None,
    choice: FileChoice | None = None,
    digests: dict[str, str] | None = None,
) -> tuple[list[tuple[str, str]], LeftOut]:
    """Return the files to look at with their formats, each once, and what is left out.

    `digests` receives what the content of each file hashes to, or nothing if it cannot be read.
    """
    choice, left_out = choice or FileChoice(), LeftOut()
    found = (file for path in paths for file in _files(path, format, choice, left_out))
    files = []
    for file, kind in dict.fromkeys(found):
        content = _content(file) if kind in CODE or digests is not None else None
        code = content if kind in CODE else None
        if code is not None and not choice.everything and len(code) > LARGEST:
            left_out.large.append(file)
        elif code is not None and switches_off_file(code):
            left_out.ignored[file] += 1
        elif code is not None and not choice.everything and is_generated(file, code):
            left_out.generated.append(file)
        else:
            files.append((file, kind))
            if digests is not None:
                digests[file] = "" if content is None else _digest(content, kind)
    return _with_grammars(files, left_out), left_out


def _files(
    path: str, format: str | None, choice: FileChoice, left_out: LeftOut
) -> list[tuple[str, str]]:
    """Return files with their formats. Of a folder that holds code, the code alone."""
    if not Path(path).is_dir():
        named = [str(file.path) for file in files_of(path, format)[0] if choice.takes(file.path)]
        return [(file, format or sniffed_format(file)) for file in named]
    paths = choice.below(Path(path), left_out)
    if format is None:
        code = [
            (str(file), kind)
            for kind in CODE
            for file in paths
            if known_extension(file) and format_of(file) == kind
        ]
        if code:
            return code
    fitting = fitting_files(Path(path), paths, format)
    return [(str(file), format or sniffed_format(file)) for file in fitting]


def _with_grammars(files: list[tuple[str, str]], left_out: LeftOut) -> list[tuple[str, str]]:
    """Return the files that can be read; if there is none, the reader will say why."""
    missing: Callable[[str], str | None] = cache(missing_grammar)
    readable, others = [], []
    for file, kind in files:
        language = language_of(file) if kind == "tree-sitter" else None
        install = None if language is None else missing(language)
        if language is None or install is None:
            readable.append((file, kind))
        else:
            others.append((file, kind))
            count, _ = left_out.without_grammar.get(language, (0, ""))
            left_out.without_grammar[language] = (count + 1, install)
    if not readable:
        left_out.without_grammar.clear()
        return others
    return readable


def _digest(content: bytes, kind: str) -> str:
    return hashlib.blake2b(content, digest_size=16, person=kind.encode()[:16]).hexdigest()


def _content(file: str) -> bytes | None:
    try:
        return bytes_of(file)
    except (OSError, DataError, ParseError):
        return None  # the reader will say what is wrong with it


def _pieces_of(table: Table, forest: Forest, kind: str, each: Any) -> list[Piece]:
    count = len(forest)
    files = [str(file) for file in table["file"]] if "file" in table else [""] * count
    starts = [int(line) for line in table["line"]] if "line" in table else _numbered(files)
    named = next((table[column] for column in ("name", "sent_id") if column in table), None)
    names = [None] * count if named is None else list(named)
    texts = _sentences(table, forest, kind)
    ends = [int(line) for line in table["last_line"]] if "last_line" in table else starts
    if kind in _WHOLE_FILES or (kind in CODE and each in (None, "module")):
        lengths = {file: _length(file) for file in files}
        starts, ends = [1] * count, [lengths[file] for file in files]
    return [Piece(*place) for place in zip(files, starts, ends, names, texts, strict=True)]


def _sentences(table: Table, forest: Forest, kind: str) -> list[str | None]:
    """Return the sentences of treebanks, as they say or as the leaves of their trees do."""
    if FORMATS[kind].source != "sentences":
        return [None] * len(forest)
    if "text" in table:
        return list(table["text"])
    return [" ".join(tree.leaves()) if kind == "penn" else None for tree in forest]


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
