"""The command line, as a person uses it: what it prints, what it writes, and how it fails."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import treekernels as tk
from treekernels.cli.main import command, main

COMMANDS = [
    "fit",
    "predict",
    "evaluate",
    "explain",
    "gram",
    "embed",
    "compare",
    "index",
    "search",
    "duplicates",
    "convert",
    "demo",
    "bench",
]


class Result(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: Any) -> Run:
    """Run the command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run_it(*arguments: str) -> Result:
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        captured = capsys.readouterr()
        return Result(int(str(caught.value.code)), captured.out, captured.err)

    return run_it


def as_process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "treekernels", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


SENTENCES = [
    ("statement", "(S (NP (N dogs)) (VP (V bark)))"),
    ("statement", "(S (NP (N cats)) (VP (V sleep)))"),
    ("statement", "(S (NP (D the) (N cat)) (VP (V sleeps)))"),
    ("question", "(SQ (V do) (NP (N dogs)) (VP (V bark)))"),
    ("question", "(SQ (V do) (NP (N cats)) (VP (V sleep)))"),
    ("question", "(SQ (V does) (NP (D the) (N cat)) (VP (V sleep)))"),
]
LINES = "".join(f"{label}\t{tree}\n" for label, tree in SENTENCES)
VECTORS = "".join(
    f"{1 - 2 * (row % 2)} |BT| (A (B b{row % 4})) |BT| (C c) |ET| {row % 2 + 1}:1 |EV|\n"
    for row in range(12)
)


