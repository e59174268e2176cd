"""Distributed partial trees and pairs, against sums over fragments that are listed one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import treekernels as tk
from oracles import kernels as oracle
from treekernels.testing.strategies import forests, trees

TREES = [
    "(S (A a) (B b) (A c))",
    "(S (A a) (A c))",
    "(S (B (A a) (B b)) (A a))",
    "(root (saw (I) (man (the)) (with (telescope (a)))))",
    "(root (saw (She) (man (a) (old))))",
]


def fragment_vector(embedding: tk.DistributedTrees, fragment: Any) -> Any:
    """The composition of a fragment's labels, from the right, the parent's last."""
    label, *children = fragment
    if not children:
        return embedding.label_vector(label)
    below = fragment_vector(embedding, children[-1])
    for child in reversed(children[:-1]):
        below = embedding.compose(fragment_vector(embedding, child), below)
    return embedding.compose(embedding.label_vector(label, head=True), below)


def listed_vector(embedding: tk.DistributedTrees, tree: Any) -> Any:
    """The sum over all partial trees, each with the weight of its occurrences."""
    vectors = oracle.partial_features(
        tree, embedding.decay, embedding.vertical_decay, embedding.gaps
    )
    return sum(
        float(weight.side) * math.sqrt(weight.shared) * fragment_vector(embedding, fragment)
        for fragment, weight in vectors.items()
    )


@given(
    forests(min_trees=1, max_trees=3, max_nodes=7),
    st.sampled_from([("sign", "fast"), ("sign", "random"), ("product", "fast")]),
    st.sampled_from(["skipped", "span"]),
    st.sampled_from([(0.4, 0.4), (1.0, 1.0), (0.3, 0.9)]),
)
def test_vectors_are_sums_over_fragments(some: Any, kind: Any, gaps: Any, decays: Any) -> None:
    embedding = tk.DistributedTrees(
        48,
        decays[0],
        kind[0],
        permutations=kind[1],
        kernel="partial",
        vertical_decay=decays[1],
        gaps=gaps,
        dtype="float64",
    )
    vectors = embedding.fit_transform([oracle.to_brackets(tree) for tree in some])
    for vector, tree in zip(vectors, some, strict=True):
        assert_allclose(vector, listed_vector(embedding, tree), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", ["convolution", "sign"])
def test_dot_products_estimate_the_kernel(kind: Any) -> None:
    """Over many seeds the mean is the value, and the error falls with the root of the dimension."""
    exact = tk.PartialTreeKernel(0.5, 0.6, normalize=False)(TREES)
    deviations = {}
    for dimension in (128, 1024):
        estimates = []
        for seed in range(60):
            vectors = tk.DistributedTrees(
                dimension, 0.5, kind, kernel="ptk", vertical_decay=0.6, seed=seed, dtype="float64"
            ).fit_transform(TREES)
            estimates.append(vectors @ vectors.T)
        mean, deviation = np.mean(estimates, axis=0), np.std(estimates, axis=0)
        # The values of a pair are nearly normally distributed: 4.5 standard errors are rare.
        assert (np.abs(mean - exact) <= 4.5 * deviation / math.sqrt(60) + 1e-9).all()
        roots = np.sqrt(np.diag(exact))
        deviations[dimension] = float((deviation / np.outer(roots, roots)).mean())
    ratio = deviations[128] / deviations[1024]
    assert 2.1 < ratio < 3.8  # the root of 8 is 2.83


def test_same_bits_for_any_threads_and_batches() -> None:
    many = tk.Forest([*TREES * 120, "(x)"])
    embedding = tk.DistributedTrees(256, kernel="partial")
    vectors = embedding.fit_transform(many)
    assert_array_equal(embedding.set_params(n_jobs=3).transform(many), vectors)
    for place in (0, 3, 600):
        assert_array_equal(embedding.transform(many[place : place + 1])[0], vectors[place])
    blocks = np.vstack([block for _, block in embedding.blocks(many, rows=77)])
    assert_array_equal(blocks, vectors)


def test_normalised_and_missing() -> None:
    some = tk.Forest([TREES[0], "(-MISSING-)", TREES[1]])
    vectors = tk.DistributedTrees(64, kernel="ptk", normalize=True).fit_transform(some)
    assert_allclose(np.linalg.norm(vectors, axis=1), [1, 0, 1], rtol=1e-6)


def test_wide_and_deep_trees() -> None:
    """A node with many children, and many levels: time and memory do not explode."""
    wide = "(S " + "(A a) (B b) " * 2000 + ")"
    deep = "(A " * 5000 + "a" + ")" * 5000
    bushy = "(A a b)"
    for _ in range(12):
        bushy = f"(A {bushy} {bushy} {bushy})"
    vectors = tk.DistributedTrees(64, 0.1, kernel="partial", vertical_decay=0.1).fit_transform(
        [wide, deep]
    )
    assert np.isfinite(vectors).all()
    with pytest.raises(tk.KernelOverflowError, match="too large"):
        tk.DistributedTrees(64, 1.0, kernel="partial", vertical_decay=1.0).fit_transform([bushy])


def test_refusals() -> None:
    with pytest.raises(tk.ParameterError, match="partial trees have none"):
        tk.DistributedTrees(64, kernel="partial", min_df=2).fit(TREES)
    with pytest.raises(tk.ParameterError, match="gaps must be"):
        tk.DistributedTrees(64, gaps="none").fit(TREES)  # type: ignore[arg-type]
    with pytest.raises(tk.ParameterError, match="is odd"):
        tk.DistributedPairs(63, combine="sum").fit([])


PAIRS = tk.Pairs(
    ["(S (A a) (B b))", "(S (A a) (B c))", "(T (A:1 a))"],
    ["(T (A a))", "(T (A b) (B b))", "(T (A:1 a) (B b))"],
)


@given(st.lists(st.tuples(trees(5), trees(5)), min_size=1, max_size=2))
@settings(max_examples=20, deadline=None)
def test_vectors_of_pairs_are_sums_over_pairs_of_fragments(some: Any) -> None:
    texts, hypotheses = ([oracle.to_brackets(pair[side]) for pair in some] for side in (0, 1))
    pairs = tk.Pairs(texts, hypotheses)
    embedding = tk.DistributedPairs(32, 0.5, kernel="partial", dtype="float64")
    sides = tk.DistributedTrees(32, 0.5, kernel="partial", dtype="float64")
    for vector, (text, hypothesis) in zip(embedding.fit_transform(pairs), some, strict=True):
        expected = np.zeros(32)
        for first, own in oracle.partial_features(text, 0.5, 0.4).items():
            for other, its in oracle.partial_features(hypothesis, 0.5, 0.4).items():
                weight = float(own.side) * float(its.side) * math.sqrt(own.shared * its.shared)
                expected += weight * sides.compose(
                    fragment_vector(sides, first), fragment_vector(sides, other)
                )
        assert_allclose(vector, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("combine", ["product", "sum"])
def test_dot_products_of_pairs_estimate_their_kernel(combine: Any) -> None:
    text, hypothesis = (
        tk.SubsetTreeKernel(0.5, normalize=False, on=side) for side in ("text", "hypothesis")
    )
    exact = (text * hypothesis if combine == "product" else text + hypothesis)(PAIRS)
    estimates = []
    for seed in range(100):
        embedding = tk.DistributedPairs(256, 0.5, combine=combine, seed=seed, dtype="float64")
        vectors = embedding.fit_transform(PAIRS)
        estimates.append(vectors @ vectors.T)
    mean, deviation = np.mean(estimates, axis=0), np.std(estimates, axis=0)
    assert (np.abs(mean - exact) <= 4.5 * deviation / 10 + 1e-9).all()
    if combine == "product":  # the rules that pairs without placeholders share
        rules = tk.TripartiteKernel(0.5, normalize=False)(PAIRS.plain())
        assert_allclose(rules, exact, rtol=1e-12)


def test_pairs_in_files_tables_and_blocks(tmp_path: Any) -> None:
    embedding = tk.DistributedPairs(64, normalize=True)
    vectors = embedding.fit_transform(PAIRS)
    assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=0.5)
    table = {"a": PAIRS["text"], "b": PAIRS["hypothesis"]}
    named = tk.DistributedPairs(64, normalize=True, on=["a", "b"])
    assert_array_equal(named.fit_transform(table), vectors)
    assert_array_equal(embedding.transform(PAIRS, out=tmp_path / "vectors.npy"), vectors)
    assert_array_equal(np.vstack([rows for _, rows in embedding.blocks(PAIRS, rows=2)]), vectors)
    tk.save(embedding, tmp_path / "pairs.tkm")
    assert_array_equal(tk.load(tmp_path / "pairs.tkm").transform(PAIRS), vectors)
    assert embedding.get_feature_names_out()[0] == "distributedpairs0"
