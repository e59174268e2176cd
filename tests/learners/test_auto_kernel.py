"""kernel="auto": what is chosen, how, and that it stays with the learner."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.svm import SVC

import treekernels as tk
from interruption import assert_hears_interrupt
from treekernels.learners.base import selection as selection_module
from treekernels.learners.base.comparison import FOLDS, compare_classes, seed_of


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
    plain = tk.TreeSVC(random_state=0).fit(X, y)
    assert learner.score(more, expected) > plain.score(more, expected) + 0.2
    assert tk.parse_kernel(chosen(learner)[0]) == learner.selection_.kernel
    assert not learner.kernel_.needs_fit
    assert learner.kernel == "auto"


def test_scores_are_those_of_cross_validation_by_hand() -> None:
    X, y = records()
    learner = tk.TreeSVC("auto", C=3.0, random_state=5).fit(X, y)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed_of(5))
    tried = 0
    for trial in learner.selection_.trials:
        kernel = tk.parse_kernel(trial.expression)
        if trial.mean is None or kernel.needs_fit:
            continue
        tried += 1
        machine = SVC(kernel="precomputed", C=3.0)
        by_hand = cross_val_score(machine, kernel(X), y, cv=folds)
        assert trial.mean == pytest.approx(by_hand.mean())
        share = by_hand.mean()
        assert trial.error == pytest.approx(np.sqrt(share * (1 - share) / len(y)))
    assert tried >= 4


def test_scores_with_weights_learn_them_from_the_training_part_of_a_fold() -> None:
    X, y = records()
    learner = tk.TreeSVC("auto", random_state=0).fit(X, y)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed_of(0))
    tried = 0
    for trial in learner.selection_.trials:
        kernel = tk.parse_kernel(trial.expression)
        if trial.mean is None or not kernel.needs_fit:
            continue
        tried += 1
        scores = []
        for train, test in folds.split(np.zeros(len(y)), y):
            fitted = kernel.fitted_on(X[train])
            machine = SVC(kernel="precomputed", C=10.0).fit(fitted(X[train]), y[train])
            scores.append(machine.score(fitted(X[test], X[train]), y[test]))
        assert trial.mean == pytest.approx(np.mean(scores))
    assert tried >= 4


def test_the_first_within_a_standard_error_is_taken() -> None:
    def trial(mean: float | None, error: float | None = 0.02) -> Any:
        return selection_module.Trial("", "sst", mean, error, 0.0)

    best = selection_module._best
    assert best([trial(0.7), trial(0.89), trial(0.9), trial(0.9)]) == 1
    assert best([trial(0.7), trial(0.87), trial(0.9), trial(None, None)]) == 2
    assert best([trial(None, None), trial(None, None)]) == 0


def test_rows_of_large_data_are_a_sample_with_all_classes() -> None:
    y = np.array(["rare"] * 50 + ["common"] * 4950)
    comparison = compare_classes(y, lambda mean: 1.0, 0)(1000)
    assert comparison is not None
    assert len(comparison.rows) == 1000
    assert (y[comparison.rows] == "rare").sum() == 10
    again = compare_classes(y, lambda mean: 1.0, 0)(1000)
    other = compare_classes(y, lambda mean: 1.0, 1)(1000)
    assert again is not None
    assert other is not None
    assert np.array_equal(comparison.rows, again.rows)
    assert not np.array_equal(comparison.rows, other.rows)


def test_same_random_state_same_choice() -> None:
    X, y = records()
    first, second = (tk.TreeSVC("auto", random_state=3).fit(X, y) for _ in range(2))
    assert repr(first.selection_) == repr(second.selection_)
    assert np.array_equal(first.decision_function(X), second.decision_function(X))
    without = [repr(tk.TreeSVC("auto").fit(X, y).selection_) for _ in range(2)]
    assert without[0] == without[1]


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


def test_grid_and_named_kernels() -> None:
    X, y = records(60)
    grid = GridSearchCV(tk.TreeSVC(random_state=0), {"kernel": ["auto", "sst"]}, cv=2).fit(X, y)
    assert grid.best_params_ == {"kernel": "auto"}
    assert tk.TreeSVC("ptk").fit(X, y).selection_ is None


def test_probabilities_keep_the_kernel() -> None:
    X, y = records(60)
    learner = tk.TreeSVC("auto", probability=True, random_state=0).fit(X, y)
    assert learner.predict_proba(X).shape == (60, 2)


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


def test_what_needs_all_examples() -> None:
    X, y = records(40)
    with pytest.raises(tk.ParameterError, match="partial_fit sees a batch"):
        tk.TreePerceptron("auto").partial_fit(X, y)
    learner = tk.TreePerceptron("auto", random_state=0).fit(X, y)
    seen = learner.t_
    assert learner.partial_fit(X, y).t_ == seen + 40
    with pytest.raises(NotFittedError, match="chosen by fit"):
        tk.TreeSVC("auto").kernel_  # noqa: B018
    with pytest.raises(tk.ParameterError, match="name a kernel"):
        tk.TreeNystroem("auto").fit(X)
    with pytest.raises(tk.ParameterError, match="no parameters"):
        tk.TreeSVC("auto").set_params(kernel__decay=0.2)


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
    assert 'tk.TreeSVC("' in selection.sentence


def test_interrupt_ends_the_comparison() -> None:
    assert_hears_interrupt(
        "X = tk.Forest(random_forest(900, 0, 120))\ny = np.arange(900) % 9",
        'tk.TreeSVC("auto").fit(X, y)',
        after=0.4,
    )
