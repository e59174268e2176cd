"""``treekernels convert`` and ``gram``, as a person uses them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import treekernels as tk
from command_line import LINES, SENTENCES, Result, Run, write


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