def write(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


# What it does.


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


def test_cross_validation_is_repeatable(run: Run) -> None:
    data = write("data.tsv", LINES * 3)
    first, again = (json.loads(run("evaluate", data, "--json", "--folds", "3").out) for _ in "12")
    for result in (first, again):
        del result["fit_seconds"], result["predict_seconds"]
    assert first == again
    assert len(first["fold_accuracies"]) == 3


@pytest.mark.parametrize("learner", ["svm", "perceptron", "pa"])
def test_several_trees_and_vectors(run: Run, learner: str) -> None:
    data = write("data.svmlight", VECTORS)
    fitted = json.loads(run("fit", data, "model.tkm", "--learner", learner, "--json").out)
    assert fitted["kernel"] == "sst(on=tree1) + sst(on=tree2) + linear(on=vector)"
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


def test_columns_by_name_and_number(run: Run) -> None:
    rows = "".join(f"{i}\t{label}\t{tree}\t(X y)\n" for i, (label, tree) in enumerate(SENTENCES))
    bare, named = write("bare.tsv", rows), write("named.tsv", "id\tkind\tone\ttwo\n" + rows)
    for data, label, tree in [(bare, "2", "3"), (named, "kind", "one"), (named, "2", "3")]:
        arguments = (data, "model.tkm", "--label", label, "--tree", tree, "--json")
        fitted = json.loads(run("fit", *arguments).out)
        assert fitted["classes"] == ["question", "statement"]
        assert fitted["kernel"] == "sst"
    kernel = "sst(on=one) + 0.5*st(on=4)"
    fitted = json.loads(
        run("fit", named, "model.tkm", "--label", "kind", "--kernel", kernel, "--json").out
    )
    assert fitted["kernel"] == "sst(on=one) + 0.5*st(on=two)"


def test_formats_are_told_by_the_first_line(run: Run) -> None:
    for name, text in [
        ("a.txt", LINES),
        ("b.dat", VECTORS),
        ("c.dat", "x |BT:t| (A b) |ET|\ny |BT:t| (A c) |ET|\n"),
    ]:
        assert run("fit", write(name, text), "model.tkm").code == 0


def test_odd_files(run: Run) -> None:
    import gzip

    Path("data.tsv.gz").write_bytes(gzip.compress(LINES.replace("\n", "\r\n\r\n").encode("utf-8")))
    Path("mark.tsv").write_bytes(b"\xef\xbb\xbf" + LINES.encode())
    for data in ("data.tsv.gz", "mark.tsv"):
        found = json.loads(run("fit", data, "model.tkm", "--json").out)
        assert (found["examples"], found["classes"]) == (6, ["question", "statement"])


def test_gram(run: Run) -> None:
    data = write("data.tsv", LINES)
    assert "6 x 6 values of ptk(decay=0.3)" in run("gram", data, "g.npy", "-k", "ptk(0.3)").err
    trees = [tree for _, tree in SENTENCES]
    np.testing.assert_allclose(np.load("g.npy"), tk.PartialTreeKernel(0.3)(trees), rtol=1e-14)
    write("two.tsv", "".join(LINES.splitlines(keepends=True)[:2]))
    arguments = ("--against", data, "--dtype", "float32", "--json")
    assert json.loads(run("gram", "two.tsv", "h.npy", *arguments).out)["shape"] == [2, 6]
    assert np.load("h.npy").dtype == np.float32
    np.testing.assert_allclose(np.load("h.npy"), tk.SubsetTreeKernel()(trees[:2], trees), rtol=1e-6)
    assert sorted(path.name for path in Path().iterdir()) == [
        "data.tsv", "g.npy", "h.npy", "two.tsv"
    ]  # fmt: skip


def test_compare(run: Run) -> None:
    a, b = "(S (NP (D the) (N dog)) (V ran))", "(S (NP (D a) (N dog)) (V ran))"
    found = json.loads(run("compare", a, b, "--json").out)
    assert found["trees"] == [a, b]
    for row in found["kernels"]:
        kernel = tk.parse_kernel(row["kernel"])
        plain = kernel.set_params(normalize=False)([a], [b])[0, 0]
        assert row["value"] == pytest.approx(plain)
        norm = np.sqrt(kernel([a])[0, 0] * kernel([b])[0, 0])
        assert row["normalized"] == pytest.approx(plain / norm)
    shown = run("compare", a, b).out
    for word in ("st", "sst", "ptk", "elastic", "normalised", "0.7488", "(8 nodes)"):
        assert word in shown
    own = json.loads(run("compare", a, b, "--json", "-k", "2*st").out)["kernels"]
    assert [row["value"] for row in own] == [pytest.approx(0.8)]
    assert [row["normalized"] for row in own] == [pytest.approx(0.4)]


def test_compare_shows_what_is_shared(run: Run) -> None:
    a, b = "(S (NP (D the) (N dog)) (V ran))", "(S (NP (D a) (N dog)) (V ran))"
    found = json.loads(run("compare", a, b, "--json", "-k", "sst").out)
    assert [one["fragment"] for one in found["shared"]] == ["(S (NP D (N dog)) (V ran))"]
    total = sum(one["weight"] for one in found["shared"])
    assert total == pytest.approx(found["kernels"][0]["value"])
    result = run("compare", a, b, "--svg", "both.svg")
    assert result.err == "The picture is in both.svg.\n"
    assert "├─ NP\n   │  ├─ D\n   │  └─ N ─ dog\n   └─ V ─ ran" in result.out
    picture = ElementTree.parse("both.svg").getroot()
    boxes = picture.findall(".//{http://www.w3.org/2000/svg}rect")
    assert len(boxes) == 2 * 7  # all but "the" and "a"
    assert json.loads(run("compare", "(A b)", "(C d)", "--json").out)["shared"] == []
    many = [f"(A {' '.join(f'(B{i} (C{i} {w}{i}))' for i in range(12))})" for w in "xy"]
    many[1] = many[1].replace("(A ", "(Z ")
    assert "... and 2 more shared fragments" in run("compare", *many).out


def test_compare_of_labels_that_are_not_text(run: Run) -> None:
    result = run("compare", "(A (\x1b[31m b))", "(A (\x1b[31m b))", "--quiet")
    assert "\x1b" not in result.out
    shown = run("compare", "(A (B [bold]))", "(A (B [bold]))").out
    assert "A ─ B ─ [bold]" in shown


def test_compare_of_large_and_of_files(run: Run) -> None:
    large = "(A " + "(B (C d))" * 700 + ")"
    rows = json.loads(run("compare", large, large, "-k", "sst(1)", "--json").out)["kernels"]
    assert (rows[0]["value"], rows[0]["normalized"]) == (None, 1.0)
    result = run("compare", large, large, "-k", "sst(1)")
    assert "too large" in result.out
    assert "The shared fragments are not listed: the trees have too much in common" in result.err
    write("a.py", "x = f(y)\n")
    write("b.py", "x = f(z)\n")
    assert json.loads(run("compare", "a.py", "b.py", "--json").out)["trees"] == [
        "(Module (Assign (Name x) (Call (Name f) (Name y))))",
        "(Module (Assign (Name x) (Call (Name f) (Name z))))",
    ]


@pytest.mark.parametrize(
    ("target", "format_"),
    [("out.svmlight", "svmlight-tk"), ("out.klp", "kelp"), ("out.tsv.gz", "tsv")],
)
def test_convert(run: Run, target: str, format_: str) -> None:
    data = write("data.tsv", LINES)
    assert f"Wrote 6 examples to {target} ({format_})." in run("convert", data, target).err
    assert run("convert", target, "back.tsv", "--quiet") == Result(0, "", "")
    assert Path("back.tsv").read_text() == LINES


def test_convert_with_options(run: Run) -> None:
    write("module.py", "def f(x):\n    return x\n\ndef g():\n    pass\n")
    result = run("convert", "module.py", "out.txt", "-o", "each=function")
    assert "Wrote 2 examples" in result.err
    assert Path("out.txt").read_text().startswith("(FunctionDef f (arguments (arg x))")
    result = run("convert", write("data.tsv", LINES), "out.mrg")
    assert "Left out what a file in format penn cannot have: label." in result.err
    assert tk.read("out.mrg").to_brackets() == [tree for _, tree in SENTENCES]


def test_convert_chooses_columns(run: Run) -> None:
    data = write("data.tsv", "id\tkind\tone\ttwo\n1\tx\t(A b)\t(B b)\n2\ty\t(A c)\t(B c)\n")
    for arguments, expected in [
        (["--drop", "id", "--drop", "4"], "kind\tone\nx\t(A b)\ny\t(A c)\n"),
        (["--columns", "two,2"], "two\tkind\n(B b)\tx\n(B c)\ty\n"),
        (["--tree", "one", "--label", "kind", "--drop", "1"], "x\t(A b)\ny\t(A c)\n"),
    ]:
        run("convert", data, "out.tsv", *arguments)
        text = Path("out.tsv").read_text()
        assert text.replace("label\tone\n", "") == expected
    result = run("convert", data, "out.svmlight", "--label", "kind", "--tree", "two")
    assert "column 'id' holds neither trees nor vectors" in result.err
    assert "--drop id leaves it out" in result.err
    result = run("convert", data, "o.svmlight", "--label", "kind", "--tree", "two", "--drop", "id")
    assert "SVM-LIGHT-TK itself takes numbers only" in result.err
    assert Path("o.svmlight").read_text() == "x |BT| (B b) |ET|\ny |BT| (B c) |ET|\n"
    for arguments, sentence in [
        (["--columns", "kind"], "no column of trees is left to write"),
        (["--columns", "kind,2"], "names a column twice"),
        (["--drop", "x"], "has no column 'x'; it has id, kind, one, two"),
    ]:
        result = run("convert", data, "never.tsv", *arguments)
        assert result.code == 2
        assert sentence in result.err
        assert not Path("never.tsv").exists()


def test_folders_patterns_and_several_files(run: Run) -> None:
    for number, (label, tree) in enumerate(SENTENCES):
        Path(label).mkdir(exist_ok=True)
        write(f"{label}/{number}.txt", tree + "\n")
    classes = sorted({label for label, _ in SENTENCES})
    folders = [f"{label}" for label in classes]
    for data in ([*folders], ["*/*.txt"], [f"{label}/*.txt" for label in classes]):
        fitted = json.loads(run("fit", *data, "model.tkm", "--label", "folder", "--json").out)
        assert (fitted["examples"], fitted["classes"]) == (6, classes)
    result = run("predict", "model.tkm", *folders)
    rows = [line.split("\t") for line in result.out.splitlines()]
    assert all(label == Path(file).parent.name for label, file in rows if ":" not in file)
    assert {Path(file.partition(":")[0]).parent.name for _, file in rows} == set(classes)
    result = run("fit", *folders, "model.tkm")
    assert result.code == 2
    assert "has no column of labels, only tree, file, line" in result.err
    assert "--label folder" in result.err
    kept = Path(f"{classes[0]}/0.txt")
    kept = kept if kept.exists() else Path(f"{classes[1]}/0.txt")
    before = kept.read_text()
    result = run("fit", *folders, str(kept), "--label", "folder")
    assert "is there already and is not a model" in result.err
    result = run("convert", *folders, str(kept))
    assert "is there already: the last name is that of the file to write" in result.err
    assert kept.read_text() == before


def test_two_files_as_two_classes(run: Run) -> None:
    write("one.txt", "(A b)\n(A c)\n(A d)\n")
    write("two.txt", "(B b)\n(B c)\n(B d)\n")
    result = run("evaluate", "one.txt", "two.txt", "--label", "file", "--folds", "3", "--json")
    found = json.loads(result.out)
    assert set(found["classes"]) == {"one", "two"}


def test_features_with_names(run: Run) -> None:
    rows = "".join(
        f"{label} |BT:t| {tree} |ET| |BV:bow| {label}:1 the:2 |EV|\n" for label, tree in SENTENCES
    )
    assert run("fit", write("data.klp", rows), "model.tkm").code == 0
    new = write("new.klp", "x |BT:t| (X y) |ET| |BV:bow| never:1 question:5 |EV|\n")
    assert run("predict", "model.tkm", new).out == "question\n"


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(LINES.encode())))
    assert json.loads(run("fit", "-", "model.tkm", "--json").out)["examples"] == 6
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"x\t(A\n")))
    result = run("predict", "model.tkm", "-")
    assert "standard input, line 1, column 3" in result.err


