"""Tree: one tree of a forest."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given

import treekernels as tk
from awkward_labels import LABELLED_TREES, depth
from helpers import nested_of
from oracles import kernels as oracle
from treekernels.testing.strategies import trees

TEXTS = ["(S (NP (N Mary)) (VP (V sleeps)))", "(S (NP (N Mary)))", "(A)", "(S (NP (N Mary)))"]


@pytest.fixture
def forest() -> tk.Forest:
    return tk.Forest.from_brackets(TEXTS)


def test_tree(forest: tk.Forest) -> None:
    tree = forest[0]
    assert (tree.label, tree.size, tree.depth, tree.is_leaf) == ("S", 7, 4, False)
    assert [str(child) for child in tree.children] == ["(NP (N Mary))", "(VP (V sleeps))"]
    assert [node.label for node in tree.preorder()] == ["S", "NP", "N", "Mary", "VP", "V", "sleeps"]
    assert tree.leaves() == ["Mary", "sleeps"]
    assert str(tree) == tree.to_brackets() == TEXTS[0]
    assert repr(tree) == f"<Tree {TEXTS[0]}>"


@given(trees())
def test_tree_against_tuples(tree: oracle.Tree) -> None:
    result = tk.Forest.from_trees([tree])[0]
    nodes = oracle.nodes(tree)
    assert nested_of(result) == tree
    assert (result.size, result.depth) == (len(nodes), depth(tree))
    assert sorted(map(nested_of, result.preorder())) == sorted(nodes)
    assert result.leaves() == [node[0] for node in nodes if len(node) == 1]


@given(LABELLED_TREES, LABELLED_TREES)
def test_tree_equality_hash_and_pickle(one: oracle.Tree, two: oracle.Tree) -> None:
    a, b = tk.Forest.from_trees([one, two])
    other = tk.Forest.from_trees([two])[0]
    assert (a == b) == (a == other) == (one == two)
    assert b == other
    assert len({a, b, other}) == len({one, two})
    again = pickle.loads(pickle.dumps(a))
    assert again == a
    assert nested_of(again) == nested_of(copy.deepcopy(a)) == one
