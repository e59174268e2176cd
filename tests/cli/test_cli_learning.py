"""``treekernels fit``, ``predict`` and ``evaluate``, as a person uses them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import treekernels as tk
from command_line import LINES, SENTENCES, VECTORS, Result, Run, write

ORDERS = [("ab", "(a x) (b x)"), ("ba", "(b x) (a x)")]


def test_fit_and_predict(run: Run) -> None:
    data = write("data.tsv", LINES)
    fitted = run("fit", data, "model.tkm")
    assert fitted.code == 0
    assert "Learned 2 classes from 6 examples with sst" in fitted.err
    assert fitted.out == ""
    predicted = run("predict", "model.tkm", data)
    assert predicted.out.split() == [label for label, _ in SENTENCES]
    assert "6 of 6 (100.0%) agree with the labels in data.tsv" in predicted.err
    model = tk.load("model.tkm")
    assert model.predict(["(SQ (V do) (NP (N birds)))"]).tolist() == ["question"]


def test_kernel_auto(run: Run) -> None:
    rows = [f"{kind}\t(r (f{n} x) {fields})" for n in range(12) for kind, fields in ORDERS]
    data = write("data.tsv", "\n".join(rows))
    fitted = run("fit", data, "model.tkm", "--kernel", "auto")
    assert fitted.code == 0
    model = tk.load("model.tkm")
    text = tk.format_kernel(model.selection_.kernel)
    assert f"kernel='auto' chose {text} (accuracy on 24 examples: " in fitted.err
    assert f"from 24 examples with {text} in" in fitted.err
    assert "24 of 24" in run("predict", "model.tkm", data).err
    evaluated = run("evaluate", data, "--kernel", "auto", "--folds", "2", "--json")
    assert json.loads(evaluated.out)["kernel"] == "auto (sst in 2 folds)"
    tested = run("evaluate", data, "--kernel", "auto", "--test", data, "--json")
    assert json.loads(tested.out)["kernel"] == text
    few = run("fit", write("few.tsv", LINES), "few.tkm", "--kernel", "auto")
    assert "too few examples to compare" in few.err


def test_predict_takes_trees_from_any_column_and_format(run: Run) -> None:
    run("fit", write("data.tsv", LINES), "model.tkm")
    trees = [tree for _, tree in SENTENCES]
    write("trees.txt", "\n".join(trees))
    write("named.tsv", "number\tparse\n" + "".join(f"{i}\t{t}\n" for i, t in enumerate(trees)))
    expected = run("predict", "model.tkm", "data.tsv", "--quiet").out
    assert run("predict", "model.tkm", "trees.txt") == Result(0, expected, "")
    assert run("predict", "model.tkm", "named.tsv", "--quiet").out == expected


def test_scores(run: Run) -> None:
    run("fit", write("data.tsv", LINES), "model.tkm", "--learner", "perceptron")
    lines = run("predict", "model.tkm", "data.tsv", "--scores").out.splitlines()
    model = tk.load("model.tkm")
    header, *rows = [line.split("\t") for line in lines]
    scores = model.decision_function([tree for _, tree in SENTENCES]).reshape(6, -1)
    assert header == ["label", *model.classes_[-scores.shape[1] :]]
    np.testing.assert_allclose([[float(x) for x in row[1:]] for row in rows], scores, rtol=1e-4)
    found = json.loads(run("predict", "model.tkm", "data.tsv", "--scores", "--json").out)
    assert [row["label"] for row in found] == [label for label, _ in SENTENCES]
    assert set(found[0]["scores"]) == set(header[1:])


def test_evaluate_needs_no_option(run: Run) -> None:
    result = run("evaluate", write("data.tsv", LINES))
    assert result.code == 0
    for word in ("precision", "recall", "F1", "statement", "question", "accuracy", "macro F1"):
        assert word in result.out
    assert "No class has 5 examples: 3 folds are used instead." in result.err


def test_evaluate_agrees_with_scikit_learn(run: Run) -> None:
    from sklearn.metrics import accuracy_score, classification_report

    rng = np.random.default_rng(0)
    rows = [
        f"{'xyz'[k]}\t(S (A a{k + (u < 0.4)}) (B b))"
        for k, u in zip(rng.integers(0, 3, 90), rng.random(90), strict=True)
    ]
    train, test = write("train.tsv", "\n".join(rows[:60])), write("test.tsv", "\n".join(rows[60:]))
    found = json.loads(run("evaluate", train, "--test", test, "--json").out)
    run("fit", train, "model.tkm")
    predicted = run("predict", "model.tkm", test, "--quiet").out.split()
    expected = [row[0] for row in rows[60:]]
    assert found["accuracy"] == pytest.approx(accuracy_score(expected, predicted))
    assert 0.3 < found["accuracy"] < 1
    report = classification_report(expected, predicted, output_dict=True, zero_division=0.0)
    assert found["macro_f1"] == pytest.approx(report["macro avg"]["f1-score"])
    for label in "xyz":
        assert found["classes"][label]["precision"] == pytest.approx(report[label]["precision"])
        assert found["classes"][label]["recall"] == pytest.approx(report[label]["recall"])
        assert found["classes"][label]["support"] == report[label]["support"]


@pytest.mark.parametrize("learner", ["svm", "perceptron", "pa"])
def test_several_trees_and_vectors(run: Run, learner: str) -> None:
    data = write("data.svmlight", VECTORS)
    fitted = json.loads(run("fit", data, "model.tkm", "--learner", learner, "--json").out)
    assert fitted["kernel"] == "sst(on=tree1) + sst(on=tree2) + norm(linear(on=vector))"
    result = run("predict", "model.tkm", data)
    assert "12 of 12 (100.0%)" in result.err


def test_vectors_of_other_width(run: Run) -> None:
    data = write("data.svmlight", VECTORS)
    narrow = write("narrow.svmlight", "1 |BT| (A (B b0)) |BT| (C c) |ET| 1:1 |EV|\n")
    wide = write("wide.svmlight", "1 |BT| (A (B b0)) |BT| (C c) |ET| 1:1 9:1 |EV|\n")
    one_more = write("more.svmlight", "1 |BT| (A (B b0)) |BT| (C c) |ET| 1:1 3:1 |EV|\n")
    for kernel in ("sst + linear", "sst + poly(2)", "rbf(1)"):
        assert run("fit", data, "model.tkm", "--kernel", kernel).code == 0
        assert run("predict", "model.tkm", narrow, "--quiet") == Result(0, "1\n", "")
        result = run("predict", "model.tkm", wide)
        assert result.out == "1\n"
        assert "Left out 7 features that training did not have." in result.err
        result = run("predict", "model.tkm", one_more)
        assert "Left out 1 feature that training did not have." in result.err
        for other in (data, narrow):
            assert "Left out" not in run("predict", "model.tkm", other).err
        assert run("evaluate", data, "--test", wide, "--kernel", kernel).code == 0


def test_a_prediction_from_vectors_of_other_width_is_explained(run: Run) -> None:
    data = write("data.svmlight", VECTORS)
    narrow = write("narrow.svmlight", "1 |BT| (A (B b0)) |BT| (C c) |ET| 1:1 |EV|\n")
    more = write("more.svmlight", "1 |BT| (A (B b0)) |BT| (C c) |ET| 1:1 3:1 |EV|\n")
    assert run("fit", data, "model.tkm", "--kernel", "sst + linear").code == 0
    listed = [run("explain", "model.tkm", other, "--example", "1") for other in (narrow, more)]
    assert listed[0].code == listed[1].code == 0
    assert listed[0].out == listed[1].out
    assert "Left out" not in listed[0].err
    assert "Left out 1 feature that training did not have." in listed[1].err
