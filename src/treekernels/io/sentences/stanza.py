"""Parsers that are pipelines of stanza: dependencies for many languages, constituents for some."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from treekernels.common.optional import package_version, require
from treekernels.errors import DataError
from treekernels.io.reading.trees.dependencies import Token
from treekernels.io.sentences.names import ParserName
from treekernels.io.sentences.sentence import Document, Gives, Parser, Sentence, batches_of

_TEXTS_AT_ONCE = 32
_STEPS = {
    "constituency": "tokenize,pos,constituency",
    "dependencies": "tokenize,pos,lemma,depparse",
}


def named_stanza(name: ParserName, shape: str | None) -> Parser:
    """Return a pipeline for a language whose models were downloaded."""
    stanza = require("stanza", "stanza", "a parser of sentences")
    gives: Gives = "constituency" if shape == "constituency" else "dependencies"
    try:
        pipeline = stanza.Pipeline(
            name.model,
            package=name.more or "default",
            processors=_STEPS[gives],
            download_method=None,
            verbose=False,
        )
    except (FileNotFoundError, ValueError, KeyError) as error:
        more = "" if name.more is None else f", package='{name.more}'"
        reason = " ".join(str(error).split())
        raise DataError(
            f"stanza has no {gives} for {name.model!r} here: "
            f"python -c \"import stanza; stanza.download('{name.model}'{more})\" ({reason:.200})"
        ) from None
    return stanza_parser(pipeline, shape, name)


def stanza_parser(pipeline: Any, shape: str | None, name: ParserName | None = None) -> Parser:
    """Return a parser that a loaded pipeline is."""
    steps = set(pipeline.processors)
    constituents = shape == "constituency" or (shape is None and "depparse" not in steps)
    step = "constituency" if constituents else "depparse"
    if step not in steps:
        has = ", ".join(sorted(steps))
        raise DataError(f"this pipeline of stanza has no {step}, only {has}: add it to processors")
    gives: Gives = "constituency" if constituents else "dependencies"

    def analyse(texts: Sequence[str]) -> Iterator[Document]:
        for batch in batches_of(texts, _TEXTS_AT_ONCE):
            for doc in pipeline.bulk_process(list(batch)):
                yield [_sentence(sentence, constituents) for sentence in doc.sentences]

    def key() -> str:
        # The configuration names the files of all models.
        config = {str(option): str(value) for option, value in pipeline.config.items()}
        made = {"stanza": package_version("stanza"), "name": str(name), "gives": gives}
        return json.dumps({**made, "config": config}, sort_keys=True)

    return Parser(str(name or "this pipeline of stanza"), gives, analyse, key)


def _sentence(sentence: Any, constituents: bool) -> Sentence:
    words = sentence.words
    text = sentence.text or " ".join(word.text for word in words)
    if constituents:
        tree = sentence.constituency
        below = list(tree.children)
        # The root ROOT is left out, as treebanks leave out theirs.
        return Sentence(text, str(below[0] if tree.label == "ROOT" and len(below) == 1 else tree))
    return Sentence(
        text,
        None,
        tuple(
            Token(
                word.text,
                word.lemma or word.text,
                word.upos or "_",
                word.xpos or "_",
                word.deprel or "_",
                word.head - 1,
            )
            for word in words
        ),
    )
