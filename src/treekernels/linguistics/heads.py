"""Heads of constituents: the rules of Collins (1999, appendix A) for the Penn Treebank.

They were made for plain categories: strip function tags and traces first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

__all__ = ["HeadFinder", "collins_head", "find_heads"]

HeadFinder: TypeAlias = Callable[[str, Sequence[str]], int]
"""Given a label and those of the children, gives the place of the head among them."""

# From which end to look, and for what: the first category that any child has wins.
_RULES: dict[str, tuple[str, str]] = {
    "ADJP": ("left", "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
    "ADVP": ("right", "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": ("right", "CC RB IN"),
    "FRAG": ("right", ""),
    "INTJ": ("left", ""),
    "LST": ("right", "LS :"),
    "NAC": ("left", "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "PP": ("right", "IN TO VBG VBN RP FW"),
    "PRN": ("left", ""),
    "PRT": ("right", "RP"),
    "QP": ("left", "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
    "RRC": ("right", "VP NP ADVP ADJP PP"),
    "S": ("left", "TO IN VP S SBAR ADJP UCP NP"),
    "SBAR": ("left", "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": ("left", "SQ S SINV SBARQ FRAG"),
    "SINV": ("left", "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": ("left", "VBZ VBD VBP VB MD VP SQ"),
    "UCP": ("right", ""),
    "VP": ("left", "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
    "WHADJP": ("left", "CC WRB JJ ADJP"),
    "WHADVP": ("right", "CC WRB"),
    "WHNP": ("left", "WDT WP WP$ WHADJP WHPP WHNP"),
    "WHPP": ("right", "IN TO FW"),
}
_TABLE = {label: (end, wanted.split()) for label, (end, wanted) in _RULES.items()}

# Noun phrases: any of a step's categories will do, in this order of steps.
_NOUN_PHRASES = {"NP", "NX", "NML"}
_NOUN_STEPS: list[tuple[str, set[str]]] = [
    ("right", {"NN", "NNP", "NNPS", "NNS", "NX", "NML", "POS", "JJR"}),
    ("left", {"NP"}),
    ("right", {"$", "ADJP", "PRN"}),
    ("right", {"CD"}),
    ("right", {"JJ", "JJS", "RB", "QP"}),
]


def collins_head(label: str, children: Sequence[str]) -> int:
    """Return the place of the head child.

    Examples
    --------
    >>> from treekernels.linguistics.heads import collins_head
    >>> collins_head("NP", ["DT", "JJ", "NN", "PP"])
    2
    >>> collins_head("VP", ["VBD", "CC", "VBD", "NP"])
    0
    """
    head = _noun_head(children) if label in _NOUN_PHRASES else _table_head(label, children)
    if head > 1 and children[head - 1] in ("CC", "CONJP"):
        return head - 2  # of a coordination, the first part
    return head


def _table_head(label: str, children: Sequence[str]) -> int:
    end, wanted = _TABLE.get(label, ("left", []))
    order = _order(end, len(children))
    for category in wanted:
        for place in order:
            if children[place] == category:
                return place
    return order[0]


def _noun_head(children: Sequence[str]) -> int:
    if children[-1] == "POS":
        return len(children) - 1
    for end, wanted in _NOUN_STEPS:
        for place in _order(end, len(children)):
            if children[place] in wanted:
                return place
    return len(children) - 1


def _order(end: str, count: int) -> range:
    return range(count) if end == "left" else range(count - 1, -1, -1)


def find_heads(
    labels: Sequence[str], parents: Sequence[int], head: HeadFinder = collins_head
) -> list[int]:
    """Return for each node of a tree the leaf that is its head.

    Parameters
    ----------
    labels, parents : sequences
        Of the nodes, parents before children and from left to right, as in
        `treekernels.structures.Outline`; the root's parent is -1.
    head : callable

    Examples
    --------
    >>> import treekernels as tk
    >>> from treekernels.linguistics.heads import find_heads
    >>> outline = tk.structures.Outline(tk.Forest(["(S (NP (DT the) (NN dog)) (VP (V barks)))"])[0])
    >>> outline.labels[find_heads(outline.labels, outline.parents)[0]]
    'barks'
    """
    children: list[list[int]] = [[] for _ in labels]
    for number, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(number)
    heads = list(range(len(labels)))
    for number in reversed(range(len(labels))):
        if below := children[number]:
            place = head(labels[number], [labels[child] for child in below])
            heads[number] = heads[below[place]]
    return heads