def test_skip_bad(run: Run) -> None:
    data = write("data.tsv", LINES + "question\t(SQ (V do)\n")
    result = run("fit", data, "model.tkm")
    assert result == Result(
        2, "", "Error: data.tsv, line 7, column 10: the bracket opened here is never closed\n"
    )
    result = run("fit", data, "model.tkm", "--skip-bad")
    assert result.code == 0
    assert "Left out 1 bad line:\n  data.tsv, line 7, column 10:" in result.err
    assert "6 examples" in result.err


def test_bench(run: Run) -> None:
    data = write("data.tsv", LINES)
    rows = json.loads(run("bench", data, "--seconds", "0.05", "--json").out)
    assert [row["kernel"] for row in rows] == ["st", "sst", "subpath", "ptk", "elastic"]
    assert all(row["pairs"] == 21 and row["seconds"] > 0 for row in rows)
    assert "ns a pair" in run("bench", data, "--seconds", "0.05", "-k", "sst(0.3)").out


def test_labels_with_square_brackets_are_shown(run: Run) -> None:
    text = LINES.replace("statement", "[bold]").replace("question", "[/]")
    result = run("evaluate", write("data.tsv", text), "--folds", "2")
    assert "[bold]" in result.out
    assert "[/]" in result.out


# How it fails.

