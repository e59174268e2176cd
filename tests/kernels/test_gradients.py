"""Derivatives of kernels by their parameters, against polynomials and against differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import treekernels as tk
from oracles import kernels as oracle
from oracles.polynomials import Polynomial
from treekernels.kernels.base.matrices import Run
from treekernels.testing.strategies import forests

DECAY, VERTICAL, CUT = (Polynomial.variable(name) for name in ("decay", "vertical", "cut"))
NUMBERS = st.sampled_from([0.4, 1.0, 0.5, 1e-3, 0.9])


def exact(
    polynomial: Callable[[Any, Any], Any], trees: list[Any], slopes: list[Any], values: Any
) -> tuple[Any, Any]:
    """Return a matrix and its derivatives, where the slopes are those of variables."""
    at = {name: Fraction(value) for name, value in values.items()}
    count = len(trees)
    matrix, gradient = np.zeros((count, count)), np.zeros((count, count, len(slopes)))
    for i in range(count):
        for j in range(count):
            value = polynomial(trees[i], trees[j])
            if not isinstance(value, Polynomial):
                value = Polynomial({(): value})
            matrix[i, j] = value.at(at)
            for k, (names, factor) in enumerate(slopes):
                gradient[i, j, k] = factor * sum(value.slope(name).at(at) for name in names)
    return matrix, gradient


def normalised(matrix: Any, gradient: Any) -> tuple[Any, Any]:
    """Return the same of ``K(x, y) / sqrt(K(x, x) K(y, y))``, value by value."""
    result, slopes = np.zeros_like(matrix), np.zeros_like(gradient)
    for i, j in np.ndindex(*matrix.shape):
        if matrix[i, i] == 0 or matrix[j, j] == 0 or matrix[i, j] == 0:
            continue
        result[i, j] = matrix[i, j] / math.sqrt(matrix[i, i]) / math.sqrt(matrix[j, j])
        for k in range(gradient.shape[2]):
            growth = [gradient[a, b, k] / matrix[a, b] for a, b in ((i, j), (i, i), (j, j))]
            slopes[i, j, k] = result[i, j] * (growth[0] - growth[1] / 2 - growth[2] / 2)
    return result, slopes


def check(kernel: tk.Kernel, trees: list[Any], expected: tuple[Any, Any]) -> None:
    """Compare a kernel that does not normalise, and the same that does, with what is exact."""
    texts = [oracle.to_brackets(tree) for tree in trees]
    for normalize in (False, True):
        kernel.set_params(normalize=normalize)
        matrix, gradient = kernel(texts, eval_gradient=True)
        values, slopes = normalised(*expected) if normalize else expected
        assert_allclose(matrix, values, rtol=1e-9, atol=1e-300)
        assert gradient.shape == slopes.shape
        # A normalised one is a difference of terms of about its elasticity.
        assert_allclose(gradient, slopes, rtol=1e-9, atol=1e-12 if normalize else 1e-300)
        assert_array_equal(kernel(texts, eval_gradient=True, n_jobs=3)[1], gradient)


@given(forests(min_trees=1, max_trees=4, max_nodes=8), NUMBERS, st.sampled_from([0.0, 0.5]))
def test_subtrees(trees: list[Any], decay: float, leaf_weight: float) -> None:
    def polynomial(a: Any, b: Any) -> Any:
        return oracle.kernel("subtree", a, b, decay=DECAY, leaf_weight=Fraction(leaf_weight))

    expected = exact(polynomial, trees, [(["decay"], 1)], {"decay": decay})
    check(tk.SubtreeKernel(decay, leaf_weight=leaf_weight), trees, expected)


@given(
    forests(min_trees=1, max_trees=4, max_nodes=8),
    NUMBERS,
    st.sampled_from([1.0, 0.25, 0.04, 4.0]),
    st.sampled_from([0.0, 0.5]),
)
@example([("A", ("B",)), ("A", ("B", ("x",)))], 0.5, 0.25, 0.0)  # B is a leaf in one of them
def test_subset_trees(
    trees: list[Any], decay: float, cut_weight: float, leaf_weight: float
) -> None:
    def polynomial(a: Any, b: Any) -> Any:
        return oracle.kernel(
            "subset", a, b, decay=DECAY, leaf_weight=Fraction(leaf_weight), cut_root=CUT
        )

    kernel = tk.SubsetTreeKernel(
        decay, cut_weight=cut_weight, leaf_weight=leaf_weight, cut_weight_bounds=(1e-3, 10.0)
    )
    slopes = [(["decay"], 1), (["cut"], 0.5)]
    values = {"decay": decay, "cut": math.sqrt(cut_weight)}
    check(kernel, trees, exact(polynomial, trees, slopes, values))


@given(
    forests(min_trees=1, max_trees=4, max_nodes=8),
    NUMBERS,
    NUMBERS,
    st.sampled_from(["skipped", "span"]),
)
def test_partial_trees(trees: list[Any], decay: float, vertical: float, gaps: Any) -> None:
    def polynomial(a: Any, b: Any) -> Any:
        return oracle.kernel("partial", a, b, decay=DECAY, vertical_decay=VERTICAL, gaps=gaps)

    slopes = [(["decay"], 1), (["vertical"], 1)]
    expected = exact(polynomial, trees, slopes, {"decay": decay, "vertical": vertical})
    check(tk.PartialTreeKernel(decay, vertical, gaps=gaps), trees, expected)


@pytest.mark.parametrize("name", ["subtree", "subset", "partial"])
@given(forests(min_trees=1, max_trees=3, max_nodes=7), st.sampled_from(["linear", "binary"]))
@settings(max_examples=25, deadline=None)
def test_decays_of_labels_beside_weights(name: str, trees: list[Any], counts: Any) -> None:
    """Each label may have a decay of its own, and all of them a derivative."""
    decays: dict[str | None, float] = {"A": 0.5, None: 0.75}
    weights = {"B": 0.5}
    variables = {"A": Polynomial.variable("A")}

    def decay(labels: tuple[str, ...]) -> Polynomial:
        return variables.get(labels[0], Polynomial.variable("others"))

    def weight(labels: tuple[str, ...]) -> Fraction:
        return Fraction(weights.get(labels[0], 1.0))

    by_label = {"vertical_decay": decay} if name == "partial" else {"decay": decay}
    more = {"decay": Fraction(1, 2)} if name == "partial" else {}

    def polynomial(a: Any, b: Any) -> Any:
        return oracle.kernel(name, a, b, weight=weight, counts=counts, **by_label, **more)

    kernels: dict[str, Callable[..., Any]] = {
        "subtree": tk.SubtreeKernel,
        "subset": tk.SubsetTreeKernel,
        "partial": lambda decay, **others: tk.PartialTreeKernel(
            0.5, decay, decay_bounds="fixed", **others
        ),
    }
    kernel = kernels[name](decays, weights=weights, counts=counts)
    slopes = [(["A"], 1), (["others"], 1)]
    check(kernel, trees, exact(polynomial, trees, slopes, {"A": 0.5, "others": 0.75}))


WIDE = ["(S " + "(A a) (B b) " * n + "c)" for n in (1, 3, 8)] + ["(S (B b) c)"]
DEEP = ["(S (A a) (B (A (B b) (A a))))", "(S (A c) (B (A (B b) (A a))))", "(S (A a) (B b))", "(S)"]
COMBINATIONS: list[tk.Kernel] = [
    tk.SubtreeKernel(0.6),
    tk.SubsetTreeKernel(0.3, cut_weight=0.7, cut_weight_bounds=(0.1, 1.0)),
    tk.SubsetTreeKernel({"A": 0.2, "B": 0.9, None: 0.5}, normalize=False),
    tk.PartialTreeKernel(0.5, 0.3),
    tk.PartialTreeKernel(0.5, {"A": 0.2, None: 0.6}, gaps="span", normalize=False),
    tk.PartialTreeKernel(0.5, 0.3, similarity={("a", "b"): 0.6, ("A", "B"): 0.5}),
    tk.PartialTreeKernel(0.5, 0.3, similarity={"a": "word", "b": "word", "A": "tag", "B": "tag"}),
    tk.PartialTreeKernel(
        0.5, {"A": 0.2, None: 0.6}, similarity={("A", "B"): 0.5, ("a", "b"): 0.3}, normalize=False
    ),
    0.5 * tk.SubsetTreeKernel(0.4) + 2.0 * tk.PartialTreeKernel(0.2, 0.3) + 0.3,
    tk.SubsetTreeKernel(0.4) * tk.SubtreeKernel(0.3),
    tk.SubsetTreeKernel(0.4, normalize=False) ** 2,
    tk.PartialTreeKernel(0.4) ** 0.5,
    tk.NormalizedKernel(
        tk.SubsetTreeKernel(0.4, normalize=False) + 3 * tk.SubtreeKernel(0.5, normalize=False)
    ),
    tk.SubsetTreeKernel(0.4) * tk.ElasticTreeKernel(0.4) + tk.SubpathKernel(),
]


@pytest.mark.parametrize("trees", [WIDE, DEEP], ids=["wide", "deep"])
@pytest.mark.parametrize("kernel", COMBINATIONS, ids=repr)
def test_differences(kernel: tk.Kernel, trees: list[str]) -> None:
    """The derivatives are those that values show from both sides."""
    theta = kernel.theta
    _, gradient = kernel(trees, eval_gradient=True)
    assert gradient.shape == (len(trees), len(trees), len(theta))
    step = 1e-5
    for k in range(len(theta)):
        beside = [theta.copy(), theta.copy()]
        beside[0][k] -= step
        beside[1][k] += step
        low, high = (kernel.clone_with_theta(one)(trees) for one in beside)
        scale = max(1.0, float(np.abs(gradient[:, :, k]).max()))
        assert_allclose(gradient[:, :, k], (high - low) / (2 * step), atol=1e-7 * scale)


def test_values_and_derivatives_that_gpy_has() -> None:
    """Facts from the tests of tree kernels in a fork of GPy, where lambda and sigma are real."""
    four = ["(S (NP a) (VP v))", "(S (NP a1) (VP v))", "(S (NP (NP a)) (VP (V c)))", "(S (VP v2))"]
    counting = tk.SubsetTreeKernel(1.0, cut_weight_bounds=(0.1, 2.0), normalize=False)
    matrix, gradient = counting(four, eval_gradient=True)
    assert_array_equal(matrix, [[6, 3, 2, 0], [3, 6, 1, 0], [2, 1, 15, 0], [0, 0, 0, 3]])
    assert_array_equal(gradient[0, 2], [2, 2])
    ideas = ["(S (NP (ADJ colorless) (N ideas)) (VP (V sleep) (ADV furiously)))"]
    assert tk.SubsetTreeKernel(1, cut_weight=0, normalize=False)(ideas) == [[7]]
    assert counting(ideas) == [[37]]
    # At the roots alone: what the kernel has beyond the two nodes below.
    one, other = "(S (NP N) (VP V))", "(S (NP NS) (VP V))"
    known = {(1, 0.5): (2.25, 5.25, 3), (0.5, 1): (1.125, 3.75, 1.5), (0.5, 0.5): (0.5, 2, 1)}
    for (decay, cut), (value, by_decay, by_cut) in known.items():
        kernel = tk.SubsetTreeKernel(
            decay, cut_weight=cut, cut_weight_bounds=(0.1, 2), normalize=False
        )
        matrix, gradient = kernel([one], eval_gradient=True)
        assert_allclose(matrix[0, 0] - 2 * decay, value, rtol=1e-9)
        assert_allclose(gradient[0, 0] / [decay, cut], [by_decay + 2, by_cut], rtol=1e-9)
    matrix, gradient = counting([one, other], eval_gradient=True)
    assert matrix[0, 1] - 1 == 2
    assert_array_equal(gradient[0, 1] - [1, 0], [3, 3])


def test_cut_weight_leads_from_subtrees_to_subset_trees() -> None:
    trees = DEEP + WIDE
    for normalize in (False, True):
        none = tk.SubsetTreeKernel(0.4, cut_weight=0, normalize=normalize)
        assert_allclose(none(trees), tk.SubtreeKernel(0.4, normalize=normalize)(trees), rtol=1e-12)
        nearly = tk.SubsetTreeKernel(0.4, cut_weight=1 - 1e-12, normalize=normalize)
        whole = tk.SubsetTreeKernel(0.4, normalize=normalize)
        assert_allclose(nearly(trees), whole(trees), rtol=1e-9)
    cut = tk.SubsetTreeKernel(0.4, cut_weight=0.3)
    for algorithm in ("ftk", "qtk"):
        other = tk.SubsetTreeKernel(0.4, cut_weight=0.3, algorithm=algorithm)
        assert_allclose(other(trees), cut(trees), rtol=1e-12)
    assert_allclose(cut(trees[:3], trees[3:]), cut(trees)[:3, 3:], rtol=1e-12)
    assert cut.needs_gram
    assert cut.fragments is None
    assert tk.parse_kernel("sst(0.4, cut_weight=0.3)") == cut


def test_large_trees() -> None:
    """Values that no float holds, in the wide numbers of the core."""
    trees = ["(S " + f"(A a) (B (C {n % 2})) " * (600 + n) + ")" for n in range(3)]
    kernel = tk.SubsetTreeKernel(0.9)
    theta = kernel.theta
    _, gradient = kernel(trees, eval_gradient=True)
    low, high = (kernel.clone_with_theta(theta + step)(trees) for step in (-1e-6, 1e-6))
    assert_allclose(gradient[:, :, 0], (high - low) / 2e-6, atol=1e-6)
    plain = tk.SubsetTreeKernel(0.9, normalize=False)
    with pytest.raises(tk.KernelOverflowError, match="too large"):
        plain.fill_gradient(plain.examples(trees), np.empty((3, 3, 1)), Run())


def test_missing_trees_have_no_derivatives() -> None:
    trees = tk.Forest(["(A b)", "(-MISSING-)", "(A (B b))"])
    _, gradient = tk.SubsetTreeKernel(normalize=False)(trees, eval_gradient=True)
    assert gradient[0, 0, 0] > 0
    assert not gradient[1].any()
    assert not gradient[:, 1].any()


def test_refusals() -> None:
    kernel = tk.SubsetTreeKernel()
    with pytest.raises(tk.ParameterError, match="without Y"):
        kernel(DEEP, WIDE, eval_gradient=True)
    with pytest.raises(tk.ParameterError, match="decay_bounds must be two numbers or 'fixed'"):
        tk.SubsetTreeKernel(decay_bounds=0.3)(DEEP)  # type: ignore[arg-type]
    with pytest.raises(tk.ParameterError, match="the upper of decay_bounds must be"):
        tk.SubsetTreeKernel(decay_bounds=(0.3, 0.1))(DEEP)
    with pytest.raises(tk.ParameterError, match="has 1 hyperparameters, and not 2"):
        kernel.clone_with_theta(np.zeros(2))
    before = tk.set_limits(matrix_bytes=600)
    try:
        with pytest.raises(tk.KernelMemoryError, match="derivatives"):
            (kernel + tk.PartialTreeKernel())(DEEP * 2, eval_gradient=True)
    finally:
        tk.set_limits(before)
