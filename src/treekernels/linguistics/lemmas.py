"""english_lemma: the form of an English word that a dictionary has, by the package LemmInflect."""

from __future__ import annotations

from functools import lru_cache

from treekernels.common.optional import require
from treekernels.linguistics.words import Word

__all__ = ["english_lemma"]

# Tags of the Penn Treebank by their first letters, and those of Universal Dependencies.
_PENN = {"NN": "NOUN", "VB": "VERB", "JJ": "ADJ", "RB": "ADV"}
_UNIVERSAL = frozenset(["NOUN", "VERB", "ADJ", "ADV", "AUX"])


def english_lemma(word: Word) -> str:
    """Return the lemma of an English word: *feed* for *fed*, *child* for *children*.

    It is what `treekernels.anchor` and `treekernels.lexical_overlap` take as ``lemma=``, and needs
    the package LemmInflect (``pip install "treekernels[lemmas]"``), which comes with its
    dictionary. Words that are not in it are taken apart by rules.

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
    return form if kind is None or tag.startswith("NNP") else _found(form, kind)


@lru_cache(maxsize=1 << 16)
def _found(form: str, kind: str) -> str:
    package = require("lemminflect", "lemmas", "a lemma of an English word")
    return next(iter(package.getLemma(form, upos=kind)), form).lower()
