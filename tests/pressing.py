"""A program that works until it is interrupted: every public operation, on many trees and on few.

``python pressing.py OPERATION FORM`` repeats an operation on many small trees, on large trees or on
chains. It prints a line when it begins, and when it was interrupted how much processor time it had
used by then, so that whoever pressed Ctrl-C knows how long that took to be heard, also on a busy
machine. Then it looks whether its objects still answer.
"""

from __future__ import annotations

import pickle
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge

import treekernels as tk
from helpers import random_forest, random_tree
from treekernels import structures


def many() -> list[str]:
    return [str(tree) for tree in tk.Forest(random_forest(3000, seed=1, size=30))]


def large() -> list[str]:
    return [str(tk.Forest([random_tree(30_000, seed, "ABC")])[0]) for seed in range(4)]


def chains() -> list[str]:
    return ["(A (B " * 10_000 + word + "))" * 10_000 for word in "bcde"]


FORMS: dict[str, Callable[[], list[str]]] = {"many": many, "large": large, "chains": chains}
KERNELS: dict[str, tk.Kernel] = {
    "subset": tk.SubsetTreeKernel(0.3),
    "subtree": tk.SubtreeKernel(),
    "partial": tk.PartialTreeKernel(0.3),
    "elastic": tk.ElasticTreeKernel(),
    "subpath": tk.SubpathKernel(max_length=20),
    "sum": tk.SubsetTreeKernel(0.3) + tk.SubpathKernel(max_length=5),
}


class Work:
    """The trees of a form, and what operations need of them, made before they begin."""

    def __init__(self, form: str) -> None:
        self.texts = FORMS[form]()
        self.forest = tk.Forest(self.texts)
        self.y = np.arange(len(self.forest)) % 2
        self.folder = Path(tempfile.mkdtemp())
        tk.write(self.folder / "trees.tsv", {"label": self.y.astype(str), "tree": self.forest})

    @cached_property
    def index(self) -> tk.TreeIndex:
        index = tk.TreeIndex(KERNELS["subset"])
        index.add(self.forest)
        return index

    @cached_property
    def model(self) -> tk.WeightedForest:
        model = tk.WeightedForest(KERNELS["subset"])
        model.add(self.forest, np.ones(len(self.forest)))
        return model

    @cached_property
    def perceptron(self) -> tk.TreePerceptron:
        return tk.TreePerceptron(KERNELS["subset"], epochs=1).fit(self.forest, self.y)

    @cached_property
    def landmarks(self) -> tk.TreeNystroem:
        return tk.TreeNystroem(KERNELS["partial"], 2, random_state=0).fit(self.forest[:4])

    def look(self) -> None:
        """See that the objects that there are still answer."""
        few = self.forest[:2]
        if "index" in vars(self):
            assert len(list(self.index.search(few, 1))) == 2
        if "model" in vars(self):
            assert np.isfinite(self.model.score(few)).all()
        if "perceptron" in vars(self):
            assert len(self.perceptron.predict(few)) == 2
        assert len(self.forest) == len(self.texts)


def _round_trip(work: Work, object_: Any) -> None:
    tk.save(object_, work.folder / "model")
    tk.load(work.folder / "model")


