"""The features of semantic roles, against the published definitions and examples."""

from __future__ import annotations

import pytest

import treekernels as tk
from treekernels.linguistics.roles import is_passive
from treekernels.structures import Outline


def outline(text: str) -> Outline:
    return Outline(tk.Forest([text])[0])


# Gildea and Jurafsky (2002), figure 3 and table 3: from the predicate to the constituent.
ATE = "(S (NP (PRP He)) (VP (VB ate) (NP (DT some) (NNS pancakes))))"
PATHS = [
    (ATE, (0, 1), "VB↑VP↑S↓NP"),  # subject
    (ATE, (2, 4), "VB↑VP↓NP"),  # object
    ("(S (NP (N I)) (VP (VB go) (PP (IN to) (NP (N town)))))", (2, 4), "VB↑VP↓PP"),
    ("(S (NP (N I)) (VP (MD can) (VP (VB go))))", (0, 1), "VB↑VP↑VP↑S↓NP"),  # of an embedded verb
    ("(S (NP (N I)) (VP (VB go) (ADVP (RB there))))", (2, 3), "VB↑VP↓ADVP"),
]


@pytest.mark.parametrize(("text", "span", "path"), PATHS)
def test_published_paths(text: str, span: tuple[int, int], path: str) -> None:
    tree = outline(text)
    (verb,) = tree.nodes_labelled("VB")
    assert tk.linguistics.role_features(tree, verb, tree.node(span))["path"] == path


def test_all_features() -> None:
    tree = outline("(S (NP (DT the) (JJ old) (NN Dog)) (VP (VP (VBD Barked))))")
    assert tk.linguistics.role_features(tree, tree.nodes_labelled("VBD")[0], 1) == {
        "phrase": "NP",
        "path": "VBD↑VP↑VP↑S↓NP",
        "predicate": "barked",
        "head": "dog",
        "governing": "S",
        "position": "before",
        "voice": "active",
    }


@pytest.mark.parametrize(
    ("text", "span", "governing"),
    [
        (ATE, (0, 1), "S"),
        (ATE, (2, 4), "VP"),
        ("(NP (NP (N men)) (VP (VBN seen)))", (0, 1), "none"),
        ("(S (NP (N I)) (VP (VB go) (PP (IN to) (NP (N town)))))", (2, 4), "none"),  # no NP
        ("(S (NP (N I)) (VP (VB go) (PP (IN to) (NP (N town)))))", (3, 4), "VP"),
    ],
)
def test_governing_category(text: str, span: tuple[int, int], governing: str) -> None:
    tree = outline(text)
    verb = tree.nodes_labelled("VB", "VBN")[0]
    assert tk.linguistics.role_features(tree, verb, tree.node(span))["governing"] == governing


@pytest.mark.parametrize(
    ("text", "passive"),
    [
        ("(S (NP (N it)) (VP (VBZ is) (VP (VBN sold))))", True),
        ("(S (NP (N it)) (VP (VBZ has) (VP (VBN been) (VP (VBN sold)))))", True),
        ("(S (NP (N it)) (VP (MD will) (VP (VB be) (ADVP (RB soon)) (VP (VBN sold)))))", True),
        ("(S (NP (N it)) (VP (VBD Got) (VP (VP (VBN sold)) (CC or) (VP (VBN given)))))", True),
        ("(SQ (VBD was) (NP (N it)) (VP (VBN sold)))", True),
        ("(NP (NP (N cars)) (VP (VBN sold) (PP (IN in) (NP (N May)))))", True),
        ("(S (NP (N he)) (VP (VBZ has) (VP (VBN sold) (NP (N it)))))", False),
        ("(S (NP (N he)) (VP (VBD was) (VP (VBG selling) (NP (N it)))))", False),
        ("(S (NP (N he)) (VP (VBD sold) (NP (N it))))", False),
        ("(S (VP (VBN sold) (NP (N it))))", False),
        ("(VBN sold)", False),
    ],
)
def test_voice(text: str, passive: bool) -> None:
    tree = outline(text)
    for verb in tree.nodes_labelled("VBN", "VBG", "VBD"):
        if tree.labels[verb + 1] in ("sold", "selling", "given"):
            assert is_passive(tree, verb) == passive


def test_what_is_no_predicate() -> None:
    with pytest.raises(tk.DataError, match="node 1, 'NP', is not"):
        tk.linguistics.role_features(outline(ATE), 1, 4)
    with pytest.raises(tk.DataError, match="the argument is node 99, and the tree has 12 nodes"):
        tk.linguistics.role_features(outline(ATE), 5, 99)
