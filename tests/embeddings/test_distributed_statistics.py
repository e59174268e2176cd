"""Statistical properties of compositions and of the estimate they give.

The seeds are fixed, so that these tests always give the same answer. Limits are such that with
other seeds each test would fail by chance with the probability that it states, or less.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import treekernels as tk
from helpers import random_forest

Vector = NDArray[Any]
WAYS = [(c, p) for c in ("sign", "product", "convolution") for p in ("fast", "random")]
every_way = pytest.mark.parametrize(("composition", "permutations"), WAYS)
D = 8192


def made(composition: str, permutations: str, **more: Any) -> tk.DistributedTrees:
    options = {"dimension": D, "dtype": "float64", **more}
    return tk.DistributedTrees(composition=composition, permutations=permutations, **options)


def labels(embedding: tk.DistributedTrees, count: int) -> list[Vector]:
    return [embedding.fragment_vector((f"label {number}",)) for number in range(count)]


def deviations(products: list[float], dimension: int = D) -> Vector:
    """Dot products of unit vectors, in units of what independent ones would have."""
    return np.abs(products) * np.sqrt(dimension)


@every_way
def test_labels_are_nearly_orthonormal(composition: str, permutations: str) -> None:
    """4,950 pairs, each a standard normal number: beyond 5.5 by chance in 2 of 10,000 runs."""
    vectors = np.array(labels(made(composition, permutations), 100))
    products = vectors @ vectors.T
    np.testing.assert_allclose(np.diagonal(products), 1, atol=1e-9)
    assert deviations(products[np.triu_indices(100, 1)]).max() < 5.5


@every_way
def test_bilinearity(composition: str, permutations: str) -> None:
    """Property 2.3, to rounding."""
    embedding = made(composition, permutations)
    compose = embedding.compose
    a, b, c = labels(embedding, 3)
    for left, right in [
        (compose(a + b, c), compose(a, c) + compose(b, c)),
        (compose(c, a + b), compose(c, a) + compose(c, b)),
        (compose(3.7 * a, b), 3.7 * compose(a, b)),
        (compose(a, 3.7 * b), 3.7 * compose(a, b)),
    ]:
        np.testing.assert_allclose(left, right, atol=1e-14)


@every_way
def test_norms_are_kept(composition: str, permutations: str) -> None:
    """Property 2.4: exactly for signs and for spectra of modulus 1; for normal numbers, the mean
    square of 50 is within five standard errors.
    """
    embedding = made(composition, permutations)
    vectors = labels(embedding, 100)
    norms = np.array(
        [
            np.linalg.norm(embedding.compose(a, b))
            for a, b in zip(vectors[::2], vectors[1::2], strict=True)
        ]
    )
    if composition == "sign" or (composition, permutations) == ("convolution", "fast"):
        np.testing.assert_allclose(norms, 1, rtol=1e-12)
    else:
        # Squares of products of normal numbers have a variance of 8, of complex ones of 3.
        assert abs((norms**2).mean() - 1) < 5 * np.sqrt(8 / D / 50)


def test_fast_permutations_are_permutations_of_all_elements() -> None:
    """compose(a, b)[i] = sqrt(d) a[p1[i]] b[p2[i]], and p1 and p2 do not commute."""
    for permutations in ("fast", "random"):
        embedding = made("sign", permutations, dimension=3000)
        scale = np.sqrt(3000)
        numbers, ones = np.arange(3000.0), np.ones(3000)
        first = np.rint(embedding.compose(numbers, ones) / scale).astype(int)
        second = np.rint(embedding.compose(ones, numbers) / scale).astype(int)
        assert sorted(first) == sorted(second) == list(range(3000))
        assert (first[second] != second[first]).mean() > 0.99
        assert (first != np.arange(3000)).mean() > 0.99
        rng = np.random.default_rng(0)
        a, b = rng.normal(size=(2, 3000))
        expected = scale * a[first] * b[second]
        np.testing.assert_allclose(embedding.compose(a, b), expected, rtol=1e-12)


@pytest.mark.parametrize("permutations", ["fast", "random"])
def test_convolution_is_one_of_permuted_vectors(permutations: str) -> None:
    """Of single ones it is a single one, at a place that is a sum of permuted places."""
    d = 64
    embedding = made("convolution", permutations, dimension=d)
    basis = np.eye(d)
    if permutations == "fast":  # columns are coefficients of the real Fourier transform
        k = np.arange(1, d // 2)
        turns = 2 * np.pi * np.outer(np.arange(d), k) / d
        middle = np.stack([np.cos(turns), -np.sin(turns)], axis=2).reshape(d, -1)
        ends = np.array([np.ones(d), (-1.0) ** np.arange(d)]).T
        basis = np.hstack([ends[:, :1], np.sqrt(2) * middle, ends[:, 1:]]) / np.sqrt(d)
        np.testing.assert_allclose(basis @ basis.T, np.eye(d), atol=1e-12)

    def place(i: int, j: int) -> int:
        in_time = basis @ embedding.compose(basis[i], basis[j])
        assert sorted(np.rint(in_time)) == [0] * (d - 1) + [1]
        np.testing.assert_allclose(in_time, np.rint(in_time), atol=1e-9)
        return int(in_time.argmax())

    rows = np.array([place(i, 0) for i in range(d)])
    columns = np.array([place(0, j) for j in range(d)])
    assert sorted(rows) == sorted(columns) == list(range(d))
    rng = np.random.default_rng(1)
    for i, j in rng.integers(0, d, (20, 2)):
        assert place(i, j) == (rows[i] + columns[j] - rows[0]) % d


@every_way
def test_the_estimate_is_unbiased_and_as_exact_as_theory_says(
    composition: str, permutations: str
) -> None:
    """Over 60 seeds, the mean is within 5 standard errors of the kernel for each of 45 pairs (by
    chance 2 in 10,000), and the variance is K(T,T) K(S,S) / d up to a factor of 3.5.
    """
    forest = tk.Forest(random_forest(10, 12, size=12))
    exact = tk.SubsetTreeKernel(0.3, normalize=False)(forest)
    estimates = []
    for seed in range(60):
        vectors = made(composition, permutations, dimension=512, decay=0.3, seed=seed).transform(
            forest
        )
        estimates.append(vectors @ vectors.T)
    pairs = np.triu_indices(len(forest), 1)
    values = np.array(estimates)[:, pairs[0], pairs[1]]
    expected = exact[pairs]
    error = values.std(axis=0, ddof=1) / np.sqrt(60)
    sure = error > 0
    assert (np.abs(values.mean(axis=0) - expected)[sure] < 5 * error[sure]).all()
    norms = np.diagonal(exact)
    theory = (norms[pairs[0]] * norms[pairs[1]] / 512)[sure]
    ratio = np.median(values.var(axis=0, ddof=1)[sure] / theory)
    assert 1 / 3.5 < ratio < 3.5
