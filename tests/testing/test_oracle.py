"""The oracle itself: against published values, and its two ways of computing against each other."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import kernels as oracle
from published_values import COLUMNS, ROWS, TWO_FIFTHS
from treekernels.testing.strategies import trees

NAMES = ["subtree", "subset", "partial", "elastic", "ordered", "subpath"]
WAYS = [oracle.kernel, oracle.recursive]
weights = st.sampled_from([Fraction(1), TWO_FIFTHS, Fraction(3, 7)])
small_trees = trees(max_nodes=7)


@st.composite
def settings_of(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Parameters for a kernel, all different, so that no two can be mistaken for each other."""
    drawn: dict[str, Any] = {"decay": draw(weights)}
    if name in ("subtree", "subset"):
        drawn["leaf_weight"] = draw(st.sampled_from([0, Fraction(1, 11)]))
    if name == "partial":
        drawn["vertical_decay"] = draw(st.sampled_from([1, Fraction(2, 3)]))
        drawn["gaps"] = draw(st.sampled_from(["skipped", "span"]))
    if name == "subpath":
        drawn["max_length"] = draw(st.sampled_from([None, 1, 3]))
    return drawn


def chain(length: int) -> oracle.Tree:
    tree: oracle.Tree = ("x",)
    for _ in range(length):
        tree = ("A", tree)
    return tree


def all_different(count: int, prefix: str = "B") -> oracle.Tree:
    return ("A", *((f"{prefix}{number}", "b") for number in range(count)))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("column", range(len(COLUMNS)))
@pytest.mark.parametrize("row", range(len(ROWS)))
def test_agrees_with_other_software(way: Any, row: int, column: int) -> None:
    name, parameters = COLUMNS[column]
    a, b = (oracle.parse(text) for text in ROWS[row][:2])
    values = [float(way(name, *pair, **parameters)) for pair in ((a, b), (a, a), (b, b))]
    assert values == pytest.approx(ROWS[row][2][column], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_elastic_skips_levels_and_ordered_does_not(way: Any) -> None:
    """By hand: A, B and b match, and so do A-B, A-b, B-b and A-B-b where the levels allow it."""
    long, short = oracle.parse("(A (C (B b)))"), oracle.parse("(A (B b))")
    assert way("ordered", long, short) == 4
    assert way("elastic", long, short) == 7
    half = Fraction(1, 2)
    assert way("elastic", long, short, decay=half) == 3 * half + 3 * half**2 + half**3


@pytest.mark.parametrize("way", WAYS)
def test_leaf_and_inner_node_stand_in_one_production(way: Any) -> None:
    a, b = oracle.parse("(A (B b) C)"), oracle.parse("(A B (C c))")
    assert way("subset", a, b, decay=TWO_FIFTHS) == TWO_FIFTHS
    assert way("subtree", a, b, decay=TWO_FIFTHS) == 0
    assert way("subtree", a, a, decay=TWO_FIFTHS) == TWO_FIFTHS + TWO_FIFTHS**2


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), a=small_trees, b=small_trees)
def test_enumeration_equals_recursion(
    name: str, data: st.DataObject, a: oracle.Tree, b: oracle.Tree
) -> None:
    parameters = data.draw(settings_of(name))
    value = oracle.kernel(name, a, b, **parameters)
    assert value == oracle.recursive(name, a, b, **parameters)
    assert value == oracle.kernel(name, b, a, **parameters)
    assert value == oracle.recursive(name, b, a, **parameters)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), a=trees(max_nodes=10), b=trees(max_nodes=10))
def test_normalized_is_a_cosine(
    name: str, data: st.DataObject, a: oracle.Tree, b: oracle.Tree
) -> None:
    parameters = data.draw(settings_of(name))
    norms = [oracle.recursive(name, tree, tree, **parameters) for tree in (a, b)]
    joint = oracle.recursive(name, a, b, **parameters)
    expected = float(joint) / float(norms[0] * norms[1]) ** 0.5 if all(norms) else 0.0
    assert oracle.normalized(name, a, b, **parameters) == pytest.approx(expected, rel=1e-12)
    assert oracle.normalized(name, a, a, **parameters) == (1.0 if norms[0] else 0.0)


@pytest.mark.parametrize("name", ["partial", "elastic", "ordered"])
@given(a=small_trees, b=small_trees)
def test_similarity_that_merges_labels_is_renaming(
    name: str, a: oracle.Tree, b: oracle.Tree
) -> None:
    """To call B and x alike is to write B for x, which the enumeration can do."""

    def merged(tree: oracle.Tree) -> oracle.Tree:
        return (tree[0].replace("x", "B"), *(merged(child) for child in tree[1:]))

    def similarity(one: str, two: str) -> int:
        return int(one == two or {one, two} == {"B", "x"})

    expected = oracle.kernel(name, merged(a), merged(b), decay=TWO_FIFTHS)
    assert oracle.recursive(name, a, b, decay=TWO_FIFTHS, similarity=similarity) == expected


@pytest.mark.parametrize("name", ["subset", "partial", "elastic", "ordered"])
def test_normalized_survives_values_beyond_floats(name: str) -> None:
    """1100 pre-terminals make 2**1100 subset trees; 530 equal leaves match in 2**1055 ways."""
    tree = all_different(1100) if name == "subset" else ("A", *["A"] * 530)
    norm = oracle.recursive(name, tree, tree)
    assert isinstance(norm, int)
    assert norm > 2**1024
    assert oracle.normalized(name, tree, tree) == 1.0


@pytest.mark.parametrize("name", NAMES)
def test_depth_is_no_limit(name: str) -> None:
    deep, short = chain(20_000), chain(1)
    assert oracle.recursive(name, deep, short) > 0
    assert len(oracle.nodes(oracle.parse(oracle.to_brackets(deep)))) == 20_001
