"""Sizes and parameters at the ends of what is possible, against closed forms and exact numbers."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import lfilter

import treekernels as tk
from helpers import (
    ALGORITHMS,
    SETTINGS,
    Setting,
    make,
    random_forest,
    random_tree,
    relabelled,
    up_to_a_million,
)
from oracles import kernels as oracle

MILLION = 1_000_000
every_kernel = pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)


def close(actual: Any, desired: Any) -> None:
    np.testing.assert_allclose(actual, desired, rtol=1e-9, atol=1e-300)


def above(children: Iterable[str]) -> str:
    return f"(A {' '.join(children)})"


def chain(length: int, label: Callable[[int], str], leaf: str = "b") -> str:
    """A chain whose node at height i, from 1 just above the leaf, is labelled `label(i)`."""
    opening = " ".join(f"({label(height)}" for height in range(length, 0, -1))
    return f"{opening} {leaf}{')' * length}"


def quotient(joint: int, norm_a: int, norm_b: int) -> float:
    """Joint / sqrt(norm_a * norm_b) of whole numbers of any size."""
    norms = norm_a * norm_b
    shift = 64 + max(0, norms.bit_length() - 2 * joint.bit_length()) // 2
    return math.ldexp(math.isqrt((joint**2 << 2 * shift) // norms), -shift)


# A million children, a million levels, a hundred thousand labels.


@pytest.mark.parametrize(("decay", "leaf_weight"), [(0.4, 0.3), (1.0, 0.0)])
def test_a_million_equal_preterminals(decay: float, leaf_weight: float) -> None:
    """Two nodes with the same number of children, of which the last differs.

    Below the root there are (n - 1) n pairs of equal pre-terminals between the two trees, n**2
    and (n - 1)**2 + 1 within them, and as many of equal leaves. That is nothing beside the subset
    trees at the root: decay (1 + decay)**n within, and (1 + decay) times less between.
    """
    n = MILLION
    forest = tk.Forest([above(["(B x)"] * n), above(["(B x)"] * (n - 1) + ["(B y)"])])
    weight, root = decay + leaf_weight, decay ** (n + 1)
    joint = weight * n * (n - 1)
    norms = weight * n**2 + root, weight * ((n - 1) ** 2 + 1) + root
    subtree = joint / math.sqrt(norms[0]) / math.sqrt(norms[1])
    close(tk.SubtreeKernel(decay, leaf_weight=leaf_weight)(forest), [[1, subtree], [subtree, 1]])
    subset = 1 / (1 + decay)
    close(tk.SubsetTreeKernel(decay, leaf_weight=leaf_weight)(forest), [[1, subset], [subset, 1]])


@pytest.mark.parametrize("most", [200, 255, 256, 300, 70_000])
def test_many_equal_subtrees_are_counted_exactly(most: int) -> None:
    # Sums of counts that 16 bits hold, then 32, then neither; single counts up to 255, which is the
    # most that 8 bits hold, and above.
    counts = [1, 3, 40, 254, most]
    parts = [
        "".join(f"(R{tree}.{i} (B (A a)) " for i in range(count)) + "x" + ")" * count
        for tree, count in enumerate(counts)
    ]
    trees = tk.Forest.from_brackets(parts * 4)
    decay = 0.4
    expected = (decay + decay * (1.0 + decay)) * np.outer(counts, counts)
    kernel = tk.SubsetTreeKernel(decay=decay, normalize=False)
    for matrix in (kernel(trees), kernel(trees, trees)):
        for i, j in np.ndindex(matrix.shape):
            if (i - j) % len(counts):  # different trees, which share no more than (B (A a))
                value = expected[i % len(counts), j % len(counts)]
                assert matrix[i, j] == pytest.approx(value, rel=1e-14)


@up_to_a_million
def test_a_million_different_preterminals(count: int) -> None:
    """Ten words of all are others, at equal distances."""
    n = count
    changed = 10
    one = above(f"(B w{i})" for i in range(n))
    two = above(f"(B v{i})" if i % (n // changed) == 0 else f"(B w{i})" for i in range(n))
    forest = tk.Forest([one, two])
    for decay in (0.4, 1.0):
        subtree = (n - changed) / (n + decay**n)
        close(tk.SubtreeKernel(decay)(forest), [[1, subtree], [subtree, 1]])
        subset = (1 + decay) ** -changed
        close(tk.SubsetTreeKernel(decay)(forest), [[1, subset], [subset, 1]])


def chain_kernel(n: int, m: int, period: int, decay: float) -> float:
    """K of chains of n and m nodes above equal leaves, the labels repeating with some period.

    Nodes at heights i and j have the same label when the period divides i - j. Going down from
    there, the productions agree all the way to the leaf if i = j, and otherwise until the lower
    one is next to its leaf: C(i, j) = sum of decay**k for k from 1 to min(i, j) - [i != j]. An i
    is the lower one of as many pairs as there are heights of its label above it.
    """
    lengths = np.arange(max(n, m) + 1, dtype=np.float64)
    geometric = lengths if decay == 1 else decay * (1 - decay**lengths) / (1 - decay)

    def lower_in_first(n: int, m: int) -> float:
        heights = np.arange(1, min(n, m) + 1)
        return math.fsum(geometric[heights - 1] * ((m - heights) // period))

    equal = math.fsum(geometric[1 : min(n, m) + 1])
    return equal + lower_in_first(n, m) + lower_in_first(m, n)


def long_chains(length: int, period: int) -> tk.Forest:
    """Return a chain and one of three quarters of its length."""
    lengths = (length, length * 3 // 4)
    return tk.Forest([chain(each, lambda i: f"L{i % period}") for each in lengths])


def check_subset_of_chains(forest: tk.Forest, period: int, decay: float) -> None:
    long, short = (int(depth) - 1 for depth in forest.depths)
    joint, *norms = (
        chain_kernel(n, m, period, decay) for n, m in [(long, short), (long, long), (short, short)]
    )
    expected = joint / math.sqrt(norms[0]) / math.sqrt(norms[1])
    close(tk.SubsetTreeKernel(decay)(forest), [[1, expected], [expected, 1]])


def check_subtree_of_chains(forest: tk.Forest, decay: float) -> None:
    """The shorter chain is the lower part of the longer one: sum of decay**i up to its length."""
    long, short = forest.depths - 1
    expected = math.sqrt(short / long) if decay == 1 else 1.0
    close(tk.SubtreeKernel(decay)(forest), [[1, expected], [expected, 1]])


def check_partial_of_chains(forest: tk.Forest, decay: float) -> None:
    """All labels differ: C(i) = mu (lambda**2 + C(i - 1)), from the leaf at height 0 on."""
    long, short = forest.depths
    local = lfilter([1], [1, -decay], np.full(long, decay**3))
    expected = math.sqrt(math.fsum(local[:short]) / math.fsum(local))
    close(tk.PartialTreeKernel(decay, decay)(forest), [[1, expected], [expected, 1]])


@up_to_a_million
def test_chain_of_a_million_labels(count: int) -> None:
    period = 2 * count
    forest = long_chains(count, period)
    for decay in (0.4, 1.0):
        check_subtree_of_chains(forest, decay)
        check_subset_of_chains(forest, period, decay)
        check_partial_of_chains(forest, decay)


@up_to_a_million
def test_chain_with_a_period(count: int) -> None:
    period = count // 10
    forest = long_chains(count, period)
    for decay in (0.4, 1.0):
        check_subtree_of_chains(forest, decay)
        check_subset_of_chains(forest, period, decay)


@pytest.mark.parametrize("decay", [1.0, 0.4, 3e-16, 1.7e-16, 1.2e-16, 1e-16])
def test_chains_above_and_below_branches(decay: float) -> None:
    """Subset trees take another way through chains; some decays hardly raise anything."""
    texts = tk.Forest(random_forest(30, seed=4)).to_brackets()
    forest = tk.Forest(
        [chain(70 + i % 3, lambda i: "AB"[i % 2], text) for i, text in enumerate(texts)]
        + [f"(A {text} {chain(80, lambda i: 'AB'[i % 2])} {text})" for text in texts]
        + texts
    )
    kernels = [tk.SubsetTreeKernel(decay, algorithm=a, normalize=False) for a in ("corpus", "ftk")]
    for trees in (forest, forest[-len(texts) :]):
        one, other = (kernel(trees) for kernel in kernels)
        np.testing.assert_allclose(one, other, rtol=1e-10)


@pytest.mark.parametrize("name", ["subtree", "subset", "partial", "elastic", "ordered"])
def test_a_hundred_thousand_labels(name: str) -> None:
    """Trees of 40 labels each, of which the next tree has half, and the others none."""
    texts = [above(f"(L{i} x)" for i in range(s, s + 40)) for s in range(0, 100_000, 20)]
    forest = tk.Forest(texts)
    assert forest.n_labels > 100_000
    trees = [oracle.parse(text) for text in texts[:3]]
    parameters = {"decay": 1.0, "vertical_decay": 1.0} if name == "partial" else {"decay": 1.0}
    row = make((name, parameters))(forest[:1], forest)[0]
    expected = [oracle.normalized(name, trees[0], tree) for tree in trees]
    close(row[:3], expected)
    close(row[3:], np.full(len(texts) - 3, expected[2]))


# Values beyond the range of floats.


@pytest.mark.parametrize(
    ("name", "size", "reach", "kernels"),
    [
        ("subset", 5000, 30, [tk.SubsetTreeKernel(1.0)]),
        (
            "partial",
            1700,
            1000,
            [tk.PartialTreeKernel(1.0, 1.0), tk.ElasticTreeKernel(1.0, elastic=False)],
        ),
        pytest.param("elastic", 1300, 30, [tk.ElasticTreeKernel(1.0)], marks=pytest.mark.slow),
    ],
)
def test_large_trees_without_decay(
    name: str, size: int, reach: int, kernels: list[tk.Kernel]
) -> None:
    one = random_tree(size, seed=1, labels=[f"L{i}" for i in range(100)], reach=reach)
    two = relabelled(one, 3, seed=3)
    joint, *norms = (oracle.recursive(name, a, b) for a, b in [(one, two), (one, one), (two, two)])
    assert min(norms) > 2**1024
    expected = quotient(joint, *norms)
    assert 1e-6 < expected < 0.999
    for kernel in kernels:
        for algorithm in ALGORITHMS:
            actual = kernel.set_params(algorithm=algorithm)([one, two])
            close(actual, [[1, expected], [expected, 1]])


def preterminals(count: int) -> str:
    """Has 2**count + count**2 subset trees in common with itself."""
    return above(["(B x)"] * count)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_values_too_large_for_a_double(algorithm: Any) -> None:
    kernel = tk.SubsetTreeKernel(1.0, normalize=False, algorithm=algorithm)
    for compute in (
        kernel,
        kernel.diag,
        lambda X: kernel(X, X[:]),
        lambda X: list(kernel.blocks(X)),
    ):
        with pytest.raises(tk.KernelOverflowError, match="normalize=True"):
            compute([preterminals(1024)])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_values_just_small_enough_for_a_double(algorithm: Any) -> None:
    kernel = tk.SubsetTreeKernel(1.0, normalize=False, algorithm=algorithm)
    texts = [preterminals(1023), preterminals(1022)]
    small = 1023.0 * 1022.0
    assert kernel(texts).tolist() == [[2.0**1023, small], [small, 2.0**1022]]
    assert kernel.diag(texts).tolist() == [2.0**1023, 2.0**1022]


def test_values_too_large_for_single_precision() -> None:
    kernel = tk.SubsetTreeKernel(1.0, normalize=False)
    assert kernel([preterminals(127)], dtype=np.float32)[0, 0] == 2.0**127
    with pytest.raises(tk.KernelOverflowError, match="float64"):
        kernel([preterminals(128)], dtype=np.float32)


def test_large_value_in_one_place_only() -> None:
    """What fits is not lost when the norms do not."""
    kernel = tk.SubsetTreeKernel(1.0, normalize=False)
    assert kernel([preterminals(2000)], ["(B x)", "(C x)"]).tolist() == [[2000.0, 0.0]]


LARGE = tk.SubsetTreeKernel(1.0, normalize=False)


@pytest.mark.parametrize(
    "kernel", [LARGE * LARGE, LARGE**2, 1e200 * LARGE, LARGE + LARGE * LARGE], ids=repr
)
def test_combinations_too_large_for_a_double(kernel: tk.Kernel) -> None:
    texts = [preterminals(600)]
    for compute in (kernel, kernel.diag, lambda X: list(kernel.blocks(X))):
        with pytest.raises(tk.KernelOverflowError, match="normalize=True"):
            compute(texts)


# Wide nodes, whose pairs of children are many.


@pytest.mark.parametrize("gaps", ["skipped", "span"])
def test_wide_nodes_counted(gaps: Any) -> None:
    """The p children of a fragment can be chosen in two binomials of ways, each with 2**p below."""
    n, m = 1000, 950

    def count(n: int, m: int) -> int:
        at_root = sum(math.comb(n, p) * math.comb(m, p) * 2**p for p in range(min(n, m) + 1))
        return at_root + 3 * n * m  # pre-terminals twice, leaves

    expected = quotient(count(n, m), count(n, n), count(m, m))
    matrix = tk.PartialTreeKernel(1.0, 1.0, gaps=gaps)([preterminals(n), preterminals(m)])
    close(matrix, [[1, expected], [expected, 1]])


def partial_at_root(local: Callable[[int], NDArray[Any]], rows: int, decay: float) -> float:
    """Mu (lambda**2 + sum of D_p) with mu = lambda, from the rows of C of pairs of children."""
    before = np.zeros(len(local(0)) + 1)
    total = 0.0
    for row in range(rows):
        ending = local(row) * (1 + before[:-1])
        total += ending.sum()
        before[1:] = decay * before[1:] + lfilter([1], [1, -decay], ending)
    return decay * (decay**2 + total)


def partial_of_words(order: list[int], decay: float) -> float:
    """K of roots with pre-terminals of one label: all pairs match, those of equal words better."""
    n = len(order)
    alone, equal = decay**3, decay * (decay**2 + decay**3)

    def local(row: int) -> NDArray[np.float64]:
        return np.where(np.arange(n) == place[row], equal, alone)

    place = {word: column for column, word in enumerate(order)}
    return partial_at_root(local, n, decay) + n * (n - 1) * alone + n * equal + n * alone


def words(order: Iterable[int]) -> str:
    return above(f"(B x{number})" for number in order)


@pytest.mark.parametrize(
    ("count", "seconds"), [(5_000, 4), pytest.param(20_000, 60, marks=pytest.mark.slow)]
)
def test_a_node_with_many_different_children(count: int, seconds: float) -> None:
    kernel = tk.PartialTreeKernel(0.4, 0.4, normalize=False)
    order = list(range(count))
    started = time.process_time()
    close(kernel.diag([words(order)]), [partial_of_words(order, 0.4)])
    assert time.process_time() - started < seconds


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
def test_wide_nodes_need_little_memory() -> None:
    """Pairs of nodes would take 576 MB; the elastic kernel keeps half of them at a time."""
    script = """
