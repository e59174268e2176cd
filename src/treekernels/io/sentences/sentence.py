"""Sentence: what a parser says of one sentence, before it becomes a tree of some shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from treekernels.io.reading.trees.dependencies import Token

Gives: TypeAlias = Literal["constituency", "dependencies", "trees"]
"""What a parser gives: constituents, heads, or, if it is a function, trees of any kind."""


class Sentence(NamedTuple):
    """A sentence of a text: its tree in brackets, or else its tokens with their heads."""

    text: str
    tree: str | None
    tokens: tuple[Token, ...] = ()


Document: TypeAlias = list[Sentence]
"""The sentences of a text, in their order."""


@dataclass(frozen=True)
class Parser:
    """A parser of whatever package, ready to work.

    Attributes
    ----------
    name : str
        What messages call it.
    gives : str
    analyse : callable
        From texts to a document for each, in the same order, as they are finished.
    key : callable
        Returns a text that differs for every parser and version whose results may differ, for the
        cache.
    """

    name: str
    gives: Gives
    analyse: Callable[[Sequence[str]], Iterable[Document]]
    key: Callable[[], str]


def batches_of(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Yield the texts in order, some at a time."""
    return (texts[start : start + size] for start in range(0, len(texts), size))
