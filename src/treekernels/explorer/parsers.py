"""Parsers of sentences: those of spaCy, and benepar on top of it."""

from __future__ import annotations

from typing import Any

from treekernels.common.optional import require
from treekernels.errors import DataError
from treekernels.explorer.inputs import Parser

__all__ = ["spacy_parser"]


def spacy_parser(model: str, benepar: str | None = None, **shape: Any) -> Parser:
    """Return a parser that uses a model of spaCy.

    Parameters
    ----------
    model : str
        Such as "en_core_web_sm", which has to be installed.
    benepar : str, optional
        A model of benepar, such as "benepar_en3". Then sentences become constituency trees;
        without, they become dependency trees.
    **shape
        Options of `treekernels.readers.from_spacy`: shape, lexeme and tag.
    """
    spacy = require("spacy", "spacy", "a parser of sentences")
    try:
        pipeline = spacy.load(model)
    except OSError:
        raise DataError(
            f"spaCy has no model {model!r} here: python -m spacy download {model}"
        ) from None
    if benepar is None:
        from treekernels.io.readers.spacy import from_spacy

        return lambda text: from_spacy(pipeline(text), **shape)
    require("benepar", "benepar", "a parser of constituents")
    pipeline.add_pipe("benepar", config={"model": benepar})
    return lambda text: [sentence._.parse_string for sentence in pipeline(text).sents]
