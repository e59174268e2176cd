"""explain of kernels of features that can be counted, against lists of all features."""

from __future__ import annotations

import functools
import math
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.svm import SVC

import treekernels as tk
from oracles import kernels as oracle
from treekernels.explanation.explain import RankedFragments
from treekernels.explanation.matching import occurrences
from treekernels.explorer.views.shared.fragment_places import CorpusSubtrees
from treekernels.testing import strategies

DAMPING = {"linear": float, "log": lambda n: 1 + math.log(n), "binary": lambda n: 1.0}
KINDS: dict[str, tuple[Any, Any]] = {
    "paths": (tk.SubpathKernel(0.7, max_length=3), lambda t: oracle.subpath_features(t, 0.7, 3)),
    "grams": (tk.PQGramKernel(), oracle.gram_features),
    "short grams": (tk.PQGramKernel(1, 2), lambda t: oracle.gram_features(t, 1, 2)),
    "long grams": (tk.PQGramKernel(3, 1), lambda t: oracle.gram_features(t, 3, 1)),
    "bag": (
        tk.TreeFeaturesKernel(0.5, 2, 3, 0.25, 4),
        lambda t: oracle.bag_features(t, 0.5, 2, 3, 0.25, 4),
    ),
}
TREES = ["(S (A a) (B b))", "(S (A a) (B c))", "(T (A a) (B b) (B b))", "(T (A d) (B c))"] * 2
LABELS = ["s", "s", "t", "u"] * 2
NEW = "(S (A a) (B b) (B b) (A x))"


def chain(labels: tuple[str, ...], *below: oracle.Tree) -> oracle.Tree:
    top: oracle.Tree = (labels[-1], *below)
    return functools.reduce(lambda tree, label: (label, tree), reversed(labels[:-1]), top)


def text_of(kind: str, feature: Any, kernel: Any) -> str:
    """Return what a feature should be called."""
    if kind == "paths":
        return oracle.to_brackets(chain(feature))
    if kind == "bag":
        name, *parts = feature
        whole = name in ("subtree", "outline")
        shown = parts[0] if whole else (parts[0], *((label,) for label in parts[1:]))
        return f"{name} {oracle.to_brackets(shown)}"
    labels = tuple(label or "*" for label in feature)
    base = [(label,) for label in labels[kernel.p :]]
    return f"gram {oracle.to_brackets(chain(labels[: kernel.p], *base))}"


def sides_and_scales(kind: str, kernel: Any, trees: Any, counts: str) -> Any:
    """Return how much each feature counts in each tree, what it brings, and the norms."""
    features = [KINDS[kind][1](tree) for tree in trees]
    seen = Counter(feature for listed in features for feature in listed)
    whole = 1 + math.log(1 + len(trees))

    def shared(feature: Any, plain: float) -> float:
        if kernel.weights is None or seen[feature] < 2:
            return plain
        return plain * ((1 + math.log((1 + len(trees)) / (1 + seen[feature]))) / whole) ** 2

    result = [
        {
            f: (DAMPING[counts](first.side), shared(f, float(first.shared)))
            for f, first in listed.items()
        }
        for listed in features
    ]
    norms = [math.sqrt(sum(n * n * w for n, w in listed.values())) for listed in result]
    return result, norms if kernel.normalize else [1.0] * len(trees)


@given(
    trees=strategies.forests(min_trees=3, max_trees=6, max_nodes=8),
    kind=st.sampled_from(sorted(KINDS)),
    counts=st.sampled_from(sorted(DAMPING)),
    weights=st.sampled_from([None, "idf"]),
    normalize=st.booleans(),
)
def test_the_weights_are_those_of_listed_features(
    trees: Any, kind: str, counts: str, weights: Any, normalize: bool
) -> None:
    """Of three classes: in the model, and in a prediction, where they add up to the score."""
    kernel = KINDS[kind][0].with_params(counts=counts, weights=weights, normalize=normalize)
    forest = tk.Forest.from_trees(trees)
    labels = np.arange(len(trees)) % 3
    machine = tk.TreeSVC(kernel, C=2.0, tol=0.05, random_state=0).fit(forest, labels)
    found, norms = sides_and_scales(kind, kernel, trees, counts)
    place = {str(tree): number for number, tree in enumerate(forest)}
    support = [place[str(tree)] for tree in machine.support_examples_]
    scores = machine.decision_function(forest[:1])[0] - machine.intercept_
    for column in range(3):
        in_model: dict[str, float] = defaultdict(float)
        in_tree: dict[str, float] = defaultdict(float)
        having: Counter[str] = Counter()
        for number, alpha in zip(support, machine.dual_coef_[:, column], strict=True):
            for feature, (count, shared) in found[number].items():
                name = text_of(kind, feature, kernel)
                having[name] += 1
                weight = float(alpha) / norms[number] * count
                in_model[name] += weight * math.sqrt(shared)
                if feature in found[0]:
                    in_tree[name] += weight * shared * found[0][feature][0] / norms[0]
        listed = tk.explain(machine, top=10_000, class_=column)
        heavy = {name: weight for name, weight in in_model.items() if weight > 1e-9}
        got = {item.text: item.weight for item in listed}
        assert {name: weight for name, weight in got.items() if weight > 1e-9} == pytest.approx(
            heavy, rel=1e-9, abs=1e-9
        )
        assert len(got) == len(listed)
        assert [item.weight for item in listed] == sorted(got.values(), reverse=True)
        assert all(item.trees == having[item.text] for item in listed)
        decided = tk.explain(machine, tree=forest[:1], top=10_000, class_=column)
        for item in decided:
            assert item.weight == pytest.approx(in_tree[item.text], abs=1e-9)
        assert sum(item.weight for item in decided) == pytest.approx(scores[column], abs=1e-9)


