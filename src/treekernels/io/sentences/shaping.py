"""Sentences that were parsed, as trees of some shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from treekernels.data.forest import Forest
from treekernels.data.tree import EMPTY
from treekernels.errors import DataError, ParseError
from treekernels.io.reading.trees.dependencies import Lexeme, Shape, add_dependencies
from treekernels.io.reading.trees.tree_builder import Builder
from treekernels.io.sentences.sentence import Document, Sentence

TEXT = "TEXT"
"""The label above the sentences of a text, if it has several."""


def sentence_trees(
    documents: Iterable[Document], shape: Shape, lexeme: Lexeme, tag: str
) -> tuple[Forest, NDArray[np.intp]]:
    """Return the trees of all sentences, and where each document begins among them, and the end."""
    documents = list(documents)
    offsets = np.cumsum([0, *map(len, documents)], dtype=np.intp)
    return _forest(([s] for document in documents for s in document), shape, lexeme, tag), offsets


def text_trees(documents: Iterable[Document], shape: Shape, lexeme: Lexeme, tag: str) -> Forest:
    """Return a tree for each document."""
    return _forest(documents, shape, lexeme, tag)


def _forest(groups: Iterable[Document], shape: Shape, lexeme: Lexeme, tag: str) -> Forest:
    """Return a tree for each group of sentences, with a node above them if they are not one."""
    groups = list(groups)
    if any(sentence.tree is not None for group in groups for sentence in group):
        forest = _of_brackets(groups)
        forest.source = "sentences"
        return forest
    builder = Builder()
    for group in groups:
        if not group:
            builder.leaf(EMPTY)
            continue
        if len(group) > 1:
            builder.open(TEXT)
        for sentence in group:
            try:
                add_dependencies(builder, sentence.tokens, shape, lexeme, tag)
            except DataError as error:
                raise DataError(f"{sentence.text!r:.60}: {error}") from None
        if len(group) > 1:
            builder.close()
    return builder.forest("sentences")


def _of_brackets(groups: list[Document]) -> Forest:
    try:
        return Forest.from_brackets(map(_brackets, groups))
    except ParseError as error:
        text = " ".join(sentence.text for sentence in groups[error.line - 1])
        raise DataError(
            f"the parser did not return a tree for {text!r:.60}: {error.reason}"
        ) from None


def _brackets(group: Document) -> str:
    trees: Iterator[str] = (_tree_of(sentence) for sentence in group)
    if len(group) == 1:
        return next(trees)
    return f"({TEXT} {' '.join(trees)})" if group else f"({EMPTY})"


def _tree_of(sentence: Sentence) -> str:
    return sentence.tree or ""
