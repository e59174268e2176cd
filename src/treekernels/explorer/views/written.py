"""The trees that a question is about: written by somebody, or those of an example."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treekernels.data.forest import Forest
from treekernels.errors import DataError, ParseError
from treekernels.explorer.corpus import Corpus
from treekernels.explorer.state import State
from treekernels.explorer.views.asking import Question, flag_of, number_of, text_of
from treekernels.explorer.views.listing import column_key
from treekernels.linguistics.anchoring import anchor

__all__ = ["Asked", "asked_example", "asked_tree"]

_ROOTS = 50  # labels of roots that are looked for in code


@dataclass
class Asked:
    """The trees of one example, by column.

    `row` says which of the data it is, if it is one, and `base` which one it began as.
    """

    trees: dict[Any, Forest]
    row: int | None = None
    base: int | None = None
    notes: list[str] = field(default_factory=list)


def asked_example(state: State, question: Question) -> Asked:
    """Return the example that a question is about."""
    columns = state.model.columns
    if question.get("row") is not None:
        corpus = state.corpus()
        row = number_of(question, "row", 0, len(corpus))
        return Asked({column: corpus.trees[column][row : row + 1] for column in columns}, row, row)
    texts = question.get("trees")
    if not isinstance(texts, dict):
        raise DataError("nothing is written yet")
    way = text_of(question, "way", "brackets")
    corpus_if_read = state.corpus_if_read()
    trees: dict[Any, Forest] = {}
    notes: list[str] = []
    for column in columns:
        text = texts.get(column_key(column), "")
        try:
            written = state.inputs.tree(str(text), way, _roots(corpus_if_read, column))
        except ParseError as error:
            raise DataError(_sentence(error)) from None
        trees[column] = written.tree
        notes += [written.note] if written.note else []
    if state.model.is_pairs and flag_of(question, "anchor"):
        first, second = columns
        anchored = anchor(trees[first], trees[second])
        trees = {first: anchored.texts, second: anchored.hypotheses}
    base = None
    if question.get("base") is not None and corpus_if_read is not None:
        base = number_of(question, "base", 0, len(corpus_if_read))
    return Asked(trees, None, base, notes)


def asked_tree(state: State, question: Question, name: str) -> Forest:
    """Return a single tree: a text, or the number of an example."""
    given = question.get(name)
    if isinstance(given, dict):
        row_or_text = {**given}
        column = state.model.columns[0]
        if row_or_text.get("row") is not None:
            return asked_example(state, {"row": row_or_text["row"]}).trees[column]
        text, way = text_of(row_or_text, "text"), text_of(row_or_text, "way", "brackets")
        roots = _roots(state.corpus_if_read(), column)
        try:
            return state.inputs.tree(text, way, roots).tree
        except ParseError as error:
            raise DataError(_sentence(error)) from None
    raise DataError("nothing is written yet")


def _roots(corpus: Corpus | None, column: Any) -> list[str]:
    """Return the labels of roots in the data, by which a function is found in a file."""
    if corpus is None or column not in corpus.trees:
        return []
    forest = corpus.trees[column]
    some = forest[np.linspace(0, len(forest) - 1, min(len(forest), 200)).astype(int)]
    return list(dict.fromkeys(tree.label for tree in some))[:_ROOTS]


def _sentence(error: ParseError) -> str:
    where = f"column {error.column}: " if error.column else ""
    where = f"line {error.line}, {where}" if error.line and error.line > 1 else where
    return f"{where}{error.reason}"