FILES = {
    "good.tsv": LINES,
    "one.tsv": "x\t(A b)\nx\t(A c)\n",
    "missing.tsv": "\t(A b)\nx\t(A c)\n",
    "short.tsv": "x\t(A b)\n(A c)\n",
    "empty.tsv": "\n\n",
    "comments.txt": "# nothing\n",
    "no-trees.tsv": "x\ty\n",
    "unlabelled.txt": "(A b)\n(A c)\n",
    "two-labels.klp": "x y |BT:t| (A b) |ET|\nz |BT:t| (A c) |ET|\n",
    "names.klp": "1 |BT:t| (A b) |ET| |BV:v| age:3 |EV|\n2 |BT:t| (A c) |ET| |BV:v| age:4 |EV|\n",
    "binary.tsv": "x\t(A \xff)\n",
}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("fit one.tsv m", "one.tsv: 'x' is the only label (of 2 examples), so there is nothing"),
        ("fit missing.tsv m", "missing.tsv: example 1 has no label in column 'label'"),
        ("fit short.tsv m", "short.tsv, line 2: this line has 1 column, and the first has 2"),
        ("fit empty.tsv m", "empty.tsv is empty: there are no trees in it"),
        ("fit comments.txt m", "comments.txt is empty: there are no trees in it"),
        ("fit no-trees.tsv m", "no-trees.tsv has no column of trees"),
        ("fit good.tsv m --tree 1", "good.tsv, line 1, column 1: a tree starts with '('"),
        ("fit good.tsv m --tree label", "good.tsv: the column 'label' does not hold trees"),
        ("fit good.tsv m --label tree", "good.tsv: the column 'tree' holds trees, not labels"),
        ("fit good.tsv m --label 3", "good.tsv has no column '3'; it has label, tree"),
        ("fit unlabelled.txt m", "unlabelled.txt has no column of labels, only tree"),
        ("fit two-labels.klp m", "example 1 has 2 labels (x y), and may have one"),
        ("fit nothing.tsv m", "there is no file nothing.tsv"),
        ("fit good.tsv no/m", "there is no folder no to put the model in"),
        ("fit good.tsv m --kernel ssst", "kernel 'ssst', column 1: there is no kernel 'ssst'"),
        ("fit good.tsv m --kernel poly", "good.tsv has no column of vectors for poly"),
        ("fit good.tsv m --kernel sst(on=label)", "the column 'label' does not hold trees"),
        ("fit good.tsv m --kernel rbf(on=tree)", "holds trees, and rbf(on=tree) needs numbers"),
        ("fit good.tsv m --kernel sst(on=x)", "good.tsv has no column 'x'"),
        ("fit good.tsv m --format xml", "good.tsv, line 1, column 1: this is not XML"),
        ("fit good.tsv m --option each", "an option is written NAME=VALUE, and not 'each'"),
        ("fit good.tsv m --option each=x", "format 'tsv' has no option 'each'"),
        ("fit . m", ". has files of several formats (kelp: 2, tsv: 7): say which with format="),
        ("fit *.csv m", "*.csv: no file matches this pattern"),
        ("fit unlabelled.txt m --label x", "has trees alone, and no column 'x' of labels"),
        ("predict good.tsv good.tsv", "good.tsv: not a model of treekernels"),
        ("predict nothing good.tsv", "nothing: no such file or directory"),
        ("evaluate good.tsv --test one.txt", "there is no file one.txt"),
        ("evaluate one.tsv --test good.tsv", "one.tsv: 'x' is the only label"),
        ("gram good.tsv g.txt", "end the name g.txt in .npy"),
        ("compare (A (A", "'(A', column 1: the bracket opened here is never closed"),
        ("compare A B", "'A' is neither a tree in brackets, such as (A b), nor a file"),
        ("compare good.tsv good.tsv", "good.tsv holds 6 trees, and one is wanted here"),
        ("convert unlabelled.txt o.svmlight", "unlabelled.txt has no labels"),
        ("convert good.tsv o.parquet", "'parquet' cannot be written"),
    ],
)
def test_bad_data_is_told_in_one_sentence(run: Run, arguments: str, sentence: str) -> None:
    for name, text in FILES.items():
        Path(name).write_bytes(text.encode("latin-1"))
    result = run(*arguments.split(" "))
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("Error: ")
    assert sentence in result.err
    assert result.err.count("\n") == 1
    assert {path.name for path in Path().iterdir()} == set(FILES)


