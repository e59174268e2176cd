"""CoNLL-U files: dependency trees, one for each sentence.

Ten columns separated by tabs, an empty line after each sentence, comments after #. Lines of
multi-word tokens (1-2) and empty nodes (1.1) are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from treekernels import _native
from treekernels.common.limits import get_limits
from treekernels.common.text import count_noun
from treekernels.data.forest import Forest, Roots
from treekernels.errors import ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.tables.blocks import lines_that_are_left
from treekernels.io.reading.trees.dependencies import (
    LETTERS,
    Lexeme,
    Shape,
    Token,
    add_dependencies,
    check_shape,
    lexeme_pieces,
)
from treekernels.io.reading.trees.tree_builder import Builder

_Lines = list[tuple[int, str]]


class _Sentence(NamedTuple):
    """The lines of a sentence, and what its comments say, such as sent_id and text."""

    lines: _Lines
    comments: dict[str, str]


def read_conllu(
    path: PathLike,
    *,
    shape: Shape = "GRCT",
    lexeme: Lexeme = "{form}",
    tag: Literal["upos", "xpos"] = "upos",
    problems: Problems,
    origins: Origins | None = None,
) -> Forest:
    """Read the sentences of a CoNLL-U file as a forest of dependency trees.

    Parameters
    ----------
    shape : {"GRCT", "LCT", "LOCT", "CGRCT", "CLCT"}
        What the nodes of a tree are: grammatical relations, with the tags and words below them;
        words, with their tags and relations below them; or words alone. With a C, relations name
        both of their words, as in ``nsubj<bark::v,dog::n>``.
    lexeme : str or callable
        How a word is written. This is a text in which the fields form, lemma, upos, xpos, pos and
        relation may stand, or a function that takes a token with these attributes and returns a
        text. "{lemma}::{pos}" writes ``dog::n``, which `WordVectors` looks for; with "_", all words
        are the same.
    tag : {"upos", "xpos"}
        Whether tags are the universal ones or those of the language.
    """
    check_shape(shape, lexeme, tag)
    dag = _native.Dag()
    roots: list[Roots] = [np.empty(0, np.uint32)]
    pieces = lexeme_pieces(lexeme)
    letters, longest = list(LETTERS.items()), get_limits().label_bytes

    def read_good(block: bytes, number: int, is_last: bool) -> tuple[int, int, bool]:
        if pieces is None:
            return 0, 0, False
        (made, (lines, end, count), may_go_on), ids, texts = _native.read_conllu(
            dag, block, is_last, shape, tag == "xpos", pieces, letters, longest
        )
        roots.append(made)
        if origins is not None and ids:
            origins.extend("line", (lines.astype(np.int64) + number).tolist())
            origins.extend("sent_id", ids)
            origins.extend("text", texts)
        return end, count, may_go_on

    builder = Builder()
    for sentence, comments in _sentences(lines_that_are_left(path, problems, read_good)):
        try:
            tokens = _tokens(sentence, str(path))
            try:
                add_dependencies(builder, tokens, shape, lexeme, tag)
            except ValueError as error:
                first = sentence[0][0]
                raise ParseError(str(error), source=str(path), line=first) from None
        except ParseError as error:
            builder.abandon()
            problems.report(error)
            continue
        if origins is not None:
            origins.add(
                line=sentence[0][0], sent_id=comments.get("sent_id"), text=comments.get("text")
            )
    rest = builder.forest()
    roots.append(dag.import_nodes(rest.dag, rest.roots))
    return Forest.from_roots(dag, np.concatenate(roots))


def _sentences(lines: Iterator[tuple[int, str]]) -> Iterator[_Sentence]:
    sentence = _Sentence([], {})
    for number, line in lines:
        if line.startswith("#"):
            name, equals, value = line[1:].partition("=")
            if equals:
                sentence.comments[name.strip()] = value.strip()
        elif line.strip():
            sentence.lines.append((number, line))
        elif sentence.lines:
            yield sentence
            sentence = _Sentence([], {})
    if sentence.lines:
        yield sentence


def _tokens(sentence: _Lines, source: str) -> list[Token]:
    rows = []
    for number, line in sentence:
        fields = line.split("\t")
        if len(fields) != 10:
            columns = count_noun(len(fields), "column")
            reason = f"this line has {columns}, and CoNLL-U has 10, separated by tabs"
            raise ParseError(reason, source=source, line=number)
        if "-" not in fields[0] and "." not in fields[0]:
            rows.append((number, fields))
    tokens = []
    for place, (number, fields) in enumerate(rows):
        name, form, lemma, upos, xpos, _, head, relation, _, _ = fields
        if name != str(place + 1):
            reason = f"this is word {place + 1} of the sentence, but is numbered {name!r:.20}"
            raise ParseError(reason, source=source, line=number, column=1)
        if not (head.isascii() and head.isdigit() and int(head) <= len(rows)):
            reason = f"the head {head!r:.20} is not 0 or the number of a word of the sentence"
            column = sum(map(len, fields[:6])) + 7
            raise ParseError(reason, source=source, line=number, column=column)
        tokens.append(Token(form, lemma, upos, xpos, relation, int(head) - 1))
    if not tokens:
        raise ParseError("the sentence has no words", source=source, line=sentence[0][0])
    return tokens
