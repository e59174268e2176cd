"""Distributed trees against their definition: the weighted sum over listed fragments."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import treekernels as tk
from helpers import random_forest, random_tree, up_to_a_million
from oracles import kernels as oracle
from oracles.kernels import Tree
from treekernels.testing.strategies import forests, trees

Vector = NDArray[Any]
COMPOSITIONS = ["sign", "product", "convolution"]
PERMUTATIONS = ["fast", "random"]
every_way = pytest.mark.parametrize(
    ("composition", "permutations"), [(c, p) for c in COMPOSITIONS for p in PERMUTATIONS]
)


def embedding(dimension: int = 64, decay: float = 0.4, **more: Any) -> tk.DistributedTrees:
    return tk.DistributedTrees(dimension, decay, **{"dtype": "float64", **more})


def composed(parts: Sequence[Vector], compose: Callable[[Vector, Vector], Vector]) -> Vector:
    """Compose from the right: a <> (b <> c)."""
    *rest, result = parts
    for part in reversed(rest):
        result = compose(part, result)
    return result


class Definition:
    """The vectors of labels, fragments and trees, as the paper defines them, one by one."""

    def __init__(self, made: tk.DistributedTrees) -> None:
        self.made = made
        self.labels: dict[tuple[str, bool], Vector] = {}

    def label(self, label: str, head: bool = False) -> Vector:
        if (label, head) not in self.labels:
            self.labels[label, head] = self.made.label_vector(label, head=head)
        return self.labels[label, head]

    def fragment(self, fragment: Tree) -> Vector:
        if len(fragment) == 1:
            return self.label(fragment[0])
        parts = [self.label(fragment[0], True), *map(self.fragment, fragment[1:])]
        return composed(parts, self.made.compose)

    def tree(self, tree: Tree, keep: Callable[[Tree], bool] = lambda fragment: True) -> Vector:
        list_fragments = getattr(oracle, f"{self.made.kernel}_features")
        result = np.zeros(self.made.dimension)
        for fragment, weight in list_fragments(tree, self.made.decay).items():
            if keep(fragment):
                result += weight.side * math.sqrt(weight.shared) * self.fragment(fragment)
        return result

    def recursive(self, tree: Tree) -> Vector:
        """The recursion of the paper, for trees whose fragments are too many to list."""
        below: dict[int, Vector] = {}
        total = np.zeros(self.made.dimension)
        kept = oracle.nodes(tree)
        for node in kept:
            if len(node) == 1:
                below[id(node)] = np.zeros(self.made.dimension)
                continue
            parts = [self.label(node[0], True)]
            for child in node[1:]:
                parts.append(self.label(child[0]) + math.sqrt(self.made.decay) * below[id(child)])
            below[id(node)] = composed(parts, self.made.compose)
            total += below[id(node)]
        return math.sqrt(self.made.decay) * total


def assert_near(result: Vector, expected: Vector, tolerance: float = 1e-12) -> None:
    scale = 1 + np.abs(expected).max(initial=0)
    assert np.abs(result - expected).max(initial=0) <= tolerance * scale


@every_way
@given(
    heads=st.sampled_from(["own", "shared"]),
    kernel=st.sampled_from(["subset", "subtree"]),
    forest=forests(max_trees=4, max_nodes=9),
    decay=st.sampled_from([0.3, 1.0]),
)
def test_recursion_equals_the_sum_over_fragments(
    composition: str, permutations: str, heads: str, kernel: str, forest: list[Tree], decay: float
) -> None:
    made = embedding(
        32, decay, composition=composition, permutations=permutations, kernel=kernel, heads=heads
    )
    definition = Definition(made)
    vectors = made.transform(tk.Forest.from_trees(forest))
    assert vectors.shape == (len(forest), 32)
    for tree, vector in zip(forest, vectors, strict=True):
        assert_near(vector, definition.tree(tree))


@every_way
@given(fragment=trees(max_nodes=12))
def test_vector_of_a_fragment(composition: str, permutations: str, fragment: Tree) -> None:
    made = embedding(32, composition=composition, permutations=permutations)
    assert_near(made.fragment_vector(fragment), Definition(made).fragment(fragment))
    of_unit_trees = made.set_params(normalize=True).fragment_vector(fragment)
    assert_near(of_unit_trees, Definition(made).fragment(fragment))


@pytest.mark.parametrize("dimension", [1, 7, 8, 64, 1000, 1032])
@pytest.mark.parametrize("composition", COMPOSITIONS)
def test_any_dimension(composition: str, dimension: int) -> None:
    made = embedding(dimension, composition=composition)
    tree = random_tree(12, 3)
    assert_near(made.transform([tree])[0], Definition(made).tree(tree))


@every_way
def test_float32_is_close_to_float64(composition: str, permutations: str) -> None:
    forest = tk.Forest(random_forest(30, 5))
    wide = embedding(512, composition=composition, permutations=permutations)
    narrow = embedding(512, composition=composition, permutations=permutations, dtype="float32")
    assert narrow.transform(forest).dtype == np.float32
    assert_near(narrow.transform(forest), wide.transform(forest), 1e-5)


def test_brackets_of_a_last_child_leave_a_trace() -> None:
    """Not in the paper, where a label has one vector."""
    flat, deep = "(A B C D)", "(A B (C D))"
    paper = embedding(heads="shared")
    assert_near(paper.label_vector("A", head=True), paper.label_vector("A"))
    assert_near(paper.fragment_vector(flat), paper.fragment_vector(deep))
    ours = embedding(4096)
    assert abs(ours.fragment_vector(flat) @ ours.fragment_vector(deep)) < 5 / 64


# Pruning


def chains(fragment: Tree, length: int) -> set[tuple[Any, ...]]:
    """All chains of 1 to `length` productions in a fragment or tree: production, place, ..."""
    result: set[tuple[Any, ...]] = set()

    def down(node: Tree, before: tuple[Any, ...], left: int) -> None:
        if len(node) == 1 or left == 0:
            return
        chain = (*before, (node[0], *(child[0] for child in node[1:])))
        result.add(chain)
        for place, child in enumerate(node[1:]):
            down(child, (*chain, place), left - 1)

    for node in oracle.nodes(fragment):
        down(node, (), length)
    return result


def assert_pruned(kernel: str, length: int, fitted: list[Tree], unseen: Tree) -> None:
    """Check that fragments all of whose chains are in two trees are left, and no others."""
    made = embedding(32, min_df=2, link_length=length, kernel=kernel)
    made.fit(tk.Forest.from_trees(fitted))
    frequency = Counter(chain for tree in fitted for chain in chains(tree, length))
    assert len(made.links_) == sum(trees >= 2 for trees in frequency.values())

    def keep(fragment: Tree) -> bool:
        return all(frequency[chain] >= 2 for chain in chains(fragment, length))

    definition = Definition(made)
    for tree in [*fitted, unseen]:
        expected = definition.tree(tree, keep)
        assert_near(made.transform(tk.Forest.from_trees([tree]))[0], expected)


@pytest.mark.parametrize("kernel", ["subset", "subtree"])
@given(
    length=st.integers(1, 4), fitted=forests(max_trees=6, max_nodes=9), unseen=trees(max_nodes=9)
)
def test_pruning_keeps_what_has_frequent_links_only(
    kernel: str, length: int, fitted: list[Tree], unseen: Tree
) -> None:
    assert_pruned(kernel, length, fitted, unseen)


@pytest.mark.parametrize("kernel", ["subset", "subtree"])
@given(length=st.integers(3, 8), data=st.data())
def test_pruning_looks_back_over_long_chains(kernel: str, length: int, data: st.DataObject) -> None:
    """Trees that are deeper than what a chain looks back over, by some levels."""

    def chain() -> Tree:
        tree: Tree = ("x",)
        for label in data.draw(st.text("AB", min_size=length, max_size=length + 5)):
            tree = (label, tree) if label == "A" else (label, ("x",), tree)
        return tree

    assert_pruned(kernel, length, [chain() for _ in range(6)], chain())


@given(fitted=forests(min_trees=2, max_trees=6, max_nodes=9), length=st.integers(1, 5))
def test_pruning_by_two_trees_loses_nothing_that_two_share(fitted: list[Tree], length: int) -> None:
    frequency = Counter(chain for tree in fitted for chain in chains(tree, length))
    features = [set(oracle.subset_features(tree)) for tree in fitted]
    shared = Counter(fragment for of_tree in features for fragment in of_tree)
    for fragment, count in shared.items():
        if count >= 2:
            assert all(frequency[chain] >= 2 for chain in chains(fragment, length))


# The same bits, always


def digest(vector: Vector) -> str:
    return hashlib.sha256(np.ascontiguousarray(vector).tobytes()).hexdigest()[:16]


PINNED = {
    ("sign", "fast", "float32"): "0b999939d17c6346",
    ("sign", "fast", "float64"): "152859102768a7e4",
    ("sign", "random", "float32"): "5805d1c41b36e3b1",
    ("sign", "random", "float64"): "6b0ab8f9823e58a4",
    ("product", "fast", "float32"): "bb05ac6256874df4",
    ("product", "fast", "float64"): "3078927e4e7ebd0f",
    ("product", "random", "float32"): "7641e83d697a6560",
    ("product", "random", "float64"): "8654c3028182e2b3",
    ("convolution", "fast", "float32"): "46dfdf06a24b759d",
    ("convolution", "fast", "float64"): "569d154a25ded8af",
    ("convolution", "random", "float32"): "a96ffcf44c14072f",
    ("convolution", "random", "float64"): "ea2f5dfbdbc68e45",
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@every_way
def test_bits_are_pinned(composition: str, permutations: str, dtype: str) -> None:
    """The same on every machine: no library's mathematics, no fused operations."""
    made = embedding(2048, 0.4, composition=composition, permutations=permutations, dtype=dtype)
    vectors = made.transform(["(S (NP (D the) (N Hund)) (VP (V bellt)) (ü 犬))", "(A (A b) c)"])
    assert digest(vectors) == PINNED[composition, permutations, dtype]


