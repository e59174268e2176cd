"""explain of what holds a learner, words as fragments, columns, and drawings."""

from __future__ import annotations

from io import StringIO
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC, SVR

import treekernels as tk

TREES = ["(S (A a) (B b))", "(S (A a) (B c))", "(T (A a) (B b))", "(T (A d) (B c))"] * 3
LABELS = ["s", "s", "t", "t"] * 3
NEW = "(S (A d) (B b) (B b))"


def total(fragments: Any) -> float:
    return float(sum(fragment.weight for fragment in fragments))


def test_words_alone_explain_what_nothing_else_does() -> None:
    """The trees share no production, so that all of the score is that of words."""
    machine = tk.TreeSVC("sst(leaf_weight=2)", C=10, random_state=0)
    machine.fit(["(A good)", "(A bad)"], ["pro", "con"])
    tree = "(X (Y good) (Z bad) (bad movie))"
    listed = tk.explain(machine, tree=tree, class_="pro")
    score = machine.decision_function([tree])[0] - machine.intercept_[0]
    assert total(listed) == pytest.approx(score)
    assert [(item.text, item.size) for item in listed] == [("(good)", 0), ("(bad)", 0)]
    assert listed[0].weight > 0 > listed[1].weight
    assert listed[0].trees == 1
    assert listed.node_weights() == {
        2: pytest.approx(listed[0].weight),  # the word, and not the node of the same label
        4: pytest.approx(listed[1].weight),
    }


def test_pipelines_and_searches() -> None:
    machine = tk.TreeSVC("sst(0.2)", C=10, random_state=0)
    expected = str(tk.explain(machine.fit(TREES, LABELS), tree=NEW))
    pipeline = make_pipeline(FunctionTransformer(tk.Forest), "passthrough", machine)
    assert str(tk.explain(pipeline.fit(TREES, LABELS), tree=NEW)) == expected
    assert str(tk.explain(make_pipeline(machine).fit(TREES, LABELS), tree=NEW)) == expected
    grid = {"treesvc__kernel__decay": [0.2]}
    for search in (
        GridSearchCV(pipeline, grid, cv=2),
        RandomizedSearchCV(pipeline, grid, n_iter=1, cv=2, random_state=0),
        make_pipeline(GridSearchCV(machine, {"kernel__decay": [0.2]}, cv=2)),
    ):
        assert str(tk.explain(search.fit(TREES, LABELS), tree=NEW)) == expected


def test_a_pipeline_changes_the_tree_before_it_is_explained() -> None:
    lower = FunctionTransformer(lambda X: tk.structures.map_labels(tk.Forest(X), str.lower))
    pipeline = make_pipeline(lower, tk.TreeSVC("sst", C=10, random_state=0)).fit(TREES, LABELS)
    listed = tk.explain(pipeline, tree=NEW, class_="s", top=100)
    assert all(item.text == item.text.lower() for item in listed)
    machine = pipeline[-1]
    score = machine.decision_function([NEW.lower()])[0] - machine.intercept_[0]
    assert total(listed) == pytest.approx(-score)


@pytest.mark.parametrize("form", [list, tk.Forest])
def test_the_machines_of_scikit_learn(form: Any) -> None:
    kernel = tk.SubsetTreeKernel(0.3, leaf_weight=1)
    machine = SVC(kernel=kernel, C=10).fit(form(TREES), LABELS)
    score = machine.decision_function(form([NEW]))[0] - machine.intercept_[0]
    assert total(tk.explain(machine, tree=NEW, class_="t", top=1000)) == pytest.approx(score)
    assert total(tk.explain(machine, tree=NEW, class_="s", top=1000)) == pytest.approx(-score)
    assert tk.explain(machine, tree=NEW)[0].class_ == machine.predict(form([NEW]))[0]
    assert all(fragment.trees for fragment in tk.explain(machine))
    values = SVR(kernel=kernel).fit(form(TREES), np.arange(12.0))
    score = values.predict(form([NEW]))[0] - values.intercept_[0]
    assert total(tk.explain(values, tree=NEW, top=1000)) == pytest.approx(score)


