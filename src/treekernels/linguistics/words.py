"""Words of sentence pairs: which are content words, which match, what they weigh, their lemmas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from math import log
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from treekernels.common.arrays import Floats
from treekernels.common.optional import require
from treekernels.data.columns import pairs_of
from treekernels.data.forest import as_forest
from treekernels.data.tree import Tree

__all__ = ["Word", "WordWeights", "english_lemma", "lexical_overlap"]


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


class WordWeights:
    """Weights of words by their inverse document frequency.

    A word that occurs in n of N trees weighs ``log((N + 1) / (n + 1))``: nothing if it is in all of
    them, and most if it is in none.

    Parameters
    ----------
    trees : sequence of trees
        Anything that `Forest` takes: the sentences in which words are counted, usually those that
        you learn from. Placeholders do no harm.
    lemma : callable, optional
        If you give it to `treekernels.lexical_overlap`, give it here, too, so that lemmas are
        counted.

    Attributes
    ----------
    counts : dict of str to int
        In how many trees each content word is, by its lower-cased form or its lemma.
    n_trees : int

    Examples
    --------
    >>> import treekernels as tk
    >>> from treekernels.linguistics import WordWeights
    >>> pairs = tk.Pairs(
    ...     ["(S (NNS cows) (VBP eat) (NN grass))", "(S (NNS cows) (VBP sing))"],
    ...     ["(S (NNS cows) (VBP eat) (NN hay))", "(S (NNS cows) (VBP dance))"],
    ... )
    >>> weight = WordWeights([*pairs["text"], *pairs["hypothesis"]])
    >>> weight("cows"), round(weight("eat"), 2), round(weight("sing"), 2)
    (0.0, 0.51, 0.92)
    >>> tk.lexical_overlap(pairs, weight=weight).round(2)
    array([0.36, 0.  ])
    """

    def __init__(self, trees: Iterable[Any], *, lemma: Lemma | None = None) -> None:
        forest = as_forest(trees)
        counts: Counter[str] = Counter()
        for tree in forest:
            words = filter(is_content, words_of(tree))
            counts.update({word.form.lower() if lemma is None else lemma(word) for word in words})
        self.counts: dict[str, int] = dict(counts)
        self.n_trees = len(forest)

    def __call__(self, word: str) -> float:
        """Return the weight of a lower-cased word, or of a lemma."""
        return log((self.n_trees + 1) / (self.counts.get(word, 0) + 1))

    def __repr__(self) -> str:
        return f"<WordWeights: {len(self.counts):,} words of {self.n_trees:,} trees>"


# Tags of the Penn Treebank by their first letters, and those of Universal Dependencies.
_PENN = {"NN": "NOUN", "VB": "VERB", "JJ": "ADJ", "RB": "ADV"}
_UNIVERSAL = frozenset(["NOUN", "VERB", "ADJ", "ADV", "AUX"])


def english_lemma(word: Word) -> str:
    """Return the lemma of an English word: *feed* for *fed*, *child* for *children*.

    It is what `treekernels.anchor` and `treekernels.lexical_overlap` take as ``lemma=``, and needs
    the package LemmInflect (``pip install lemminflect``), which comes with its dictionary.
    Words that are not in it are taken apart by rules.

    Parameters
    ----------
    word : Word
        A form, and its tag of the Penn Treebank or of Universal Dependencies, which tells the verb
        *saw* from the tool.

    Returns
    -------
    str
        In lower case. Names, numbers and whatever is neither noun nor verb, adjective or adverb
        are their own lemmas.

    Examples
    --------
    >>> import treekernels as tk
    >>> from treekernels.linguistics import english_lemma
    >>> english_lemma(tk.Word("fed", "VBD")), english_lemma(tk.Word("Children", "NNS"))
    ('feed', 'child')
    >>> pairs = tk.anchor(
    ...     ["(S (NP (NNS Cows)) (VP (VBD ate)))"],
    ...     ["(S (NP (DT A) (NN cow)) (VP (VBZ eats)))"],
    ...     lemma=english_lemma,
    ... )
    >>> print(pairs[0].hypothesis)
    (S:2 (NP:1 (DT A) (NN:1 cow)) (VP:2 (VBZ:2 eats)))
    """
    tag = word.tag.split("-")[0]
    kind = tag if tag in _UNIVERSAL else _PENN.get(tag[:2])
    form = word.form.lower()
    return form if kind is None or tag.startswith("NNP") else _dictionary_form(form, kind)


@lru_cache(maxsize=1 << 16)
def _dictionary_form(form: str, kind: str) -> str:
    package = require("lemminflect", "lemmas", "a lemma of an English word")
    return next(iter(package.getLemma(form, upos=kind)), form).lower()
