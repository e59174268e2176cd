"""Smoothed kernels: values against the oracle, all kinds of similarity, and learners."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treekernels as tk
from helpers import random_forest
from oracles import kernels as oracle
from oracles.kernels import Tree
from treekernels.kernels.similarity.labels import as_lazy, labels_of, similar_pairs
from treekernels.testing.strategies import LABELS, decays, forests

WORDS = ("dog::n", "cat::n", "mat::n", "run::v", "sit::v", "NP", "VP", "dog")
VECTORS = {
    "dog": [1.0, 0.2, 0.1],
    "cat": [0.9, 0.4, 0.0],
    "mat": [0.1, 1.0, 0.3],
    "run": [0.3, 0.1, 1.0],
    "sit": [0.2, 0.3, 0.9],
}


def as_function(similarity: Any, labels: Any) -> Callable[[str, str], float]:
    """Return a similarity as a function of two labels, from the pairs that it lists."""
    table = {frozenset((a, b)): value for a, b, value in similar_pairs(similarity, labels)}
    return lambda a, b: table.get(frozenset((a, b)), float(a == b))


def expected(trees: list[Tree], similarity: Any, name: str = "partial", **parameters: Any) -> Any:
    function = as_function(similarity, labels_of(tk.Forest(trees)))
    values = [
        [float(oracle.recursive(name, a, b, similarity=function, **parameters)) for b in trees]
        for a in trees
    ]
    return np.array(values, float).reshape(len(trees), len(trees))


similarities = st.dictionaries(
    st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)).filter(lambda p: p[0] < p[1]),
    st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    max_size=6,
)


@settings(max_examples=30, deadline=None)
@given(forests(), similarities, decays(0.05), decays(0.05), st.sampled_from(["skipped", "span"]))
def test_values_of_a_table(
    trees: list[Tree], table: Any, decay: float, vertical_decay: float, gaps: Any
) -> None:
    parameters: dict[str, Any] = {"decay": decay, "vertical_decay": vertical_decay, "gaps": gaps}
    kernel = tk.PartialTreeKernel(**parameters, similarity=table, normalize=False)
    values = expected(trees, table, **parameters)
    np.testing.assert_allclose(kernel(trees), values, rtol=1e-10)
    np.testing.assert_allclose(kernel.diag(trees), np.diagonal(values), rtol=1e-10)
    half = len(trees) // 2
    np.testing.assert_allclose(kernel(trees[:half], trees[half:]), values[:half, half:], rtol=1e-10)
    for algorithm in ("ftk", "qtk"):
        pairwise = tk.PartialTreeKernel(
            **parameters, similarity=table, normalize=False, algorithm=algorithm
        )
        np.testing.assert_allclose(pairwise(trees), values, rtol=1e-10)


def closeness(a: str, b: str) -> float:
    return 0.6 if a[0] == b[0] else 0.25 * (a[-1] == b[-1])


KINDS: dict[str, Any] = {
    "table": {("dog::n", "cat::n"): 0.8, ("NP", "VP"): 0.3},
    "classes": {"dog::n": 1, "cat::n": 1, "run::v": 2, "sit::v": 2, "NP": 3},
    "function": closeness,
    "function in classes": tk.SimilarLabels(closeness, classes="words"),
    "function above a threshold": tk.SimilarLabels(closeness, threshold=0.5),
    "vectors": tk.WordVectors(VECTORS),
    "vectors of any class": tk.WordVectors(VECTORS, classes=None, threshold=0.1, power=2),
    "classes by function": tk.WordVectors(VECTORS, classes=lambda label: label.count("::") or None),
}


@settings(max_examples=25, deadline=None)
@given(forests(labels=WORDS, min_trees=1))
@pytest.mark.parametrize("kind", KINDS)
def test_values_of_all_kinds(kind: str, trees: list[Tree]) -> None:
    similarity = KINDS[kind]
    kernel = tk.PartialTreeKernel(similarity=similarity, normalize=False)
    values = expected(trees, similarity, decay=0.4, vertical_decay=0.4)
    np.testing.assert_allclose(kernel(trees), values, rtol=1e-10)
    np.testing.assert_allclose(kernel(trees[:1], trees), values[:1], rtol=1e-10)
    elastic = tk.ElasticTreeKernel(0.3, similarity=similarity, normalize=False)
    values = expected(trees, similarity, "elastic", decay=0.3)
    np.testing.assert_allclose(elastic(trees), values, rtol=1e-10)


def cosine(a: Any, b: Any) -> float:
    return float(np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b))


def test_similarities_of_vectors() -> None:
    vectors = tk.WordVectors(VECTORS, threshold=0.3, power=2)
    value = (cosine(VECTORS["dog"], VECTORS["cat"]) - 0.3) / 0.7
    assert vectors.similarity("dog::n", "cat::n") == pytest.approx(value**2, rel=1e-6)
    assert vectors.similarity("Dog::n", "CAT::n") == pytest.approx(value**2, rel=1e-6)
    assert vectors.similarity("run::v", "run::n") == 0  # another part of speech
    assert vectors.similarity("dog::n", "dogma::n") == 0  # which has no vector
    assert vectors.similarity("NP", "NP") == 1
    assert vectors.similarity("dog", "cat") == 0  # these are no words
    assert vectors.pairs(["dog::n", "mat::n"]) == vectors.pairs(["mat::n", "dog::n", "x", "dog::n"])
    negative = tk.WordVectors({"a": [1.0, 0.0], "b": [-1.0, 0.0]}, threshold=0)
    assert negative.similarity("a::n", "b::n") == 0


def test_composed_labels() -> None:
    """As in the compositional kernel: relations match if they are equal and their words do."""
    plus = tk.WordVectors(VECTORS, threshold=0.2)
    times = tk.WordVectors(VECTORS, threshold=0.2, composition="product")
    one, two = "nsubj<run::v,dog::n>", "nsubj<sit::v,cat::n>"
    run, dog, sit, cat = (
        np.array(VECTORS[w]) / np.linalg.norm(VECTORS[w]) for w in ("run", "dog", "sit", "cat")
    )
    assert plus.similarity(one, two) == pytest.approx((cosine(run + dog, sit + cat) - 0.2) / 0.8)
    assert times.similarity(one, two) == pytest.approx(
        (cosine(run * dog, sit * cat) - 0.2) / 0.8, rel=1e-5
    )
    assert plus.similarity(one, "obj<sit::v,cat::n>") == 0
    assert plus.similarity(one, "nsubj<sit::v,cat::v>") == 0
    assert plus.similarity(one, "nsubj<sit::v,unknown::n>") == 0
    assert plus.similarity("punct<run::v,,::,>", two) == 0


def test_pairs_are_the_same_bits_however_labels_come(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.RandomState(0)
    words = [f"w{i}" for i in range(300)]
    matrix = rng.normal(size=(300, 7)).astype(np.float32)
    labels = [f"{word}::{'nv'[i % 2]}" for i, word in enumerate(words)]

    def values(batches: int) -> dict[Any, float]:
        vectors = tk.WordVectors(matrix, words, threshold=0.3)
        for part in np.array_split(np.array(labels, object), batches):
            vectors.pairs(part)
        return {frozenset((a, b)): value for a, b, value in vectors.pairs(labels)}

    whole = values(1)
    assert 1000 < len(whole) < 10_000
    assert values(7) == whole
    monkeypatch.setattr("treekernels.kernels.similarity.word_vectors._BLOCK", 1000)
    assert values(3) == whole
    unit = matrix.astype(float) / np.linalg.norm(matrix.astype(float), axis=1, keepdims=True)
    cosines = unit @ unit.T
    same_class = np.arange(300)[:, None] % 2 == np.arange(300) % 2
    expected = {
        frozenset((labels[a], labels[b])): (cosines[a, b] - 0.3) / 0.7
        for a, b in zip(*np.nonzero(np.triu(same_class & (cosines > 0.3), 1)), strict=True)
    }
    assert whole.keys() == expected.keys()
    for pair, value in whole.items():
        assert value == pytest.approx(expected[pair], abs=1e-6)


def test_words_are_asked_for_once_and_when_they_occur() -> None:
    class Counting(dict[str, Any]):
        asked: ClassVar[list[str]] = []

        def __getitem__(self, word: str) -> Any:
            self.asked.append(word)
            return super().__getitem__(word)

    source = Counting(VECTORS)
    kernel = tk.PartialTreeKernel(similarity=tk.WordVectors(source))
    assert source.asked == []
    for _ in range(3):
        kernel(["(NP (N dog::n))", "(NP (N cat::n))"])
    assert sorted(source.asked) == ["cat", "dog"]


def test_a_valid_similarity_makes_a_valid_kernel_and_another_is_found_out() -> None:
    trees = random_forest(40, 3, size=10)
    words = labels_of(tk.Forest(trees))
    rng = np.random.RandomState(1)
    matrix = np.abs(rng.normal(size=(len(words), 4)))  # so that no cosine is negative
    vectors = tk.WordVectors(matrix, words, classes=None, threshold=0)
    kernel = tk.PartialTreeKernel(similarity=vectors)
    assert kernel.check_similarity(trees) > -1e-6
    assert np.linalg.eigvalsh(kernel(trees)).min() > -1e-9
    chain = {("a", "b"): 0.9, ("b", "c"): 0.9}
    bad = tk.PartialTreeKernel(similarity=chain)
    with pytest.raises(tk.ParameterError, match=r"not positive semi-definite.*-0.273.*'b'"):
        bad.check_similarity(["(A a b c)"])
    assert bad.check_similarity(["(A a b)"]) == pytest.approx(0.1)
    assert tk.PartialTreeKernel().check_similarity(["(A a b)"]) == 1.0
    assert np.linalg.eigvalsh(bad(["(a)", "(b)", "(c)"])).min() < -0.1


@pytest.mark.parametrize(
    ("similarity", "reason"),
    [
        (3, "similarity must be a dict of pairs of labels or of classes, WordVectors"),
        ({("a",): 0.5}, "pairs of labels as keys"),
        ({("a", "b"): 1.5}, "more similar"),
        (lambda a, b: 2, "is from 0 to 1, not 2"),
        (lambda a, b: "x", "is from 0 to 1, not 'x'"),
    ],
)
def test_what_is_no_similarity_is_refused(similarity: Any, reason: str) -> None:
    with pytest.raises(tk.ParameterError, match=reason):
        tk.PartialTreeKernel(similarity=similarity)(["(A a b)"])


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (([[1.0]],), "must be a file, a dict"),
        (([[1.0]], ["a", "b"]), "there are 2 words, and vectors of shape"),
        (([[np.nan]], ["a"]), "not finite"),
        (([[1.0]], ["a"], {"threshold": 2}), "threshold"),
        (([[1.0]], ["a"], {"power": 0}), "power"),
        (([[1.0]], ["a"], {"classes": 3}), "classes must be"),
        (([[1.0]], ["a"], {"composition": "mean"}), "composition must be"),
    ],
)
def test_what_are_no_vectors_is_refused(arguments: Any, reason: str) -> None:
    *values, options = arguments if isinstance(arguments[-1], dict) else (*arguments, {})
    with pytest.raises((tk.ParameterError, tk.DataError), match=reason):
        tk.WordVectors(*values, **options)
    with pytest.raises(tk.DataError, match="the vector of 'b' is not 2 finite numbers"):
        tk.WordVectors({"a": [1.0, 0.0], "b": [1.0]}).find(["b"])


def questions(seed: int, count: int = 40) -> tuple[list[str], list[str]]:
    """Return trees whose class is told by the kind of noun; each half has nouns of its own."""
    rng = np.random.RandomState(seed)
    nouns = {"x": [f"x{i}" for i in range(30)], "y": [f"y{i}" for i in range(30)]}
    trees, labels = [], []
    for number in range(count):
        label = "xy"[number % 2]
        noun = nouns[label][15 * seed + rng.randint(15)]
        trees.append(f"(S (NP (D the::d) (N {noun}::n)) (VP (V {rng.choice(['is', 'was'])}::v)))")
        labels.append(label)
    return trees, labels


def noun_vectors() -> tk.WordVectors:
    rng = np.random.RandomState(5)
    words = [f"{kind}{i}" for kind in "xy" for i in range(30)]
    matrix = rng.normal(size=(60, 6)) * 0.15
    matrix[:30, 0] += 1
    matrix[30:, 1] += 1
    return tk.WordVectors(matrix, words)


LEARNERS = [
    tk.TreeSVC("sst", C=10, random_state=0),
    tk.TreePerceptron("sst", epochs=3, average="mean", random_state=0),
    tk.TreePerceptron("sst", epochs=3, average="vote", random_state=0),
    tk.TreePassiveAggressive("sst", random_state=0),
    tk.TreePerceptron("sst", epochs=2, solver="standard", random_state=0),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_learners_know_words_that_they_have_not_seen(learner: Any, tmp_path: Path) -> None:
    from sklearn.base import clone

    train, labels = questions(0)
    test, truth = questions(1)
    kernel = tk.PartialTreeKernel(similarity=noun_vectors())
    model = clone(learner).set_params(kernel=kernel).fit(train, labels)
    plain = clone(learner).set_params(kernel=tk.PartialTreeKernel()).fit(train, labels)
    assert model.score(test, truth) == 1.0
    assert plain.score(test, truth) < 0.8
    expected = model.decision_function(test)
    one_by_one = np.concatenate([model.decision_function([tree]) for tree in test])
    np.testing.assert_allclose(one_by_one, expected, rtol=1e-9, atol=1e-12)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_allclose(again.decision_function(test), expected, rtol=1e-12)
    tk.save(model, tmp_path / "model.tkm")
    loaded = tk.load(tmp_path / "model.tkm")
    np.testing.assert_allclose(loaded.decision_function(test), expected, rtol=1e-12)


def test_scores_are_those_of_the_gram_matrix() -> None:
    train, _ = questions(0)
    test, _ = questions(1)
    for kernel in (
        tk.PartialTreeKernel(similarity=noun_vectors()),
        tk.PartialTreeKernel(similarity=noun_vectors(), weights={"N": 0.5}, normalize=False),
        tk.ElasticTreeKernel(similarity=noun_vectors()),
        tk.ElasticTreeKernel(similarity=noun_vectors(), elastic=False),
        tk.PartialTreeKernel(similarity=closeness),
    ):
        forest = tk.WeightedForest(kernel, columns=2)
        weights = np.random.RandomState(0).normal(size=(len(train), 2))
        for begin in range(0, len(train), 7):  # each time there are new words
            forest.add(train[begin : begin + 7], weights[begin : begin + 7])
        np.testing.assert_allclose(forest.score(test), kernel(test, train) @ weights, rtol=1e-9)


def test_a_saved_model_knows_the_words_that_it_has_met(tmp_path: Path) -> None:
    train, labels = questions(0)
    kernel = tk.PartialTreeKernel(similarity=noun_vectors())
    model = tk.TreeSVC(kernel).fit(train, labels)
    new, known = "(S (NP (N x29::n)))", train[3]
    tk.save(model, tmp_path / "before.tkm")
    model.predict([new])
    tk.save(model, tmp_path / "after.tkm")
    before, after = (tk.load(tmp_path / f"{name}.tkm") for name in ("before", "after"))
    value = model.decision_function([new])
    np.testing.assert_allclose(after.decision_function([new]), value)
    assert abs(before.decision_function([new]) - value) > 1e-3
    np.testing.assert_allclose(before.decision_function([known]), model.decision_function([known]))
    function = tk.TreeSVC(tk.PartialTreeKernel(similarity=closeness)).fit(train, labels)
    with pytest.raises(tk.DataError, match="cannot be saved"):
        tk.save(function, tmp_path / "function.tkm")


def test_similarities_are_equal_by_what_they_say() -> None:
    assert tk.WordVectors(VECTORS) == tk.WordVectors(dict(VECTORS))
    assert tk.WordVectors(VECTORS) != tk.WordVectors(VECTORS, power=3)
    assert tk.WordVectors(VECTORS) != tk.WordVectors({"dog": [1.0, 0.0, 0.0]})
    assert tk.WordVectors([[1.0]], ["a"]) == tk.WordVectors(np.ones((1, 1)), ["a"])
    assert tk.WordVectors([[1.0]], ["a"]) != tk.WordVectors([[1.0]], ["b"])
    assert tk.SimilarLabels(closeness) == tk.SimilarLabels(closeness)
    assert tk.SimilarLabels(closeness) != tk.SimilarLabels(closeness, classes="words")
    assert as_lazy({}) is None
    assert as_lazy({("a", "b"): 0.5}) is None
    assert as_lazy({"a": 1}) is not None


@pytest.mark.parametrize(
    ("label", "class_"),
    [
        ("nsubj<bark::v,dog::n>", ("nsubj", "v", "n")),
        ("a<b::c,d::e,f::g>", ("a", "c", "g")),
        ("a<b,c::v,d:::n>", ("a", "v", "n")),
        ("<b::v,d::n>", None),
        ("a<::v,d::n>", None),
        ("a<b::v,::n>", None),
        ("a<b::v,d::n>x", None),
    ],
)
def test_labels_of_two_words(label: str, class_: Any) -> None:
    found = tk.WordVectors(VECTORS).class_of(label)
    assert (found if isinstance(found, tuple) else None) == class_


def test_labels_of_two_words_take_linear_time() -> None:
    vectors = tk.WordVectors(VECTORS)
    start = time.process_time()
    vectors.class_of("a<" + "b::c," * 100_000 + ">")  # it took minutes
    assert time.process_time() - start < 1


def test_a_similarity_that_fails_once_is_asked_again() -> None:
    """Labels whose comparison was interrupted do not count as compared."""
    failures = [KeyboardInterrupt(), RuntimeError("not now")]

    def same_start(a: str, b: str) -> float:
        if failures and a[0] == "c":
            raise failures.pop()
        return 0.5 * (a[0] == b[0])

    similar = tk.SimilarLabels(same_start)
    kernel = tk.PartialTreeKernel(similarity=similar)
    expected = tk.PartialTreeKernel(similarity={("cat", "cats"): 0.5})(["(N cat)", "(N cats)"])
    for kind in (RuntimeError, KeyboardInterrupt):
        with pytest.raises(kind):
            kernel(["(N cat)", "(N cats)"])
    np.testing.assert_array_equal(kernel(["(N cat)", "(N cats)"]), expected)
