"""Dependency trees in the shapes that tree kernels are used with (Croce et al., EMNLP 2011).

GRCT, grammatical relation centred: relations are the nodes; below each, in the order of the
sentence, the relations of its dependents and the tag of its word, with the word below that.
LCT, lexical centred: words are the nodes; below each its dependents, and last its tag and relation.
LOCT, lexical only centred: words are the nodes, and nothing else.
CGRCT and CLCT, compositional (Annesi et al., CIKM 2014): the same as GRCT and LCT, but relations
also name the head and the dependent, as in ``nsubj<bark::v,dog::n>``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from string import Formatter
from typing import Literal, NamedTuple, TypeAlias

from treekernels.errors import DataError, ParameterError
from treekernels.io.reading.trees.tree_builder import Builder

Shape: TypeAlias = Literal["GRCT", "LCT", "LOCT", "CGRCT", "CLCT"]
SHAPES = ("GRCT", "LCT", "LOCT", "CGRCT", "CLCT")

LETTERS = {
    "ADJ": "j",
    "ADP": "i",
    "ADV": "r",
    "AUX": "v",
    "CCONJ": "c",
    "DET": "d",
    "INTJ": "u",
    "NOUN": "n",
    "NUM": "c",
    "PART": "t",
    "PRON": "p",
    "PROPN": "n",
    "SCONJ": "i",
    "VERB": "v",
}


_FIELDS = ("form", "lemma", "upos", "xpos", "relation", "pos")  # as the core numbers them


class Token(NamedTuple):
    """A word of a sentence. `head` is the place of its head in the sentence, -1 for the root."""

    form: str
    lemma: str
    upos: str
    xpos: str
    relation: str
    head: int

    @property
    def pos(self) -> str:
        """The part of speech as a letter, such as n for nouns, as in the papers."""
        tag = self.xpos if self.upos in ("", "_") else self.upos
        return LETTERS.get(tag) or tag[:1].lower() or "_"


Lexeme: TypeAlias = str | Callable[[Token], str]
"""How a word is written: a format such as "{lemma}::{upos}", or a function."""


def check_shape(shape: str, lexeme: Lexeme, tag: str) -> None:
    """Raise a ValueError if a shape, a format of words or a tag is not known."""
    if shape not in SHAPES:
        raise ParameterError(f"shape is {shape!r}, and may be {', '.join(SHAPES)}")
    if tag not in ("upos", "xpos"):
        raise ParameterError(f"tag is {tag!r}, and may be 'upos' or 'xpos'")
    if not isinstance(lexeme, str) and not callable(lexeme):
        raise ParameterError(
            f"lexeme is {lexeme!r}, and must be a text such as '{{lemma}}', or a function"
        )
    try:
        _word_label(Token("", "", "", "", "", 0), lexeme if isinstance(lexeme, str) else "")
    except (KeyError, IndexError, ValueError, AttributeError):
        fields = "{form}, {lemma}, {upos}, {xpos}, {pos} and {relation}"
        raise ParameterError(f"lexeme is {lexeme!r}, and may use {fields}") from None


def lexeme_pieces(lexeme: Lexeme) -> list[tuple[str, int | None]] | None:
    """Return the texts of a format and the fields behind them, None for what the core cannot do."""
    if not isinstance(lexeme, str):
        return None
    pieces: list[tuple[str, int | None]] = []
    for text, field, spec, conversion in Formatter().parse(lexeme):
        if (field is not None and field not in _FIELDS) or spec or conversion:
            return None
        pieces.append((text, None if field is None else _FIELDS.index(field)))
    return pieces


def add_dependencies(
    builder: Builder, tokens: Sequence[Token], shape: Shape, lexeme: Lexeme, tag: str
) -> None:
    """Add the tree of a sentence, or raise a ValueError if the heads do not make a tree."""
    children, root = _children_and_root(tokens)
    composed = shape.startswith("C")
    lexical = shape in ("LCT", "CLCT", "LOCT")

    def relation_label(token: Token) -> str:
        if not composed or token.head < 0:
            return token.relation
        head = _word_label(tokens[token.head], lexeme)
        return f"{token.relation}<{head},{_word_label(token, lexeme)}>"

    steps: list[tuple[str, int]] = [("open", root)]
    while steps:
        step, place = steps.pop()
        token = tokens[place]
        if step == "close":
            if lexical and shape != "LOCT":
                builder.leaf(getattr(token, tag))
                builder.leaf(relation_label(token))
            builder.close()
        elif step == "word":
            builder.open(getattr(token, tag))
            builder.leaf(_word_label(token, lexeme))
            builder.close()
        else:
            builder.open(_word_label(token, lexeme) if lexical else relation_label(token))
            below = [("open", child) for child in children[place]]
            if not lexical:
                below.insert(bisect_left(children[place], place), ("word", place))
            steps.append(("close", place))
            steps.extend(reversed(below))


def _word_label(token: Token, lexeme: Lexeme) -> str:
    if not callable(lexeme):
        return lexeme.format(**token._asdict(), pos=token.pos)
    label = lexeme(token)
    if label is not None and not isinstance(label, str):
        raise ParameterError(
            f"lexeme must return a text for a word, not {label!r:.40} of type "
            f"{type(label).__name__}"
        )
    return label


def _children_and_root(tokens: Sequence[Token]) -> tuple[list[list[int]], int]:
    children: list[list[int]] = [[] for _ in tokens]
    roots: list[int] = []
    for place, token in enumerate(tokens):
        (roots if token.head < 0 else children[token.head]).append(place)
    if len(roots) != 1:
        count = f"{len(roots)} roots" if roots else "no root"
        raise DataError(f"the sentence has {count}, and needs one")
    reached = list(roots)
    for place in reached:  # the list grows while it is read
        reached.extend(children[place])
    if len(reached) < len(tokens):
        lost = min(set(range(len(tokens))) - set(reached))
        raise DataError(f"the heads of word {lost + 1} and others go round in a circle")
    return children, roots[0]
