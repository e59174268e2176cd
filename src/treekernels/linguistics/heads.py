"""Heads of constituents with Penn Treebank labels: which child stands for all of them.

There are two tables, both based on Collins (1999, appendix A). `collins_head` finds the syntactic
head by his rules, which were made for plain categories, so strip function tags and traces first.
`penn_head` finds the word that carries the meaning: the head of a verb phrase is found below its
auxiliaries, modals and "to", that of a prepositional phrase in its object, and that of a
subordinate clause below its complementiser.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

__all__ = ["HeadFinder", "collins_head", "find_heads", "penn_head"]

HeadFinder: TypeAlias = Callable[[str, Sequence[str]], int]
"""A function of a label and the labels of the children that returns the place of the head."""


class _Rule(NamedTuple):
    """How to look for a head: for any of some categories, from one end, then for the next ones."""

    steps: list[tuple[str, set[str]]]
    end: str  # from which any child is taken where no step finds one


# A line has one or more labels, and what their head is: from the left or the right end the first
# child of a category, if there is any, or else of the next one. Several with | between them count
# as one.
_COLLINS = """
ADJP left NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB
ADVP right RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN
CONJP right CC RB IN
FRAG right
INTJ left
LST right LS :
NAC left NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW
NP|NX|NML right NN|NNP|NNPS|NNS|NX|NML|POS|JJR left NP right $|ADJP|PRN CD JJ|JJS|RB|QP
PP right IN TO VBG VBN RP FW
PRN left
PRT right RP
QP left $ IN NNS NN JJ RB DT CD NCD QP JJR JJS
RRC right VP NP ADVP ADJP PP
S left TO IN VP S SBAR ADJP UCP NP
SBAR left WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG
SBARQ left SQ S SINV SBARQ FRAG
SINV left VBZ VBD VBP VB MD VP S SINV ADJP NP
SQ left VBZ VBD VBP VB MD VP SQ
UCP right
VP left TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP
WHADJP left CC WRB JJ ADJP
WHADVP right CC WRB
WHNP left WDT WP WP$ WHADJP WHPP WHNP
WHPP right IN TO FW
"""
# These rules replace those of Collins when we look for the child that carries the meaning.
_MEANING = """
LST right LS
NP|NX|NML right NN|NNP|NNPS|NNS|NX|NML|JJR left NP right $|ADJP|PRN|PRP CD JJ|JJS|RB|QP
PP left NP S SBAR VP ADJP ADVP PP WHNP VBG VBN NN NNS NNP CD RP FW IN TO
PRN left S SINV NP VP SBAR PP ADJP ADVP
QP left $ NNS NN CD JJ RB DT NCD QP JJR JJS IN
S left VP S SBAR ADJP UCP NP TO IN
SBAR left S SQ SINV SBAR FRAG VP WHNP WHPP WHADVP WHADJP IN DT
SINV left VP S SINV VBZ VBD VBP VB MD ADJP NP
SQ left VP SQ VBZ VBD VBP VB MD NP
VP left VBD VBN VBZ VB VBG VBP MD TO VP ADJP NN NNS NP
WHADJP left JJ ADJP WRB CC
WHADVP right WRB CC
WHNP right NN NNP NNPS NNS NX NML WDT WP WP$ WHADJP WHPP WHNP
WHPP right WHNP IN TO FW
"""
_AUXILIARIES = {"VBD", "VBN", "VBZ", "VB", "VBG", "VBP", "MD", "TO"}
_CONJUNCTIONS = {"CC", "CONJP"}
_PUNCTUATION = {",", ".", ":", "COLON", "``", "''", "-LRB-", "-RRB-", "HYPH", "LS"}
_ANYTHING = _Rule([], "left")  # for labels that are not in a table


def _rules(table: str) -> dict[str, _Rule]:
    rules = {}
    for line in table.strip().splitlines():
        labels, *words = line.split()
        end = ""
        steps = []
        for word in words:
            if word in ("left", "right"):
                end = word
            else:
                steps.append((end, set(word.split("|"))))
        rules.update(dict.fromkeys(labels.split("|"), _Rule(steps, end)))
    return rules


_COLLINS_RULES = _rules(_COLLINS)
_MEANING_RULES = {**_COLLINS_RULES, **_rules(_MEANING)}


def _search(rule: _Rule, children: Sequence[str], passed_over: set[str]) -> int:
    """Return the place of the child that a rule finds.

    Where no step finds one it is the first from the rule's end that is not to be passed over or, if
    all are, the first from the left.
    """
    orders = {"left": range(len(children)), "right": range(len(children) - 1, -1, -1)}
    for end, wanted in rule.steps:
        for place in orders[end]:
            if children[place] in wanted:
                return place
    return next((place for place in orders[rule.end] if children[place] not in passed_over), 0)


def collins_head(label: str, children: Sequence[str]) -> int:
    """Return the position of the head child by the rules of Collins.

    Examples
    --------
    >>> from treekernels.linguistics.heads import collins_head
    >>> collins_head("NP", ["DT", "JJ", "NN", "PP"])
    2
    >>> collins_head("VP", ["VBD", "CC", "VBD", "NP"])
    0
    """
    head = _search(_COLLINS_RULES.get(label, _ANYTHING), children, set())
    if head > 1 and children[head - 1] in _CONJUNCTIONS:
        return head - 2  # of a coordination, the first part
    return head


def penn_head(label: str, children: Sequence[str]) -> int | None:
    """Return the position of the child that carries the meaning.

    Parameters
    ----------
    label : str
        The label of the constituent. Function tags (``NP-SBJ``) are ignored.
    children : sequence of str
        The labels of its children.

    Returns
    -------
    int or None
        None for ``TEXT``, which joins sentences.

    Examples
    --------
    >>> from treekernels.linguistics import penn_head
    >>> penn_head("VP", ["MD", "RB", "VP"]), penn_head("PP", ["IN", "NP"])
    (2, 1)
    >>> penn_head("NP", ["DT", "NN", "NN"]), penn_head("NP", ["NP", "PP"])
    (2, 0)
    """
    label = _category(label)
    names = [_category(child) for child in children]
    if label == "TEXT":
        return None
    if label == "VP" and "VP" in names:
        first = next(name for name in names if name in _AUXILIARIES or name == "VP")
        if first in _AUXILIARIES:
            return names.index("VP")
    return _search(_MEANING_RULES.get(label, _ANYTHING), names, _PUNCTUATION)


def _category(label: str) -> str:
    """Take off function tags and indices, but leave -LRB- and the like whole."""
    if label.startswith("-"):
        return label
    return label.split("-")[0].split("=")[0] or label


def find_heads(
    labels: Sequence[str], parents: Sequence[int], head: HeadFinder = collins_head
) -> list[int]:
    """Return for each node of a tree the leaf that is its head.

    Parameters
    ----------
    labels, parents : sequences
        Those of the nodes, parents before children and from left to right, as in
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
