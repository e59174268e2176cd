"""parse: texts become a table of the trees of their sentences."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np

from treekernels.common.progress import Progress, progress_bar
from treekernels.data.columns import column_names
from treekernels.data.from_objects import is_nothing
from treekernels.data.table import Table
from treekernels.errors import DataError, ParameterError
from treekernels.io.reading.trees.dependencies import Lexeme, Shape, check_shape
from treekernels.io.sentences.cache import Cache
from treekernels.io.sentences.names import ALL_SHAPES
from treekernels.io.sentences.parsers import open_parser
from treekernels.io.sentences.sentence import Document, Parser
from treekernels.io.sentences.shaping import sentence_trees, text_trees

__all__ = ["parse"]

_SECONDS_BETWEEN_FILES = 60.0  # after which what was parsed is put into the cache


def parse(
    texts: Iterable[str],
    parser: str | Callable[[str], Any] | Any,
    *,
    shape: Literal["constituency"] | Shape | None = None,
    lexeme: Lexeme = "{form}",
    tag: Literal["upos", "xpos"] = "upos",
    each: Literal["sentence", "text"] = "sentence",
    cache: str | os.PathLike[str] | None = None,
    verbose: bool = False,
    progress: Progress | None = None,
) -> Table:
    """Parse texts, and return a table of their sentences with a tree for each.

    Parameters
    ----------
    texts : sequence of str
        The texts, each of which has any number of sentences; a column of a data frame will do.
        Texts that occur several times are parsed once.
    parser : str, callable, or pipeline
        "spacy:MODEL", such as "spacy:en_core_web_sm"; "stanza:LANGUAGE", such as "stanza:en"; or
        "benepar:MODEL", such as "benepar:benepar_en3". Models have to be installed; nothing is
        downloaded. It can also be a loaded pipeline of spaCy or stanza, or a function that takes a
        text and returns the tree of its sentence, or the trees of several, in any form that
        `Forest` takes.
    shape : {"constituency", "GRCT", "LCT", "LOCT", "CGRCT", "CLCT"}, optional
        The trees to make: constituents, or dependencies in one of the shapes of
        ``tk.read(..., format="conllu")``. If you do not say it, benepar gives constituents, and
        spaCy and stanza dependencies as GRCT.
    lexeme, tag
        How dependency trees write words, and which tags they have, as for
        ``tk.read(..., format="conllu")``.
    each : {"sentence", "text"}, default="sentence"
        What a row is. With "text", there is one tree for each text: that of its sentence or, if it
        has several, a node TEXT above them. A text without any sentence becomes ``(-EMPTY-)``.
    cache : path, optional
        A folder in which what was parsed is kept, and found again in the next call, also with
        another shape. Several processes may use the same folder at once.
    verbose : bool, default=False
        Show a progress bar.
    progress : callable, optional
        Called now and then with the number of texts that are done, and how many there are.

    Returns
    -------
    Table
        With "sentence", the columns are "document" (the place of the text, from 0, so that
        ``labels[table["document"]]`` gives each sentence the label of its text), "sentence" (its
        place in the text, from 0), "text" (of the sentence) and "tree". With "text", they are
        "text" and "tree". If you stop it with Ctrl-C, the cache has what was parsed by then.

    Examples
    --------
    >>> import treekernels as tk
    >>> def words(text):  # not much of a parser
    ...     return [("S", *words.split()) for words in text.split(".") if words.strip()]
    >>> table = tk.parse(["dogs bark. cats sleep.", "birds sing."], words)
    >>> table
    <Table: 3 rows; document: int64, sentence: int64, text: str, tree: Forest>
    >>> table["document"].tolist(), table["sentence"].tolist()
    ([0, 0, 1], [0, 1, 0])
    >>> print(tk.parse(["dogs bark. cats sleep."], words, each="text")["tree"])
    (TEXT (S dogs bark) (S cats sleep))
    """
    if each not in ("sentence", "text"):
        raise ParameterError(f"each is {each!r}, and may be 'sentence' or 'text'")
    if shape is not None and shape not in ALL_SHAPES:
        raise ParameterError(f"shape is {shape!r}, and may be {', '.join(ALL_SHAPES)} or None")
    form: Shape = "GRCT" if shape is None or shape == "constituency" else shape
    check_shape(form, lexeme, tag)
    given = _as_texts(texts)
    opened = open_parser(parser, shape, lexeme, tag)
    distinct = list(dict.fromkeys(given))
    with progress_bar("parse", verbose=verbose, callback=progress) as moving:
        documents = _documents(distinct, opened, cache, moving)
    parsed = [documents[text] for text in distinct]
    place = {text: number for number, text in enumerate(distinct)}
    rows = np.array([place[text] for text in given], np.intp)
    if each == "text":
        trees = text_trees(parsed, form, lexeme, tag)
        return Table({"text": _column(given), "tree": trees[rows]})
    trees, begins = sentence_trees(parsed, form, lexeme, tag)
    counts = np.diff(begins)[rows]
    document = np.repeat(np.arange(len(given), dtype=np.int64), counts)
    sentence = np.arange(len(document), dtype=np.int64) - np.repeat(
        np.cumsum(counts) - counts, counts
    )
    sentences = [sentence.text for text in given for sentence in documents[text]]
    return Table(
        {
            "document": document,
            "sentence": sentence,
            "text": _column(sentences),
            "tree": trees[np.repeat(begins[:-1][rows], counts) + sentence],
        }
    )


def _as_texts(texts: Any) -> list[str]:
    """Return texts as a list, or say which of them is not one."""
    if isinstance(texts, str):
        raise DataError("a single text is not a list of texts: write [text]")
    if column_names(texts) is not None:
        raise DataError("texts were expected, and this has columns: give the one with the texts")
    if not isinstance(texts, Iterable):
        raise DataError(f"a list of texts was expected, and not a {type(texts).__name__}")
    given = list(texts)
    for number, text in enumerate(given, start=1):
        if is_nothing(text):
            raise DataError(f"text {number} is missing ({text}): leave it out, or give ''")
        if not isinstance(text, str):
            raise DataError(f"text {number} is not a text but of type {type(text).__name__}")
    return given


def _documents(
    texts: Sequence[str], parser: Parser, cache: Any, progress: Progress | None
) -> dict[str, Document]:
    """Return the sentences of each text, from the cache or from the parser."""
    store = None if cache is None else Cache(cache, parser.key())
    documents: dict[str, Document] = {text: [] for text in texts if not text.strip()}
    if store is not None:
        documents |= store.load(text for text in texts if text not in documents)
    missing = [text for text in texts if text not in documents]
    if progress is not None and missing:
        progress(len(documents), len(texts))
    fresh: dict[str, Document] = {}
    kept = time.monotonic()
    try:
        for text, document in zip(missing, parser.analyse(missing), strict=False):
            documents[text] = fresh[text] = document
            if progress is not None:
                progress(len(documents), len(texts))
            if store is not None and time.monotonic() - kept > _SECONDS_BETWEEN_FILES:
                store.add(fresh)
                fresh, kept = {}, time.monotonic()
    finally:
        if store is not None:  # also after Ctrl-C
            store.add(fresh)
    if len(documents) < len(texts):
        raise DataError(
            f"{parser.name} has parsed {len(documents):,} of {len(texts):,} texts, and left out "
            "the others"
        )
    return documents


def _column(texts: Sequence[str]) -> Any:
    column = np.empty(len(texts), object)
    column[:] = texts
    return column
