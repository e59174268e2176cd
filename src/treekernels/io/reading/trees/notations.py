"""What readers of notations for trees share: nodes, tokens, and errors that say where.

A notation is a function that takes a text and returns the root of its tree. It raises `NotATree`
where the text is none.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, lines_of
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.trees.tree_builder import Builder, Node, add_nodes

__all__ = ["Branch", "NotATree", "Notation", "Piece", "lines_as_pieces", "read_pieces", "tree_of"]

_LENGTH = 60


class NotATree(Exception):
    """Says what is wrong with a text, and how many characters of it are good."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.at = at


class Branch:
    """A node; if its children have no order, they are `sort`ed by keys."""

    __slots__ = ("_key", "children", "label")

    def __init__(
        self, label: str, children: list[Any] | None = None, *, sort: bool = False
    ) -> None:
        self.label = label
        self.children: list[Any] = [] if children is None else children
        self._key: tuple[str, bytes] | None = None
        if sort:
            self.children.sort(key=key_of)
            self._key = self._make_key()

    @property
    def key(self) -> tuple[str, bytes]:
        """How the subtree begins, so that people see an order, and a hash of all of it."""
        if self._key is None:
            self._key = self._make_key()
        return self._key

    def _make_key(self) -> tuple[str, bytes]:
        keys = [key_of(child) for child in self.children]
        text = " ".join([self.label, *(text for text, _ in keys[:_LENGTH])])[:_LENGTH]
        whole = repr((self.label, [digest for _, digest in keys])).encode()
        return text, hashlib.blake2b(whole, digest_size=16).digest()

    def expand(self) -> Node:
        """Return the label and the children."""
        return self.label, self.children


def key_of(node: Branch | str) -> tuple[str, bytes]:
    """Return what children are sorted by."""
    if isinstance(node, Branch):
        return node.key
    return node[:_LENGTH], node.encode("utf-8", "surrogatepass")


Notation: TypeAlias = Callable[[str], Branch]


class Piece(NamedTuple):
    """A part of a file that is one tree, and where it stands."""

    text: str
    line: int
    before: int = 0  # characters on its first line
    origin: dict[str, Any] = {}  # noqa: RUF012  # what else is known of it


def lines_as_pieces(path: PathLike, problems: Problems) -> Iterator[Piece]:
    """Yield the lines of a file that are neither empty nor begin with #."""
    for number, line in lines_of(path, problems):
        if line.strip() and not line.lstrip().startswith("#"):
            yield Piece(line, number)


def read_pieces(
    pieces: Iterable[Piece],
    parse: Notation,
    path: PathLike,
    problems: Problems,
    origins: Origins | None,
) -> Forest:
    """Return a forest of the trees of pieces."""
    builder = Builder()
    for piece in pieces:
        try:
            add_nodes(builder, parse(piece.text), Branch.expand, limited=False)
        except NotATree as error:
            before = piece.text[: error.at]
            line, column = piece.line + before.count("\n"), error.at - before.rfind("\n")
            if line == piece.line:
                column += piece.before
            problems.report(ParseError(str(error), source=str(path), line=line, column=column))
            continue
        if origins is not None:
            origins.add(line=piece.line, **piece.origin)
    return builder.forest()


def tree_of(text: str, parse: Notation) -> Tree:
    """Return the tree of a text, or raise a `ParseError`."""
    (piece,) = read_pieces([Piece(text, 1)], parse, "the text", Problems(), None)
    return piece


def tokens_of(text: str, pattern: re.Pattern[str], begin: int = 0) -> Iterator[tuple[str, int]]:
    """Yield the tokens of a text and where they begin, without white space."""
    for match in pattern.finditer(text, begin):
        if not match.group().isspace():
            yield match.group(), match.start()
