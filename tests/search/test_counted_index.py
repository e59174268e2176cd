"""An index for counted features answers what sorting rows of listed features would."""

from __future__ import annotations

import itertools
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treekernels as tk
from helpers import random_forest
from oracles.kernels import bag_features, gram_features, subpath_features
from oracles.search import SlowIndex
from treekernels.search.index.counted_store import CountedStore
from treekernels.search.index.stores import GramStore
from treekernels.testing.strategies import forests, trees

KINDS: dict[str, tuple[Any, Any]] = {
    "grams": (tk.PQGramKernel(), gram_features),
    "unordered grams": (tk.PQGramKernel(ordered=False), lambda t: gram_features(t, ordered=False)),
    "bag": (tk.TreeFeaturesKernel(), lambda t: bag_features(t, 0.25, 1, 1, 1.5, 0.5)),
    "paths": (tk.SubpathKernel(0.7, max_length=3), lambda t: subpath_features(t, 0.7, 3)),
}
DAMPING = {"linear": float, "log": lambda n: 1 + math.log(n), "binary": lambda n: 1.0}
ALPHABETS = [("A", "B", "x"), ("S", "NP", "VP", "N", "V", "a", "b", "c", "d")]


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-11, abs_tol=1e-300)


@st.composite
def indexes(draw: st.DrawFn) -> tuple[tk.TreeIndex, SlowIndex, tuple[str, ...]]:
    """Draw an index after some additions and removals, and a slow one of the same trees."""
    kernel, features = KINDS[draw(st.sampled_from(sorted(KINDS)))]
    counts, normalize = draw(st.sampled_from(sorted(DAMPING))), draw(st.booleans())
    labels = draw(st.sampled_from(ALPHABETS))
    damped = DAMPING[counts]

    def dot(a: Any, b: Any) -> float:
        one, two = features(a), features(b)
        return sum(
            damped(one[f].side) * damped(two[f].side) * float(one[f].shared)
            for f in one.keys() & two.keys()
        )

    def similarity(a: Any, b: Any) -> float:
        return dot(a, b) / math.sqrt(dot(a, a) * dot(b, b)) if normalize else dot(a, b)

    index = tk.TreeIndex(kernel.with_params(counts=counts, normalize=normalize))
    slow, count = SlowIndex(similarity), 0
    for _ in range(draw(st.integers(1, 4))):
        added = draw(forests(max_trees=6, labels=labels))
        index.add(tk.Forest.from_trees(added))
        for tree in added:
            slow.add(count, tree)
            count += 1
        for item in draw(st.sets(st.integers(0, count), max_size=2)):
            if any(id_ == item for id_, _ in slow.entries):
                index.remove([item])
                slow.remove(item)
    return index, slow, labels


@settings(deadline=None)
@given(indexes(), st.data(), st.integers(0, 8), st.floats(-0.5, 1.1))
def test_answers_are_those_of_sorted_rows(
    drawn: Any, data: st.DataObject, k: int, threshold: float
) -> None:
    index, slow, labels = drawn
    assert isinstance(index._store, CountedStore)
    query = data.draw(trees(labels=labels))
    row = dict(slow.row(query))
    expected = slow.search(query, k)
    hits = list(index.search([query], k)[0])
    assert len({hit.id for hit in hits}) == len(hits) == len(expected)
    for hit, (_, value) in zip(hits, expected, strict=True):
        assert close(hit.similarity, value)
        assert close(hit.similarity, row[hit.id])
    for before, after in itertools.pairwise(hits):
        assert (-before.similarity, before.id) < (-after.similarity, after.id)
    found = {hit.id: hit.similarity for hit in index.within([query], threshold)[0]}
    for id_, value in row.items():
        assert close(found[id_], value) if id_ in found else not value > threshold * (1 + 1e-12)
        assert found.get(id_, threshold) >= threshold
    assert found.keys() <= row.keys()


@settings(deadline=None)
@given(indexes(), st.floats(0.01, 1.0))
def test_duplicates_are_all_pairs_above(drawn: Any, threshold: float) -> None:
    index, slow, _ = drawn
    found = {(p.first, p.second): p.similarity for p in index.duplicates(threshold)}
    for first, second, value in slow.pairs(0.0):
        if (first, second) in found:
            assert close(found.pop((first, second)), value)
        else:
            assert value < threshold * (1 + 1e-12)
    assert not found


def many() -> tuple[tk.Forest, tk.TreeIndex, tk.Kernel]:
    forest = tk.Forest(random_forest(400, 5))
    kernel = tk.TreeFeaturesKernel(weights="idf").fitted_on(forest)
    index = tk.TreeIndex(kernel)
    index.add(forest)
    return forest, index, kernel


