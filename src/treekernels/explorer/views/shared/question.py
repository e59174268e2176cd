"""What the page asks: its fields, checked, and the trees that the question is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treekernels.data.forest import Forest
from treekernels.errors import DataError, ParseError
from treekernels.explorer.session.notations import ReadTree
from treekernels.explorer.session.state import State
from treekernels.explorer.views.shared.list_items import column_key
from treekernels.linguistics.anchoring import anchor

Question = Mapping[str, Any]
"""The fields of a question, none of which is trusted."""

_ROOTS = 50  # labels of roots that are looked for in code
_LARGEST = 5_000  # nodes of a tree that is compared or searched for


def text_of(question: Question, name: str, default: str = "") -> str:
    """Return a text."""
    value = question.get(name, default)
    if not isinstance(value, str):
        raise DataError(f"{name} must be a text")
    return value


def flag_of(question: Question, name: str) -> bool:
    """Return whether something is wanted."""
    return question.get(name) is True


def number_of(question: Question, name: str, default: int, below: int = 1 << 40) -> int:
    """Return a whole number from 0 on, and below another."""
    value = question.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < below:
        raise DataError(f"{name} must be a whole number from 0 to {below - 1:,}")
    return value


@dataclass
class AskedExample:
    """The trees of one example, by column.

    `row` says which of the data it is, if it is one of them, and `base` which one it began as.
    """

    trees: dict[Any, Forest]
    row: int | None = None
    base: int | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The nodes of all trees."""
        return sum(int(tree.sizes[0]) for tree in self.trees.values())


def asked_example(state: State, question: Question) -> AskedExample:
    """Return the example that a question is about."""
    columns = state.model.columns
    if question.get("row") is not None:
        corpus = state.corpus()
        row = number_of(question, "row", 0, len(corpus))
        trees = {column: corpus.trees[column][row : row + 1] for column in columns}
        return AskedExample(trees, row, row)
    texts = question.get("trees")
    if not isinstance(texts, dict):
        raise DataError("nothing is written yet")
    way = text_of(question, "way", "brackets")
    written = [_read(state, str(texts.get(column_key(name), "")), way, name) for name in columns]
    trees = {column: read.tree for column, read in zip(columns, written, strict=True)}
    if state.model.is_pairs and flag_of(question, "anchor"):
        first, second = columns
        anchored = anchor(trees[first], trees[second])
        trees = {first: anchored.texts, second: anchored.hypotheses}
    base, read_corpus = None, state.corpus_if_read()
    if question.get("base") is not None and read_corpus is not None:
        base = number_of(question, "base", 0, len(read_corpus))
    return AskedExample(trees, None, base, [read.note for read in written if read.note])


def asked_tree(state: State, question: Question, name: str) -> Forest:
    """Return a single tree: a text, or the number of an example."""
    given = question.get(name)
    if not isinstance(given, dict):
        raise DataError("nothing is written yet")
    column = state.model.columns[0]
    if given.get("row") is not None:
        return asked_example(state, given).trees[column]
    return _read(state, text_of(given, "text"), text_of(given, "way", "brackets"), column).tree


def check_size(nodes: int, done: str) -> None:
    """Refuse trees that are too large for something that is done while the page waits."""
    if nodes > _LARGEST:
        raise DataError(f"trees of more than {_LARGEST:,} nodes are not {done} here")


def _read(state: State, text: str, way: str, column: Any) -> ReadTree:
    try:
        return state.notations.read(text, way, _roots(state, column))
    except ParseError as error:
        where = f"column {error.column}: " if error.column else ""
        where = f"line {error.line}, {where}" if error.line and error.line > 1 else where
        raise DataError(f"{where}{error.reason}") from None


def _roots(state: State, column: Any) -> list[str]:
    """Return the labels of roots in the data, by which a function is found in a file."""
    corpus = state.corpus_if_read()
    if corpus is None or column not in corpus.trees:
        return []
    forest = corpus.trees[column]
    some = forest[np.linspace(0, len(forest) - 1, min(len(forest), 200)).astype(int)]
    return list(dict.fromkeys(tree.label for tree in some))[:_ROOTS]


def sentence(error: BaseException) -> str:
    """Return what an error says as a sentence."""
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    text = text or type(error).__name__
    if text.split(maxsplit=1)[0].strip(",:").isalpha():  # the name of a file stays as it is
        text = f"{text[:1].upper()}{text[1:]}"
    return text + ("" if text.endswith((".", "!", "?")) else ".")
