"""Edit distances agree with Zhang and Shasha written plainly; scripts make one tree of another."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from oracles.edit_distance import (
    by_mappings,
    differ,
    is_mapping,
    levenshtein,
    mapping_cost,
    one,
    zhang_shasha,
)
from treekernels.testing.strategies import LABELS, forests, trees

COSTS = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0]) | st.floats(0, 4)
LABEL_COSTS = st.fixed_dictionaries(dict.fromkeys(LABELS, COSTS))
RENAME_COSTS = st.fixed_dictionaries({(a, b): COSTS for a in LABELS for b in LABELS})


@given(forests(4, 1, max_nodes=14), forests(3, 1, max_nodes=14))
def test_unit_costs(first: list[Any], second: list[Any]) -> None:
    expected = [[zhang_shasha(a, b) for b in second] for a in first]
    X, Y = tk.Forest.from_trees(first), tk.Forest.from_trees(second)
    np.testing.assert_array_equal(tk.EditDistance()(X, Y), expected)
    together = tk.Forest.concatenate([X, Y])
    matrix = tk.EditDistance()(together)
    np.testing.assert_array_equal(matrix[: len(X), len(X) :], expected)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert not matrix.diagonal().any()
    equal = np.equal.outer(together.roots, together.roots)
    np.testing.assert_array_equal(matrix == 0, equal)
    # No way is longer than that by another tree.
    assert (matrix[:, None] <= matrix[:, :, None] + matrix[None, :, :].transpose(0, 2, 1)).all()


def random_tree(generator: np.random.Generator, nodes: int) -> Any:
    """Return a tree of many levels and of all kinds of nodes."""
    label, parts = "abcd"[generator.integers(4)], []
    nodes -= 1
    while nodes > 0:
        parts.append(random_tree(generator, part := int(generator.integers(1, nodes + 1))))
        nodes -= part
    return (label, *parts)


@pytest.mark.parametrize("rename", [1.0, 0.75])
def test_bushy_trees(rename: float) -> None:
    """Larger ones than those that hypothesis makes, of which most have few nodes."""
    generator = np.random.default_rng(2)
    items = [random_tree(generator, int(size)) for size in generator.integers(12, 26, 6)]
    expected = [
        [zhang_shasha(a, b, rename=lambda x, y: rename * differ(x, y)) for b in items]
        for a in items
    ]
    distance, forest = tk.EditDistance(rename=rename), tk.Forest.from_trees(items)
    np.testing.assert_array_equal(distance(forest), expected)
    for most in (5, 12):
        near = np.where(np.less_equal(expected, most), expected, np.inf)
        np.testing.assert_array_equal(distance(forest, max_distance=most), near)


@given(trees(5), trees(4))
def test_all_mappings(a: Any, b: Any) -> None:
    assert zhang_shasha(a, b) == by_mappings(a, b)


@given(trees(10), trees(10), LABEL_COSTS, LABEL_COSTS, RENAME_COSTS)
def test_costs_of_labels(a: Any, b: Any, delete: Any, insert: Any, rename: Any) -> None:
    def renamed(x: str, y: str) -> float:
        return 0.0 if x == y else rename[x, y]

    expected = zhang_shasha(a, b, delete.__getitem__, insert.__getitem__, renamed)
    X, Y = tk.Forest.from_trees([a]), tk.Forest.from_trees([b])
    for costs in (
        tk.EditDistance(insert, delete, rename),
        tk.EditDistance(insert.__getitem__, delete.__getitem__, lambda x, y: rename[x, y]),
    ):
        assert costs(X, Y)[0, 0] == pytest.approx(expected, abs=1e-9)
    script = tk.edit_script(X[0], Y[0], insert=insert, delete=delete, rename=rename)
    pairs = [tuple(pair) for pair in script.mapping.tolist()]
    assert is_mapping(a, b, pairs)
    cost = mapping_cost(a, b, pairs, delete.__getitem__, insert.__getitem__, renamed)
    assert cost == pytest.approx(expected, abs=1e-9)


def labels_of(tree: Any) -> list[str]:
    return [tree[0], *(label for child in tree[1:] for label in labels_of(child))]


def without(tree: Any, dropped: set[int], labels: dict[int, str]) -> list[Any]:
    """Delete nodes, whose children take their place, and rename others."""
    number = iter(range(len(labels_of(tree))))

    def walk(node: Any) -> list[Any]:
        place = next(number)
        children = [grandchild for child in node[1:] for grandchild in walk(child)]
        return children if place in dropped else [(labels.get(place, node[0]), *children)]

    return walk(tree)


@given(trees(14), trees(14))
def test_scripts(a: Any, b: Any) -> None:
    script = tk.edit_script(*tk.Forest.from_trees([a, b]))
    assert script.distance == len(script.steps) == zhang_shasha(a, b)
    deleted = {step.place for step in script.steps if step.edit == "delete"}
    renamed = {step.place: step.new_label for step in script.steps if step.edit == "rename"}
    inserted = {step.new_place for step in script.steps if step.edit == "insert"}
    # What the deletions and renames leave of the first tree is what the insertions are added to.
    assert without(a, deleted, renamed) == without(b, inserted, {})
    pairs = [tuple(pair) for pair in script.mapping.tolist()]
    assert is_mapping(a, b, pairs)
    assert mapping_cost(a, b, pairs) == script.distance


def zigzag(nodes: int, turn: int) -> Any:
    """A comb whose teeth are on the left and on the right by turns, which no side is good for."""
    tree: Any = ("a",)
    for level in range(nodes // 2):
        tooth = ("xy"[level % 3 % 2],)
        below = (tooth, tree) if level % 2 == turn else (tree, tooth)
        tree = ("AB"[level % 5 % 2], *below)
    return tree


@pytest.mark.parametrize("rename", [1.0, 0.7])
def test_trees_that_no_side_is_good_for(rename: float) -> None:
    forest = tk.Forest.from_trees([zigzag(150, 0), zigzag(150, 1), zigzag(130, 0)])
    distance = tk.EditDistance(rename=rename)
    matrix = distance(forest)
    # The other direction is another way through the same table.
    np.testing.assert_allclose(distance(forest[[2, 1, 0]])[::-1, ::-1], matrix, atol=1e-9)
    assert matrix[0, 2] == pytest.approx(min(20, 20))  # the levels at the bottom
    for place, script in ((1, tk.edit_script(forest[0], forest[1], rename=rename)),):
        cost = sum(rename if step.edit == "rename" else 1 for step in script.steps)
        assert cost == pytest.approx(matrix[0, place])


def test_large_and_extreme_trees() -> None:
    chain: Any = ("a",)
    for level in range(3000):
        chain = ("ab"[level % 2], chain)
    wide = ("r", *[("ab"[place % 2],) for place in range(3000)])
    X = tk.Forest.from_trees([chain, wide, ("r",)])
    matrix = tk.EditDistance(n_jobs=2)(X)
    assert matrix[0, 2] == 3001
    assert matrix[1, 2] == 3000
    # Only a path of two nodes is in both, and one of them becomes another.
    assert matrix[0, 1] == 3001 + 3001 - 2 - 1


@given(forests(5, 2, max_nodes=12), st.integers(0, 8))
def test_most(items: list[Any], most: int) -> None:
    forest = tk.Forest.from_trees(items)
    exact = tk.EditDistance()(forest)
    near = tk.EditDistance()(forest, max_distance=most)
    np.testing.assert_array_equal(near, np.where(exact <= most, exact, np.inf))


def test_most_of_large_trees() -> None:
    """Where little may differ, only a band of each table is computed."""
    generator = np.random.default_rng(1)
    first = random_tree(generator, 400)
    changed = [first]
    for _ in range(12):
        before, count = changed[-1], len(labels_of(changed[-1]))
        kept = without(before, set(generator.integers(1, count, 2).tolist()), {count // 2: "x"})[0]
        changed.append(("a", kept) if generator.integers(3) == 0 else kept)
    forest = tk.Forest.from_trees(changed)
    exact = tk.EditDistance()(forest)
    assert 20 < exact.max() < 60
    for most in (1, 3, 4, 5):
        near = tk.EditDistance()(forest, max_distance=most)
        np.testing.assert_array_equal(near, np.where(exact <= most, exact, np.inf))


def test_same_bits_for_any_number_of_threads() -> None:
    generator = np.random.default_rng(0)
    items = [zigzag(int(size), 0) for size in generator.integers(4, 60, 40)]
    forest = tk.Forest.from_trees(items)
    distance = tk.EditDistance(rename={("x", "y"): 0.3, ("A", "B"): 1 / 3})
    alone = distance(forest)
    np.testing.assert_array_equal(distance(forest, n_jobs=4), alone)
    np.testing.assert_array_equal(distance(forest[:20], forest[20:], n_jobs=3), alone[:20, 20:])
    pairs = distance(forest[:20], forest[20:], paired=True, n_jobs=3)
    np.testing.assert_array_equal(pairs, alone[:20, 20:].diagonal())
    single = distance(forest, dtype="float32")
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, alone, rtol=1e-6)


TEXTS = st.lists(st.sampled_from("abcé"), max_size=150).map("".join)


@given(TEXTS.filter(bool), TEXTS.filter(bool))
def test_texts(a: str, b: str) -> None:
    X, Y = tk.Forest.from_trees([(a,)]), tk.Forest.from_trees([(b,)])
    expected = levenshtein(a, b) / max(len(a), len(b))
    assert tk.EditDistance(rename="text")(X, Y)[0, 0] == pytest.approx(expected)


def test_similar_labels() -> None:
    vectors = tk.WordVectors({"dog": [1, 0], "cat": [1, 0.2], "run": [0, 1]}, classes=None)
    cosine = 1 / math.sqrt(1.04)
    a, b, c = "(N dog)", "(N cat)", "(N run)"
    distance = tk.EditDistance(rename=vectors)
    assert distance([a], [b, c])[0].tolist() == pytest.approx([1 - (cosine - 0.4) / 0.6, 1.0])
    assert tk.edit_distance(a, b, rename=tk.SimilarLabels(lambda x, y: 0.75)) == 0.25
    for pair in ((a, b), (b, a)):  # a table counts both ways
        assert tk.edit_distance(*pair, rename={("dog", "cat"): 0.5}) == 0.5
    assert tk.edit_distance(a, b, rename={("dog", "cat"): 0.5, ("cat", "dog"): 0.75}) == 0.5
    assert tk.edit_distance(b, a, rename={("dog", "cat"): 0.5, ("cat", "dog"): 0.75}) == 0.75


def test_empty_and_missing_trees() -> None:
    forest = tk.Forest(["(A b c)", "(-EMPTY-)", "(-EMPTY-)"])
    assert tk.EditDistance()(forest).tolist() == [[0, 3, 3], [3, 0, 0], [3, 0, 0]]
    assert tk.EditDistance(insert=2, delete=0.5)(forest)[:2, :2].tolist() == [[0, 1.5], [6, 0]]
    assert tk.EditDistance()([], forest).shape == (0, 3)
    with pytest.raises(tk.DataError, match="tree 2 is missing"):
        tk.EditDistance()(["(A b)", "(-MISSING-)"])


def test_scikit_learn_takes_distances() -> None:
    from sklearn.cluster import DBSCAN
    from sklearn.ensemble import BaggingClassifier
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC

    X = ["(A b)", "(A (B b))", "(A c)", "(C (D d))", "(C (D d) (D d))"]
    y = ["A", "A", "A", "C", "C"]
    metric = tk.EditDistance(rename=1.5)
    near = tk.as_precomputed(KNeighborsClassifier(1), metric=metric).fit(X, y)
    assert near.predict(["(C (D e))", "(A d)"]).tolist() == ["C", "A"]
    distances, places = near.kneighbors(["(C (D e))"], n_neighbors=2)
    np.testing.assert_allclose(distances, np.sort(metric(["(C (D e))"], X))[:, :2])
    assert places[0, 0] == 3
    table = np.array([[tree] for tree in X], dtype=object)
    column = tk.as_precomputed(KNeighborsClassifier(1), metric=tk.EditDistance(on=0))
    assert column.fit(table, y).predict(np.array([["(C d)"]], dtype=object)).tolist() == ["C"]
    bagging = tk.as_precomputed(
        BaggingClassifier(KNeighborsClassifier(1), 3, random_state=0), metric=metric
    )
    assert bagging.fit(X, y).predict(X[-1:]).tolist() == ["C"]
    with pytest.raises(tk.ParameterError, match="EditDistanceKernel"):
        tk.as_precomputed(SVC(), metric=metric).fit(X, y)
    with pytest.raises(tk.ParameterError, match="not both"):
        tk.as_precomputed(DBSCAN(), "sst", metric=metric).fit(X)
    with pytest.raises(tk.ParameterError, match="must be an EditDistance"):
        tk.as_precomputed(DBSCAN(), metric="euclidean").fit(X)  # type: ignore[arg-type]


def test_kernel_in_a_model_file(tmp_path: Path) -> None:
    kernel = tk.EditDistanceKernel(0.5, tk.EditDistance(rename={("b", "c"): 0.5}))
    machine = tk.TreeSVC(kernel).fit(["(A b)", "(A c)", "(B (A b))"], ["x", "y", "x"])
    tk.save(machine, tmp_path / "model")
    loaded = tk.load(tmp_path / "model")
    assert loaded.kernel == kernel
    assert loaded.predict(["(A b)"]).tolist() == ["x"]


def test_mistakes() -> None:
    with pytest.raises(tk.ParameterError, match="insert must be"):
        tk.EditDistance(insert=-1)(["(A b)"])
    with pytest.raises(tk.ParameterError, match="'words'"):
        tk.EditDistance(rename="words")(["(A b)"])
    with pytest.raises(tk.ParameterError, match="pairs of labels"):
        tk.EditDistance(rename={"A": 1})(["(A b)"])
    with pytest.raises(tk.ParameterError, match="rename 'A' to 'B'"):
        tk.edit_distance("(A)", "(B)", rename=lambda a, b: float("nan"))
    with pytest.raises(tk.DataError, match="3 trees and Y has 1"):
        tk.EditDistance()(["(A b)"] * 3, ["(A b)"], paired=True)
    before = tk.set_limits(matrix_bytes=1000)
    try:
        with pytest.raises(tk.KernelMemoryError, match="of 101 nodes and one of 102 takes"):
            tk.edit_distance("(A" + " b" * 100 + ")", "(B" + " c" * 101 + ")")
    finally:
        tk.set_limits(before)


def test_kernel() -> None:
    forest = tk.Forest(["(A b c)", "(A b)", "(A b)", "(-MISSING-)"])
    values = tk.EditDistanceKernel(gamma=2)(forest)
    near = math.exp(-2 / 3)
    expected = [[1, near, near, 0], [near, 1, 1, 0], [near, 1, 1, 0], [0, 0, 0, 0]]
    np.testing.assert_allclose(values, expected)
    absolute = tk.EditDistanceKernel(distance=tk.EditDistance(delete=3), relative=False)
    assert absolute(forest[:1], forest[1:2])[0, 0] == pytest.approx(math.exp(-3))
    assert one("x") == 1
    assert differ("a", "a") == 0