def test_several_columns_for_a_model_of_one(run: Run) -> None:
    run("fit", write("data.tsv", LINES), "model.tkm")
    write("two.tsv", "(A b)\t(A c)\n")
    result = run("predict", "model.tkm", "two.tsv")
    assert "two.tsv has 2 columns of trees (tree1, tree2), and the model looks at one" in result.err
    assert run("predict", "model.tkm", "two.tsv", "--tree", "2", "-q").code == 0
    run("fit", write("both.tsv", "x\t(A b)\t(A c)\ny\t(A c)\t(A b)\n"), "model.tkm")
    result = run("predict", "model.tkm", "data.tsv")
    assert "the model looks at a column 'tree1', and data.tsv has only label, tree" in result.err
    assert result.code == 2


def test_damaged_model(run: Run) -> None:
    run("fit", write("data.tsv", LINES), "model.tkm")
    Path("model.tkm").write_bytes(Path("model.tkm").read_bytes()[:-1])
    result = run("predict", "model.tkm", "data.tsv")
    assert (result.code, result.out) == (2, "")
    assert "model.tkm: cut off or altered" in result.err


@pytest.mark.parametrize(
    "arguments",
    ["fit", "fit a b --learner tree", "nothing", "fit a b --C 0", "evaluate a --folds 1",
     "fit a b --jobs 0", "convert a b --to parquet", "--nothing"],
)  # fmt: skip
def test_wrong_usage(run: Run, arguments: str) -> None:
    result = run(*arguments.split())
    assert result.code == 2
    assert result.out == ""
    assert "Usage: treekernels" in result.err