@every_way
def test_bits_do_not_depend_on_threads_batches_or_memory(
    composition: str, permutations: str
) -> None:
    forest = tk.Forest(random_forest(150, 8, size=30))
    ways: list[dict[str, Any]] = [
        {"n_jobs": 5},
        {"batch_size": 1},
        {"batch_size": 7, "n_jobs": 3},
        {"memory_mb": 1, "n_jobs": 2},
    ]
    dimension = 256 if (composition, permutations) == ("convolution", "random") else 2048
    for more in ({}, {"min_df": 2, "link_length": 3, "normalize": True}):
        made = tk.DistributedTrees(
            dimension, 0.7, composition=composition, permutations=permutations, **more
        ).fit(forest)
        reference = made.transform(forest)
        for way in ways:
            assert np.array_equal(made.set_params(**way).transform(forest), reference), way
        for place in (0, 57, 149):
            assert np.array_equal(made.transform(forest[[place]])[0], reference[place])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("composition", COMPOSITIONS)
@pytest.mark.parametrize("dimension", [97, 1023])
def test_bits_do_not_depend_on_what_memory_held(
    composition: str, dimension: int, dtype: str
) -> None:
    """Of no dimension that lines of eight numbers, or cache lines, would fill."""
    trees = [random_tree(size, size, reach=4) for size in (40, 150, 400)]
    made = tk.DistributedTrees(dimension, 0.4, composition=composition, dtype=dtype, normalize=True)
    reference = made.transform(trees)
    for scale in (1.0, 1e30, 1e-30, np.nan):
        # What is freed is given to the next who asks.
        freed = [np.full(2**size, scale, dtype=dtype) for size in range(4, 18) for _ in range(8)]
        del freed
        tk.DistributedTrees(1024, 1.0, composition="product", dtype=dtype).transform(trees[:1])
        assert np.array_equal(made.transform(trees), reference)


