"""kernel="auto": what is chosen, how, and that it stays with the learner."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict
from sklearn.utils.class_weight import compute_sample_weight

import treekernels as tk
from interruption import assert_hears_interrupt
from treekernels.learners.base import selection as selection_module
from treekernels.learners.base.comparison import Comparison, Contest, compare_classes, left_out


def records(count: int = 90, seed: int = 0) -> tuple[tk.Forest, Any]:
    """Flat records of two kinds that differ in which fields stand side by side."""
    rng = np.random.default_rng(seed)
    trees, kinds = [], []
    for number in range(count):
        fields = [f"(f{field} x)" for field in rng.permutation(12)[: rng.integers(5, 9)]]
        kind = number % 2
        place = int(rng.integers(len(fields)))
        fields[place:place] = ["(a x)", "(b x)"] if kind else ["(b x)", "(a x)"]
        trees.append(f"(record {' '.join(fields)})")
        kinds.append("second" if kind else "first")
    return tk.Forest(trees), np.array(kinds)


def chosen(learner: Any) -> list[str]:
    return [trial.expression for trial in learner.selection_.trials if trial.chosen]


def test_chooses_what_tells_the_classes_apart() -> None:
    X, y = records()
    more, expected = records(seed=1)
    learner = tk.TreeSVC("auto", random_state=0).fit(X, y)
    plain = tk.TreeSVC("sst", random_state=0).fit(X, y)
    assert learner.score(more, expected) > plain.score(more, expected) + 0.2
    assert tk.parse_kernel(chosen(learner)[0]) == learner.selection_.kernel
    assert not learner.kernel_.needs_fit
    assert learner.kernel == "auto"


@pytest.mark.parametrize("weights", [None, "balanced"])
def test_scores_are_those_of_cross_validation_by_hand(weights: Any) -> None:
    X, y = records()
    X, y = X[:24], y[:24]
    learner = tk.TreeSVC("auto", C=3.0, class_weight=weights, random_state=5).fit(X, y)
    shares = np.ones(24) if weights is None else compute_sample_weight("balanced", y)
    target = (y == "first") * 1.0
    target -= np.average(target, weights=shares)
    for trial in learner.selection_.trials[::3]:
        gram = tk.parse_kernel(trial.expression).fitted_on(X)(X)
        ridge = KernelRidge(alpha=1 / 6, kernel="precomputed")
        said = cross_val_predict(
            ridge, gram, target, cv=LeaveOneOut(), params={"sample_weight": shares}
        )
        threshold = 0.5 - np.average((y == "first") * 1.0, weights=shares)
        right = (said > threshold) == (y == "first")
        assert trial.mean == pytest.approx(np.average(right, weights=shares))
        if weights is None:
            assert trial.error == pytest.approx(right.std() / np.sqrt(23))


def test_left_out_numbers() -> None:
    rng = np.random.default_rng(0)
    vectors, y = rng.normal(size=(25, 4)), rng.normal(size=25)
    gram, ridge = vectors @ vectors.T, np.full(25, 0.7)
    said = left_out(gram, y[:, None], ridge)[:, 0]
    for place in range(25):
        rest = np.delete(np.arange(25), place)
        weights = np.linalg.solve(gram[np.ix_(rest, rest)] + 0.7 * np.eye(24), y[rest] - y.mean())
        assert said[place] == pytest.approx(y.mean() + gram[place, rest] @ weights)
    assert np.isnan(left_out(-10 * np.eye(3), np.ones((3, 1)), np.ones(3))).all()


def test_the_first_within_two_standard_errors_is_taken() -> None:
    rivals = Comparison("accuracy", np.arange(100), lambda gram: gram)

    def right(count: int) -> Any:
        return (np.arange(100) < count) * 1.0

    best = selection_module._first_of_the_best
    tried = {0: right(70), 1: np.roll(right(89), 5), 2: right(90), 3: right(90)}
    assert best(tried, rivals) == 1
    assert best({0: right(70), 2: right(80), 3: right(90)}, rivals) == 3
    other = np.roll(right(90), 10)  # as good, and wrong about others
    assert best({0: other, 1: right(92)}, rivals) == 0


def test_rounds() -> None:
    def sizes(count: int, most: int = 10_000, groups: int = 2, fewest: int = 20) -> list[int]:
        return Contest(lambda most: None, count, groups, fewest).sizes(most)

    assert sizes(19) == []
    assert sizes(20) == [20]
    assert sizes(90, fewest=100) == []
    assert sizes(1000) == [500, 1000]
    assert sizes(5452) == [340, 681, 1363]
    assert sizes(364_000) == [300, 600, 1200, 2400]
    assert sizes(364_000, most=500) == [500]
    assert sizes(1600, groups=204) == [1200]
    halves = selection_module._better_half
    scores = {place: np.full(3, float(place)) for place in range(5)}
    assert halves(scores, {0}) == [0, 3, 4]
    assert halves(scores, {0, 2}) == [0, 2, 3, 4]
    assert halves(scores, {1, 9}) == [1, 3, 4]


def test_subset_trees_stay_to_the_last_round_alone_and_in_sums() -> None:
    X, y = records(640)
    trials = tk.TreeSVC(random_state=0).fit(X, y).selection_.trials
    last = max(trial.examples for trial in trials)
    assert last == 640
    assert all(trial.examples == last for trial in trials if "sst" in trial.expression)
    assert any(trial.examples < last for trial in trials)


def test_rows_of_large_data_are_a_sample_with_all_classes() -> None:
    y = np.array(["rare"] * 50 + ["common"] * 4950)
    comparison = compare_classes(y, lambda mean: 1.0, 0).compare(1000)
    assert comparison is not None
    assert len(comparison.rows) == 1000
    assert (y[comparison.rows] == "rare").sum() == 10
    again = compare_classes(y, lambda mean: 1.0, 0).compare(1000)
    other = compare_classes(y, lambda mean: 1.0, 1).compare(1000)
    more = compare_classes(y, lambda mean: 1.0, 0).compare(2000)
    assert again is not None
    assert other is not None
    assert more is not None
    assert np.array_equal(comparison.rows, again.rows)
    assert not np.array_equal(comparison.rows, other.rows)
    assert set(comparison.rows) <= set(more.rows)


def test_examples_that_weigh_nothing_have_no_say() -> None:
    X, y = records(60)
    weights = np.ones(60)
    weights[40:] = 0
    learner = tk.TreeSVC(random_state=0).fit(X, y, sample_weight=weights)
    alone = tk.TreeSVC(random_state=0).fit(X[:40], y[:40])
    rows = [trial.cells()[:-1] for trial in learner.selection_.trials]
    assert rows == [trial.cells()[:-1] for trial in alone.selection_.trials]


def test_nothing_and_auto_are_the_same() -> None:
    X, y = records(40)
    tables = [repr(tk.TreeSVC(k).fit(X, y).selection_) for k in ("auto", None)]
    assert tables[0] == tables[1]
    assert tk.TreeSVC().kernel == "auto"
    assert not [name for name in tk.TreeSVC().get_params() if name.startswith("kernel__")]
    grid = GridSearchCV(tk.TreeSVC(random_state=0), {"kernel__decay": [0.1, 0.2]}, cv=2)
    assert isinstance(grid.fit(X, y).best_estimator_.kernel, tk.SubsetTreeKernel)
    both = {"kernel": ["auto"], "kernel__decay": [0.3]}
    assert GridSearchCV(tk.TreeSVC(), both, cv=2).fit(X, y).best_params_["kernel__decay"] == 0.3


@pytest.mark.parametrize("name", ["TreeSVC", "TreePerceptron"])
def test_models_from_before_have_the_kernel_that_they_had(name: str) -> None:
    X, y = records(40)
    before = getattr(tk, name)("sst", random_state=0).fit(X, y)
    loaded = getattr(tk, name)(None, random_state=0)
    loaded._restore(before._state())
    assert loaded.kernel_ == tk.SubsetTreeKernel()
    assert np.allclose(loaded.decision_function(X), before.decision_function(X))


@pytest.mark.parametrize("name", ["TreeSVC", "TreePerceptron", "TreePassiveAggressive"])
def test_saved_pickled_cloned(name: str, tmp_path: Path) -> None:
    X, y = records(60)
    learner = getattr(tk, name)("auto", random_state=0).fit(X, y)
    tk.save(learner, tmp_path / "model.tkm")
    scores = learner.decision_function(X)
    for copy in (tk.load(tmp_path / "model.tkm"), pickle.loads(pickle.dumps(learner))):
        assert np.allclose(copy.decision_function(X), scores)
        assert copy.kernel == "auto"
        assert copy.kernel_ == learner.kernel_
        assert repr(copy.selection_) == repr(learner.selection_)
    new = clone(learner)
    assert new.kernel == "auto"
    assert new.selection_ is None
    assert name in learner.selection_.sentence


def test_another_fit_forgets_what_was_chosen() -> None:
    X, y = records(40)
    learner = tk.TreeSVC("auto", random_state=0).fit(X, y)
    learner.set_params(kernel="sst").fit(X, y)
    assert learner.selection_ is None
    assert learner.kernel_ == tk.SubsetTreeKernel()


def test_regression() -> None:
    X, kinds = records()
    y = np.where(kinds == "first", 1.0, 4.0)
    learner = tk.TreeSVR("auto", C=10.0, random_state=0).fit(X, y)
    more, expected = records(seed=1)
    assert learner.score(more, np.where(expected == "first", 1.0, 4.0)) > 0.3
    assert "R²" in learner.selection_.sentence


def test_ranking() -> None:
    X, kinds = records(60)
    y = (kinds == "first").astype(float)
    queries = np.arange(60) // 6
    learner = tk.TreeRanker("auto").fit(X, y, groups=queries)
    assert "NDCG" in learner.selection_.sentence
    more, expected = records(60, seed=1)
    assert learner.score(more, (expected == "first").astype(float), groups=queries) > 0.8
    one_query = tk.TreeRanker("auto").fit(X[:24], y[:24])
    assert one_query.selection_.trials


def test_several_columns() -> None:
    trees, y = records(60)
    others = tk.Forest(["(S (A a))", "(S (B b))"] * 30)
    vectors = np.column_stack([(y == "first") * 1.0, np.ones(60)])
    X = tk.Table({"tree": trees, "other": others, "vector": vectors, "id": np.arange(60)})
    learner = tk.TreeSVC("auto", random_state=0).fit(X, y)
    assert {trial.column for trial in learner.selection_.trials} == {"tree", "other", "vector"}
    assert len(chosen(learner)) == 3
    columns = {leaf.on for leaf in learner.kernel_.leaves()}
    assert columns == {"tree", "other", "vector"}
    assert learner.score(X, y) == 1.0


def test_vectors_alone_and_dictionaries() -> None:
    y = np.array(["a", "b"] * 20)
    X = np.column_stack([(y == "a") * 2.0 - 1.0, np.ones(40)])
    learner = tk.TreeSVC("auto", random_state=0).fit(X, y)
    assert learner.score(X, y) == 1.0
    named = {"v": [{"x": float(value)} for value in X[:, 0]]}
    learner = tk.TreeSVC("auto", random_state=0).fit(named, y)
    assert learner.score(named, y) == 1.0


def test_pairs() -> None:
    texts = ["(S (NP:1 (N:1 a)) (VP (V b)))", "(S (NP (N a)) (VP (V:1 b)))"] * 8
    y = np.array(["x", "y"] * 8)
    anchored = tk.Pairs(texts, texts)
    learner = tk.TreeSVC("auto", random_state=0).fit(anchored, y)
    assert learner.kernel_ == tk.TripartiteKernel()
    columns = {"text": texts, "hypothesis": texts}
    learner = tk.TreeSVC("auto", random_state=0).fit(columns, y)
    assert isinstance(learner.kernel_, tk.TripartiteKernel)
    assert learner.score(columns, y) == 1.0
    learner = tk.TreeSVC("auto", random_state=0).fit(anchored.plain(), y)
    assert {leaf.on for leaf in learner.kernel_.leaves()} == {"text", "hypothesis"}


@pytest.mark.parametrize(
    "y", [["a", "a", "b", "b"], ["a"] * 12 + ["b"], [*"aabb", *"cdefghij"]], ids=str
)
def test_too_few_examples(y: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    X = [f"(S (A {label}) (B {number}))" for number, label in enumerate(y)]
    learner = tk.TreeSVC("auto", verbose=True, random_state=0).fit(X, y)
    assert learner.kernel_ == tk.SubsetTreeKernel()
    assert learner.selection_.trials == []
    assert "too few examples" in learner.selection_.sentence
    assert "too few examples" in capsys.readouterr().out
    assert "too few examples" in learner.selection_._repr_html_()


def test_columns_without_trees_are_refused() -> None:
    with pytest.raises(tk.DataError, match="columns of trees and of vectors"):
        tk.TreeSVC("auto").fit({"id": [1, 2], "name": ["x", "y"]}, ["a", "b"])


def test_a_stream_chooses_by_its_first_batch() -> None:
    X, y = records(200)
    learner = tk.TreePerceptron(random_state=0).partial_fit(X[:120], y[:120])
    selection = learner.selection_
    assert len(selection.trials) > 5
    assert repr(selection) == repr(
        tk.TreePerceptron(random_state=0).fit(X[:120], y[:120]).selection_
    )
    assert learner.partial_fit(X[120:], y[120:]).selection_ is selection
    assert learner.t_ == 200
    result = tk.TreePerceptron().partial_fit(X[:1], y[:1], classes=["first", "second"])
    assert result.kernel_ == tk.SubsetTreeKernel()
    assert "too few examples" in result.selection_.sentence
    assert result.partial_fit(X, y).kernel_ == tk.SubsetTreeKernel()


def test_what_is_not_chosen_yet() -> None:
    with pytest.raises(NotFittedError, match="chosen by fit"):
        tk.TreeSVC().kernel_  # noqa: B018


def test_large_trees_without_enough_examples() -> None:
    large = [f"(r {' '.join(f'(f{n} x{n % 7})' for n in range(k, k + 50))})" for k in range(8)]
    learner = tk.TreeSVC(random_state=0).fit(large, ["a", "b"] * 4)
    assert learner.selection_.kernel == tk.PQGramKernel()
    assert "too few examples" in learner.selection_.sentence


def test_leaves_that_are_nodes_are_fragments_first() -> None:
    """Elements without children count where children are mostly elements, and words do not."""
    elements = [f"(r (a (b) (c)) (b (a)) (c (b) (e{n % 2})))" for n in range(20)]
    words = [f"(r (a x) (b y) (c (b z) (d w{n % 2})))" for n in range(20)]
    for trees, first in ((elements, "sst(leaf_weight=1)"), (words, "sst")):
        selection = tk.TreeSVC(random_state=0).fit(trees, [0, 1] * 10).selection_
        assert selection.trials[0].expression == first
        assert {trial.expression for trial in selection.trials[:2]} == {"sst", "sst(leaf_weight=1)"}


def test_costly_kernels_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = records(40)
    monkeypatch.setattr(selection_module, "_MOST_SECONDS", 0.0)
    learner = tk.TreeSVC("auto", random_state=0).fit(X, y)
    assert learner.kernel_ == tk.SubsetTreeKernel()
    assert [trial.mean is None for trial in learner.selection_.trials].count(False) == 1
    assert "left out" in repr(learner.selection_)


def test_table_as_text_and_as_html() -> None:
    X, y = records(40)
    selection = tk.TreeSVC("auto", random_state=0).fit(X, y).selection_
    lines = repr(selection).splitlines()
    assert len(lines) == len(selection.trials) + 2
    assert sum(line.startswith("*") for line in lines) == 1
    page = selection._repr_html_()
    assert page.count("<tr>") == len(selection.trials) + 1
    best = max(trial.mean for trial in selection.trials)
    widths = [f"width:{8 * trial.mean / best:.2f}em" for trial in selection.trials]
    small = selection.trials[3]
    selection.trials[4] = replace(small, examples=small.examples - 1)  # of an earlier round
    page = selection._repr_html_()
    del widths[4]
    assert re.findall(r"width:[\d.]+em", page) == widths
    assert page.count("#2b6cb0") == 1
    assert 'tk.TreeSVC("' in selection.sentence


def test_interrupt_ends_the_comparison() -> None:
    assert_hears_interrupt(
        "X = tk.Forest(random_forest(3000, 0, 120))\ny = np.arange(3000) % 9",
        'tk.TreeSVC("auto").fit(X, y)',
        after=0.4,
    )