def test_errors_can_be_shown_in_full(run: Run, monkeypatch: Any) -> None:
    monkeypatch.setenv("TREEKERNELS_TRACEBACK", "1")
    with pytest.raises(tk.ExpressionError):
        main(["fit", write("data.tsv", LINES), "m", "--kernel", "?"])


# Help, and the true process.


@pytest.mark.parametrize("name", COMMANDS)
def test_help(run: Run, name: str) -> None:
    result = run(name, "--help")
    assert result.code == 0
    assert f"Usage: treekernels {name} " in result.out
    assert "Examples:\n" in result.out
    assert f"\n    treekernels {name}" in result.out, "examples stand on lines of their own"


def test_overview(run: Run) -> None:
    overview = run("--help").out
    assert all(f"\n  {name} " in overview for name in COMMANDS)
    commands = overview[overview.index("Commands:") :]
    assert "..." not in commands, "short helps are not cut off"
    assert run("--version").out == f"treekernels, version {tk.__version__}\n"
    assert list(command.list_commands(None)) == COMMANDS  # type: ignore[arg-type]


def test_process(run: Run, tmp_path: Path) -> None:
    run("fit", write("data.tsv", LINES), "model.tkm")
    done = as_process("predict", "model.tkm", "data.tsv", "--quiet", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == [label for label, _ in SENTENCES]
    done = as_process("convert", "nothing.tsv", "trees.txt", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "Error: there is no file nothing.tsv\n")


def test_script_is_installed() -> None:
    script = Path(sys.executable).with_name("treekernels")
    if not script.exists():
        pytest.skip("the package is not installed in this environment")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"treekernels, version {tk.__version__}\n"


def test_closed_pipe(run: Run, tmp_path: Path) -> None:
    run("fit", write("few.tsv", LINES), "model.tkm", "--learner", "perceptron")
    write("data.tsv", LINES * 5000)
    first = f"{sys.executable} -m treekernels predict model.tkm data.tsv | head -1"
    done = subprocess.run(
        ["sh", "-c", first], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "statement\n"
    assert "Error" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals differ elsewhere")
def test_interrupt(tmp_path: Path) -> None:
    branches = "".join(f"(B{i % 7} (C c{i % 3}))" for i in range(1500))
    (tmp_path / "data.tsv").write_text(f"x\t(A {branches})\ny\t(A (D d) {branches})\n" * 100)
    process = subprocess.Popen(
        [sys.executable, "-m", "treekernels", "gram", "data.tsv", "g.npy", "-k", "elastic"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".g.npy*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.strip() == "Interrupted."
    assert [path.name for path in tmp_path.iterdir()] == ["data.tsv"]


def test_help_starts_quickly() -> None:
    """Processor time, so that a busy machine does not fail it; 0.3 s on a quiet one is the aim."""

    def spent() -> float:
        before = os.times()
        assert as_process("--help").returncode == 0
        after = os.times()
        return sum(after[2:4]) - sum(before[2:4])  # of child processes, user and system

    assert min(spent() for _ in range(5)) < 0.35


def test_help_needs_no_large_packages() -> None:
    code = (
        "import sys\nfrom treekernels.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stderr.split()) & {"sklearn", "scipy", "rich", "joblib", "pandas"}
