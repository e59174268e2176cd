"""What people write or paste: a tree in brackets, a piece of code, or text for a parser."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Collection
from typing import Any

from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParseError
from treekernels.io.formats import LANGUAGES

__all__ = ["Inputs", "Parser", "Written"]

Parser = Callable[[str], Any]
"""From a text to the trees of its sentences: anything that `Forest` takes."""

LONGEST = 200_000  # characters
_NAMES = {
    "c": "C",
    "cpp": "C++",
    "c_sharp": "C#",
    "php": "PHP",
    "javascript": "JavaScript",
    "typescript": "TypeScript",
}


class Written:
    """A tree that somebody wrote, and what to say of it."""

    def __init__(self, tree: Forest, note: str = "") -> None:
        self.tree = tree
        self.note = note


class Inputs:
    """The ways in which a tree can be written, by name.

    Parameters
    ----------
    parser : callable, optional
        For sentences.
    """

    def __init__(self, parser: Parser | None = None) -> None:
        self.parser = parser

    def names(self) -> dict[str, str]:
        """Return the ways that there are, and how they are called."""
        found = {"brackets": "Tree in brackets"}
        if self.parser is not None:
            found["text"] = "Sentence"
        found["python"] = "Python"
        if importlib.util.find_spec("tree_sitter") is not None:
            for language in dict.fromkeys(LANGUAGES.values()):
                if importlib.util.find_spec(f"tree_sitter_{language}") is not None:
                    found[language] = _NAMES.get(language, language.capitalize())
        found["json"], found["xml"] = "JSON", "XML"
        if importlib.util.find_spec("lxml") is not None:
            found["html"] = "HTML"
        return found

    def tree(self, text: str, way: str, roots: Collection[str] = ()) -> Written:
        """Return the tree that a text is.

        Parameters
        ----------
        text : str
        way : str
            One of `names`.
        roots : collection of str
            The labels of the roots of other trees. If the data are functions, and a whole file is
            pasted, the first function in it is taken.
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
            return _first(Forest(self.parser(text)))
        return _within(_parsed(text, way), roots)


def _bracketed(text: str) -> Written:
    """Read a tree in brackets; while it is written, the last brackets are not there yet."""
    missing = text.count("(") - text.count(")")
    try:
        return Written(Forest.from_brackets([text]))
    except ParseError as error:
        if missing > 0:
            try:
                closed = Forest.from_brackets([text + ")" * missing])
            except ParseError:
                pass
            else:
                brackets = "bracket was" if missing == 1 else "brackets were"
                return Written(closed, f"{missing} closing {brackets} added.")
        raise ParseError(error.reason, source="the tree", line=1, column=error.column) from None


def _parsed(text: str, way: str) -> Tree:
    from treekernels.io.readers import html, json, python, treesitter, xml

    readers: dict[str, Callable[[str], Tree]] = {
        "html": html.from_html_string,
        "json": json.from_json_string,
        "python": python.from_python_source,
        "xml": xml.from_xml_string,
    }
    return readers[way](text) if way in readers else treesitter.from_code(text, way)


def _within(tree: Tree, roots: Collection[str]) -> Written:
    if not roots or tree.label in roots:
        return Written(Forest([tree]))
    for node in tree.preorder():
        if node.label in roots:
            return Written(Forest([node]), f"The first {node.label} is taken, as in the data.")
    return Written(Forest([tree]))


def _first(trees: Forest) -> Written:
    if not len(trees):
        raise DataError("the parser found no sentence")
    more = len(trees) - 1
    return Written(trees[:1], f"The first of {more + 1} sentences is taken." if more else "")
