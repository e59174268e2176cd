"""spaCy documents: dependency trees, one for each sentence. spaCy itself is not needed here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from treekernels.data.forest import Forest
from treekernels.errors import DataError
from treekernels.io.reading.trees.dependencies import (
    Lexeme,
    Shape,
    Token,
    add_dependencies,
    check_shape,
)
from treekernels.io.reading.trees.tree_builder import Builder

__all__ = ["from_spacy"]


def from_spacy(
    docs: Any,
    *,
    shape: Shape = "GRCT",
    lexeme: Lexeme = "{form}",
    tag: Literal["upos", "xpos"] = "upos",
) -> Forest:
    """Make a forest of the sentences in a document of spaCy, or in several of them.

    Parameters
    ----------
    docs : Doc, Span, or iterable of these
        What spaCy returns. It must have been parsed, so that its tokens have heads.
    shape, lexeme, tag
        As for ``tk.read(..., format="conllu")``, where upos is spaCy's `pos_`, and xpos its `tag_`.
    """
    check_shape(shape, lexeme, tag)
    builder = Builder()
    for doc in [docs] if hasattr(docs, "sents") else _docs_of(docs):
        for sentence in doc.sents:
            if tokens := tokens_of(sentence):
                add_dependencies(builder, tokens, shape, lexeme, tag)
    return builder.forest("sentences")


def _docs_of(docs: Any) -> Iterable[Any]:
    items = list(docs) if isinstance(docs, Iterable) and not isinstance(docs, str) else [docs]
    for item in items:
        if not hasattr(item, "sents"):
            raise DataError(f"a spaCy Doc or Span was expected, not {type(item).__name__}")
    return items


def tokens_of(sentence: Any) -> list[Token]:
    """Return the words of a sentence with their heads.

    What spaCy takes for words of white space, such as a line end, is left out, unless another word
    depends on it.
    """
    heads = {token.head.i for token in sentence if token.head.i != token.i}
    words = [t for t in sentence if t.i in heads or not getattr(t, "is_space", False)]
    place = {token.i: number for number, token in enumerate(words)}
    tokens = []
    for token in words:
        # spaCy's roots are their own heads; in a part of a sentence the head may be outside.
        head = -1 if token.head.i == token.i else place.get(token.head.i, -1)
        word = (token.text, token.lemma_, token.pos_, token.tag_)
        tokens.append(Token(*word, relation=token.dep_, head=head))
    return tokens
