"""What does not fit together is said in a sentence that says what to do."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from command_line import Run, write
from treekernels.common.optional import install_hint
from treekernels.io.formats import FORMATS, reader_of

ROWS = [("pos" if n % 2 else "neg", f"(S (A a{n % 2}) (B b{n % 3}))") for n in range(12)]
DATA = "".join(f"{label}\t{tree}\n" for label, tree in ROWS)
OTHER = DATA.replace("pos", "1").replace("neg", "0")
WORDS = "--parser on the command line"


def kelp(width: int) -> str:
    numbers = ",".join(["1"] * width)
    return "".join(f"{label} |BT:t| {tree} |ET| |BDV:v| {numbers} |EDV|\n" for label, tree in ROWS)


def table(*names: str) -> str:
    head = "\t".join(("label", *names))
    return head + "".join(f"\n{label}" + f"\t{tree}" * len(names) for label, tree in ROWS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("evaluate data.tsv --test other.tsv", "none of the labels in other.tsv (0, 1) is one of"),
        ("evaluate plain.txt", WORDS),
        ("evaluate texts.csv", WORDS),
        ("evaluate texts.csv --label stars", WORDS),
        ("fit texts.csv m.tkm --tree review", "line 2, column 1: a tree starts with '('"),
        ("evaluate brackets.csv", "the column 'text' was taken for trees"),
        ("evaluate brackets.csv", "--tree COLUMN"),
        ("evaluate three.klp --test two.klp", "'v' have 2 numbers, and those that were learned"),
        ("fit numbers.tsv m.tkm", "each of the 12 examples has a label of its own"),
        ("fit data.tsv m.tkm --C x", "'x' is neither a number above 0 nor 'auto'"),
        ("fit data.tsv m.tkm --C -1", "neither a number above 0"),
        ("fit data.tsv m.tkm --C auto --learner pa", "--C auto is for the learner svm"),
        ("gram a.json o.npy -o values=x", "values must be "),
        ("evaluate groups.tsv --groups x", "groups.tsv has no column 'x'"),
        ("evaluate groups.tsv --groups label", "the others have one class only"),
        ("evaluate groups.tsv --groups one", "there is one group only"),
        ("evaluate groups.tsv --groups tree", "does not hold names of groups"),
        ("evaluate groups.tsv --groups gaps", "example 1 has no group in the column 'gaps'"),
        ("evaluate data.tsv --test data.tsv --groups x", "--groups is for cross-validation"),
        ("evaluate data.tsv --learner ranker --groups x", "leave out --groups"),
    ],
)
def test_a_sentence_says_what_to_do(run: Run, arguments: str, message: str) -> None:
    write("data.tsv", DATA)
    write("other.tsv", OTHER)
    write("plain.txt", "I like this.\nI hate this movie.\n")
    write("texts.csv", "review,stars\n" + "I like this,1\nI hate this,0\n" * 5)
    rows = [f"({text}) I said,{label},{tree}\n" for text, (label, tree) in enumerate(ROWS)]
    write("brackets.csv", "text,label,tree\n" + "".join(rows))
    write("three.klp", kelp(3))
    write("two.klp", kelp(2))
    write("numbers.tsv", "".join(f"{n}\t{tree}\n" for n, (_, tree) in enumerate(ROWS)))
    write("a.json", '{"a": [1, 2]}')
    lines = [f"{label}\tg\t{'' if n < 3 else n}\t{tree}" for n, (label, tree) in enumerate(ROWS)]
    write("groups.tsv", "\n".join(["label\tone\tgaps\ttree", *lines]))
    result = run(*arguments.split())
    assert result.code == 2
    assert message in result.err


def test_labels_that_the_model_does_not_know(run: Run) -> None:
    assert run("fit", write("data.tsv", DATA), "m.tkm", "--C", "auto").code == 0
    assert tk.load("m.tkm").C == "auto"
    result = run("predict", "m.tkm", write("other.tsv", OTHER))
    assert len(result.out.split()) == 12
    assert "None of the labels in other.tsv (0, 1) is one of the model (neg, pos)" in result.err
    assert "12 of 12" in run("predict", "m.tkm", "data.tsv").err


def test_columns_with_other_names(run: Run) -> None:
    assert run("fit", write("a.tsv", table("premise", "hypothesis")), "m.tkm").code == 0
    result = run("predict", "m.tkm", write("b.tsv", table("first", "second")))
    assert result.code == 2
    assert "call its columns as in the training data (premise, hypothesis)" in result.err
    assert run("fit", write("a.klp", kelp(3)), "v.tkm", "-k", "sst + linear").code == 0
    assert "have 2 numbers" in run("predict", "v.tkm", write("b.klp", kelp(2))).err


def test_groups_stay_together(run: Run) -> None:
    # Within a group, all trees are equal; by groups, nothing can be known of the labels.
    lines = [f"{'xy'[n // 3 % 2]}\tg{n // 3}\t(S (A a{n // 3}))" for n in range(36)]
    data = write("g.tsv", "\n".join(["label\tgroup\ttree", *lines]))
    apart = run("evaluate", data, "-k", "sst", "--json")
    together = run("evaluate", data, "-k", "sst", "--groups", "group", "--json")
    accuracies = [
        float(re.findall(r'"accuracy": ([\d.]+)', result.out)[0]) for result in (apart, together)
    ]
    assert accuracies[0] > 0.9
    assert accuracies[1] < 0.8
    few = run("evaluate", data, "-k", "sst", "--groups", "2", "--folds", "99")
    assert "There are only 12 groups: 12 folds are used instead." in few.err


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "parquet"])
def test_options_of_the_wrong_type(format: str, tmp_path: Path) -> None:
    hints = reader_of(format).__annotations__
    flags = [name for name, kind in hints.items() if kind in ("bool", "bool | None")]
    (tmp_path / "data").write_text("")
    for name in flags:
        with pytest.raises(tk.ParameterError, match=f"{name} must be True or False, not 'x'"):
            tk.read(tmp_path / "data", format, **{name: "x"})
    if "Literal" in str(hints.get("each")):
        with pytest.raises(tk.ParameterError, match=r"each must be '.*' or '.*', not 7"):
            tk.read(tmp_path / "data", format, each=7)


def test_no_column_of_trees(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("x\t(A b)\ny\t(not a tree\n")
    texts = tk.read(path, trees=[])
    assert texts.columns == ["label", "column2"]
    assert texts["column2"].tolist() == ["(A b)", "(not a tree"]
    assert tk.read(path, trees=[], columns=["a", "b"])["b"][1] == "(not a tree"
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"a": "(A b)"}\n{"a": "(not"}\n')
    assert tk.read(lines, trees=[])["a"].tolist() == ["(A b)", "(not"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tk.Tree("(S a)"), "a Tree comes out of a Forest, and is not made of '\\(S a\\)'"),
        (lambda: tk.Tree(tk.Forest(["(A b)"]), 0), "not made of an object of type Forest"),
        (lambda: tk.Forest(["It rains again"]), "if it holds sentences, tk.parse makes trees"),
        (lambda: tk.LinearKernel()(np.ones((2, 3)), np.ones((2, 2))), "have 3 features and others"),
        (lambda: tk.RBFKernel(gamma=1)(np.ones((2, 3)), np.ones((2, 2))), "have 3 features and"),
        (lambda: tk.TreeSVC().fit(["(A b)", "(A c)"], [0.5, 1.5]), "tk.TreeSVR learns numbers"),
    ],
)
def test_errors_in_python(call: Any, message: str) -> None:
    with pytest.raises(tk.TreeKernelsError, match=message):
        call()


def test_hints_name_packages_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert install_hint("report") == "pip install jinja2 matplotlib"
    monkeypatch.setattr(metadata, "requires", lambda _: None)
    assert install_hint("report") == "pip install .[report]"
