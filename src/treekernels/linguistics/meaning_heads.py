"""Heads of constituents with Penn Treebank labels.

After the table of Collins (1999), but for the word that carries the meaning: an auxiliary, a modal
and "to" yield to their verb phrase, a preposition to its object, a complementiser to its clause.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["penn_head"]

# Each constituent with where to start, and which children to prefer, the best first.
_TABLE = """
ADJP left NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB
ADVP right RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN
CONJP right CC RB IN
FRAG right
INTJ left
LST right LS
NAC left NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW
PP left NP S SBAR VP ADJP ADVP PP WHNP VBG VBN NN NNS NNP CD RP FW IN TO
PRN left S SINV NP VP SBAR PP ADJP ADVP
PRT right RP
QP left $ NNS NN CD JJ RB DT NCD QP JJR JJS IN
RRC right VP NP ADVP ADJP PP
S left VP S SBAR ADJP UCP NP TO IN
SBAR left S SQ SINV SBAR FRAG VP WHNP WHPP WHADVP WHADJP IN DT
SBARQ left SQ S SINV SBARQ FRAG
SINV left VP S SINV VBZ VBD VBP VB MD ADJP NP
SQ left VP SQ VBZ VBD VBP VB MD NP
UCP right
VP left VBD VBN VBZ VB VBG VBP MD TO VP ADJP NN NNS NP
WHADJP left JJ ADJP WRB CC
WHADVP right WRB CC
WHNP right NN NNP NNPS NNS NX NML WDT WP WP$ WHADJP WHPP WHNP
WHPP right WHNP IN TO FW
"""
_RULES = {words[0]: (words[1], words[2:]) for words in map(str.split, _TABLE.strip().splitlines())}
_NOUNS = ["NN", "NNP", "NNPS", "NNS", "NX", "NML"]
_AUXILIARIES = {"VBD", "VBN", "VBZ", "VB", "VBG", "VBP", "MD", "TO"}
_PUNCTUATION = {",", ".", ":", "COLON", "``", "''", "-LRB-", "-RRB-", "HYPH", "LS"}


def penn_head(label: str, children: Sequence[str]) -> int | None:
    """Find the head of a constituent.

    Parameters
    ----------
    label : str
        Its label; function tags (``NP-SBJ``) are passed over.
    children : sequence of str
        The labels of its children.

    Returns
    -------
    int or None
        The place of the head among the children. None for ``TEXT``, which joins sentences.

    Examples
    --------
    >>> from treekernels.linguistics import penn_head
    >>> penn_head("VP", ["MD", "RB", "VP"]), penn_head("PP", ["IN", "NP"])
    (2, 1)
    >>> penn_head("NP", ["DT", "NN", "NN"]), penn_head("NP", ["NP", "PP"])
    (2, 0)
    """
    label = _bare(label)
    names = [_bare(child) for child in children]
    if label == "TEXT":
        return None
    if label in ("NP", "NX", "NML"):
        return _noun_head(names)
    if label == "VP" and "VP" in names:
        first = next(name for name in names if name in _AUXILIARIES or name == "VP")
        if first in _AUXILIARIES:
            return names.index("VP")
    direction, preferred = _RULES.get(label, ("left", []))
    for name in preferred:
        found = _find(names, direction, [name])
        if found is not None:
            return found
    return _any(names, direction)


def _noun_head(names: Sequence[str]) -> int:
    # Nouns from the right, or else a noun phrase from the left.
    for direction, group in (
        ("right", [*_NOUNS, "JJR"]),
        ("left", ["NP"]),
        ("right", ["$", "ADJP", "PRN", "PRP"]),
        ("right", ["CD"]),
        ("right", ["JJ", "JJS", "RB", "QP"]),
    ):
        found = _find(names, direction, group)
        if found is not None:
            return found
    return _any(names, "right")


def _find(names: Sequence[str], direction: str, group: Sequence[str]) -> int | None:
    places = range(len(names)) if direction == "left" else reversed(range(len(names)))
    return next((place for place in places if names[place] in group), None)


def _any(names: Sequence[str], direction: str) -> int:
    words = [name for name in names if name not in _PUNCTUATION]
    found = _find(names, direction, words)
    return 0 if found is None else found


def _bare(label: str) -> str:
    """Take off function tags and indices, but leave -LRB- and the like whole."""
    if label.startswith("-"):
        return label
    return label.split("-")[0].split("=")[0] or label
