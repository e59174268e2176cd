"""The elastic kernel where row trees lack most labels of the columns, as sentences do."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from helpers import SETTINGS, expected, make
from treekernels.testing.strategies import Tree, forests

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWxyz"
SIMILAR = {("A", "B"): 0.5, ("C", "x"): 0.25, ("x", "y"): 0.9, ("D", "D"): 0.0}


def sentence(random_: random.Random, words: int) -> str:
    """A tree with few labels above its words and many words."""
    parts = [f"({random_.choice('NVD')} w{random_.randrange(200)})" for _ in range(words)]
    while len(parts) > 1:
        count = random_.randint(1, min(7, len(parts)))
        at = random_.randint(0, len(parts) - count)
        parts[at : at + count] = [f"({random_.choice('SPQ')} {' '.join(parts[at : at + count])})"]
    return parts[0]


@pytest.fixture(scope="module")
def sentences() -> tk.Forest:
    """More trees than are computed at a time, some of them large."""
    chance = random.Random(0)
    return tk.Forest([sentence(chance, chance.choice([1, 2, 5, 9, 40])) for _ in range(50)])


@pytest.mark.parametrize("more", [{}, {"similarity": SIMILAR}], ids=["equal", "similar"])
@given(
    rows=forests(max_trees=2, min_trees=1, labels=LETTERS),
    columns=forests(max_trees=8, min_trees=1, labels=LETTERS),
)
def test_values(rows: list[Tree], columns: list[Tree], more: dict[str, Any]) -> None:
    setting = ("elastic", {"decay": 0.7, **more})
    kernel = make(setting, normalize=False)
    actual = kernel(tk.Forest.from_trees(rows), tk.Forest.from_trees(columns))
    desired = [[expected(setting, row, column) for column in columns] for row in rows]
    np.testing.assert_allclose(actual, desired, rtol=1e-11, atol=0)


@pytest.mark.parametrize("algorithm", ["ftk", "qtk"])
@pytest.mark.parametrize("name", ["elastic", "elastic-similar"])
def test_sentences(sentences: tk.Forest, name: str, algorithm: str) -> None:
    pair_by_pair = make(SETTINGS[name], algorithm=algorithm)(sentences)
    np.testing.assert_allclose(make(SETTINGS[name])(sentences), pair_by_pair, rtol=1e-12, atol=0)


@given(st.data())
def test_a_row_has_the_same_bits_alone(sentences: tk.Forest, data: st.DataObject) -> None:
    kernel = tk.ElasticTreeKernel(0.7, normalize=False)
    row = data.draw(st.integers(0, len(sentences) - 1))
    begin = data.draw(st.integers(0, row))
    among_others = kernel(sentences[begin:], sentences)[row - begin]
    assert np.array_equal(kernel(sentences[row : row + 1], sentences)[0], among_others)


def test_more_ways_down_than_a_double_can_count() -> None:
    """A leaf that occurs 2 ** 1100 times, in a tree that is not deep in most other places."""
    levels, leaves = 1100, 4096
    names = ["c", "a", *(f"w{i}" for i in range(leaves))]
    labels: list[int] = [1]
    children: list[list[int]] = [[]]

    def node(label: int, *below: int) -> int:
        labels.append(label)
        children.append(list(below))
        return len(labels) - 1

    deep = 0
    for _ in range(levels):
        deep = node(0, deep, deep)
    wide = [node(2 + i) for i in range(leaves)]
    first = wide[0]
    while len(wide) > 1:
        wide = [node(0, *wide[i : i + 2]) for i in range(0, len(wide), 2)]
    roots = [node(0, deep, wide[0]), node(0, 0, first)]
    state = (
        "".join(names).encode(),
        np.cumsum([0, *map(len, names)]).astype(np.uint64),
        np.array(labels, dtype=np.uint32),
        np.cumsum([0, *map(len, children)]).astype(np.uint64),
        np.array([child for below in children for child in below], dtype=np.uint32),
        np.array(roots, dtype=np.uint32),
    )
    forest = tk.Forest()
    forest.__setstate__(state)
    # Only leaves match: 2 ** 1100 + 1 pairs, of norms 2 ** 2200 + 4096 and 2.
    kernel = tk.ElasticTreeKernel(similarity={("c", "c"): 0.0})
    np.testing.assert_allclose(kernel(forest), [[1, 0.5**0.5], [0.5**0.5, 1]], rtol=1e-12)
