"""Parsers that are pipelines of spaCy: dependencies, or constituents by benepar within one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

from treekernels.common.optional import package_version, require
from treekernels.errors import DataError, ParameterError
from treekernels.io.readers.treebanks.spacy import tokens_of
from treekernels.io.sentences.names import ParserName
from treekernels.io.sentences.sentence import Document, Gives, Parser, Sentence

_TEXTS_AT_ONCE = 64
_NOT_NEEDED = ["ner", "entity_linker", "textcat"]


def named_spacy(name: ParserName, shape: str | None) -> Parser:
    """Return a pipeline that was installed."""
    pipeline = _installed(name.model)
    return spacy_parser(pipeline, shape, name)


def named_benepar(name: ParserName, shape: str | None) -> Parser:
    """Return benepar behind a tokenizer of spaCy, or behind a whole pipeline if one is named."""
    if shape not in (None, "constituency"):
        raise ParameterError(
            f"{name} gives constituents, and shape={shape!r} is one of dependencies"
        )
    spacy = require("spacy", "benepar", "a parser of sentences")
    require("benepar", "benepar", "a parser of constituents")
    model = _benepar_model(name.model)
    if name.more is not None:
        pipeline = _installed(name.more)
    else:  # benepar_en3 is English
        language = name.model.removeprefix("benepar_")[:2]
        try:
            pipeline = spacy.blank(language)
        except ImportError:
            raise DataError(
                f"which language {name.model} is of cannot be seen from its name: name a pipeline "
                f"of spaCy as well, as in {name}:en_core_web_sm"
            ) from None
        pipeline.add_pipe("sentencizer")
    pipeline.add_pipe("benepar", config={"model": model})
    return spacy_parser(pipeline, "constituency", name)


def spacy_parser(pipeline: Any, shape: str | None, name: ParserName | None = None) -> Parser:
    """Return a parser that a loaded pipeline is."""
    has_constituents = "benepar" in pipeline.pipe_names
    if shape == "constituency" and not has_constituents:
        raise DataError(
            "this pipeline of spaCy gives dependencies, and shape='constituency' needs benepar: "
            "name the parser benepar:benepar_en3, or add benepar to the pipeline"
        )
    constituents = has_constituents and shape in (None, "constituency")
    gives: Gives = "constituency" if constituents else "dependencies"

    def analyse(texts: Sequence[str]) -> Iterator[Document]:
        # Line ends and indents would be words of their own.
        plain = (" ".join(text.split()) for text in texts)
        for doc in pipeline.pipe(plain, batch_size=_TEXTS_AT_ONCE):
            _check_annotation(doc, pipeline, constituents)
            sentences = list(doc.sents) if len(doc) else []
            if constituents:
                yield [Sentence(one.text, one._.parse_string) for one in sentences]
            else:
                words = [(one.text, tuple(tokens_of(one))) for one in sentences]
                yield [Sentence(text, None, tokens) for text, tokens in words if tokens]

    def key() -> str:
        return _key(pipeline, gives, name)

    return Parser(str(name or "this pipeline of spaCy"), gives, analyse, key)


def _installed(model: str) -> Any:
    """Return an installed pipeline; nothing that merely has its name, such as a folder here."""
    from importlib import metadata

    spacy = require("spacy", "spacy", "a parser of sentences")
    if model not in metadata.entry_points(group="spacy_models").names:
        raise DataError(f"spaCy has no model {model!r} here: python -m spacy download {model}")
    return spacy.load(model, exclude=_NOT_NEEDED)


def _benepar_model(model: str) -> str:
    """Return where an installed model of benepar is."""
    data = require("nltk.data", "benepar", "a parser of constituents")
    try:
        return str(data.find(f"models/{model}"))
    except LookupError:
        raise DataError(
            f"benepar has no model {model!r} here: "
            f"python -c \"import benepar; benepar.download('{model}')\""
        ) from None


def _check_annotation(doc: Any, pipeline: Any, constituents: bool) -> None:
    if not len(doc) or doc.has_annotation("SENT_START" if constituents else "DEP"):
        return
    parts = ", ".join(pipeline.pipe_names) or "nothing but a tokenizer"
    what = "finds sentences" if constituents else "parses"
    raise DataError(
        f"no part of this pipeline of spaCy {what}; it has {parts}: load a model that has a "
        "parser, such as en_core_web_sm"
    )


def _key(pipeline: Any, gives: Gives, name: ParserName | None) -> str:
    """Return a text for the cache: versions, and for a pipeline without a name all it knows."""
    meta = pipeline.meta
    key: dict[str, Any] = {
        "spacy": package_version("spacy"),
        "model": [meta.get(part) for part in ("lang", "name", "version")],
        "parts": list(pipeline.pipe_names),
        "gives": gives,
    }
    if gives == "constituency":
        key["benepar"] = package_version("benepar")
    if name is not None:
        key["name"] = str(name)
    else:
        key["content"] = hashlib.sha256(pipeline.to_bytes()).hexdigest()
    return json.dumps(key, sort_keys=True)
