"""Heads of constituents: both tables, and the way down a tree."""

from __future__ import annotations

import pytest

from treekernels.linguistics import penn_head
from treekernels.linguistics.heads import collins_head


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("NP", "DT JJ NN", 2),
        ("NP", "NP PP", 0),
        ("NP", "NNP POS", 1),
        ("NP", "NN NN SBAR", 1),
        ("NP", "DT $ CD", 1),
        ("NP", "DT CD", 1),
        ("NP", "DT JJ", 1),
        ("NP", "PRP", 0),
        ("NP", "NP CC NP", 0),
        ("NP", "NN CC NN", 0),
        ("NP", "JJ NN CC NN", 1),  # the first part of a coordination, not the first child
        ("NP", "DT NN CONJP NN", 1),
        ("NP", "CC NN", 1),  # nothing is before the conjunction
        ("NP", "NN POS", 1),
        ("ADVP", "IN RB CC RB", 1),
        ("NP-SBJ", "DT NN", 0),  # made for plain categories
        ("NML", "NN NN", 1),
        ("VP", "MD VP", 0),
        ("VP", "VBZ NP", 0),
        ("VP", "ADVP VBD NP", 1),
        ("VP", "VP CC VP", 0),
        ("PP", "IN NP", 0),
        ("PP", "ADVP IN NP", 1),
        ("S", "NP VP .", 1),
        ("S", "S CC S", 0),
        ("SBAR", "IN S", 0),
        ("SBARQ", "WHNP SQ .", 1),
        ("ADJP", "RB JJ", 1),
        ("ADVP", "RB RB", 1),
        ("QP", "RB CD", 0),
        ("FRAG", "NP .", 1),
        ("SINV", "S , VP NP", 2),
        ("UNKNOWN", "A B", 0),
    ],
)
def test_collins_heads(label: str, children: str, head: int) -> None:
    assert collins_head(label, children.split()) == head


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("NP", ["DT", "JJ", "NN"], 2),
        ("NP", ["NNP", "POS"], 0),
        ("NP-SBJ", ["NP", ",", "SBAR"], 0),
        ("NP", ["$", "CD"], 0),
        ("NP", ["DT", "CD"], 1),
        ("NP", ["-LRB-", "-RRB-"], 0),
        ("VP", ["VBD", "NP", "PP"], 0),
        ("VP", ["VBZ", "RB", "VP"], 2),
        ("VP", ["VP", "CC", "VP"], 0),
        ("PP", ["IN", "S"], 1),
        ("PP", ["IN"], 0),
        ("SBAR", ["WHNP", "S"], 1),
        ("ADVP", ["RB", "RB"], 1),
        ("UNKNOWN", [",", "A", "B"], 1),
        ("TEXT", ["S", "S"], None),
        ("TEXT-2", ["S", "S"], None),
        ("VP", ["VP", "VBD", "VP"], 1),
        ("VP", ["ADVP", "TO", "VP"], 2),
        ("NP", ["NN", "CC", "NN"], 2),
        ("NP", ["DT", "PRP"], 1),
        ("S", ["NP-SBJ", "VP", "."], 1),
        ("WHNP", ["WDT", "NN"], 1),
        ("LST", ["LS", ":"], 0),
        ("FRAG", ["NP", "."], 0),
        ("X=1", ["-LRB-", "A"], 1),
    ],
)
def test_penn_heads(label: str, children: list[str], head: int | None) -> None:
    assert penn_head(label, children) == head