def test_what_is_passed_over_is_no_answer() -> None:
    """With enough trees, lists of frequent features are not looked at."""
    forest, index, kernel = many()
    gram = kernel(forest)
    hits = index.search(forest, 7)
    best = -np.sort(-gram, axis=1)[:, :7]
    np.testing.assert_allclose(hits.similarities.reshape(-1, 7), best, rtol=1e-12)
    pairs = index.duplicates(0.5)
    first, second = np.nonzero(np.triu(gram >= 0.5, 1))
    assert pairs.first.tolist() == first.tolist()
    assert pairs.second.tolist() == second.tolist()
    np.testing.assert_allclose(pairs.similarities, gram[first, second], rtol=1e-12)


def test_files_and_pickles(tmp_path: Path) -> None:
    forest, index, _ = many()
    index.remove([3])
    expected = index.search(forest[:20], 5)
    path = tmp_path / "trees.tki"
    index.save(path)
    for other in (tk.TreeIndex.load(path, verify=True), pickle.loads(pickle.dumps(index))):
        for _ in range(2):
            hits = other.search(forest[:20], 5)
            assert hits.items.tolist() == expected.items.tolist()
            assert hits.similarities.tolist() == expected.similarities.tolist()
            assert other.trees([7, 2]) == forest[[7, 2]]
            other.save(path)
            other = tk.TreeIndex.load(path)
        assert other.nbytes > 0
        other.add(["(new tree)"], ids=["new"])
        assert other.search(["(new tree)"], 1)[0].ids == ["new"]
        assert other.trees([7, "new"]) == tk.Forest.concatenate([forest[7:8], ["(new tree)"]])


def test_files_of_earlier_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such an index was searched by rows of a Gram matrix, and its file has trees alone."""
    forest, index, kernel = many()
    module = "treekernels.search.tree_index"
    monkeypatch.setattr(f"{module}.store_for", GramStore)
    old = tk.TreeIndex(kernel)
    old.add(forest)
    old.remove([3])
    assert not old.is_native
    old.save(tmp_path / "old.tki")
    monkeypatch.undo()
    index.remove([3])
    loaded = tk.TreeIndex.load(tmp_path / "old.tki")
    assert loaded.is_native
    assert loaded.search(forest[:9], 4).items.tolist() == index.search(forest[:9], 4).items.tolist()


BREAKS: dict[str, Any] = {
    "kinds": lambda a: a + 90,
    "firsts": lambda a: a + 10**6,
    "rests": lambda a: np.where(a == 2**32 - 1, a, a + 10**6).astype(np.uint32),
    "weights": lambda a: -a,
    "label_offsets": lambda a: a[::-1].copy(),
    "label_text": lambda a: a[:-1],
    "offsets": lambda a: a + 1,
    "features": lambda a: a[::-1].copy(),
    "counts": lambda a: np.ones(3),
    "columns": lambda a: a + 10**6,
}


@pytest.mark.parametrize("name", BREAKS)
def test_arrays_that_do_not_fit_are_refused(name: str) -> None:
    _, index, _ = many()
    content, *rest = index.__getstate__()
    features = content["store"]["features"]
    state = {**content["store"], "features": {**features, name: BREAKS[name](features[name])}}
    with pytest.raises(ValueError, match="do not fit together"):
        tk.TreeIndex.__new__(tk.TreeIndex).__setstate__(({**content, "store": state}, *rest))
    state = {**content["store"], "removed": content["store"]["removed"][:-1]}
    with pytest.raises(ValueError, match="do not fit"):
        tk.TreeIndex.__new__(tk.TreeIndex).__setstate__(({**content, "store": state}, *rest))


def test_equal_trees_and_those_without_features() -> None:
    index = tk.TreeIndex(tk.TreeFeaturesKernel())
    index.add(["(A b)", "(-EMPTY-)", "(A b)", "(A b)"])
    index.add(["(A b)"])
    index.remove([2])
    hits = index.search(["(A b)", "(-EMPTY-)"], 4)
    assert hits[0].ids == [0, 3, 4, 1]
    assert hits[0].similarities.tolist() == [1, 1, 1, 0]
    assert hits[1].similarities.tolist() == [0, 0, 0, 0]
    assert [(p.first, p.second) for p in index.duplicates(1)] == [(0, 3), (0, 4), (3, 4)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("normalize", [True, False])
def test_what_is_shared_adds_up_to_the_similarity(kind: str, normalize: bool) -> None:
    forest = tk.Forest(random_forest(40, 7))
    kernel = KINDS[kind][0].with_params(weights="idf", counts="log", normalize=normalize)
    index = tk.TreeIndex(kernel)
    index.add(forest)
    for hit in index.search(forest[:1], 3)[0]:
        shared = index.explain(forest[0], hit.id, top=10_000)
        assert sum(each.weight for each in shared) == pytest.approx(hit.similarity, rel=1e-10)
        assert [each.weight for each in shared] == sorted(
            (each.weight for each in shared), reverse=True
        )
    assert len(index.explain(forest[0], 0, top=2)) == 2
    assert len(index.explain("(nothing like it)", 0)) == 0
