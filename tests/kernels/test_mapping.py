"""Mapping kernels: what makes a class of parts, which pairs count, and how often one is asked."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from oracles.mappings import counterexample, mapping_kernel, written_out
from treekernels.errors import DataError, ParameterError
from treekernels.kernels.parts.classes import LocalValues, blocks

Part = tuple[int, str]  # a place and a symbol

PARTS = list(itertools.product(range(3), "aAbBc"))
OBJECTS = st.lists(st.lists(st.sampled_from(PARTS), max_size=6), min_size=1, max_size=5)


def symbol(part: Part) -> str:
    return part[1].lower()


def place(part: Part) -> int:
    return part[0]


def case(part: Part) -> bool:
    return part[1].isupper()


def closeness(p: str, q: str) -> Fraction:
    return Fraction(1, 1 + abs(ord(p) - ord(q)))


def test_parts_that_pairs_tells_apart_are_not_one_class() -> None:
    def places(word: str) -> list[Part]:
        return list(enumerate(word))

    def one(p: Any, q: Any) -> float:
        return float(p == q)

    def same_place(p: Part, q: Part) -> bool:
        return p[0] == q[0]

    kernel = tk.MappingKernel(places, one, key=symbol, pairs=same_place)
    assert kernel(["aab"], ["aab"]).tolist() == [[3]]
    assert kernel(["aab", "baa"]).tolist() == [[3, 1], [1, 3]]
    grouped = tk.MappingKernel(places, one, key=symbol, group=place)
    assert grouped(["aab", "baa"]).tolist() == [[3, 1], [1, 3]]


def test_pairs_that_are_not_symmetric_are_refused() -> None:
    kernel = tk.MappingKernel(list, lambda p, q: 1.0, pairs=lambda p, q: p < q)
    with pytest.raises(
        ParameterError,
        match=r"not symmetric: pairs\('a', 'c'\) is true and pairs\('c', 'a'\) is not",
    ):
        kernel(["aa"], ["cc"])
    with pytest.raises(ParameterError, match="not symmetric"):
        kernel(["cc"], ["aa"])
    with pytest.raises(ParameterError, match="not symmetric"):
        kernel.diag(["ac"])
    with pytest.raises(ParameterError, match="not symmetric"):
        tk.TreePerceptron(kernel).fit(["a", "c", "a"], [0, 1, 0])


@given(OBJECTS, OBJECTS, st.data())
def test_any_mapping_by_enumeration(X: list[Any], Y: list[Any], data: Any) -> None:
    """Any local kernel, any symmetric relation given as a set of pairs."""
    chosen = data.draw(st.sets(st.tuples(st.sampled_from(PARTS), st.sampled_from(PARTS))))
    counting = chosen | {(q, p) for p, q in chosen}
    kernel = tk.MappingKernel(list, closeness, key=symbol, pairs=lambda p, q: (p, q) in counting)
    how = (counting, closeness, symbol)
    expected = np.array([[float(mapping_kernel(x, y, *how)) for y in Y] for x in X])
    np.testing.assert_allclose(kernel(X, Y), expected, rtol=1e-12)
    own = np.array([[float(mapping_kernel(x, y, *how)) for y in X] for x in X])
    np.testing.assert_allclose(kernel(X), own, rtol=1e-12)
    np.testing.assert_allclose(kernel.diag(X), np.diagonal(own), rtol=1e-12)


GROUPS = st.sampled_from([None, place, case, symbol])
CHECKED = st.sampled_from([None, place, symbol])


@given(OBJECTS, GROUPS, CHECKED, st.booleans(), st.booleans())
def test_all_ways_to_say_what_counts(
    X: list[Any], group: Any, pairs_key: Any, parity: bool, normalize: bool
) -> None:
    def alike(p: Any, q: Any) -> bool:
        return sum(map(ord, str(p))) % 2 == sum(map(ord, str(q))) % 2 if parity else p == q

    kernel = tk.MappingKernel(
        list,
        closeness,
        key=symbol,
        group=group,
        pairs=alike,
        pairs_key=pairs_key,
        normalize=normalize,
    )

    def counts(p: Part, q: Part) -> bool:
        seen = pairs_key or (lambda part: part)
        return (group is None or group(p) == group(q)) and alike(seen(p), seen(q))

    how = (written_out(PARTS, counts), closeness, symbol)
    expected = np.array([[float(mapping_kernel(x, y, *how)) for y in X] for x in X])
    if normalize:
        norms = np.sqrt(np.diagonal(expected).copy())
        norms[norms == 0] = np.inf
        expected /= norms[:, None] * norms
    np.testing.assert_allclose(kernel(X), expected, rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(kernel.diag(X), np.diagonal(expected), rtol=1e-10, atol=1e-15)
    kernel.check_mapping(X)


@given(OBJECTS, st.data())
def test_the_check_finds_what_enumeration_finds(X: list[Any], data: Any) -> None:
    there = sorted({part for x in X for part in x})[:5]
    some = st.sampled_from(there) if there else st.nothing()
    chosen = data.draw(st.sets(st.tuples(some, some), max_size=12)) if there else set()
    if data.draw(st.booleans()):
        chosen = chosen | {(q, p) for p, q in chosen}
    if data.draw(st.booleans()):  # its closure, which is symmetric only if the relation is
        while added := {
            (p, s) for p, q in chosen for r, s in chosen if q == r and (p, s) not in chosen
        }:
            chosen |= added
    asked: list[tuple[Any, Any]] = []

    def pairs(p: Part, q: Part) -> bool:
        asked.append((p, q))
        return (p, q) in chosen

    kernel = tk.MappingKernel(list, closeness, key=symbol, pairs=pairs)
    if counterexample(chosen) is None:
        kernel.check_mapping(X)
        return
    with pytest.raises(ParameterError, match=r"not (symmetric|transitive)") as refusal:
        kernel.check_mapping(X)
    if counterexample(chosen | {(q, p) for p, q in chosen}) is None:
        assert "symmetric" in str(refusal.value)


def test_the_check_sees_a_lopsided_local_kernel() -> None:
    kernel = tk.MappingKernel(list, lambda p, q: float(ord(p)))
    with pytest.raises(ParameterError, match=r"local is not symmetric: local\('a', 'b'\) is 97"):
        kernel.check_mapping(["ab"])


def test_pairs_of_other_groups_are_never_asked_for() -> None:
    local_calls: Counter[Any] = Counter()
    pair_calls: Counter[Any] = Counter()

    def local(p: str, q: str) -> float:
        local_calls[p, q] += 1
        return 1.0

    def pairs(p: Part, q: Part) -> bool:
        pair_calls[p, q] += 1
        return p[1] == q[1]

    X = [[(0, "a"), (1, "b")], [(0, "b"), (2, "c")], [(1, "b"), (0, "a"), (0, "c")]]
    tk.MappingKernel(list, local, key=symbol, group=place, pairs=pairs, normalize=True)(X)
    assert all(p[0] == q[0] for p, q in pair_calls)
    assert set(pair_calls.values()) == {1}
    # The class of a part is its place and symbol: five of them count, each with itself alone.
    assert sum(local_calls.values()) == 5


def test_the_diagonal_asks_for_pairs_within_one_example_only() -> None:
    calls: list[Any] = []

    def local(p: int, q: int) -> float:
        calls.append((p, q))
        return 1.0

    kernel = tk.MappingKernel(list, local)
    assert kernel.diag([[1, 2], [3], [], [4, 4]]).tolist() == [4, 1, 0, 4]
    assert sorted(calls) == [(1, 1), (1, 2), (2, 2), (3, 3), (4, 4)]


def test_unfit_parts_and_values_are_named() -> None:
    with pytest.raises(DataError, match=r"the part \[1\] .* by its key \[1\], .*give a function"):
        tk.MappingKernel(lambda x: [[1]], lambda p, q: 1.0)(["x"])
    with pytest.raises(DataError, match="its pairs_key"):
        tk.MappingKernel(lambda x: [[1]], lambda p, q: 1.0, key=str, pairs=lambda p, q: p == q)(
            ["x"]
        )
    with pytest.raises(DataError, match="the local kernel of 'x' and 'x' is nan"):
        tk.MappingKernel(list, lambda p, q: float("nan"))(["x"])
    with pytest.raises(ParameterError, match="there is no pairs"):
        tk.MappingKernel(list, closeness, pairs_key=str)(["x"])
    with pytest.raises(OverflowError):
        tk.MappingKernel(list, lambda p, q: 1e300)(["x"], dtype=np.float32)


def numbers(x: list[int]) -> list[int]:
    return x


def nearness(p: int, q: int) -> float:
    return 1.0 / (1 + abs(p - q))


def test_bits_do_not_depend_on_what_else_was_asked() -> None:
    random = np.random.RandomState(0)
    X = [random.randint(0, 40, 9).tolist() for _ in range(30)]
    kernel = tk.MappingKernel(numbers, nearness, group=lambda p: p % 3)
    expected = kernel(X, X[:7])
    other = kernel.remembering()
    other.diag([[39, 3, 17]])
    other(X[::-1])
    assert np.array_equal(other(X, X[:7]), expected)
    rows = [block for _, block in other.blocks(X, X[:7], rows=4)]
    assert np.array_equal(np.concatenate(rows), expected)
    for chosen in ([4], [17, 4]):
        assert np.array_equal(kernel([X[i] for i in chosen], X[:7]), expected[chosen])


def test_matrices_in_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.RandomState(1)
    X = [random.randint(0, 40, random.randint(9)).tolist() for _ in range(30)]
    kernel = tk.MappingKernel(numbers, nearness, group=lambda p: p % 2, normalize=True)
    expected, norms = kernel(X), kernel.diag(X)
    for module in ("mapping", "parts.classes"):
        monkeypatch.setattr(
            f"treekernels.kernels.{module}.blocks", lambda costs: blocks(costs, most=20)
        )
    assert np.array_equal(kernel(X), expected)
    assert np.array_equal(kernel.diag(X), norms)


@given(st.lists(st.integers(0, 50)), st.integers(1, 60))
def test_blocks_are_all_rows_and_no_larger_than_they_may(costs: list[int], most: int) -> None:
    found = list(blocks(np.array(costs, np.int64), most))
    assert [row for low, high in found for row in range(low, high)] == list(range(len(costs)))
    for low, high in found:
        assert high - low == 1 or sum(costs[low:high]) <= most


def test_many_values_are_merged_and_still_computed_once() -> None:
    values, calls = LocalValues(), Counter[tuple[int, int]]()

    def compute(a: int, b: int) -> float:
        calls[a, b] += 1
        return a - b

    for size in (100, 150, 50, 200):
        low, high = np.triu_indices(size)
        np.testing.assert_array_equal(values.look_up(low, high, compute), low - high)
    assert set(calls.values()) == {1}
    assert len(values) == len(calls) == 200 * 201 // 2


def test_a_kernel_that_remembers_is_copied_with_what_it_remembers() -> None:
    kernel = tk.MappingKernel(numbers, nearness).remembering()
    assert kernel.remembering() is kernel
    assert kernel == tk.MappingKernel(numbers, nearness)
    expected = kernel([[1, 2], [3]])
    for other in (copy.copy(kernel), copy.deepcopy(kernel), pickle.loads(pickle.dumps(kernel))):
        classes = other.part_classes()
        classes.functions = classes.functions._replace(local=None)
        assert np.array_equal(other([[1, 2], [3]]), expected)  # without asking again


def as_tuple(tree: tk.Tree) -> Any:
    return (tree.label, *(as_tuple(child) for child in tree.children))


def test_a_recursive_local_kernel_is_called_once_for_each_pair_of_smaller_parts() -> None:
    """Subset trees as a mapping kernel: C(u, v) by C of the children, each computed once."""
    called: Counter[tuple[Any, Any]] = Counter()

    def subset(u: Any, v: Any, smaller: Any) -> float:
        called[u, v] += 1
        if len(u) == 1 or [u[0], *(x[0] for x in u[1:])] != [v[0], *(x[0] for x in v[1:])]:
            return 0.0
        value = 0.4
        for x, y in zip(u[1:], v[1:], strict=True):
            value *= 1 + smaller(x, y)
        return value

    def subtrees(tree: tk.Tree) -> list[Any]:
        return [as_tuple(node) for node in tree.preorder()]

    trees = tk.Forest(["(S (A (B b) (B c)) (A (B b) (B c)))", "(S (A (B b) (B b)) (A (B b)))"])
    kernel = tk.MappingKernel(subtrees, subset, recursive=True)
    expected = tk.SubsetTreeKernel(0.4, normalize=False)(trees)
    np.testing.assert_allclose(kernel(trees), expected, rtol=1e-12)
    assert set(called.values()) == {1}
    learner = tk.TreePerceptron(kernel, random_state=0).fit(trees, [0, 1])
    other = tk.TreePerceptron(tk.SubsetTreeKernel(0.4, normalize=False), random_state=0)
    np.testing.assert_allclose(
        learner.decision_function(trees), other.fit(trees, [0, 1]).decision_function(trees)
    )


def test_deep_parts_and_parts_that_ask_for_themselves() -> None:
    def prefix(p: str, q: str, smaller: Any) -> float:
        return 1.0 + smaller(p[1:], q[1:]) if p and q and p[0] == q[0] else 0.0

    kernel = tk.MappingKernel(lambda word: [word], prefix, recursive=True)
    assert kernel(["a" * 3000 + "b"], ["a" * 3000 + "c"]).tolist() == [[3000]]
    circular = tk.MappingKernel(list, lambda p, q, smaller: smaller(q, p), recursive=True)
    with pytest.raises(ParameterError, match=r"local\('a', 'b'\) asks for itself"):
        circular(["a"], ["b"])


@given(OBJECTS)
def test_equivalent_parts(X: list[Any]) -> None:
    kernel = tk.MappingKernel(
        list, lambda p, q: float(closeness(*sorted((p[1].lower(), q[1].lower())))), group=place
    )
    parts = {part for x in X for part in x}
    expected = [
        {part for part in parts if (place(part), symbol(part)) == behaviour}
        for behaviour in {(place(part), symbol(part)) for part in parts}
    ]
    alike = [set(keys) for keys in kernel.equivalent_parts(X)]
    assert sorted(map(sorted, alike)) == sorted(sorted(e) for e in expected if len(e) > 1)
