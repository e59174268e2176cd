"""One place decides what a label is: no operation makes one that no model can be loaded with."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from treekernels import _native, structures

FOREST = tk.Forest(["(S (NP (D the) (N dog)) (VP (V barks)))"])
BAD = ["a\0b", "\0"]

MAKERS: dict[str, Callable[[str], Any]] = {
    "brackets": lambda label: tk.Forest([f"(A {label})"]),
    "tuples": lambda label: tk.Forest.from_trees([("A", label)]),
    "mark": lambda label: structures.mark(FOREST, [[1]], label),
    "lexicalize": lambda label: structures.lexicalize(FOREST, separator=label),
    "map_labels": lambda label: structures.map_labels(FOREST, lambda _: label),
    "map_leaves": lambda label: structures.map_leaves(FOREST, {"dog": label}),
    "core": lambda label: _native.Dag().add_postorder([label], np.zeros(1, np.uint32)),
}


@pytest.mark.parametrize("label", BAD)
@pytest.mark.parametrize("name", MAKERS)
def test_no_label_contains_nul(name: str, label: str) -> None:
    with pytest.raises(ValueError, match="NUL"):
        MAKERS[name](label)


@pytest.mark.parametrize("name", ["tuples", "map_labels", "map_leaves", "core"])
def test_no_label_is_empty(name: str) -> None:
    with pytest.raises(ValueError, match="empty"):
        MAKERS[name]("")


def test_what_has_labels_can_be_saved_and_loaded() -> None:
    for label in ("\x01", " ", "()", "ä", "\\x00", "\u2028"):
        marked = structures.mark(FOREST, [[1]], label)
        assert pickle.loads(pickle.dumps(marked)) == marked
        assert tk.Forest(marked.to_brackets()) == marked
