"""Words with their part of speech, against a slow version on nested tuples."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import treekernels as tk
from treekernels.structures import mark_words
from treekernels.testing.strategies import forests

Nested = tuple[Any, ...]


def slow(tree: Nested) -> Nested:
    label, *below = tree
    if len(below) == 1 and len(below[0]) == 1:
        return (label, (f"{below[0][0]}::{label[0].lower()}",))
    return (label, *map(slow, below))


@given(forests())
def test_words_are_leaves_below_a_tag(trees: list[Nested]) -> None:
    expected = tk.Forest([slow(tree) for tree in trees])
    marked = mark_words(tk.Forest(trees))
    assert marked == expected
    assert marked.n_subtrees == expected.n_subtrees
    assert len(marked.dag) == marked.n_subtrees  # nothing is left over
    for one, other in zip(marked, expected, strict=True):
        assert str(one) == str(other)


def test_classes_of_ones_own() -> None:
    asked = []

    def of_tag(tag: str) -> str:
        asked.append(tag)
        return tag[:2]

    tree = tk.Forest(["(S (NNS dogs) (NNS cats) (VBP run) .)"])[0]
    assert str(mark_words(tree, of_tag)) == "(S (NNS dogs::NN) (NNS cats::NN) (VBP run::VB) .)"
    assert sorted(asked) == ["NNS", "VBP"]
    with pytest.raises(tk.DataError):
        mark_words(tree, lambda tag: "\0")