# Large trees


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("composition", "dimension"), [("sign", 4096), ("product", 256), ("convolution", 256)]
)
def test_large_values_are_scaled(composition: str, dimension: int, dtype: str) -> None:
    """Exponents are kept beside the numbers of each block; the definition fits doubles here."""
    made = embedding(dimension, 1.0, composition=composition, dtype="float64")
    tree = random_tree(2500, 5, reach=4)
    expected = Definition(made).recursive(tree)
    largest = np.abs(expected).max()
    assert 1e-300 < largest < 1e300
    assert composition != "convolution" or largest > 1e40  # beyond float32
    made.set_params(dtype=dtype, normalize=True)
    vector = made.transform([tree])[0]
    assert_near(vector, expected / largest / np.linalg.norm(expected / largest), 1e-4)
    made.set_params(normalize=False)
    if largest < np.finfo(dtype).max:
        assert_near(made.transform([tree])[0] / largest, expected / largest, 1e-4)
    else:
        with pytest.raises(tk.KernelOverflowError, match="normalize=True"):
            made.transform([tree])


@pytest.mark.parametrize("composition", COMPOSITIONS)
def test_hundreds_of_nodes_at_decay_1(composition: str) -> None:
    forest = tk.Forest([random_tree(700, seed, reach=reach) for seed, reach in enumerate([2, 9])])
    made = tk.DistributedTrees(1024, 1.0, composition=composition, normalize=True)
    norms = np.linalg.norm(made.transform(forest).astype(np.float64), axis=1)
    np.testing.assert_allclose(norms, 1, atol=1e-5)


@up_to_a_million
def test_a_million_nodes(count: int) -> None:
    trees = ["(A " * count + "b" + ")" * count, f"(A {'(B x) ' * count})"]
    for decay in (0.4, 1.0):
        vectors = tk.DistributedTrees(16, decay, normalize=True).transform(trees)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("kernel", ["subset", "subtree"])
def test_tiny_decay(kernel: str, normalize: bool) -> None:
    """Productions alone are left; nothing turns into NaN."""
    tree = ("A", ("B", ("C", "x")), "y")
    made = embedding(1024, 1e-100, kernel=kernel, normalize=normalize)
    vector = made.transform([tree])[0]
    assert np.isfinite(vector).all()
    production = made.fragment_vector(("C", "x"))
    scale = 1.0 if normalize else 1e-50
    assert vector @ production > 0.5 * scale


def test_trees_without_fragments_have_the_zero_vector() -> None:
    for normalize in (True, False):
        vectors = tk.DistributedTrees(64, normalize=normalize).transform(["(A)", "(A b)"])
        assert not vectors[0].any()
        assert vectors[1].any()
    assert tk.DistributedTrees(64).transform([]).shape == (0, 64)


def test_normalized() -> None:
    forest = tk.Forest(random_forest(50, 4))
    plain = embedding(128).transform(forest)
    norms = np.linalg.norm(plain, axis=1, keepdims=True)
    expected = np.divide(plain, norms, out=np.zeros_like(plain), where=norms > 0)
    assert_near(embedding(128, normalize=True).transform(forest), expected)