OPERATIONS: dict[str, Callable[[Work], Any]] = {
    **{f"gram of {name}": lambda w, k=kernel: k(w.forest) for name, kernel in KERNELS.items()},
    **{
        f"diagonal of {name}": lambda w, k=kernel: k.diag(w.forest)
        for name, kernel in KERNELS.items()
    },
    "containment": lambda w: tk.containment(KERNELS["subset"], w.forest, w.forest),
    "weights": lambda w: tk.SubsetTreeKernel(weights="idf").fitted_on(w.forest),
    "read brackets": lambda w: tk.Forest(w.texts),
    "read a file": lambda w: tk.read(w.folder / "trees.tsv"),
    "write a file": lambda w: tk.write(w.folder / "again.tsv", {"tree": w.forest}),
    "text": lambda w: w.forest.to_brackets(),
    "pickle": lambda w: pickle.loads(pickle.dumps(w.forest)),
    "concatenate": lambda w: tk.Forest.concatenate([w.forest, w.forest]),
    "extend": lambda w: tk.Forest(w.texts[:1]).extend(w.forest),
    "binarize": lambda w: structures.binarize(w.forest),
    "lexicalize": lambda w: structures.lexicalize(w.forest),
    "labels": lambda w: structures.map_labels(w.forest, str.lower),
    "walk": lambda w: [sum(1 for _ in tree.preorder()) for tree in w.forest],
    "compare": lambda w: str(tk.compare(w.forest[0], w.forest[1])),
    "add": lambda w: w.model.add(w.forest, np.zeros(len(w.forest))),
    "score": lambda w: w.model.score(w.forest),
    "merge": lambda w: tk.WeightedForest(KERNELS["subset"]).merge(w.model),
    "save a model": lambda w: _round_trip(w, w.model),
    **{
        f"learn by {name}": lambda w, k=kernel: tk.TreePerceptron(k).fit(w.forest, w.y)
        for name, kernel in KERNELS.items()
    },
    "learn by votes": lambda w: tk.TreePerceptron("sst", average="vote").fit(w.forest, w.y),
    "passive-aggressive": lambda w: tk.TreePassiveAggressive("sst").fit(w.forest, w.y),
    "go on learning": lambda w: w.perceptron.partial_fit(w.forest, w.y),
    "predict": lambda w: w.perceptron.predict(w.forest),
    "svc": lambda w: tk.TreeSVC(KERNELS["subset"], solver="forest").fit(w.forest, w.y),
    "svc of partial trees": lambda w: tk.TreeSVC(KERNELS["partial"], solver="forest").fit(
        w.forest, w.y
    ),
    "svc by a matrix": lambda w: tk.TreeSVC(KERNELS["partial"], solver="gram").fit(w.forest, w.y),
    "svr": lambda w: tk.TreeSVR(KERNELS["subset"], solver="forest").fit(w.forest, w.y),
    "ranker": lambda w: tk.TreeRanker(KERNELS["subset"], solver="forest").fit(
        w.forest, w.y, groups=np.arange(len(w.y)) // 20
    ),
    "ranker by a matrix": lambda w: tk.TreeRanker(KERNELS["partial"], solver="gram").fit(
        w.forest, w.y, groups=np.arange(len(w.y)) // 20
    ),
    "ridge": lambda w: tk.as_precomputed(KernelRidge(), KERNELS["partial"]).fit(w.forest, w.y),
    **{
        f"landmarks by {way}": lambda w, s=way: tk.TreeNystroem(
            KERNELS["partial"], 4, selection=s, random_state=0
        ).fit(w.forest)
        for way in ("uniform", "kmeans++", "leverage")
    },
    "vectors by landmarks": lambda w: w.landmarks.transform(w.forest),
    **{
        f"embed by {way}": lambda w, c=way: tk.DistributedTrees(1024, composition=c).transform(
            w.forest
        )
        for way in ("sign", "product", "convolution")
    },
    "fit an embedding": lambda w: tk.DistributedTrees(64, min_df=2).fit(w.forest),
    "index": lambda w: tk.TreeIndex(KERNELS["subset"]).add(w.forest),
    "search": lambda w: w.index.search(w.forest, 5),
    "within": lambda w: w.index.within(w.forest, 0.1),
    "duplicates": lambda w: w.index.duplicates(0.1),
    "save an index": lambda w: w.index.save(w.folder / "index"),
    "load an index": lambda w: (
        (w.folder / "index").exists() or w.index.save(w.folder / "index"),
        tk.TreeIndex.load(w.folder / "index", verify=True),
    ),
    "neighbors": lambda w: (
        tk.TreeNeighbors(KERNELS["partial"], n_neighbors=2).fit(w.forest).kneighbors(w.forest)
    ),
    "explain": lambda w: tk.explain(w.perceptron, top=5),
    "explain a prediction": lambda w: tk.explain(w.perceptron, tree=w.forest[0], top=5),
}


def main(name: str, form: str) -> None:
    warnings.simplefilter("ignore")
    work = Work(form)
    operation = OPERATIONS[name]
    for needed in ("index", "model", "perceptron", "landmarks"):
        if needed in operation.__code__.co_names:
            getattr(work, needed)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    print("ready", flush=True)
    repeated = 0
    try:
        while True:
            try:
                operation(work)
            except tk.TreeKernelsError:  # too large for it, which is a sentence
                print("refused", flush=True)
                return
            repeated += 1
    except KeyboardInterrupt:
        heard = time.process_time()
    print(heard, repeated, flush=True)
    work.look()
    print("fine", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
