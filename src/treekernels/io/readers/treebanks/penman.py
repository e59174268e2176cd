"""Abstract meaning representations (AMR) in PENMAN notation, as far as they are trees.

A concept is a node, with a node for each role below it. Where a variable is used again, the graph
is not a tree: you get an error, or a leaf with its concept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

from treekernels.common.checks import check_choice
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, lines_of
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.trees.notations import (
    Branch,
    NotATree,
    Piece,
    read_pieces,
    tokens_of,
    tree_of,
)

__all__ = ["from_penman", "read_penman"]

Reentrancies = Literal["refuse", "leaves"]

_TOKEN = re.compile(r'\s+|"(?:[^"\\]|\\.)*"(?:~[\w.,]+)?|[()/]|[^\s()/"]+(?:/[^\s()"]+)*|.')
_ALIGNMENT = re.compile(r"~[a-z]*\.?[\d.,]+$")
_META = re.compile(r"::(id|snt)\s+(.*?)(?=\s+::\w|$)")
_ORIGINS = {"id": "sent_id", "snt": "text"}


def read_penman(
    path: PathLike,
    *,
    reentrancies: Reentrancies = "refuse",
    problems: Problems,
    origins: Origins | None = None,
) -> Forest:
    """Read one tree for each graph; empty lines stand between them.

    What ``# ::id`` and ``# ::snt`` say becomes the origins "sent_id" and "text".

    Parameters
    ----------
    reentrancies : {"refuse", "leaves"}
        As in `from_penman`.
    """
    parse = partial(_parse, as_leaves=_check(reentrancies))
    return read_pieces(_graphs(path, problems), parse, path, problems, origins)


def from_penman(text: str, *, reentrancies: Reentrancies = "refuse") -> Tree:
    """Make a tree of a graph in PENMAN notation.

    Parameters
    ----------
    text : str
        One graph.
    reentrancies : {"refuse", "leaves"}
        What to do if a variable is used more than once, so that the graph is not a tree: raise an
        error, or write a leaf with the concept of the variable.

    Examples
    --------
    >>> import treekernels as tk
    >>> text = "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))"
    >>> print(tk.readers.from_penman(text, reentrancies="leaves"))
    (want-01 (:ARG0 boy) (:ARG1 (go-02 (:ARG0 boy))))
    """
    return tree_of(text, partial(_parse, as_leaves=_check(reentrancies)))


def _check(reentrancies: str) -> bool:
    return check_choice("reentrancies", reentrancies, {"refuse": False, "leaves": True})


def _graphs(path: PathLike, problems: Problems) -> Iterator[Piece]:
    lines: list[str] = []
    origin: dict[str, Any] = dict.fromkeys(_ORIGINS.values())
    begin = 0
    for number, line in lines_of(path, problems):
        text = line.strip()
        if text and not text.startswith("#"):
            begin = begin or number
            lines.append(line)
            continue
        if lines:
            yield Piece("\n".join(lines), begin, origin=origin)
            lines, begin, origin = [], 0, dict.fromkeys(_ORIGINS.values())
        for name, value in _META.findall(text):
            origin[_ORIGINS[name]] = value
    if lines:
        yield Piece("\n".join(lines), begin, origin=origin)


def _parse(text: str, *, as_leaves: bool) -> Branch:
    concepts: dict[str, Branch] = {}  # by their variables
    used: list[tuple[Branch, str, int]] = []  # leaves that may be variables
    open_: list[tuple[Branch, int]] = []
    root: Branch | None = None
    role: Branch | None = None
    expected = "graph"
    for token, at in tokens_of(text, _TOKEN):
        if root is not None and not open_:
            raise NotATree("there is more text after the graph", at)
        if expected == "variable":
            if token in ("(", ")", "/") or token[0] in ':"':
                raise NotATree("an opening bracket is not followed by a variable", at)
            node = open_[-1][0]
            node.label = token
            if token in concepts:
                raise NotATree(f"the variable {token!r:.40} has two concepts", at)
            concepts[token] = node
            expected = "concept or role"
        elif token == "/":
            if expected != "concept or role":
                raise NotATree("'/' stands where no concept can be", at)
            expected = "concept"
        elif expected == "concept":
            if token in ("(", ")") or token[0] == ":":
                raise NotATree("'/' is not followed by a concept", at)
            open_[-1][0].label = _plain(token)
            expected = "role"
        elif token == "(":
            if expected not in ("graph", "value"):
                raise NotATree("a bracket opens here, where a role was expected before it", at)
            node = Branch("")
            open_.append((node, at))
            if role is None:
                root = node
            else:
                role.children.append(node)
            expected = "variable"
        elif expected == "graph":
            raise NotATree("a graph starts with '(', and this does not", at)
        elif token == ")":
            if expected == "value":
                raise NotATree("a role is not followed by a value", at)
            open_.pop()
            expected = "role"
        elif expected == "value":
            leaf = Branch(_plain(token))
            if role is not None:
                role.children.append(leaf)
            if token[0] != '"':
                used.append((leaf, _plain(token), at))
            expected = "role"
        elif token[0] == ":" and len(token) > 1:
            role = Branch(_plain(token))
            open_[-1][0].children.append(role)
            expected = "value"
        else:
            raise NotATree("a role such as :ARG0, or a closing bracket, was expected", at)
    if open_:
        raise NotATree("the bracket opened here is never closed", open_[-1][1])
    if root is None:
        raise NotATree("the text is empty, where a graph was expected", 0)
    for leaf, name, at in used:
        if name in concepts:
            if not as_leaves:
                raise NotATree(
                    f"the variable {name!r:.40} is used again, and so this graph is not a tree: "
                    "reentrancies='leaves' writes its concept here",
                    at,
                )
            leaf.label = concepts[name].label
    return root


def _plain(token: str) -> str:
    token = _ALIGNMENT.sub("", token) or token
    if len(token) > 1 and token[0] == token[-1] == '"':
        return re.sub(r"\\(.)", r"\1", token[1:-1])
    return token
