"""The subpath kernel against the oracle, in Gram matrices and in learners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from helpers import random_tree
from oracles import kernels as oracle
from oracles.kernels import Tree
from treekernels.testing.strategies import forests

lengths = st.sampled_from([None, 1, 2, 5])


def expected(trees: list[Tree], **parameters: Any) -> Any:
    values = [[oracle.kernel("subpath", a, b, **parameters) for b in trees] for a in trees]
    return np.array(values).reshape(len(trees), len(trees))


@given(forests(), st.sampled_from([1.0, 0.4, 0.73]), lengths)
def test_values_are_those_of_the_listed_paths(
    trees: list[Tree], decay: float, max_length: int | None
) -> None:
    kernel = tk.SubpathKernel(decay, max_length=max_length, normalize=False)
    values = expected(trees, decay=decay, max_length=max_length)
    np.testing.assert_allclose(kernel(trees), values, rtol=1e-12)
    np.testing.assert_allclose(kernel.diag(trees), np.diagonal(values), rtol=1e-12)
    half = len(trees) // 2
    np.testing.assert_allclose(kernel(trees[:half], trees[half:]), values[:half, half:], rtol=1e-12)


def test_larger_trees_against_the_recursion() -> None:
    trees = [random_tree(size, seed) for seed, size in enumerate([1, 60, 120, 200])]
    kernel = tk.SubpathKernel(0.8, normalize=False)
    values = [[oracle.recursive("subpath", a, b, decay=0.8) for b in trees] for a in trees]
    np.testing.assert_allclose(kernel(trees), values, rtol=1e-10)


def test_a_chain_that_is_too_deep_is_refused_with_a_remedy() -> None:
    deep = "(A " * 20_000 + "b" + ")" * 20_000
    with pytest.raises(tk.KernelMemoryError, match="max_length"):
        tk.SubpathKernel()([deep])
    assert tk.SubpathKernel(max_length=5)([deep], [deep]) == 1.0
