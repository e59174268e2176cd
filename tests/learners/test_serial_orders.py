"""Calls of several threads give what they would give one after the other, in some order."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

import treekernels as tk
from hammering import run_together
from operations import CLASSES, NEW, TREES

Call = Callable[[Any], Any]
ALL = TREES + NEW


class Kind(NamedTuple):
    """Objects of a class: how one is made, what changes it, and what may be asked of it."""

    make: Callable[[], Any]
    changes: list[Call]
    reads: list[Call]  # each a single call

    def look(self, object_: Any) -> Any:
        """Return all that can be read."""
        return [read(object_) for read in self.reads]


def saved(object_: Any, load: Callable[[Path], Any], ask: Call) -> Any:
    """Return what an object answers that was saved and loaded."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        object_.save(path) if hasattr(object_, "save") else tk.save(object_, path)
        return ask(load(path))


def pickled(object_: Any, ask: Call) -> Any:
    return ask(pickle.loads(pickle.dumps(object_)))


def hits(results: Any) -> Any:
    return [[(hit.id, round(hit.similarity, 9)) for hit in row] for row in results]


def index_of(kernel: tk.Kernel) -> tk.TreeIndex:
    index = tk.TreeIndex(kernel)
    index.add(TREES, ids=[f"tree {place}" for place in range(len(TREES))])
    return index


def of_index(kernel: tk.Kernel) -> Kind:
    def everything(index: tk.TreeIndex) -> Any:
        return [index.ids, hits(index.search(ALL, 3)), index.trees(index.ids).to_brackets()]

    return Kind(
        partial(index_of, kernel),
        [
            lambda index: index.add(NEW * 2, ids=["a", "b", "c", "d"]),
            lambda index: index.add(NEW, origins=[{"name": "x"}, {}]),
            lambda index: index.remove(["tree 0", "tree 3"]),
        ],
        [
            lambda index: index.ids,
            lambda index: hits(index.search(ALL, 3)),
            lambda index: hits(index.within(ALL, 0.2)),
            lambda index: [(a, b, round(v, 9)) for a, b, v in index.duplicates(0.3)],
            lambda index: index.neighbor_graph(0.3).toarray().round(9).tolist(),
            lambda index: index.distance_graph(0.3, dense=True).round(7).tolist(),
            lambda index: hits(index.search(ALL, 3, expand=2)),
            len,
            lambda index: index.removed.tolist(),
            lambda index: ("tree 0" in index, None),
            lambda index: saved(index, tk.TreeIndex.load, everything),
            lambda index: pickled(index, everything),
        ],
    )


def distance_index() -> tk.DistanceIndex:
    index = tk.DistanceIndex()
    index.add(TREES, ids=[f"tree {place}" for place in range(len(TREES))])
    return index


def learner(kind: Callable[[], Any], y: Any, ask: str, *more: Call) -> Kind:
    def answer(model: Any) -> Any:
        values = np.asarray(getattr(model, ask)(ALL))
        return np.round(values, 9).tolist() if values.dtype.kind == "f" else values.tolist()

    is_saved = [partial(saved, load=tk.load, ask=answer)] if hasattr(kind(), "_state") else []
    return Kind(
        lambda: kind().fit(TREES, y),
        [lambda model: model.fit(TREES[1:], y[1:]), *more],
        [answer, partial(pickled, ask=answer), *is_saved],
    )


def forest() -> tk.WeightedForest:
    made = tk.WeightedForest("sst", columns=2)
    made.add(TREES, np.arange(12.0).reshape(6, 2))
    return made


def scores(model: tk.WeightedForest) -> Any:
    return model.score(ALL).round(9).tolist()


RANKS = [3.0, 1.0, 2.0, 0.0, 5.0, 4.0]
KINDS: dict[str, Kind] = {
    "index of fragments": of_index(tk.SubsetTreeKernel()),
    "index of features": of_index(tk.PQGramKernel()),
    "index of rows": of_index(tk.PartialTreeKernel()),
    "index of weights": of_index(tk.SubsetTreeKernel(weights="idf")),
    "index of distances": Kind(
        distance_index,
        [lambda i: i.add(NEW * 2, ids=["a", "b", "c", "d"]), lambda i: i.add(NEW, ids=["e", "f"])],
        [
            lambda i: i.ids,
            len,
            lambda i: i.search(ALL, 3),
            lambda i: i.within(ALL, 4),
            lambda i: i.duplicates(6),
            lambda i: saved(i, tk.DistanceIndex.load, lambda j: [j.ids, j.search(ALL, 3)]),
            partial(pickled, ask=lambda j: [j.ids, j.search(ALL, 3)]),
        ],
    ),
    "weighted forest": Kind(
        forest,
        [lambda f: f.add(NEW, np.ones((2, 2))), lambda f: f.merge(forest(), 0.5)],
        [scores, len, partial(saved, load=tk.load, ask=scores), partial(pickled, ask=scores)],
    ),
    "machine": learner(lambda: tk.TreeSVC("sst", random_state=0), CLASSES, "decision_function"),
    "regression": learner(lambda: tk.TreeSVR("sst", random_state=0), RANKS, "predict"),
    "perceptron": learner(
        lambda: tk.TreePerceptron("sst", random_state=0),
        CLASSES,
        "decision_function",
        lambda model: model.partial_fit(NEW, ["t", "s"]),
    ),
    "ranker": learner(lambda: tk.TreeRanker("sst"), RANKS, "predict"),
    "ranker by a matrix": learner(lambda: tk.TreeRanker("sst", solver="gram"), RANKS, "predict"),
    "neighbors": learner(lambda: tk.TreeNeighbors(n_neighbors=2), CLASSES, "predict_proba"),
    "adapter": learner(lambda: tk.as_precomputed(KernelRidge()), RANKS, "predict"),
    "landmarks": learner(
        lambda: tk.TreeNystroem(n_components=3, random_state=0),
        CLASSES,
        "transform",
        lambda model: model.fit_transform(TREES[2:]) is None,
    ),
    "vectors": learner(lambda: tk.DistributedTrees(16, min_df=2), CLASSES, "transform"),
    "weights learned": learner(
        lambda: tk.TreePerceptron(tk.SubsetTreeKernel(weights="idf"), random_state=0),
        CLASSES,
        "decision_function",
    ),
}


def possible(kind: Kind, read: Call, *orders: list[Call]) -> Iterator[Any]:
    """Yield what is read after each of some lists of changes."""
    for order in orders:
        made = kind.make()
        for change in order:
            change(made)
        yield read(made)


def check(kind: Kind, rounds: int) -> None:
    for change in kind.changes:
        for read in kind.reads:
            allowed = list(possible(kind, read, [], [change]))
            for _ in range(rounds):
                made = kind.make()
                answers: list[Any] = []
                run_together(
                    partial(change, made),
                    lambda read=read, made=made, answers=answers: answers.append(read(made)),
                )
                assert answers[0] in allowed
        for other in kind.changes:
            if other is change:
                continue
            allowed = list(possible(kind, kind.look, [change, other], [other, change]))
            for _ in range(rounds):
                made = kind.make()
                run_together(partial(change, made), partial(other, made))
                assert kind.look(made) in allowed


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", KINDS)
def test_calls_at_once(name: str) -> None:
    check(KINDS[name], 1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", KINDS)
def test_calls_at_once_again_and_again(name: str) -> None:
    check(KINDS[name], 40)
