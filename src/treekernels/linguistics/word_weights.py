"""WordWeights: rare words say more than frequent ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import log
from typing import Any

from treekernels.data.forest import as_forest
from treekernels.linguistics.words import Lemma, is_content, words_of

__all__ = ["WordWeights"]


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
