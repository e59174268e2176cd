"""``tk.compare``: two trees, how similar they are, and what they share."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from rich.console import Console

import treekernels as tk
from oracles import kernels as oracle
from treekernels.testing.strategies import trees

A = "(S (NP (D the) (N dog)) (V ran))"
B = "(S (NP (D a) (N dog)) (V ran))"


@given(trees(8), trees(8))
def test_values_are_those_of_the_oracle(a: Any, b: Any) -> None:
    forest = tk.Forest.from_trees([a, b])
    comparison = tk.compare(
        forest[0], forest[1], kernel=["sst(0.5)", tk.PartialTreeKernel(0.5, 0.25)]
    )
    expected = [
        oracle.kernel("subset", a, b, decay=0.5),
        oracle.kernel("partial", a, b, decay=0.5, vertical_decay=0.25),
    ]
    assert [item.value for item in comparison.similarities] == pytest.approx(expected)
    assert sum(item.weight for item in comparison.shared) == pytest.approx(expected[0])
    assert 0 <= comparison.similarity <= 1 + 1e-12


def test_words_are_shared_where_they_count() -> None:
    without = tk.compare("(A (B x) y)", "(C (D x) x)", kernel="sst")
    assert without.shared == []
    comparison = tk.compare("(A (B x) y)", "(C (D x) x)", kernel="sst(leaf_weight=2)")
    (word,) = comparison.shared
    assert (str(word.fragment), word.weight, word.size) == ("(x)", 4.0, 0)
    assert word.places == [([2], [2]), ([2], [3])]
    assert comparison.similarities[0].value == 4.0
    assert "a word, 2 times" in str(comparison)


def test_every_kernel_by_default() -> None:
    comparison = tk.compare(A, B)
    names = [row.name for row in comparison.similarities]
    assert names == ["sst", "sst(leaf_weight=1)", "st", "ptk", "elastic", "subpath"]
    assert comparison.similarity == tk.compare(A, B, kernel=tk.SubsetTreeKernel()).similarity
    assert comparison.similarity == tk.SubsetTreeKernel()([A], [B])[0, 0]
    assert repr(comparison) == "<Comparison: similarity 0.7488, 1 shared fragment>"
    assert tk.compare(A, A).similarity == pytest.approx(1)


def test_sums_and_kernels_without_normalisation() -> None:
    total = tk.SubsetTreeKernel(0.3, normalize=False) + tk.SubtreeKernel(normalize=False)
    comparison = tk.compare(A, B, kernel=total)
    assert comparison.similarities[0].value == pytest.approx(total([A], [B])[0, 0])
    normal = tk.NormalizedKernel(total)
    assert comparison.similarity == pytest.approx(normal([A], [B])[0, 0])
    kernel = tk.SubsetTreeKernel(0.3, normalize=False)
    assert sum(item.weight for item in comparison.shared) == pytest.approx(kernel([A], [B])[0, 0])


def test_text_and_pictures() -> None:
    comparison = tk.compare(A, B)
    lines = str(comparison).splitlines()
    assert lines[:2] == [f"{A}  (8 nodes)", f"{B}  (8 nodes)"]
    assert any(line.split()[:1] == ["ptk"] and "0.8610" in line for line in lines)
    assert "1. weight 2.234, 4 productions" in lines
    page = StringIO()
    Console(file=page, force_terminal=True, width=120).print(comparison)
    assert "ptk" in page.getvalue()
    picture = comparison.to_svg()
    assert picture.count("<rect") == 14  # the seven shared nodes of each
    assert picture in comparison._repr_html_()
    assert "0.8610" in comparison._repr_html_()


def test_wrong_questions() -> None:
    with pytest.raises(ValueError, match="empty list"):
        tk.compare(A, B, kernel=[])
    with pytest.raises(ValueError, match="there is no kernel 'tsk'"):
        tk.compare(A, B, kernel="tsk")
    with pytest.raises(ValueError, match="kernel must be a kernel"):
        tk.compare(A, B, kernel=[0.4])


def test_a_decay_that_is_too_large_is_noticed() -> None:
    large = [
        f"(S {' '.join(f'(A (B b{number * n}) (C c))' for n in range(40))})" for number in (1, 3)
    ]
    comparison = tk.compare(*large, kernel="sst(1)")
    assert "Use a smaller decay" in comparison.note
    assert tk.compare(*large, kernel="sst(0.05)").note == ""
    weighted = tk.SubsetTreeKernel({"S": 0.5, None: 0.1})
    assert tk.compare(*large, kernel=weighted).shared  # of the default kernel
