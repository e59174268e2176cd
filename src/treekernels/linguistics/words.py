"""Words of sentence pairs: which are content words, which match, and how many a pair shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treekernels.data.columns import pairs_of
from treekernels.data.tree import Tree

__all__ = ["Word", "is_content", "lexical_overlap", "same_word", "words_of"]


class Word(NamedTuple):
    """A word of a tree, and the label of the pre-terminal above it."""

    form: str
    tag: str


_TAGS = "DT PDT WDT IN CC TO MD PRP PRP$ WP WP$ WRB EX POS RP UH SYM LS"
_WORDS = """
a an the this that these those i me my mine myself we us our ours ourselves you your yours
yourself yourselves he him his himself she her hers herself it its itself they them their theirs
themselves what which who whom whose when where why how am is are was were be been being have has
had having do does did doing done will would shall should can could may might must ought need and
but or nor if because as until while of at by for with about against between into through during
before after above below to from up down in out on off over under again further then once here
there all any both each few more most other some such no not only own same so than too very just
's 're 've 'll 'd 'm n't 't s t
"""
_FUNCTION_TAGS = frozenset(_TAGS.split())
_FUNCTION_WORDS = frozenset(_WORDS.split())


def is_content(word: Word) -> bool:
    """Return whether a word says something by itself: no function word, no punctuation mark."""
    if word.tag.split("-")[0] in _FUNCTION_TAGS or not any(map(str.isalnum, word.form)):
        return False
    return word.form.startswith("-") or word.form.lower() not in _FUNCTION_WORDS


def same_word(word: Word, other: Word) -> bool:
    """Return whether two content words are equal, upper and lower case apart."""
    return word.form.lower() == other.form.lower() and is_content(word) and is_content(other)


def words_of(tree: Tree) -> list[Word]:
    """Return the words of a tree from left to right."""
    return [
        Word(node.children[0].label, node.label)
        for node in tree.preorder()
        if len(node.children) == 1 and node.children[0].is_leaf
    ]


def lexical_overlap(
    X: Any, *, on: Any = None, weight: Callable[[str], float] | None = None
) -> NDArray[np.float64]:
    """Return how much of each hypothesis is in its text.

    Use it as a feature beside a kernel on pairs, for instance with ``LinearKernel(on="lex")``.

    Parameters
    ----------
    X, on : pairs
        The same as for `TripartiteKernel`. Placeholders do not matter.
    weight : callable, optional
        A function that returns the weight of a lower-cased word, for instance its inverse document
        frequency. By default every word weighs 1.

    Returns
    -------
    array of shape (number of pairs,)
        The weight of those content words of the hypothesis that are also in the text, divided by
        the weight of all its content words. It is between 0 and 1, and 0 for a hypothesis without
        content words.

    Examples
    --------
    >>> import treekernels as tk
    >>> text = "(S (NP (NNS cows)) (VP (VBP eat) (NP (NN grass))))"
    >>> hypothesis = "(S (NP (NNS Cows)) (VP (VBP sing)))"
    >>> tk.lexical_overlap(tk.Pairs([text], [hypothesis]))
    array([0.5])
    """
    pairs = pairs_of(X, on).plain()
    weigh = weight or (lambda word: 1.0)
    result = np.zeros(len(pairs))
    for place, (text, hypothesis) in enumerate(pairs):
        text_words = set(_content_forms(words_of(text)))
        words = _content_forms(words_of(hypothesis))
        total = sum(weigh(word) for word in words)
        if total > 0:
            result[place] = sum(weigh(word) for word in words if word in text_words) / total
    return result


def _content_forms(words: Iterable[Word]) -> list[str]:
    return [word.form.lower() for word in words if is_content(word)]
