"""Phylogenetic trees in Newick notation, and in NEXUS files, which hold them in blocks.

A node without a name is ``*``. Comments in square brackets are passed over, and the quotes of names
are taken off. Lengths of branches are dropped, or become a column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from treekernels.common.checks import check_flag
from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.data.tree import Tree
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, text_of
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.trees.notations import (
    Branch,
    NotATree,
    Piece,
    read_pieces,
    tokens_of,
    tree_of,
)

__all__ = ["from_newick", "read_newick", "read_nexus"]

_TOKEN = re.compile(r"'(?:[^']|'')*'|\[[^\]]*\]|\s+|[^\s()\[\]',:;]+|.")
_COMMAND = re.compile(r"(?:'(?:[^']|'')*'|\[[^\]]*\]|[^';\[])+", re.ASCII)
_TREE = re.compile(r"\s*u?tree\s+\*?\s*('(?:[^']|'')*'|[^\s=]+)\s*=", re.IGNORECASE)
_PART = re.compile(r"'(?:[^']|'')*'|\[[^\]]*\]|\s+|,|[^\s,'\[]+|.")


def read_newick(
    path: PathLike,
    *,
    lengths: bool = False,
    inner: bool = True,
    sort: bool = False,
    problems: Problems,
    origins: Origins | None = None,
) -> Forest | Table:
    """Read a forest, or a table if lengths are wanted; each tree ends with a semicolon.

    Parameters
    ----------
    lengths : bool
        Whether to return the lengths of branches in a column "lengths": for each tree an array with
        the length above each node, children before parents, and NaN where there is none.
    inner, sort
        As in `from_newick`.
    """
    pieces = (piece for piece in _commands(path, problems) if piece.text.strip())
    return _read(pieces, path, lengths, inner, sort, problems, origins)


def read_nexus(
    path: PathLike,
    *,
    lengths: bool = False,
    inner: bool = True,
    sort: bool = False,
    problems: Problems,
    origins: Origins | None = None,
) -> Forest | Table:
    """Read the trees of all blocks of trees; their names are known as origins.

    The parameters are those of `read_newick`. Names are translated as the file says.
    """
    pieces = _trees_of_blocks(path, problems)
    return _read(pieces, path, lengths, inner, sort, problems, origins)


def from_newick(text: str, *, inner: bool = True, sort: bool = False) -> Tree:
    """Make a tree of a text in Newick notation; lengths of branches are dropped.

    Parameters
    ----------
    text : str
        One tree, with or without the semicolon at its end.
    inner : bool
        Whether the labels of inner nodes are kept. They are often not names but figures that say
        how well a group is supported.
    sort : bool
        Whether to sort the children of each node. They have no order in such trees, and so trees
        that say the same are equal only if they are sorted.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.readers.from_newick("((Pan:0.1,Homo:0.1)0.98:0.3,Gorilla);"))
    (* (0.98 Pan Homo) Gorilla)
    >>> print(tk.readers.from_newick("((Pan,Homo)0.98,Gorilla);", inner=False, sort=True))
    (* (* Homo Pan) Gorilla)
    """
    end = text.rstrip()
    return tree_of(end.removesuffix(";"), partial(_parse, inner=inner, sort=sort))


def _read(
    pieces: Iterator[Piece],
    path: PathLike,
    lengths: bool,
    inner: bool,
    sort: bool,
    problems: Problems,
    origins: Origins | None,
) -> Forest | Table:
    for name, value in (("lengths", lengths), ("inner", inner), ("sort", sort)):
        check_flag(name, value)
    found: list[list[float]] = []
    names: dict[str, str] = {}

    def parse(text: str) -> Branch:
        numbers: list[float] = []
        root = _parse(text, inner=inner, sort=sort, lengths=numbers, names=names)
        found.append(numbers)
        return root

    def with_names() -> Iterator[Piece]:
        for piece in pieces:
            names.clear()
            names.update(piece.origin.pop("names", {}))
            yield piece

    forest = read_pieces(with_names(), parse, path, problems, origins)
    if not lengths:
        return forest
    column = np.empty(len(found), object)
    for row, numbers in enumerate(found):
        column[row] = np.array(numbers)
    return Table({"tree": forest, "lengths": column})


def _commands(path: PathLike, problems: Problems) -> Iterator[Piece]:
    """Yield what stands between semicolons, those in quotes and comments left aside."""
    text = text_of(path, problems)
    line, last = 1, 0
    at = 0
    while at < len(text):
        match = _COMMAND.match(text, at)
        end = match.end() if match is not None else at
        while end < len(text) and text[end] != ";":  # a quote or comment that is never closed
            further = _COMMAND.match(text, end + 1)
            end = further.end() if further is not None else end + 1
        begin = at + len(text[at:end]) - len(text[at:end].lstrip())
        line += text.count("\n", last, begin)
        last = begin
        yield Piece(text[begin:end], line, begin - text.rfind("\n", 0, begin) - 1)
        at = end + 1


def _trees_of_blocks(path: PathLike, problems: Problems) -> Iterator[Piece]:
    block = ""
    names: dict[str, str] = {}
    for command in _commands(path, problems):
        # The sign of the file and comments stand before the first command.
        words = [word for word, _ in tokens_of(command.text, _PART) if word[:1] != "["]
        words = words[words[:1] == ["#NEXUS"] :]
        if not words:
            continue
        name = words[0].lower()
        if name == "begin":
            block, names = words[1].lower() if len(words) > 1 else "", {}
        elif name in ("end", "endblock"):
            block = ""
        elif block == "trees" and name == "translate":
            names = _translations(words[1:])
        elif block == "trees" and (head := _TREE.match(command.text)):
            origin = {"name": _unquoted(head[1]), "names": names}
            blank = re.sub(r"\S", " ", head.group())  # so that places stay right
            yield command._replace(text=blank + command.text[head.end() :], origin=origin)


def _translations(words: list[str]) -> dict[str, str]:
    names = {}
    entry: list[str] = []
    for word in [*words, ","]:
        if word != ",":
            entry.append(word)
            continue
        if len(entry) >= 2:
            names[_unquoted(entry[0])] = _unquoted("".join(entry[1:]))
        entry = []
    return names


def _unquoted(name: str) -> str:
    return name[1:-1].replace("''", "'") if name[:1] == "'" and len(name) > 1 else name


def _parse(
    text: str,
    *,
    inner: bool,
    sort: bool,
    lengths: list[float] | None = None,
    names: Mapping[str, str] | None = None,
) -> Branch:
    names = names or {}
    levels: list[tuple[list[Branch], int]] = [([], 0)]  # children so far, and their bracket
    below: list[Branch] | None = None  # of the node that is being read
    name: str | None = None
    length = float("nan")
    begun = after_colon = False

    def finish() -> Branch:
        nonlocal below, name, length, begun
        if lengths is not None:
            lengths.append(length)
        shown = name if name and (below is None or inner) else "*"
        node = Branch(names.get(shown, shown), below, sort=sort)
        below, name, length, begun = None, None, float("nan"), False
        return node

    for token, at in tokens_of(text, _TOKEN):
        if token[0] == "[" and len(token) > 1:
            continue
        if after_colon:
            try:
                length = float(token)
            except ValueError:
                raise NotATree("a colon is not followed by the length of a branch", at) from None
            after_colon = False
        elif token == "(":
            if begun:
                raise NotATree("a bracket opens here, where a comma was expected before it", at)
            levels.append(([], at))
        elif token in (",", ")"):
            if len(levels) == 1:
                what = "comma outside of brackets" if token == "," else "closing bracket too many"
                raise NotATree(f"a {what}", at)
            levels[-1][0].append(finish())
            if token == ")":
                below, begun = levels.pop()[0], True
        elif token == ":":
            after_colon = begun = True
        elif token in ("'", "[", "]", ";"):
            unclosed = {"'": "quote", "[": "comment"}.get(token)
            reason = f"{token!r} is not expected here"
            if unclosed is not None:
                reason = f"this {unclosed} is never closed"
            raise NotATree(reason, at)
        elif name is not None:
            raise NotATree("there are two names, and no comma between them", at)
        else:
            name, begun = _unquoted(token), True
    if len(levels) > 1:
        raise NotATree("the bracket opened here is never closed", levels[-1][1])
    if after_colon or not begun:
        raise NotATree("the text ends where a tree or a length was expected", len(text))
    return finish()
