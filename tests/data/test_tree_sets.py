"""Sets of trees: what makes some, how they are cut and joined, and what is refused."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk

DOCUMENTS = [["(S a)", "(S b)"], [], ["(S c)"], ["(S a)", "(S c)", "(S d)"]]


def lists(sets: tk.TreeSets) -> list[list[str]]:
    return [trees.to_brackets() for trees in sets]


@given(st.lists(st.lists(st.sampled_from(["(S a)", "(S b)", "(T (a b))"]), max_size=4)), st.data())
def test_indexing_is_that_of_a_list(documents: list[list[str]], data: Any) -> None:
    sets = tk.TreeSets(documents)
    assert len(sets) == len(documents)
    assert lists(sets) == documents
    begin, end = data.draw(st.integers(-6, 6)), data.draw(st.integers(-6, 6))
    step = data.draw(st.sampled_from([None, 2, -1]))
    assert lists(sets[begin:end:step]) == documents[begin:end:step]
    if documents:
        numbers = data.draw(st.lists(st.integers(0, len(documents) - 1)))
        assert lists(sets[numbers]) == [documents[i] for i in numbers]
        assert lists(sets[np.array(numbers, int), ...]) == [documents[i] for i in numbers]
        place = data.draw(st.integers(-len(documents), len(documents) - 1))
        assert sets[place].to_brackets() == documents[place]
    there = [bool(document) for document in documents]
    assert lists(sets[np.array(there, bool)]) == [d for d in documents if d]


def test_forms_of_trees_are_equal() -> None:
    sets = tk.TreeSets(DOCUMENTS)
    assert tk.TreeSets([tk.Forest(document) for document in DOCUMENTS]) == sets
    assert tk.TreeSets([list(tk.Forest(document)) for document in DOCUMENTS]) == sets
    assert tk.TreeSets([tk.Forest(DOCUMENTS[0]), *DOCUMENTS[1:]]) == sets
    assert tk.TreeSets(np.array([*DOCUMENTS, None], object)[:-1]) == sets
    assert tk.TreeSets(np.asarray(sets)) == sets
    assert sets != tk.TreeSets(DOCUMENTS[::-1])
    assert sets != tk.TreeSets([["(S a)"], ["(S b)"], *DOCUMENTS[2:]])
    assert sets.__eq__(DOCUMENTS) is NotImplemented


def test_copies_are_equal() -> None:
    sets = tk.TreeSets(DOCUMENTS)
    assert pickle.loads(pickle.dumps(sets)) == sets
    assert copy.deepcopy(sets) == sets
    assert tk.TreeSets.concatenate([sets[:1], sets[1:]]) == sets
    assert len(tk.TreeSets.concatenate([])) == 0
    table = tk.Table({"document": sets, "label": list("abcd")})
    assert repr(table) == "<Table: 4 rows; document: TreeSets, label: str>"
    assert pickle.loads(pickle.dumps(table)) == table
    assert lists(table[1:3]["document"]) == DOCUMENTS[1:3]


def test_groups_in_order_of_appearance() -> None:
    sets, names = tk.TreeSets.grouped(["(S a)", "(S b)", "(S c)", "(S d)"], [7, 3, 7, 5])
    assert lists(sets) == [["(S a)", "(S c)"], ["(S b)"], ["(S d)"]]
    assert names.tolist() == [7, 3, 5]
    with pytest.raises(tk.DataError, match=r"4 trees, and groups of shape \(3,\)"):
        tk.TreeSets.grouped(["(S a)", "(S b)", "(S c)", "(S d)"], [7, 3, 7])


@pytest.mark.parametrize(
    ("sets", "reason"),
    [
        (tk.Forest(["(S a)"]), "these are trees, and not sets of them"),
        ("(S a)", "these are trees, and not sets of them"),
        (["(S a)"], "set 1 is a text: give a list of trees"),
        ([["(S a)"], tk.Forest(["(S a)"])[0]], "set 2 is a tree: give a list"),
        ([["(S a)"], None], "set 2 is None: give a list of trees, "),
        ([["(S a)"], float("nan")], "set 2 is nan: give a list of trees, "),
        ([["(S a)"], 7], "set 2 is 7: give a list of trees, "),
        ([["(S a)"], ["(S a)", "(S"]], "set 2: tree 2"),
        ([tk.Forest(["(S a)"]), ["(S a)", None]], "set 2: tree 2"),
    ],
)
def test_what_is_no_set_is_refused(sets: Any, reason: str) -> None:
    with pytest.raises(tk.DataError, match=reason):
        tk.TreeSets(sets)


@pytest.mark.parametrize("offsets", [[], [1, 2], [0, 1], [0, 2, 1, 2], [0.0, 2.0], [[0, 2]]])
def test_offsets_that_do_not_fit_are_refused(offsets: Any) -> None:
    with pytest.raises(tk.DataError, match="the offsets of sets"):
        tk.TreeSets.from_offsets(tk.Forest(["(S a)", "(S b)"]), offsets)
