"""The public operations on objects that they share, for tests of threads and of little memory.

`READING` leaves its objects as they are, and `CHANGING` changes them. `look` says what they are.
`ALONE` shares nothing: its operations make all that they need.
"""

from __future__ import annotations

import operator
import pickle
import tempfile
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge

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
    "smoothed": tk.PartialTreeKernel(similarity={("dog", "cat"): 0.5, ("x", "y"): 0.7}),
    "a sum": 2 * tk.SubsetTreeKernel() + tk.SubpathKernel() + tk.ConstantKernel(),
}


class Models(dict[str, tk.WeightedForest]):
    """A weighted forest for each kernel, made when it is first asked for."""

    def __missing__(self, name: str) -> tk.WeightedForest:
        self[name] = tk.WeightedForest(TREE_KERNELS[name], columns=2)
        self[name].add(TREES[:4], np.arange(8.0).reshape(4, 2))
        return self[name]


class Shared:
    """Objects that operations share, each made when it is first asked for."""

    @cached_property
    def forest(self) -> tk.Forest:
        return tk.Forest(TREES)

    @cached_property
    def pairs(self) -> tk.Pairs:
        return tk.Pairs(["(S (A:1 a) (B:2 b))", "(S (A:1 a) (B c))"], ["(T (A:1 a))", "(T (B b))"])

    @cached_property
    def models(self) -> Models:
        return Models()

    @cached_property
    def perceptron(self) -> tk.TreePerceptron:
        return tk.TreePerceptron("sst", random_state=0).fit(TREES, CLASSES)

    @cached_property
    def machine(self) -> tk.TreeSVC:
        return tk.TreeSVC("sst", random_state=0).fit(TREES, CLASSES)

    @cached_property
    def ranker(self) -> tk.TreeRanker:
        return tk.TreeRanker("sst", solver="forest").fit(TREES, range(6))

    @cached_property
    def landmarks(self) -> tk.TreeNystroem:
        return tk.TreeNystroem(tk.PartialTreeKernel(), 3, random_state=0).fit(TREES)

    @cached_property
    def adapter(self) -> Any:
        return tk.as_precomputed(KernelRidge()).fit(TREES, range(6))

    @cached_property
    def embedding(self) -> tk.DistributedTrees:
        return tk.DistributedTrees(32, min_df=1).fit(TREES)

    @cached_property
    def index(self) -> tk.TreeIndex:
        index = tk.TreeIndex()
        index.add(TREES)
        return index

    @cached_property
    def weighted_index(self) -> tk.TreeIndex:
        index = tk.TreeIndex(TREE_KERNELS["weighted"])
        index.add(TREES)
        return index

    @cached_property
    def neighbors(self) -> tk.TreeNeighbors:
        return tk.TreeNeighbors(n_neighbors=2).fit(TREES)


def look(shared: Shared) -> dict[str, Any]:
    """Return what the objects that there are would answer."""
    there = vars(shared)
    results: dict[str, Any] = {}
    if "forest" in there:
        results["forest"] = (shared.forest.to_brackets(), shared.forest.sizes.tolist())
    if "models" in there:
        results["models"] = [model.score(TREES + NEW).tolist() for model in shared.models.values()]
    if "perceptron" in there:
        results["perceptron"] = shared.perceptron.decision_function(TREES + NEW).tolist()
    if "machine" in there:
        results["machine"] = shared.machine.decision_function(TREES + NEW).tolist()
        results["classes"] = shared.machine.classes_.tolist()
    if "ranker" in there:
        results["ranker"] = shared.ranker.predict(TREES + NEW).tolist()
    if "landmarks" in there:
        results["landmarks"] = shared.landmarks.transform(TREES + NEW).tolist()
    if "adapter" in there:
        results["adapter"] = shared.adapter.predict(TREES + NEW).tolist()
    if "neighbors" in there:
        results["neighbors"] = [part.tolist() for part in shared.neighbors.kneighbors(TREES)]
    if "embedding" in there:
        results["embedding"] = shared.embedding.transform(TREES + NEW).tolist()
    for name in ("index", "weighted_index"):
        if name in there:
            results[name] = _search(getattr(shared, name), TREES)
    return results


def _search(index: tk.TreeIndex, queries: Any) -> list[Any]:
    return [[(hit.id, hit.similarity) for hit in hits] for hits in index.search(queries, k=3)]


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
    "gram of sets": lambda s: tk.SetKernel(tk.SubsetTreeKernel(), match="best")(
        tk.TreeSets.from_offsets(s.forest[:6], [0, 2, 2, 6])
    ),
    "gram with gradients": lambda s: tk.SubsetTreeKernel()(s.forest, eval_gradient=True),
    "vectors of pairs": lambda s: tk.DistributedPairs(16).transform(s.pairs),
    "vectors of partial trees": lambda s: tk.DistributedTrees(16, kernel="partial").transform(
        s.forest
    ),
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
    "rank": lambda s: s.ranker.predict(s.forest),
    "vectors by landmarks": lambda s: s.landmarks.transform(s.forest),
    "predict through a matrix": lambda s: s.adapter.predict(s.forest),
    "kneighbors": lambda s: s.neighbors.kneighbors(s.forest),
    "search": lambda s: _search(s.index, NEW),
    "search by weights": lambda s: _search(s.weighted_index, NEW),
    "within": lambda s: [
        [(hit.id, hit.similarity) for hit in hits] for hits in s.index.within(NEW, 0.1)
    ],
    "duplicates": lambda s: str(s.index.duplicates(0.3)),
    "duplicates by weights": lambda s: str(s.weighted_index.duplicates(0.3)),
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
    "fit a ranker": lambda s: s.ranker.fit(TREES[1:], range(5)) and None,
    "merge with a ranker": lambda s: (
        s.ranker.merge(tk.TreeRanker("sst", solver="forest").fit(TREES[1:], range(5))) and None
    ),
    "fit landmarks": lambda s: s.landmarks.fit(TREES[1:]) and None,
    "fit through a matrix": lambda s: s.adapter.fit(TREES[1:], range(5)) and None,
    "fit neighbors": lambda s: s.neighbors.fit(TREES[1:]) and None,
    "fit an embedding": lambda s: s.embedding.fit(TREES[1:]) and None,
    "add to an index": lambda s: s.index.add(NEW, ids=["new", "newer"]),
    "remove from an index": lambda s: s.index.remove(s.index.ids[:1]),
    "merge with a perceptron": lambda s: s.perceptron.merge(_learned(None)) and None,
    "merge with a machine": lambda s: (
        s.machine.merge(tk.TreeSVC("sst", random_state=0).fit(TREES[1:], CLASSES[1:])) and None
    ),
}


