"""Tables of document frequencies: what a plain dict would be, in little room."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from treekernels.io.files.container import MALFORMED, read_container, write_container
from treekernels.kernels.weights.frequencies import Frequencies
from treekernels.testing.strategies import Tree, forests


def counted(trees: list[Tree], labels: bool) -> dict[Any, int]:
    """Count the plain way."""
    found: dict[Any, int] = {}
    for tree in tk.Forest.from_trees(trees):
        keys: set[Any] = set()
        open_ = [tree]
        while open_:
            node = open_.pop()
            open_ += node.children
            if labels:
                keys.add(node.label)
            elif node.children:
                keys.add((node.label, *(child.label for child in node.children)))
        for key in keys:
            found[key] = found.get(key, 0) + 1
    return found


@given(forests(max_trees=6, min_trees=1), st.booleans())
def test_a_table_is_a_dict(trees: list[Tree], labels: bool) -> None:
    table = Frequencies.of(tk.Forest.from_trees(trees), labels)
    assert table == counted(trees, labels)
    assert len(table) == len(counted(trees, labels))
    again = pickle.loads(pickle.dumps(table))
    assert again == table


@given(forests(max_trees=6, min_trees=2), st.booleans(), st.sampled_from([1.0, 0.3]))
def test_weights_have_the_same_bits_from_a_dict(
    trees: list[Tree], labels: bool, unseen: float
) -> None:
    forest = tk.Forest.from_trees(trees)
    kind: Any = "labels" if labels else "productions"
    table = tk.InverseDocumentFrequency(kind, unseen=unseen).fit(forest[1:])
    plain = tk.InverseDocumentFrequency(
        kind,
        unseen=unseen,
        documents=table.documents,
        frequencies=dict(table.frequencies or {}),
    )
    assert table == plain
    decay = {"A": 0.3, None: 0.5}
    one = tk.SubsetTreeKernel(decay, weights=table, normalize=False)(forest)
    other = tk.SubsetTreeKernel(decay, weights=plain, normalize=False)(forest)
    np.testing.assert_array_equal(one, other)


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(S (A a) (B d))"]
    table = tk.InverseDocumentFrequency().fit(trees)
    index = tk.TreeIndex(tk.SubsetTreeKernel(weights=table, counts="log"))
    index.add(trees)
    index.save(tmp_path / "index.tki")
    again = tk.TreeIndex.load(tmp_path / "index.tki")
    assert isinstance(again.kernel.weights.frequencies, Frequencies)
    assert again.kernel == index.kernel
    query = ["(S (A a) (B e))"]
    assert again.search(query, 3)[0].similarities.tolist() == (
        index.search(query, 3)[0].similarities.tolist()
    )


@pytest.mark.parametrize(
    ("keys", "counts", "documents"),
    [
        (["(S (A a))"], np.array([1], np.uint64), 2),  # not a production
        (["(S a)"], np.array([1, 1], np.uint64), 2),
        (["(S a)"], np.array([1.5]), 2),
        (["(S a)"], np.array([3], np.uint64), 2),  # more trees than there are
        (["(S a)"], np.array([0], np.uint64), 2),
    ],
)
def test_a_file_with_nonsense_is_refused(
    tmp_path: Path, keys: list[str], counts: Any, documents: int
) -> None:
    table = tk.InverseDocumentFrequency(
        documents=documents, frequencies=Frequencies(tk.Forest(keys), counts)
    )
    path = tmp_path / "table.tkm"
    write_container(path, "table", {"table": table})
    with pytest.raises((tk.ModelFileError, *MALFORMED)):
        read_container(path)


def test_a_production_of_height_two_is_refused_by_the_core() -> None:
    table = tk.InverseDocumentFrequency(
        documents=2, frequencies=Frequencies(tk.Forest(["(S (A a))"]), np.array([1], np.uint64))
    )
    with pytest.raises(ValueError, match="height 1"):
        tk.SubsetTreeKernel(weights=table)(["(S (A a))"])
