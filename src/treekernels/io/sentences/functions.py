"""Parsers that are functions: from a text to the trees of its sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from treekernels.data.forest import Forest, as_forest
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParameterError
from treekernels.io.readers.treebanks.spacy import from_spacy
from treekernels.io.reading.trees.dependencies import Lexeme, Shape
from treekernels.io.sentences.sentence import Document, Parser, Sentence


def function_parser(
    function: Callable[[str], Any], shape: Shape | None, lexeme: Lexeme, tag: Any
) -> Parser:
    """Return the parser that a function is.

    It may return a tree or several, in any form that `Forest` takes, or a document of spaCy.
    """
    name = getattr(function, "__qualname__", type(function).__qualname__)

    def analyse(texts: Sequence[str]) -> Iterator[Document]:
        for text in texts:
            trees = _forest(function(text), text, name, shape, lexeme, tag)
            brackets = trees.to_brackets()
            if len(brackets) == 1:
                yield [Sentence(text, brackets[0])]
            else:
                words = (" ".join(tree.leaves()) for tree in trees)
                yield list(map(Sentence, words, brackets))

    def key() -> str:
        key = getattr(function, "cache_key", None)
        if not isinstance(key, str):
            raise ParameterError(
                f"a cache has to know which parser {name} is: set {name}.cache_key to a text that "
                "changes with its results, such as 'my parser 1.0', or leave cache out"
            )
        return f"function {key} {shape} {lexeme} {tag}"

    return Parser(name, "trees", analyse, key)


def _forest(
    result: Any, text: str, name: str, shape: Shape | None, lexeme: Lexeme, tag: Any
) -> Forest:
    if hasattr(result, "sents"):
        return from_spacy(result, shape=shape or "GRCT", lexeme=lexeme, tag=tag)
    single = isinstance(result, str | Tree | tuple) or hasattr(result, "label")
    try:
        return as_forest([result] if single else result)
    except ValueError as error:
        raise DataError(
            f"{name} should return the trees of the sentences of a text, and what it returned for "
            f"{text!r:.60} is not that: {error}"
        ) from None