def _learned(kernel: tk.Kernel | None, **options: Any) -> Any:
    return tk.TreePerceptron(kernel, random_state=0, **options).fit(TREES[1:], CLASSES[1:])


def _scores(learner: Any) -> Any:
    return learner.fit(TREES, CLASSES).decision_function(NEW)


def _to_a_file_and_back(object_: Any, load: Callable[[Path], Any]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        (object_.save if isinstance(object_, tk.TreeIndex) else partial(tk.save, object_))(
            Path(folder) / "file"
        )
        return load(Path(folder) / "file")


ALONE: dict[str, Callable[[Shared], Any]] = {
    "learn by votes": lambda s: _learned(None, average="vote").decision_function(NEW),
    "learn from a sum": lambda s: _learned(TREE_KERNELS["a sum"]).decision_function(NEW),
    "learn with partial trees": lambda s: _learned(tk.PartialTreeKernel()).decision_function(NEW),
    "learn with elastic trees": lambda s: _learned(tk.ElasticTreeKernel()).decision_function(NEW),
    "learn with paths": lambda s: _learned(tk.SubpathKernel()).decision_function(NEW),
    "learn from pairs": lambda s: (
        tk.TreePerceptron(tk.TripartiteKernel(), random_state=0)
        .fit(s.pairs, [0, 1])
        .decision_function(s.pairs)
    ),
    "learn from mapped parts": lambda s: _learned(
        tk.MappingKernel(str.split, operator.eq)
    ).decision_function(NEW),
    "passive-aggressive": lambda s: _scores(tk.TreePassiveAggressive("sst", random_state=0)),
    # Not with solver="gram": the machine of scikit-learn ends the process when memory runs out.
    "a machine of partial trees": lambda s: _scores(
        tk.TreeSVC(tk.PartialTreeKernel(), solver="forest", random_state=0)
    ),
    "regression": lambda s: tk.TreeSVR("sst", random_state=0).fit(TREES, range(6)).predict(NEW),
    "explain a prediction": lambda s: str(tk.explain(_learned(None), tree=NEW[0], top=3)),
    "explain partial trees": lambda s: str(tk.explain(_learned(tk.PartialTreeKernel()), top=3)),
    "embed by convolution": lambda s: tk.DistributedTrees(8, composition="convolution").transform(
        s.forest
    ),
    "weights of productions": lambda s: tk.SubsetTreeKernel(weights="idf").fitted_on(s.forest)(NEW),
    "a model to a file and back": lambda s: _to_a_file_and_back(s.perceptron, tk.load).predict(NEW),
    "an index to a file and back": lambda s: _search(
        _to_a_file_and_back(s.index, tk.TreeIndex.load), NEW
    ),
    "a weighted index to a file and back": lambda s: _search(
        _to_a_file_and_back(s.weighted_index, tk.TreeIndex.load), NEW
    ),
    "landmarks to a file and back": lambda s: _to_a_file_and_back(s.landmarks, tk.load).transform(
        NEW
    ),
    "rank through a matrix": lambda s: (
        tk.TreeRanker("sst", solver="gram").fit(TREES, range(6)).predict(NEW)
    ),
    "gram of preferences": lambda s: tk.PreferenceKernel(tk.SubsetTreeKernel())(
        tk.Table({"tree1": tk.Forest(TREES[:3]), "tree2": tk.Forest(TREES[3:])})
    ),
    "explain a ranker": lambda s: str(tk.explain(s.ranker, top=3)),
    "explain elastic trees": lambda s: str(tk.explain(_learned(tk.ElasticTreeKernel()), top=3)),
    "explain paths": lambda s: str(tk.explain(_learned(tk.SubpathKernel()), top=3)),
    "explain weighted trees": lambda s: str(tk.explain(_learned(TREE_KERNELS["weighted"]), top=3)),
    "compare by partial trees": lambda s: str(
        tk.compare(s.forest[0], s.forest[1], kernel=tk.PartialTreeKernel())
    ),
    "other structures": lambda s: [
        structures.unbinarize(structures.binarize(s.forest)).to_brackets(),
        structures.prune_labels(s.forest, ["D"]).to_brackets(),
        structures.splice_labels(s.forest, ["NP"]).to_brackets(),
        str(structures.mark(s.forest[0], [1])),
    ],
}
