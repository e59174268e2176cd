"""What several test files share: each kernel beside its oracle, and random trees of any size."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import treekernels as tk
from oracles import kernels as oracle
from oracles.kernels import Tree

Write = Callable[[str, "str | bytes"], Path]  # the fixture `write` of conftest

# A tenth of a million is far too deep for any recursion, and too wide for anything that looks at
# pairs of children: what a million adds to it is time.
up_to_a_million = pytest.mark.parametrize(
    "count", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)]
)
ALGORITHMS = ["corpus", "ftk", "qtk"]
SIMILAR = {("A", "B"): 0.5, ("B", "x"): 0.25}  # positive definite on the labels A, B, x

_KERNELS: dict[str, Callable[..., tk.Kernel]] = {
    "subtree": tk.SubtreeKernel,
    "subset": tk.SubsetTreeKernel,
    "partial": tk.PartialTreeKernel,
    "elastic": tk.ElasticTreeKernel,
    "ordered": lambda **parameters: tk.ElasticTreeKernel(elastic=False, **parameters),
}

Setting = tuple[str, dict[str, Any]]
"""The oracle's name of a kernel, and its parameters as the library calls them."""

SETTINGS: dict[str, Setting] = {
    "subtree": ("subtree", {"decay": 0.8}),
    "subtree-leaves": ("subtree", {"decay": 0.8, "leaf_weight": 0.3}),
    "subset": ("subset", {"decay": 0.4}),
    "subset-leaves": ("subset", {"decay": 0.4, "leaf_weight": 0.3}),
    "partial-skipped": ("partial", {"decay": 0.4, "vertical_decay": 0.6}),
    "partial-span": ("partial", {"decay": 0.4, "vertical_decay": 0.6, "gaps": "span"}),
    "elastic": ("elastic", {"decay": 0.7}),
    "elastic-similar": ("elastic", {"decay": 0.7, "similarity": SIMILAR}),
    "ordered": ("ordered", {"decay": 0.7}),
    "ordered-similar": ("ordered", {"decay": 0.7, "similarity": SIMILAR}),
}


def make(setting: Setting, **more: Any) -> tk.Kernel:
    """Return the library's kernel."""
    name, parameters = setting
    return _KERNELS[name](**parameters, **more)


def expected(setting: Setting, a: Tree, b: Tree, way: Callable[..., Any] = oracle.recursive) -> Any:
    """Return the oracle's value of K(a, b)."""
    name, parameters = setting
    if parameters.get("similarity") is not None:
        parameters = {**parameters, "similarity": similarity_function(parameters["similarity"])}
    return way(name, a, b, **parameters)


def similarity_function(
    table: Mapping[tuple[str, str], float],
) -> Callable[[str, str], float]:
    """Return the function of two labels that a similarity table stands for."""

    def similarity(one: str, two: str) -> float:
        return table.get((one, two), table.get((two, one), float(one == two)))

    return similarity


def expected_matrix(setting: Setting, trees: Sequence[Tree]) -> NDArray[np.float64]:
    """Return the oracle's Gram matrix, unnormalised."""
    matrix = np.empty((len(trees), len(trees)))
    for i, a in enumerate(trees):
        for j, b in enumerate(trees[: i + 1]):
            matrix[i, j] = matrix[j, i] = expected(setting, a, b)
    return matrix


def normalized(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide by the roots of both norms; 0 where one is 0."""
    norms = np.diagonal(matrix)
    inverse = np.where(norms > 0, 1 / np.sqrt(np.where(norms > 0, norms, 1)), 0)
    return matrix * inverse[:, None] * inverse


def random_tree(
    size: int, seed: int, labels: Sequence[str] = ("A", "B", "C", "x"), reach: int = 8
) -> Tree:
    """Return a tree of `size` nodes; each hangs below one of the last `reach` before it."""
    rng = random.Random(seed)
    children: list[list[int]] = [[] for _ in range(size)]
    for node in range(1, size):
        children[rng.randrange(max(0, node - reach), node)].append(node)
    built: dict[int, Tree] = {}
    for node in reversed(range(size)):
        built[node] = (rng.choice(labels), *(built.pop(child) for child in children[node]))
    return built[0]


def random_forest(
    count: int,
    seed: int,
    size: int = 20,
    labels: Sequence[str] = ("A", "B", "C", "x"),
) -> list[Tree]:
    """Return trees of 1 to `size` nodes, some of them twice."""
    rng = random.Random(seed)
    trees: list[Tree] = []
    for number in range(count):
        if trees and rng.random() < 0.1:
            trees.append(rng.choice(trees))
        else:
            trees.append(random_tree(rng.randint(1, size), seed * 1_000_003 + number, labels))
    return trees


def relabelled(tree: Tree, changes: int, seed: int, label: str = "new") -> Tree:
    """Return a copy in which some nodes have another label."""
    rng = random.Random(seed)
    nodes = oracle.nodes(tree)
    chosen = set(rng.sample(range(len(nodes)), changes))
    finished: list[Tree] = []
    for number, node in enumerate(nodes):
        below = len(finished) - (len(node) - 1)
        children = finished[below:]
        del finished[below:]
        finished.append((label if number in chosen else node[0], *children))
    return finished[0]


def again(name: str, data: Any, **options: Any) -> Any:
    """Write, and read what was written."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        tk.write(path, data)
        return tk.read(path, **options)


def read_text(name: str, text: str | bytes, **options: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return tk.read(path, **options)


def forest_of(nested: list[tuple[Any, ...]]) -> tk.Forest:
    return tk.Forest.from_trees(nested)


def nested_of(tree: tk.Tree) -> tuple[Any, ...]:
    return (tree.label, *map(nested_of, tree.children))


def tree_of(nested: tuple[Any, ...]) -> tk.Tree:
    return tk.Forest.from_trees([nested])[0]


def sentences(count: int, classes: int = 3, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return sentences as trees, and their kind, which shows in the structure alone."""
    rng = random.Random(seed)
    texts, kinds = [], []
    for number in range(count):
        one, two, three = (rng.choice("abcd") for _ in range(3))
        noun, verb, thing = f"(NP (N {one}))", f"(V {two})", f"(NP (N {three}))"
        if rng.random() < 0.5:
            thing = f"(NP (D the) (N {three}))"
        kind = number % classes
        texts.append(
            [
                f"(S {noun} (VP {verb} {thing}))",
                f"(SQ (AUX did) {noun} {verb} {thing})",
                f"(IMP (VP {verb} {thing}))",
            ][kind]
        )
        kinds.append(["statement", "question", "command"][kind])
    return texts, kinds
