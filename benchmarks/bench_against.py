"""SST against what pip installs: plain Python over NLTK trees; tree edit distance (zss)."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

import treekernels as tk
from common import FILES, Row, arguments, best_seconds, load_texts, pairs, report, say

DECAY = 0.4
EDIT_DISTANCE_TREES = 20  # some hundredths of a second a pair
NOTES = [
    "Pairs are unordered, those of a tree with itself included; the trees are the first of the",
    "file. Both SST kernels give the same normalised values (checked). zss computes another",
    "measure, the edit distance, and is here as what is commonly used to compare trees.",
]


def main() -> None:
    args = arguments(__doc__ or "", repeat=10, quick=30)
    texts = load_texts(args.data / FILES["qc.train"], args.trees or 100)
    forest = tk.Forest.from_brackets(texts)
    kernel = tk.SubsetTreeKernel(DECAY)
    calls = {
        "treekernels, corpus": partial(kernel, forest),
        "treekernels, corpus, from text": partial(kernel, texts),
        "treekernels, ftk": partial(tk.SubsetTreeKernel(DECAY, algorithm="ftk"), forest),
    }
    notes = list(NOTES)
    if (plain := nltk_trees(texts)) is None:
        notes.append("NLTK is missing: pip install nltk to compare with plain Python.")
    else:
        calls["plain Python over NLTK trees"] = partial(plain_gram, plain)
        np.testing.assert_allclose(plain_gram(plain), kernel(forest), rtol=1e-9)
    say(f"{len(texts)} trees of qc.train: {', '.join(calls)}")
    seconds = best_seconds(calls, args.repeat)
    us = {name: 1e6 * taken / pairs(len(texts)) for name, taken in seconds.items()}
    if (nodes := zss_trees(forest[:EDIT_DISTANCE_TREES])) is None:
        notes.append("zss is missing: pip install zss to compare with the tree edit distance.")
    else:
        name = f"zss, edit distance, once, {len(nodes)} trees"
        say(name)
        taken = best_seconds({name: partial(edit_distances, nodes)}, 1)[name]
        us[name] = 1e6 * taken / pairs(len(nodes))
    rows: list[Row] = [
        {"what": name, "us a pair": taken, "time to treekernels": taken / us["treekernels, corpus"]}
        for name, taken in us.items()
    ]
    report(__file__, args, {f"{len(texts)} trees of qc.train": rows}, notes)


def nltk_trees(texts: list[str]) -> list[Any] | None:
    """Make NLTK trees, if there is NLTK."""
    try:
        from nltk import Tree
    except ImportError:
        return None
    return [Tree.fromstring(text) for text in texts]


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
    """Give the label with those of the children; words are told from labels by their brackets."""
    return (
        node.label(),
        *(f"({child})" if isinstance(child, str) else child.label() for child in node),
    )


def zss_trees(forest: tk.Forest) -> list[Any] | None:
    """Make trees for zss, if there is zss."""
    try:
        from zss import Node
    except ImportError:
        return None

    def converted(tree: tk.Tree) -> Any:
        return Node(tree.label, [converted(child) for child in tree.children])

    return [converted(tree) for tree in forest]


def edit_distances(trees: list[Any]) -> np.ndarray:
    """Give the tree edit distances of all pairs."""
    from zss import simple_distance

    distances = np.empty((len(trees), len(trees)))
    for i, j in combinations_with_replacement(range(len(trees)), 2):
        distances[i, j] = distances[j, i] = simple_distance(trees[i], trees[j])
    return distances


if __name__ == "__main__":
    main()
