"""Fragments are found in a DAG where they are found tree by tree."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from treekernels.data.tree import Tree
from treekernels.explanation.matching import occurrences
from treekernels.explorer.views.shared.fragment_places import CorpusSubtrees
from treekernels.explorer.views.shared.placeholders import rule_places, split_label
from treekernels.testing.strategies import forests, trees


def cut(draw: Any, tree: Tree, *, partial: bool) -> tuple[Any, ...]:
    """Return a fragment of a tree: nodes are cut, and of a partial tree children are left out."""
    children = list(tree.children)
    if not children or draw(st.integers(0, 2)) == 0:
        return (tree.label,)
    if partial:
        kept = draw(st.lists(st.integers(0, len(children) - 1), unique=True))
        children = [children[place] for place in sorted(kept)]
    return (tree.label, *(cut(draw, child, partial=partial) for child in children))


@given(st.data(), forests(min_trees=1, max_trees=5), trees(6), st.booleans())
def test_rows_with_a_fragment(data: Any, texts: Any, other: Any, partial: bool) -> None:
    forest = tk.Forest.from_trees(texts)
    nodes = [node for tree in forest for node in tree.preorder()]
    own = cut(data.draw, data.draw(st.sampled_from(nodes)), partial=partial)
    subtrees = CorpusSubtrees(forest)
    for fragment in tk.Forest.from_trees([own, other]):
        expected = [
            row for row, tree in enumerate(forest) if occurrences(fragment, tree, partial=partial)
        ]
        assert subtrees.rows_with(fragment, partial=partial).tolist() == expected


def test_variables_stand_for_one_placeholder_each() -> None:
    pair = tk.Pairs(["(VP (V b) (NP:3 c) (NP:4 c))"], ["(S (NP:4 c) (VP (V d) (NP:3 c)))"])[0]
    result = {
        "(VP V NP:X NP:Y) (S NP:Y VP)": True,
        "(VP V NP:X NP:Y) (S NP:X VP)": False,
        "(VP V NP:X NP:X) (S NP:X VP)": False,
        "(VP V NP NP:Y) (S NP:Y VP)": False,
        "(V b) (V d)": True,
    }
    for texts, expected in result.items():
        text, hypothesis = texts.replace(") (S", ")|(S").replace(") (V", ")|(V").split("|")
        rule = tk.Pairs([text], [hypothesis])[0]
        assert (rule_places(rule, pair) is not None) == expected, texts


def test_rules_of_a_pair_are_found_in_it() -> None:
    texts = ["(S (NP:1 (N:1 a)) (VP (V b) (NP:2 (N:2 c))))", "(S (NP:1 (N:1 d)) (VP (V b) (N e)))"]
    hypotheses = ["(S (NP:2 (N:2 c)) (VP (V f)))", "(S (NP:1 (N:1 d)) (VP (V b)))"]
    pairs = tk.Pairs(texts, hypotheses)
    model = tk.TreeSVC(tk.TripartiteKernel(), random_state=0).fit(pairs, ["x", "y"])
    for row in (0, 1):
        rules = tk.explain(model, tree=pairs[row], top=30)
        assert len(rules) > 5
        for rule in rules:
            assert rule_places(rule.fragment, pairs[row]) is not None, rule.text  # type: ignore[arg-type]


def test_labels_with_colons() -> None:
    assert split_label("NP:12") == ("NP", "12")
    assert split_label("NP:X1") == ("NP", "X1")
    assert split_label("12:30") == ("12", "30"), "as in pairs, digits after a colon are one"
    assert split_label("http://X") == ("http://X", "")
    assert split_label("NP:XY") == ("NP:XY", "")
