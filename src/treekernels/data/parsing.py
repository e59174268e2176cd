"""Texts in brackets as nodes of a DAG, with errors that say where a text is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.limits import get_limits, long_label_reason
from treekernels.errors import ParseError

SENTENCES = (
    "if it holds sentences, tk.parse makes trees of them (--parser on the command line; the page "
    '"From sentences to trees" says which there are)'
)
"""What to do about plain text where a tree was expected."""

_SEEN = 200  # characters of a text that is no tree
_WORDS = re.compile(r"[^\W\d_]{2,}[,;]? +[^\W\d_]{2,}")

Roots: TypeAlias = NDArray[np.uint32]
"""The numbers of nodes in a DAG."""


def parsed(texts: list[str]) -> tuple[_native.Dag, Roots]:
    """Return a new DAG with the trees of some texts, and their roots."""
    dag = _native.Dag()
    return dag, parse_into(dag, texts)


def parse_into(
    dag: _native.Dag,
    texts: list[str],
    *,
    source: str | None = None,
    locate: Callable[[int], tuple[int, int]] | None = None,
) -> Roots:
    """Add texts to a DAG and return their roots, or raise a `ParseError` for the first bad one.

    Given the number of a text, `locate` returns its line and how many characters are before it.
    """
    roots, failure = parse_until_bad(dag, texts)
    if failure is None:
        return roots
    index, before, reason = failure
    line, indent = locate(index) if locate is not None else (index + 1, 0)
    raise ParseError(reason, source=source, line=line, column=indent + before + 1)


def parse_until_bad(
    dag: _native.Dag, texts: list[str]
) -> tuple[Roots, tuple[int, int, str] | None]:
    """Add texts up to the first bad one, and return their roots and what is wrong with that one.

    The latter is the number of the text, how many of its characters are good, and the reason.
    """
    try:
        roots, failure = dag.parse(texts, get_limits().label_bytes)
    except UnicodeEncodeError as error:
        index = next(i for i, text in enumerate(texts) if text == error.object)
        reason = "a character that UTF-8 cannot encode (half of a surrogate pair)"
        return parse_until_bad(dag, texts[:index])[0], (index, error.start, reason)
    if failure is None:
        return roots, None
    index, offset, reason = failure
    if reason == "a label is too long":
        reason = long_label_reason()
    elif reason.startswith("a tree starts with") and _looks_like_words(texts[index]):
        reason = f"{reason}; {SENTENCES}"
    return roots, (index, len(texts[index].encode()[:offset].decode()), reason)


def _looks_like_words(text: str) -> bool:
    beginning = text[:_SEEN]
    return not any(sign in beginning for sign in "()\t|") and bool(_WORDS.search(beginning))
