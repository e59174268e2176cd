"""The public operations on objects that they share, for tests of threads and of little memory.

`READING` leaves its objects as they are, and `CHANGING` changes them. `look` says what they are.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

import treekernels as tk
from treekernels import structures

TREES = [
    "(S (NP (D the) (N dog)) (VP (V barks)))",
    "(S (NP (D a) (N cat)) (VP (V sees) (NP (D the) (N dog))))",
    "(S (NP (N Mary)) (VP (V sleeps)))",
    "(S (NP (D a) (N dog)) (VP (V sees) (NP (N Mary))))",
    "(T (A (B x)) (C (A (B y)) (B x)))",
    "(T (A (B y)) (C (B x) (A (B x))))",
]
NEW = ["(S (NP (D the) (N bird)) (VP (V sings)))", "(T (C (A (B z)) (B z)))"]
CLASSES = ["s", "s", "s", "s", "t", "t"]
TREE_KERNELS: dict[str, tk.Kernel] = {
    "subset": tk.SubsetTreeKernel(leaf_weight=0.5),
    "subtree": tk.SubtreeKernel(),
    "partial": tk.PartialTreeKernel(),
    "elastic": tk.ElasticTreeKernel(0.3),
    "subpath": tk.SubpathKernel(),
    "weighted": tk.SubsetTreeKernel(weights="idf", counts="log").fitted_on(TREES),
}


class Shared:
    """Objects that operations share, each made when it is first asked for."""

    @cached_property
    def forest(self) -> tk.Forest:
        return tk.Forest(TREES)

    @cached_property
    def pairs(self) -> tk.Pairs:
        return tk.Pairs(["(S (A:1 a) (B:2 b))", "(S (A:1 a) (B c))"], ["(T (A:1 a))", "(T (B b))"])

    @cached_property
    def models(self) -> dict[str, tk.WeightedForest]:
        models = {}
        for name, kernel in TREE_KERNELS.items():
            models[name] = tk.WeightedForest(kernel, columns=2)
            models[name].add(TREES[:4], np.arange(8.0).reshape(4, 2))
        return models

    @cached_property
    def perceptron(self) -> tk.TreePerceptron:
        return tk.TreePerceptron(random_state=0).fit(TREES, CLASSES)

    @cached_property
    def machine(self) -> tk.TreeSVC:
        return tk.TreeSVC(random_state=0).fit(TREES, CLASSES)

    @cached_property
    def embedding(self) -> tk.DistributedTrees:
        return tk.DistributedTrees(32, min_df=1).fit(TREES)

    @cached_property
    def index(self) -> tk.TreeIndex:
        index = tk.TreeIndex()
        index.add(TREES)
        return index


def look(shared: Shared) -> dict[str, Any]:
    """Return what the objects that there are would answer."""
    there = vars(shared)
    found: dict[str, Any] = {}
    if "forest" in there:
        found["forest"] = (shared.forest.to_brackets(), shared.forest.sizes.tolist())
    if "models" in there:
        found["models"] = [model.score(TREES + NEW).tolist() for model in shared.models.values()]
    if "perceptron" in there:
        found["perceptron"] = shared.perceptron.decision_function(TREES + NEW).tolist()
    if "machine" in there:
        found["machine"] = shared.machine.decision_function(TREES + NEW).tolist()
        found["classes"] = shared.machine.classes_.tolist()
    if "embedding" in there:
        found["embedding"] = shared.embedding.transform(TREES + NEW).tolist()
    if "index" in there:
        found["index"] = [
            [(hit.id, hit.similarity) for hit in hits] for hits in _search(shared.index, TREES)
        ]
    return found


def _search(index: tk.TreeIndex, queries: Any) -> list[Any]:
    return [list(hits) for hits in index.search(queries, k=3)]


def _add(name: str) -> Callable[[Shared], Any]:
    return lambda shared: shared.models[name].add(NEW, [[1.0, 2.0], [0.5, 0.0]])


def _merge(name: str) -> Callable[[Shared], Any]:
    def run(shared: Shared) -> None:
        other = tk.WeightedForest(shared.models[name].kernel, columns=2)
        other.add(NEW, np.ones((2, 2)))
        shared.models[name].merge(other)

    return run


READING: dict[str, Callable[[Shared], Any]] = {
    **{
        f"gram of {name}": lambda s, k=kernel: k(s.forest, n_jobs=2)
        for name, kernel in TREE_KERNELS.items()
    },
    **{
        f"diagonal of {name}": lambda s, k=kernel: k.diag(s.forest)
        for name, kernel in TREE_KERNELS.items()
    },
    **{f"score of {name}": lambda s, n=name: s.models[n].score(s.forest) for name in TREE_KERNELS},
    "gram of two forests": lambda s: tk.SubsetTreeKernel()(s.forest, NEW),
    "gram of pairs": lambda s: tk.TripartiteKernel()(s.pairs),
    "gram of a sum": lambda s: (tk.SubsetTreeKernel() + tk.PartialTreeKernel() ** 2)(s.forest),
    "read": lambda s: tk.Forest(TREES + NEW).to_brackets(),
    "concatenate": lambda s: tk.Forest.concatenate([s.forest, tk.Forest(NEW)]).to_brackets(),
    "text": lambda s: s.forest.to_brackets(),
    "sizes": lambda s: (s.forest.sizes, s.forest.depths, s.forest.n_subtrees),
    "nodes": lambda s: [node.label for tree in s.forest for node in tree.preorder()],
    "pickle a forest": lambda s: pickle.loads(pickle.dumps(s.forest)).to_brackets(),
    "hash and equality": lambda s: (hash(s.forest[0]), s.forest[0] == s.forest[1]),
    "structures": lambda s: [
        structures.binarize(s.forest).to_brackets(),
        structures.prune_depth(s.forest, 2).to_brackets(),
        structures.lexicalize(s.forest).to_brackets(),
        structures.map_labels(s.forest, str.lower).to_brackets(),
    ],
    "containment": lambda s: tk.containment(tk.SubsetTreeKernel(), s.forest, s.forest),
    "compare": lambda s: str(tk.compare(s.forest[0], s.forest[1])),
    "pickle a model": lambda s: pickle.loads(pickle.dumps(s.perceptron)).predict(TREES),
    "predict": lambda s: s.perceptron.predict(s.forest),
    "scores of a machine": lambda s: s.machine.decision_function(s.forest),
    "explain": lambda s: str(tk.explain(s.machine, top=3)),
    "embed": lambda s: s.embedding.transform(s.forest),
    "embed by products": lambda s: tk.DistributedTrees(
        9, composition="product", n_jobs=2
    ).transform(s.forest),
    "search": lambda s: [
        [(hit.id, hit.similarity) for hit in hits] for hits in _search(s.index, NEW)
    ],
    "duplicates": lambda s: str(s.index.duplicates(0.3)),
    "ids": lambda s: (len(s.index), [str(tree) for tree in s.index.trees(s.index.ids[:1])]),
}
CHANGING: dict[str, Callable[[Shared], Any]] = {
    "extend": lambda s: s.forest.extend(NEW),
    **{f"add to {name}": _add(name) for name in TREE_KERNELS},
    **{f"merge with {name}": _merge(name) for name in TREE_KERNELS},
    "fit a perceptron": lambda s: s.perceptron.fit(TREES[1:], CLASSES[1:]) and None,
    "go on learning": lambda s: (
        s.perceptron.partial_fit(TREES + NEW, [*CLASSES, "t", "s"]) and None
    ),
    "fit a machine": lambda s: s.machine.fit(TREES[1:], CLASSES[1:]) and None,
    "fit an embedding": lambda s: s.embedding.fit(TREES[1:]) and None,
    "add to an index": lambda s: s.index.add(NEW, ids=["new", "newer"]),
    "remove from an index": lambda s: s.index.remove(s.index.ids[:1]),
}
