"""Words of sentence pairs: which are content words, which match, and how many a pair shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from treekernels.common.arrays import Floats
from treekernels.data.columns import pairs_of
from treekernels.data.tree import Tree

__all__ = ["Word", "lexical_overlap"]


class Word(NamedTuple):
    """A word of a tree, and the label of the pre-terminal above it."""

    form: str
    tag: str


Lemma: TypeAlias = Callable[[Word], str]
"""What finds the lemma of a word, such as `treekernels.linguistics.english_lemma`."""

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


def words_of(tree: Tree) -> list[Word]:
    """Return the words of a tree from left to right."""
    return [
        Word(node.children[0].label, node.label)
        for node in tree.preorder()
        if len(node.children) == 1 and node.children[0].is_leaf
    ]


def keys_of(word: Word, lemma: Lemma | None) -> set[str]:
    """Return what a word is known by: its lower-cased form, and its lemma if there is one.

    Two words are the same if they have a key in common.
    """
    form = word.form.lower()
    return {form} if lemma is None else {form, lemma(word)}


def lexical_overlap(
    X: Any,
    *,
    on: Any = None,
    weight: Callable[[str], float] | None = None,
    lemma: Lemma | None = None,
) -> Floats:
    """Return how much of each hypothesis is in its text.

    Use it as a feature beside a kernel on pairs, for instance with ``LinearKernel(on="lex")``.

    Parameters
    ----------
    X, on : pairs
        The same as for `TripartiteKernel`. Placeholders do not matter.
    weight : callable, optional
        A function that returns the weight of a lower-cased word, or of its lemma if you give
        `lemma`. `treekernels.linguistics.WordWeights` gives rare words a large weight. By default
        every word weighs 1.
    lemma : callable, optional
        A function that returns the lemma of a `Word`, such as
        `treekernels.linguistics.english_lemma`. Words are then the same if their lemmas are, or if
        they are equal; without it, only if they are equal.

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
    result = np.zeros(len(pairs))
    for place, (text, hypothesis) in enumerate(pairs):
        known: set[str] = set()
        for word in filter(is_content, words_of(text)):
            known |= keys_of(word, lemma)
        total = shared = 0.0
        for word in filter(is_content, words_of(hypothesis)):
            weighed = word.form.lower() if lemma is None else lemma(word)
            weighs = 1.0 if weight is None else weight(weighed)
            total += weighs
            if not known.isdisjoint(keys_of(word, lemma)):
                shared += weighs
        if total > 0:
            result[place] = shared / total
    return result
