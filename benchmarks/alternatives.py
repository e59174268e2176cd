"""What else pip installs to compare trees with: plain Python, edit distances, graph kernels.

Each function gives what computes all pairs of some trees, or None where the package is missing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

import treekernels as tk

DECAY = 0.4
Matrix = Callable[[], np.ndarray]


def plain_python(texts: list[str]) -> Matrix | None:
    """The subset-tree kernel in plain Python over NLTK trees."""
    if find_spec("nltk") is None:
        return None
    from nltk import Tree

    return partial(plain_gram, [Tree.fromstring(text) for text in texts])


def plain_gram(trees: list[Any]) -> np.ndarray:
    """The normalised SST kernel as one would write it from its definition, with memoisation."""
    by_production = [nodes_by_production(tree) for tree in trees]
    gram = np.empty((len(trees), len(trees)))
    for i, j in combinations_with_replacement(range(len(trees)), 2):
        gram[i, j] = gram[j, i] = plain_kernel(by_production[i], by_production[j])
    norms = np.sqrt(gram.diagonal())
    return gram / norms / norms[:, None]


def plain_kernel(first: dict[Any, list[Any]], second: dict[Any, list[Any]]) -> float:
    """Sum over pairs of nodes with equal productions the fragments rooted in both."""
    known: dict[tuple[int, int], float] = {}

    def common(a: Any, b: Any) -> float:
        if (id(a), id(b)) not in known:
            inner = (
                1 + (common(x, y) if production(x) == production(y) else 0)
                for x, y in zip(a, b, strict=True)
                if not isinstance(x, str)
            )
            known[id(a), id(b)] = DECAY * math.prod(inner)
        return known[id(a), id(b)]

    shared = first.keys() & second.keys()
    return sum(common(a, b) for rule in shared for a in first[rule] for b in second[rule])


def nodes_by_production(tree: Any) -> dict[Any, list[Any]]:
    groups = defaultdict(list)
    for node in tree.subtrees():
        groups[production(node)].append(node)
    return groups


def production(node: Any) -> tuple[Any, ...]:
    """Return the label with those of the children; words are told from labels by their brackets."""
    return (
        node.label(),
        *(f"({child})" if isinstance(child, str) else child.label() for child in node),
    )


def edit_distance_zss(forest: tk.Forest) -> Matrix | None:
    """The tree edit distance by zss."""
    if find_spec("zss") is None:
        return None
    from zss import Node, simple_distance

    def converted(tree: tk.Tree) -> Any:
        return Node(tree.label, [converted(child) for child in tree.children])

    return partial(all_pairs, [converted(tree) for tree in forest], simple_distance)


def edit_distance_apted(forest: tk.Forest) -> Matrix | None:
    """The tree edit distance by apted."""
    if find_spec("apted") is None:
        return None
    from apted import APTED
    from apted.helpers import Tree

    def converted(tree: tk.Tree) -> Any:
        return Tree(tree.label, *(converted(child) for child in tree.children))

    def distance(one: Any, two: Any) -> float:
        return float(APTED(one, two).compute_edit_distance())

    return partial(all_pairs, [converted(tree) for tree in forest], distance)


def edit_distance_edist(forest: tk.Forest) -> Matrix | None:
    """The tree edit distance by edist, which is compiled."""
    if find_spec("edist") is None:
        return None
    from edist.ted import standard_ted

    def distance(one: Any, two: Any) -> float:
        return float(standard_ted(*one, *two))

    return partial(all_pairs, [adjacency(tree) for tree in forest], distance)


def graph_kernel_grakel(forest: tk.Forest) -> Matrix | None:
    """The Weisfeiler-Lehman kernel of GraKeL, three rounds, on trees as graphs."""
    if find_spec("grakel") is None:
        return None
    from grakel import Graph
    from grakel.kernels import VertexHistogram, WeisfeilerLehman

    graphs = []
    for tree in forest:
        labels, below = adjacency(tree)
        edges = {node: list(children) for node, children in enumerate(below)}
        for node, children in enumerate(below):
            for child in children:
                edges[child].append(node)
        graphs.append(Graph(edges, node_labels=dict(enumerate(labels))))

    def gram() -> np.ndarray:
        kernel = WeisfeilerLehman(n_iter=3, normalize=True, base_graph_kernel=VertexHistogram)
        return np.asarray(kernel.fit_transform(graphs))

    return gram


def adjacency(tree: tk.Tree) -> tuple[list[str], list[list[int]]]:
    """Return the labels in pre-order, and the children of each node."""
    labels: list[str] = []
    below: list[list[int]] = []
    open_: list[tuple[tk.Tree, int]] = [(tree, -1)]
    while open_:
        node, parent = open_.pop()
        if parent >= 0:
            below[parent].append(len(labels))
        labels.append(node.label)
        below.append([])
        open_ += [(child, len(labels) - 1) for child in reversed(node.children)]
    return labels, below


def all_pairs(trees: list[Any], measure: Callable[[Any, Any], float]) -> np.ndarray:
    """Return a measure of all pairs."""
    values = np.empty((len(trees), len(trees)))
    for i, j in combinations_with_replacement(range(len(trees)), 2):
        values[i, j] = values[j, i] = measure(trees[i], trees[j])
    return values
