"""An index answers what sorting rows of the Gram matrix would, whatever was added and removed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from oracles.kernels import normalized, recursive
from oracles.search import SlowIndex
from treekernels.testing.strategies import decays, forests, trees

KERNELS = {"subset": tk.SubsetTreeKernel, "subtree": tk.SubtreeKernel}

# With many labels, bounds rule trees out; with few, most trees share everything.
ALPHABETS = [("A", "B", "x"), ("S", "NP", "VP", "N", "V", "a", "b", "c", "d")]


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-300)


def assert_same_hits(found: Any, expected: list[tuple[Any, float]]) -> None:
    """Values agree to rounding; where they differ by more than that, so do the ids in order."""
    assert len(found) == len(expected)
    values = dict(expected)
    for hit, (id_, value) in zip(found, expected, strict=True):
        assert close(hit.similarity, value)
        assert hit.id == id_ or close(values.get(hit.id, value), value)
    assert len({hit.id for hit in found}) == len(found)


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Any], dict[str, Any]]:
    """Draw what happens to an index: trees that are added some at a time, and removals."""
    labels = draw(st.sampled_from(ALPHABETS))
    steps: list[Any] = []
    count = 0
    for _ in range(draw(st.integers(1, 5))):
        added = draw(forests(max_trees=6, labels=labels))
        steps.append(("add", added))
        count += len(added)
        if count and draw(st.booleans()):
            steps.append(("remove", draw(st.sets(st.integers(0, count - 1), max_size=3))))
    parameters = {
        "decay": draw(decays(1e-12)),
        "leaf_weight": draw(st.sampled_from([0.0, 0.0, 0.5])),
    }
    return [labels, *steps], parameters


def run_history(
    history: list[Any], name: str, normalize: bool, parameters: dict[str, Any]
) -> tuple[tk.TreeIndex, SlowIndex]:
    measure = normalized if normalize else recursive

    def similarity(a: Any, b: Any) -> float:
        return float(measure(name, a, b, **parameters))

    index = tk.TreeIndex(KERNELS[name](normalize=normalize, **parameters))
    slow = SlowIndex(similarity)
    count = 0
    for step, content in history[1:]:
        if step == "add":
            index.add(tk.Forest.from_trees(content))
            for tree in content:
                slow.add(count, tree)
                count += 1
        else:
            there = {id_ for id_, _ in slow.entries}
            index.remove(content & there)
            for id_ in content:
                slow.remove(id_)
    return index, slow


@given(histories(), st.data(), st.sampled_from(sorted(KERNELS)), st.booleans(), st.integers(0, 8))
def test_search_is_a_sorted_row(
    drawn: Any, data: st.DataObject, name: str, normalize: bool, k: int
) -> None:
    history, parameters = drawn
    index, slow = run_history(history, name, normalize, parameters)
    assert len(index) == len(slow.entries)
    query = data.draw(trees(labels=history[0]))
    assert_same_hits(index.search([query], k)[0], slow.search(query, k))


@given(
    histories(),
    st.data(),
    st.sampled_from(sorted(KERNELS)),
    st.booleans(),
    st.floats(-0.5, 1.1),
)
def test_within_is_what_a_row_has_above(
    drawn: Any, data: st.DataObject, name: str, normalize: bool, threshold: float
) -> None:
    history, parameters = drawn
    index, slow = run_history(history, name, normalize, parameters)
    query = data.draw(trees(labels=history[0]))
    found = {hit.id: hit.similarity for hit in index.within([query], threshold)[0]}
    for id_, value in slow.row(query):
        if id_ in found:
            assert close(found[id_], value)
            assert found[id_] >= threshold
        else:
            assert value < threshold or close(value, threshold)


@given(histories(), st.sampled_from(sorted(KERNELS)), st.booleans(), st.floats(0.01, 1.0))
def test_duplicates_are_all_pairs_above(
    drawn: Any, name: str, normalize: bool, threshold: float
) -> None:
    history, parameters = drawn
    index, slow = run_history(history, name, normalize, parameters)
    duplicates = index.duplicates(threshold)
    found = {(pair.first, pair.second): pair.similarity for pair in duplicates}
    assert len(found) == len(duplicates)
    for first, second, value in slow.pairs(0.0):
        if (first, second) in found:
            assert close(found.pop((first, second)), value)
        else:
            assert value < threshold or close(value, threshold)
    assert not found
    joined = {frozenset(group) for group in duplicates.groups}
    again = SlowIndex(lambda a, b: 1.0 * ((a, b) in pairs or (b, a) in pairs))
    pairs = {(pair.first, pair.second) for pair in duplicates}
    for id_, _ in slow.entries:
        again.add(id_, id_)
    assert joined == set(map(frozenset, again.groups(1.0)))


@pytest.mark.parametrize(
    "kernel",
    [
        tk.SubsetTreeKernel(),
        tk.SubsetTreeKernel(0.1, leaf_weight=0.5),
        tk.SubsetTreeKernel(1.0, weights="idf", counts="log"),
        tk.SubtreeKernel(0.7),
    ],
)
def test_near_copies_are_found_by_what_is_rare_in_them(kernel: Any) -> None:
    """Trees of which each differs from others by a word or two, with rare words and common ones."""
    random = np.random.default_rng(0)
    words = np.array([f"w{n}" for n in range(60)])
    rarity = 1 / np.arange(1, 61)
    texts = [
        "(S (NP (D {}) (N {})) (VP (V {}) (NP (D {}) (N {}) (PP (P {}) (N {})))))".format(
            *random.choice(words, 7, p=rarity / rarity.sum())
        )
        for _ in range(12)
    ]
    for _ in range(388):  # copies of copies
        parts = texts[random.integers(len(texts))].split()
        for place in random.integers(len(parts), size=random.integers(3)):
            word = parts[place].rstrip(")")
            if word.startswith("w"):
                parts[place] = parts[place].replace(word, random.choice(words), 1)
        texts.append(" ".join(parts))
    forest = tk.Forest(texts)
    kernel = kernel.fitted_on(forest)
    index = tk.TreeIndex(kernel)
    index.add(forest)
    gram = np.triu(kernel(forest), 1)
    for threshold in (0.75, 0.8, 0.9, 0.97, 1.0):
        pairs = {pair[:2] for pair in index.duplicates(threshold)}
        surely, perhaps = (
            set(zip(*(side.tolist() for side in np.nonzero(gram >= least)), strict=True))
            for least in (threshold + 1e-9, threshold - 1e-9)
        )
        assert surely <= pairs <= perhaps
        assert len(perhaps) > 100


@pytest.mark.parametrize(
    "kernel",
    [
        tk.PartialTreeKernel(),
        tk.ElasticTreeKernel(),
        tk.SubpathKernel(normalize=False),
        tk.SubsetTreeKernel() + 2 * tk.SubtreeKernel(),
        tk.SubsetTreeKernel(),
    ],
    ids=repr,
)
def test_every_tree_kernel_can_be_searched(kernel: tk.Kernel) -> None:
    texts = ["(S (A a) (B b))", "(S (A a) (B c))", "(T (A a))", "(S (A a) (B b))", "(-EMPTY-)"]
    index = tk.TreeIndex(kernel)
    index.add(texts[:2])
    index.add(texts[2:])
    gram = kernel(["(S (A a) (B d))"], texts)[0]
    hits = index.search(["(S (A a) (B d))"], 5)[0]
    assert hits.ids == np.argsort(-gram, kind="stable").tolist()
    np.testing.assert_allclose(hits.similarities, np.sort(gram)[::-1], rtol=1e-12)
    index.remove([0])
    assert index.search([texts[0]], 1)[0].ids == [3]
    whole = kernel(texts[1:])
    expected = [(a + 1, b + 1) for a in range(4) for b in range(a + 1, 4) if whole[a, b] >= 0.3]
    found = [(pair.first, pair.second) for pair in index.duplicates(0.3)]
    assert found == expected


def test_equal_trees_have_exactly_one() -> None:
    tree = "(S (NP (D the) (N dog)) (VP (V saw) (NP (D the) (N cat))))"
    index = tk.TreeIndex(tk.SubsetTreeKernel(decay=0.3))
    index.add([tree, "(T t)", tree])
    assert list(index.search([tree], 2)[0]) == [(0, 1.0), (2, 1.0)]
    assert list(index.duplicates(1.0)) == [(0, 2, 1.0)]


def test_trees_too_large_for_doubles() -> None:
    """The values of full binary trees grow doubly exponentially, and are still normalised."""
    texts = []
    for depth in range(1, 13):
        text = "(A a)"
        for _ in range(depth):
            text = f"(A {text} {text})"
        texts.append(text)
    kernel = tk.SubsetTreeKernel(decay=1.0)
    index = tk.TreeIndex(kernel)
    index.add(texts)
    gram = kernel(texts)
    for row, hits in zip(gram, index.search(texts, len(texts)), strict=True):
        order = np.argsort(-row, kind="stable")
        assert hits.ids == order.tolist()
        np.testing.assert_allclose(hits.similarities, row[order], rtol=1e-9)
    found = {(pair.first, pair.second): pair.similarity for pair in index.duplicates(1e-3)}
    for a in range(len(texts)):
        for b in range(a + 1, len(texts)):
            assert ((a, b) in found) == (gram[a, b] >= 1e-3)
            assert math.isclose(found.get((a, b), gram[a, b]), gram[a, b], rel_tol=1e-9)


def test_trees_with_too_many_pairs_of_nodes() -> None:
    """Such trees are compared as in a Gram matrix, which keeps less in memory."""
    many = "(S " + " ".join(f"(A (B b{i}))" for i in range(3000)) + ")"
    texts = ["(S (A (B b1)) (A (B b2)))", many, "(T t)"]
    index = tk.TreeIndex(tk.SubsetTreeKernel())
    index.add(texts)
    gram = tk.SubsetTreeKernel()(texts)
    for row, hits in zip(gram, index.search(texts, 3), strict=True):
        assert hits.ids == np.argsort(-row, kind="stable").tolist()
        np.testing.assert_allclose(hits.similarities, np.sort(row)[::-1], rtol=1e-9)
    assert [pair[:2] for pair in index.duplicates(gram[0, 1] / 2)] == [(0, 1)]


def test_a_very_deep_tree() -> None:
    deep = "(A " * 100_000 + "a" + ")" * 100_000
    index = tk.TreeIndex(tk.SubsetTreeKernel())
    index.add(["(A a)", f"(B {deep} (A a))", deep])
    assert list(index.search([deep], 1)[0]) == [(2, 1.0)]
    assert index.tree(2).size == 100_001


def test_ids() -> None:
    index = tk.TreeIndex(tk.SubsetTreeKernel())
    index.add(["(A a)", "(A b)"])
    index.add(["(A c)"], ids=["c"])
    index.add(["(A d)"])
    assert index.ids == [0, 1, "c", 3]
    assert "c" in index
    assert 2 not in index
    assert str(index.tree("c")) == "(A c)"
    with pytest.raises(tk.DataError, match="the id 'c' is in the index already"):
        index.add(["(A e)", "(A f)"], ids=["e", "c"])
    with pytest.raises(tk.DataError, match="the id 'e' is given twice"):
        index.add(["(A e)", "(A f)"], ids=["e", "e"])
    with pytest.raises(tk.DataError, match="there are 2 trees and 1 ids"):
        index.add(["(A e)", "(A f)"], ids=["e"])
    with pytest.raises(tk.ParameterError, match="an id is an integer or a text"):
        index.add(["(A e)"], ids=[1.5])
    with pytest.raises(tk.DataError, match="no tree with the id 'z'"):
        index.remove(["c", "z"])
    assert len(index) == 4
    index.remove(["c"])
    with pytest.raises(tk.DataError, match="no tree with the id 'c'"):
        index.remove(["c"])
    index.add(["(A g)"], ids=["c"])
    assert str(index.tree("c")) == "(A g)"
    assert index.ids == [0, 1, 3, "c"]


def test_an_empty_index() -> None:
    index = tk.TreeIndex(tk.SubsetTreeKernel())
    assert [list(hits) for hits in index.search(["(A b)", "(C d)"], 3)] == [[], []]
    assert list(index.within(["(A b)"], 0.1)[0]) == []
    assert index.duplicates(0.5).groups == []
    index.add(["(A b)"])
    index.remove([0])
    assert [list(hits) for hits in index.search(["(A b)"], 3)] == [[]]
    assert list(index.duplicates(0.5)) == []
    index.add(["(A b)"])
    assert index.search(["(A b)"], 3)[0].ids == [1]


def test_what_an_index_refuses() -> None:
    with pytest.raises(tk.ParameterError, match="an index holds trees"):
        tk.TreeIndex(tk.LinearKernel())
    with pytest.raises(tk.ParameterError, match="one column of trees"):
        tk.TreeIndex(tk.SubsetTreeKernel(on="a") + tk.SubsetTreeKernel(on="b"))
    with pytest.raises(tk.ParameterError, match="an index needs a kernel"):
        tk.TreeIndex("subset")  # type: ignore[arg-type]
    index = tk.TreeIndex(tk.SubsetTreeKernel())
    with pytest.raises(tk.ParameterError, match="threshold must be a number above 0"):
        index.duplicates(0)
    with pytest.raises(tk.ParameterError, match="k must be an integer"):
        index.search(["(A b)"], -1)


def test_columns() -> None:
    index = tk.TreeIndex(tk.SubsetTreeKernel(on="tree"))
    index.add(tk.Table({"tree": ["(A b)", "(A c)"], "label": ["x", "y"]}))
    assert index.search({"tree": ["(A c)"]}, 1)[0].ids == [1]
    assert len(index.explain("(A c)", 1)) == 1


def test_shared_fragments_add_up() -> None:
    a, b = "(S (NP (D the) (N dog)) (VP barks))", "(S (NP (D the) (N cat)) (VP barks))"
    index = tk.TreeIndex(tk.SubsetTreeKernel(decay=0.4))
    index.add([a])
    shared = index.explain(b, 0, top=100)
    assert math.isclose(
        sum(one.weight for one in shared), index.search([b], 1)[0][0].similarity, rel_tol=1e-9
    )
    assert "(VP barks)" in {str(one.fragment) for one in shared}
