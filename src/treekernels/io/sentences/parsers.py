"""The one place where parsers are found: by name, as a loaded pipeline, or as a function.

A function takes a text, and returns the trees of its sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from treekernels.data.forest import Forest, as_forest
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParameterError
from treekernels.io.readers.treebanks.spacy import from_spacy
from treekernels.io.reading.trees.dependencies import Lexeme, Shape
from treekernels.io.sentences.names import EXAMPLES, parser_name
from treekernels.io.sentences.sentence import Document, Parser, Sentence
from treekernels.io.sentences.spacy import named_benepar, named_spacy, spacy_parser
from treekernels.io.sentences.stanza import named_stanza, stanza_parser

_NAMED = {"spacy": named_spacy, "stanza": named_stanza, "benepar": named_benepar}


def open_parser(parser: Any, shape: Any, lexeme: Any, tag: Any) -> Parser:
    """Return a parser that is ready to work; its package is imported now."""
    if isinstance(parser, Parser):
        return parser
    if isinstance(parser, str):
        name = parser_name(parser)
        return _NAMED[name.kind](name, shape)
    if hasattr(parser, "pipe") and hasattr(parser, "pipe_names"):
        return spacy_parser(parser, shape)
    if hasattr(parser, "bulk_process") and hasattr(parser, "processors"):
        return stanza_parser(parser, shape)
    if not callable(parser):
        raise ParameterError(
            f"a parser is a name such as {EXAMPLES}, a loaded pipeline of spaCy or stanza, or a "
            f"function from a text to trees, and not of type {type(parser).__name__}"
        )
    if shape == "constituency":
        shape = None
    return _function_parser(parser, shape, lexeme, tag)


def _function_parser(
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