@pytest.mark.parametrize(
    "kernel",
    [
        "features(weights='idf')",
        "pqgram(weights='idf', counts='log')",
        "subpath(weights='idf')",
        "sst + 0.5 * features(weights='idf') + pqgram()",
        "pqgram(ordered=False, weights='idf')",
    ],
)
@pytest.mark.parametrize(
    "learner",
    [
        tk.TreeSVC(C=10, random_state=0),
        tk.TreePerceptron(random_state=0, epochs=2),
        tk.TreePerceptron(random_state=0, epochs=2, solver="standard"),
        tk.TreePassiveAggressive(random_state=0, epochs=2),
    ],
    ids=["svm", "mean", "standard", "passive-aggressive"],
)
def test_predictions_of_all_learners_add_up(learner: Any, kernel: str, tmp_path: Any) -> None:
    learner = clone(learner).set_params(kernel=kernel).fit(TREES, LABELS)
    tk.save(learner, tmp_path / "model.tkm")
    for model in (learner, tk.load(tmp_path / "model.tkm")):
        scores = model.decision_function([NEW])[0] - getattr(model, "intercept_", 0.0)
        for column, name in enumerate(model.classes_):
            listed = tk.explain(model, tree=NEW, top=10_000, class_=name)
            assert sum(item.weight for item in listed) == pytest.approx(scores[column], abs=1e-9)


def test_a_machine_of_scikit_learn() -> None:
    kernel = tk.TreeFeaturesKernel(counts="log")
    labels = ["s", "s", "t", "t"] * 2
    machine = SVC(kernel=kernel, C=10).fit(TREES, labels)
    score = machine.decision_function([NEW])[0] - machine.intercept_[0]
    assert sum(
        fragment.weight for fragment in tk.explain(machine, tree=NEW, class_="t", top=999)
    ) == (pytest.approx(score))
    assert all(fragment.trees for fragment in tk.explain(machine))


def test_features_with_a_label() -> None:
    machine = tk.TreeSVC(tk.TreeFeaturesKernel(), C=10, random_state=0).fit(TREES, LABELS)
    listed = tk.explain(machine, top=999, class_="t")
    wanted = [item for item in listed if all(t in item.text for t in ("T", "B"))]
    fragments = list(RankedFragments(machine).of("t", ["t", "b"]))
    assert [item.text for item in fragments] == [item.text for item in wanted] != []


@pytest.mark.parametrize(
    ("fragment", "kind", "places"),
    [
        ("(A b)", "production", [[1, 2], [5, 6]]),
        ("(B A)", "production", [[4, 5]]),
        ("(B A)", "subtree", []),
        ("(B (A b))", "subtree", [[4, 5, 6]]),
        ("(B A)", "outline", [[4, 5]]),
        ("(S A b (B A))", "outline", [[0, 1, 3, 4, 5]]),
        ("(A b)", "outline", []),
        ("(S A b)", "siblings", [[0, 1, 3]]),
        ("(S A B)", "siblings", []),
        ("(b)", "leaf", [[2], [3], [6]]),
        ("(S (A * b))", "gram", [[0, 1, 2]]),
        ("(* (S A b))", "gram", [[0, 1, 3]]),
        ("(B (A *))", "gram", []),
        ("(A (b * *))", "gram", [[1, 2], [5, 6]]),
        ("(* (S A B b))", "window", [[0, 1, 4, 3]]),
        ("(* (S B b A))", "window", [[0, 4, 3, 1]]),
        ("(* (S A b B))", "window", []),
        ("(S (B A * *))", "window", [[0, 4, 5]]),
        ("(A (b * *))", "window", [[1, 2], [5, 6]]),
    ],
)
def test_places_of_features(fragment: str, kind: str, places: list[list[int]]) -> None:
    """In the tree, and which trees of a corpus have it."""
    trees = tk.Forest(["(S (A b) b (B (A b)))", "(C d)"])
    (feature,) = tk.Forest([fragment])
    assert occurrences(feature, trees[0], kind=kind) == places
    if kind in ("gram", "window"):
        with pytest.raises(ValueError, match="a pq-gram cannot be listed here"):
            CorpusSubtrees(trees).rows_with(feature, kind=kind)
    else:
        rows = CorpusSubtrees(trees).rows_with(feature, kind=kind).tolist()
        assert rows == ([0] if places else [])


def test_what_is_listed_is_drawn() -> None:
    """The nodes share the weights of all features, so that their own add up to these."""
    features, grams = tk.TreeFeaturesKernel(weights="idf"), tk.PQGramKernel(weights="idf")
    for kernel in (features, grams, grams.with_params(ordered=False)):
        machine = tk.TreeSVC(kernel, C=10, random_state=0).fit(TREES, LABELS)
        listed = tk.explain(machine, tree=NEW, top=999)
        assert sum(listed.node_weights().values()) == pytest.approx(sum(x.weight for x in listed))
        assert "In the tree:" in str(listed)
        assert listed[0].kind is not None
        assert listed[0].kind in listed._repr_html_()