def test_what_cannot_be_explained_says_why() -> None:
    vectors = make_pipeline(tk.DistributedTrees(64), LogisticRegression()).fit(TREES, LABELS)
    with pytest.raises(ValueError, match=r"in this Pipeline learns from vectors.*fragment_vector"):
        tk.explain(vectors)
    gram = tk.SubsetTreeKernel()(TREES)
    with pytest.raises(ValueError, match="has seen a Gram matrix and no trees"):
        tk.explain(SVC(kernel="precomputed").fit(gram, LABELS))
    with pytest.raises(ValueError, match="'rbf' has no fragments"):
        tk.explain(SVC().fit(gram, LABELS))
    with pytest.raises(ValueError, match="LogisticRegression has no weights of trees"):
        tk.explain(LogisticRegression().fit(gram, LABELS))
    several = SVC(kernel=tk.SubsetTreeKernel()).fit(TREES, [1, 2, 3] * 4)
    with pytest.raises(ValueError, match="3 classes against each other two by two"):
        tk.explain(several)
    search = GridSearchCV(tk.TreeSVC("sst"), {"C": [1, 2]}, cv=2, refit=False).fit(TREES, LABELS)
    with pytest.raises(ValueError, match="refit=True"):
        tk.explain(search)
    with pytest.raises(ValueError, match="a fitted learner can be explained"):
        tk.explain("model.tkm")
    with pytest.raises(NotFittedError):
        tk.explain(GridSearchCV(tk.TreeSVC("sst"), {"C": [1]}))


def test_columns_are_named_where_there_are_several() -> None:
    X = {"first": TREES, "second": TREES[::-1]}
    machine = tk.TreeSVC("sst(on=first) + st(on=second)", C=10, random_state=0).fit(X, LABELS)
    lines = str(tk.explain(machine, top=1)).splitlines()
    assert [line.split("  ")[-1].split(":")[0] for line in lines] == ["first"] * 2 + ["second"] * 2
    result = {"first": TREES[0], "second": TREES[0]}
    explained = tk.explain(machine, tree=result, class_="s", top=1000)
    text, page = str(explained), explained._repr_html_()
    assert "\nIn the column first:\nS " in text
    assert "\nIn the column second:\nS " in text
    assert "<p>In the column second:</p>" in page
    assert ">column</th>" in page
    assert sum(explained.node_weights("second").values()) == pytest.approx(
        total(part for part in explained if part.on == "second")
    )
    alone = tk.TreeSVC("sst(on=first)", C=10, random_state=0).fit(X, LABELS)
    assert "first" not in str(tk.explain(alone, tree=result))
    assert ">column</th>" not in tk.explain(alone, tree=result)._repr_html_()


def test_the_explained_tree_is_drawn() -> None:
    machine = tk.TreeSVC("sst", C=10, random_state=0).fit(TREES, LABELS)
    explained = tk.explain(machine, tree=TREES[0], top=1000)
    weights = explained.node_weights()
    assert sum(weights.values()) == pytest.approx(total(explained))
    assert f"S {weights[0]:+.2g}" in str(explained)
    picture = tk.Forest(TREES[:1])[0].to_svg(weights)
    assert picture in explained._repr_html_()
    page = StringIO()
    Console(file=page, force_terminal=True, color_system="truecolor", width=100).print(explained)
    assert "38;2;0;114;178" in page.getvalue()  # the blue of what speaks for the class
    assert str(tk.explain(machine)).count("\n") < 40
    assert "svg" not in str(tk.explain(machine))
    both = tk.explain(machine, tree=TREES[0], class_=["s", "t"])
    assert "─" not in str(both)  # what speaks for one speaks against the other
