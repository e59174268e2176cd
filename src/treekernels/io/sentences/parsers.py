"""The one place where parsers are found: by name, as a loaded pipeline, or as a function."""

from __future__ import annotations

from typing import Any

from treekernels.errors import ParameterError
from treekernels.io.sentences.functions import function_parser
from treekernels.io.sentences.names import EXAMPLES, parser_name
from treekernels.io.sentences.sentence import Parser
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
    return function_parser(parser, shape, lexeme, tag)
