"""Trees as terms, ``label(child, child)``, and in braces, ``{label{child}{child}}``.

INEX and many programs of logic write the first, and programs for the edit distance the second. A
backslash makes the sign after it part of a label.
"""

from __future__ import annotations

import re

from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.trees.notations import (
    Branch,
    NotATree,
    lines_as_pieces,
    read_pieces,
    tokens_of,
    tree_of,
)

__all__ = ["from_braces", "from_term", "read_braces", "read_terms"]

_TERM_TOKEN = re.compile(r"\s+|[(),]|(?:\\.|[^\s(),\\])+|.")
_BRACE_TOKEN = re.compile(r"[{}]|(?:\\.|[^{}\\])+|.")
_ESCAPE = re.compile(r"\\(.)")


def read_terms(path: PathLike, *, problems: Problems, origins: Origins | None = None) -> Forest:
    """Read one tree for each line, in the notation of `from_term`."""
    return read_pieces(lines_as_pieces(path, problems), _parse_term, path, problems, origins)


def read_braces(path: PathLike, *, problems: Problems, origins: Origins | None = None) -> Forest:
    """Read one tree for each line, in the notation of `from_braces`."""
    return read_pieces(lines_as_pieces(path, problems), _parse_braces, path, problems, origins)


def from_term(text: str) -> Tree:
    """Make a tree of a term, in which commas or blanks separate children.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.readers.from_term("article(title sec(p, p))"))
    (article title (sec p p))
    """
    return tree_of(text, _parse_term)


def from_braces(text: str) -> Tree:
    """Make a tree of a text in braces; labels may have blanks.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.readers.from_braces("{a{b}{c{d}}}"))
    (a b (c d))
    """
    return tree_of(text, _parse_braces)


def _parse_term(text: str) -> Branch:
    whole: list[Branch] = []
    levels: list[tuple[list[Branch], int]] = [(whole, 0)]
    last = ""  # the sign or label before
    for token, at in tokens_of(text, _TERM_TOKEN):
        siblings = levels[-1][0]
        if token == "(":
            if last in ("", "(", ")", ","):
                raise NotATree("a bracket is not preceded by a label", at)
            levels.append((siblings[-1].children, at))
        elif token == ")":
            if len(levels) == 1:
                raise NotATree("a closing bracket too many", at)
            if last == ",":
                raise NotATree("a comma is not followed by a label", at)
            levels.pop()
        elif token == ",":
            if len(levels) == 1 or last in ("(", ","):
                raise NotATree("a comma is not between two children", at)
        elif len(levels) == 1 and whole:
            raise NotATree("there is more text after the tree", at)
        else:
            siblings.append(Branch(_ESCAPE.sub(r"\1", token)))
            token = "label"
        last = token
    if len(levels) > 1:
        raise NotATree("the bracket opened here is never closed", levels[-1][1])
    if not whole:
        raise NotATree("the text is empty, where a tree was expected", 0)
    return whole[0]


def _parse_braces(text: str) -> Branch:
    whole: list[Branch] = []
    levels: list[tuple[list[Branch], int]] = [(whole, 0)]
    open_: list[Branch] = []
    for token, at in tokens_of(text, _BRACE_TOKEN):
        if token == "{":
            if not open_ and whole:
                raise NotATree("there is more text after the tree", at)
            node = Branch("")
            levels[-1][0].append(node)
            levels.append((node.children, at))
            open_.append(node)
        elif token == "}":
            if not open_:
                raise NotATree("a closing brace too many", at)
            open_.pop()
            levels.pop()
        elif not open_:
            what = "there is more text after the tree" if whole else "a tree starts with '{'"
            raise NotATree(what, at)
        elif open_[-1].label or open_[-1].children:
            raise NotATree("a label stands behind the children of its node", at)
        else:
            open_[-1].label = _ESCAPE.sub(r"\1", token.strip())
    if open_:
        raise NotATree("the brace opened here is never closed", levels[-1][1])
    if not whole:
        raise NotATree("the text is empty, where a tree was expected", 0)
    return whole[0]
