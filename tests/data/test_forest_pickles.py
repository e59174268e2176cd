"""Forests that are copied, pickled, and loaded from what may be damaged."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from awkward_labels import LABELLED_TREES
from helpers import nested_of
from oracles import kernels as oracle
from treekernels import _native
from treekernels.testing.strategies import forests

TEXTS = ["(S (NP (N Mary)) (VP (V sleeps)))", "(S (NP (N Mary)))", "(A)", "(S (NP (N Mary)))"]


@pytest.fixture
def forest() -> tk.Forest:
    return tk.Forest.from_brackets(TEXTS)


@given(st.lists(LABELLED_TREES, max_size=3), st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_pickle(sample: list[oracle.Tree], protocol: int) -> None:
    forest = tk.Forest.from_trees(sample)
    again = pickle.loads(pickle.dumps(forest, protocol))
    assert list(map(nested_of, again)) == sample
    assert again == forest


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies_are_independent(forest: tk.Forest, duplicate: Any) -> None:
    again = duplicate(forest)
    again.extend(["(B b)"])
    assert forest.to_brackets() == TEXTS
    assert again.to_brackets() == [*TEXTS, "(B b)"]


@pytest.mark.parametrize("mmap_mode", [None, "r"])
def test_joblib(forest: tk.Forest, tmp_path: Any, mmap_mode: str | None) -> None:
    joblib.dump(forest, tmp_path / "forest.joblib")
    again = joblib.load(tmp_path / "forest.joblib", mmap_mode=mmap_mode)
    assert again == forest
    again.extend(["(B b)"])
    assert again[::2].to_brackets() == [*TEXTS[::2], "(B b)"]
    assert joblib.hash(forest) == joblib.hash(tk.Forest(TEXTS))


def test_a_pickled_slice_leaves_the_rest_behind() -> None:
    forest = tk.Forest.from_brackets([f"(S (A a{i}) (B b{i}))" for i in range(5000)])
    assert len(pickle.dumps(forest)) > 100_000
    assert len(pickle.dumps(forest[4000:4003])) < 2000
    assert len(pickle.dumps(forest[4000])) < 2000
    assert pickle.loads(pickle.dumps(forest[4000:4003])) == forest[4000:4003]


COUNTS = st.integers(0, 4) | st.sampled_from([2**32 - 1, 2**63, 2**64 - 1])


def check_loading(state: tuple[Any, ...]) -> None:
    """A state is refused with a sentence, or it is a forest like any other."""
    forest = tk.Forest()
    try:
        forest.__setstate__(state)
    except ValueError as error:
        complaint = str(error)
    else:
        complaint = ""
    if complaint:
        assert complaint.startswith("not a forest: ")
        return
    assert len(forest.to_brackets()) == len(forest.sizes) == len(forest)
    assert forest.n_subtrees <= len(forest.dag)
    assert pickle.loads(pickle.dumps(forest)) == forest


@given(forests(min_trees=1), st.integers(1, 5), st.integers(0), COUNTS, st.booleans())
def test_damaged_states(
    sample: list[oracle.Tree], which: int, place: int, value: int, shorten: bool
) -> None:
    state = list(tk.Forest.from_trees(sample).__getstate__())
    damaged = state[which].copy()
    if len(damaged):
        damaged[place % len(damaged)] = value & np.iinfo(damaged.dtype).max
    state[which] = damaged[:-1] if shorten else damaged
    check_loading(tuple(state))


@pytest.mark.parametrize("label", [b"", b"a\0", b"\xff", b"\xed\xa0\x80"])
def test_states_with_bad_labels(label: bytes) -> None:
    offsets, leaf = np.array([0, len(label)], dtype=np.uint64), np.array([0], dtype=np.uint32)
    no_children = np.array([0, 0], dtype=np.uint64), np.array([], dtype=np.uint32)
    with pytest.raises(ValueError, match=r"^not a forest: "):
        _native.Dag.from_arrays(label, offsets, leaf, *no_children)
    result = np.array([0, 1], np.uint64)
    with pytest.raises(ValueError, match=r"^not a forest: a child"):  # a node below itself
        _native.Dag.from_arrays(b"a", result, leaf, result, leaf)


@pytest.mark.parametrize("roots", [[99], [-1], [[0]], [0.5]])
def test_states_with_bad_roots(forest: tk.Forest, roots: list[Any]) -> None:
    *arrays, _ = forest.__getstate__()
    with pytest.raises(ValueError, match=r"^not a forest: "):
        tk.Forest().__setstate__((*arrays, np.array(roots)))
