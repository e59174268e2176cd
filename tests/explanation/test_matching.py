"""Where fragments are, and what two trees share."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from helpers import tree_of
from treekernels.explanation import matching
from treekernels.explanation.matching import importance, largest_shared_fragments, occurrences
from treekernels.testing.strategies import decays, trees


@given(trees(14), trees(14), decays(0.01), st.sampled_from([0.0, 0.4, 2.0]))
def test_shared_fragments_add_up_to_the_kernel(
    a: Any, b: Any, decay: float, leaf_weight: float
) -> None:
    first, second = tree_of(a), tree_of(b)
    result = largest_shared_fragments(first, second, decay, leaf_weight)
    kernel = tk.SubsetTreeKernel(decay, leaf_weight=leaf_weight, normalize=False)
    value = kernel([first], [second])[0, 0]
    assert sum(item.weight for item in result) == pytest.approx(value)
    assert [item.weight for item in result] == sorted(
        (item.weight for item in result), reverse=True
    )
    for item in result:
        for tree, side in ((first, 0), (second, 1)):
            places = occurrences(item.fragment, tree)
            assert all(pair[side] in places for pair in item.places)


def test_occurrences() -> None:
    fragment, word, tree = tk.Forest(["(NP D (N x))", "(x)", "(S (NP (D x) (N x)) (NP D (N x)))"])
    assert occurrences(fragment, tree) == [[1, 2, 4, 5], [6, 7, 8, 9]]
    assert occurrences(word, tree) == [[3], [5], [9]]
    assert occurrences(tree, fragment) == []


def test_importance_adds_up() -> None:
    texts = ["(S (A a) (B b))", "(S (A a) (B c))", "(T (A a) (B b))", "(T (A d) (B c))"]
    machine = tk.TreeSVC("sst", C=10, random_state=0).fit(texts, ["s", "s", "t", "t"])
    tree = tk.Forest(["(S (S (A a) (B b)) (T (A a) (B b)))"])[0]
    fragments = tk.explain(machine, tree=tree, class_="s")
    weights = importance(fragments, tree)
    assert sum(weights.values()) == pytest.approx(sum(fragment.weight for fragment in fragments))
    assert weights[1] > 0 > weights[6]  # S and T


def test_large_trees_are_refused() -> None:
    same = tk.Forest(["(A" + " (B b)" * 1000 + ")"])[0]
    with pytest.raises(ValueError, match="too much in common"):
        largest_shared_fragments(same, same)
    large = tk.Forest(["(A" + " b" * 100_000 + ")"])[0]
    with pytest.raises(ValueError, match="more than 100,000 nodes"):
        largest_shared_fragments(large, same)


def embeddings(fragment: Any, nodes: Any, node: int, place: int) -> list[set[int]]:
    """Return the nodes of every embedding of a partial tree at a place, one by one."""
    small, large = nodes
    if small.labels[node] != large.labels[place]:
        return []
    wanted = small.children[node]
    result = []
    for chosen in combinations(large.children[place], len(wanted)):
        parts = [embeddings(fragment, nodes, *pair) for pair in zip(wanted, chosen, strict=True)]
        result += [{place}.union(*item) for item in product(*parts)]
    return result


@given(trees(max_nodes=4), trees(max_nodes=9))
def test_partial_trees_are_found_wherever_they_are(fragment: Any, tree: Any) -> None:
    forest = tk.Forest.from_trees([fragment, tree])
    nodes = matching.Positions(forest[0]), matching.Positions(forest[1])
    expected = []
    for place in range(len(nodes[1].labels)):
        vectors = embeddings(fragment, nodes, 0, place)
        if vectors:
            expected.append(sorted(set().union(*vectors)))
    assert matching._partial_occurrences(*nodes) == expected


def test_rules_are_about_two_trees() -> None:
    pairs = tk.Pairs(["(A:1 b)", "(A:1 c)"], ["(B:1 b)", "(B:1 c)"])
    machine = tk.TreeSVC(tk.TripartiteKernel(), random_state=0).fit(pairs, [0, 1])
    fragments = tk.explain(machine, top=3)
    with pytest.raises(ValueError, match="two trees"):
        importance(fragments, pairs[0].text)
    shown = fragments._repr_html_()
    assert "→" in shown
    assert "A:X" in shown
