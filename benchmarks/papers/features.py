"""The seven features of Gildea and Jurafsky (2002) for an argument of a predicate.

`treekernels.linguistics.role_features` reads them off the minimal subtree of predicate and
argument. Voice needs the auxiliary, which that subtree has not: it is looked up among the
candidates of `propbank.boundary`, where the auxiliary is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

import treekernels as tk
from treekernels.linguistics import role_features
from treekernels.structures import Outline

MARK = "-B"
BE = "am are be been being is was were 's 're 'm get gets got getting"
_AUXILIARY = re.compile(
    rf"\(VP \(VB\S* (?:{'|'.join(BE.split())})\) (?:\(VP )+\(VBN ([^\s()]+)\)+$"
)
Features = dict[str, str]


def passives(rows: Iterable[Sequence[str]]) -> set[tuple[str, str]]:
    """Return (sentence, participle) of the predicates that have a form of *be* or *get* above them.

    Parameters
    ----------
    rows : iterable of (label, sentence, tree)
        Those of propbank.boundary.

    Examples
    --------
    >>> passives([("-1", "s.0", "(VP (VBD was) (VP (VBN named)))")])
    {('s.0', 'named')}
    """
    result = set()
    for _, sentence, tree in rows:
        if tree.startswith("(VP (VB") and (match := _AUXILIARY.match(tree)):
            result.add((sentence, match[1]))
    return result


def marked_places(outline: Outline) -> tuple[int, int]:
    """Return the nodes of predicate and argument where the argument's label ends in -B."""
    arguments = [number for number, label in enumerate(outline.labels) if label.endswith(MARK)]
    outside = np.ones(len(outline), bool)
    for number in arguments:
        outside[number : outline.stops[number]] = False
    predicates = [int(number) for number in outline.preterminals if outside[number]]
    if not arguments or not predicates:
        raise ValueError("a tree has no marked argument, or no predicate beside it")
    return predicates[0], arguments[0]


def boundary_places(outline: Outline, before: str = "") -> tuple[int, int]:
    """Return nodes of predicate and candidate of a tree of propbank.boundary, which has no marks.

    The root has two children. One leads without branching to the predicate, a verb; the other to
    the candidate, taken to be the first node that branches or the pre-terminal: a chain above it
    has the same words. Where both lead to verbs the predicate is the one of the line before.
    """
    ends = [_end_of_chain(outline, child) for child in outline.children(0)]
    verbs = [end for end in ends if _is_preterminal(outline, end) and _verb(outline, end)]
    if len(ends) != 2 or not verbs:
        raise ValueError("not the minimal subtree of a verb and another node")
    same = [end for end in verbs if outline.labels[end + 1] == before]
    predicate = (same or verbs)[0]
    return predicate, ends[0] if predicate == ends[1] else ends[1]


def marked_features(
    forest: tk.Forest, sentences: Sequence[str], passive: set[tuple[str, str]]
) -> list[Features]:
    """Describe the arguments of propbank.args.marked."""
    made = []
    for tree, sentence in zip(forest, sentences, strict=True):
        outline = Outline(tree)
        predicate, argument = marked_places(outline)
        voice = (sentence, outline.labels[predicate + 1]) in passive or _reduced(outline, predicate)
        outline.labels = [label.removesuffix(MARK) for label in outline.labels]
        made.append(role_features(outline, predicate, argument, passive=voice))
    return made


def boundary_features(
    forest: tk.Forest, sentences: Sequence[str], passive: set[tuple[str, str]]
) -> list[Features]:
    """Describe the candidates of propbank.boundary, in the order of the file."""
    made, before = [], ""
    for tree, sentence in zip(forest, sentences, strict=True):
        outline = Outline(tree)
        predicate, candidate = boundary_places(outline, before)
        before = outline.labels[predicate + 1]
        voice = (sentence, before) in passive or _reduced(outline, predicate)
        made.append(role_features(outline, predicate, candidate, passive=voice))
    return made


def _end_of_chain(outline: Outline, node: int) -> int:
    while not _is_preterminal(outline, node) and len(outline.children(node)) == 1:
        node += 1
    return node


def _is_preterminal(outline: Outline, node: int) -> bool:
    return bool(outline.stops[node] == node + 2)


def _verb(outline: Outline, node: int) -> bool:
    return outline.labels[node].startswith("VB")


def _reduced(outline: Outline, predicate: int) -> bool:
    """Tell a participle that modifies a noun: a VP right below an NP."""
    parent = int(outline.parents[predicate])
    above = int(outline.parents[parent]) if parent >= 0 else -1
    return (
        outline.labels[predicate] == "VBN"
        and outline.labels[parent] == "VP"
        and above >= 0
        and outline.labels[above] == "NP"
    )
