"""Notations: the ways to write a tree, as brackets, a piece of code, or text for a parser."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParseError
from treekernels.io.formats import LANGUAGES
from treekernels.io.sentences.parse import parse
from treekernels.io.sentences.parsers import open_parser

Parser = Callable[[str], Any]
"""From a text to the trees of its sentences: anything that `Forest` takes."""

LONGEST = 200_000  # characters
_SHAPE: dict[str, Any] = {"shape": None, "lexeme": "{form}", "tag": "upos"}
_NAMES = {
    "c": "C",
    "cpp": "C++",
    "c_sharp": "C#",
    "php": "PHP",
    "javascript": "JavaScript",
    "typescript": "TypeScript",
}


class ReadTree(NamedTuple):
    """A tree that somebody wrote, and what to say about it."""

    tree: Forest
    note: str = ""


class Notations:
    """The ways in which a tree can be written; sentences need a parser."""

    def __init__(self, parser: Parser | None = None) -> None:
        self.parser = parser

    def names(self) -> dict[str, str]:
        """Return the ways that there are, and what to call them."""
        names = {"brackets": "Tree in brackets"}
        if self.parser is not None:
            names["text"] = "Sentence"
        names["python"] = "Python"
        if _is_installed("tree_sitter"):
            for language in dict.fromkeys(LANGUAGES.values()):
                if _is_installed(f"tree_sitter_{language}"):
                    names[language] = _NAMES.get(language, language.capitalize())
        names["json"], names["xml"] = "JSON", "XML"
        if _is_installed("lxml"):
            names["html"] = "HTML"
        return names

    def read(self, text: str, way: str, roots: Collection[str] = ()) -> ReadTree:
        """Return the tree that a text stands for, which is written in one of the ways in `names`.

        `roots` are the labels of the roots of other trees. If the data are functions, and a whole
        file is pasted, the first function in it is taken.
        """
        if len(text) > LONGEST:
            raise DataError(
                f"this is {len(text):,} characters long, and at most {LONGEST:,} are looked at"
            )
        if not text.strip():
            raise DataError("nothing is written yet")
        if way == "brackets":
            return _bracketed(text.strip())
        if way not in self.names():
            raise DataError(f"there is no way to read {way!r} here")
        if way == "text":
            assert self.parser is not None
            return _first_sentence(Forest(self.parser(text)))
        return _first_with_root(_parsed(text, way), roots)


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _bracketed(text: str) -> ReadTree:
    """Read a tree in brackets; while somebody writes it, the last brackets are missing."""
    missing = text.count("(") - text.count(")")
    try:
        return ReadTree(Forest.from_brackets([text]))
    except ParseError as error:
        if missing > 0:
            try:
                closed = Forest.from_brackets([text + ")" * missing])
            except ParseError:
                pass
            else:
                brackets = "bracket was" if missing == 1 else "brackets were"
                return ReadTree(closed, f"{missing} closing {brackets} added.")
        raise ParseError(error.reason, source="the tree", line=1, column=error.column) from None


def _parsed(text: str, way: str) -> Tree:
    from treekernels.io.readers.code import python, treesitter
    from treekernels.io.readers.documents import html, json, xml

    readers: dict[str, Callable[[str], Tree]] = {
        "html": html.from_html_string,
        "json": json.from_json_string,
        "python": python.from_python_source,
        "xml": xml.from_xml_string,
    }
    return readers[way](text) if way in readers else treesitter.from_code(text, way)


def _first_with_root(tree: Tree, roots: Collection[str]) -> ReadTree:
    if not roots or tree.label in roots:
        return ReadTree(Forest([tree]))
    for node in tree.preorder():
        if node.label in roots:
            return ReadTree(Forest([node]), f"Only the first {node.label} is used, as in the data.")
    return ReadTree(Forest([tree]))


def _first_sentence(trees: Forest) -> ReadTree:
    if not len(trees):
        raise DataError("the parser found no sentence")
    more = len(trees) - 1
    return ReadTree(trees[:1], f"Only the first of {more + 1} sentences is used." if more else "")


def sentence_parser(parser: Any, **shape: Any) -> Parser:
    """Return a function from a text to the trees of its sentences.

    Parameters
    ----------
    parser : str, callable, or pipeline
        As in `treekernels.parse`. One that is named is loaded when the first sentence is written.
    **shape
        Options of `treekernels.parse`: shape, lexeme and tag.
    """
    opened: list[Any] = [] if isinstance(parser, str) else [parser]

    def parse_one(text: str) -> Forest:
        if not opened:
            opened.append(open_parser(parser, **{**_SHAPE, **shape}))
        trees: Forest = parse([text], opened[0], **shape)["tree"]
        return trees

    return parse_one