import re
import treekernels as tk
def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
texts = [f"(A {' '.join(f'(B x{i})' for i in range(s, s + 3000))})" for s in (0, 1)]
forest = tk.Forest(texts)
kernels = tk.PartialTreeKernel(), tk.ElasticTreeKernel()
before = [kernel(forest[:0]) for kernel in kernels] and peak()
for kernel in kernels:
    kernel(forest)
    print(peak() - before)
"""
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    partial, elastic = map(int, result.stdout.split())
    assert partial < 150_000
    assert elastic < 450_000


# Nothing, and next to nothing.


@every_kernel
def test_empty_forests(setting: Setting) -> None:
    trees = ["(A b)", "(A (B c))", "(A)"]
    for algorithm in ALGORITHMS:
        kernel = make(setting, algorithm=algorithm)
        assert kernel([]).shape == (0, 0)
        assert kernel(trees, []).shape == (3, 0)
        assert kernel.diag([]).shape == (0,)
        assert list(kernel.blocks([], trees)) == []
        assert kernel(tk.Forest(), trees[:1]).shape == (0, 1)
        assert kernel(tk.Forest(), trees).shape == (0, 3)


# The hardest of the chains comes last.


@up_to_a_million
def test_chain_of_one_label(count: int) -> None:
    forest = long_chains(count, 1)
    for decay in (0.4, 1.0):
        check_subtree_of_chains(forest, decay)
        check_subset_of_chains(forest, 1, decay)
