"""What commands say of bad data and wrong usage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import treekernels as tk
from command_line import LINES, Run, write
from treekernels.cli.main import main

FILES = {
    "good.tsv": LINES,
    "one.tsv": "x\t(A b)\nx\t(A c)\n",
    "missing.tsv": "\t(A b)\nx\t(A c)\n",
    "short.tsv": "x\t(A b)\n(A c)\n",
    "empty.tsv": "\n\n",
    "no-trees.tsv": "x\ty\n",
    "unlabelled.txt": "(A b)\n(A c)\n",
    "two-labels.klp": "x y |BT:t| (A b) |ET|\nz |BT:t| (A c) |ET|\n",
    "names.klp": "1 |BT:t| (A b) |ET| |BV:v| age:3 |EV|\n2 |BT:t| (A c) |ET| |BV:v| age:4 |EV|\n",
    "binary.tsv": "x\t(A \xff)\n",
    "numbers.tsv": "1\t(A b)\n2.5\t(A c)\n",
}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("fit one.tsv m", "one.tsv: 'x' is the only label (of 2 examples), so there is nothing"),
        ("fit missing.tsv m", "missing.tsv: example 1 has no label in column 'label'"),
        ("fit short.tsv m", "short.tsv, line 2: this line has 1 column, and the first has 2"),
        ("fit empty.tsv m", "empty.tsv is empty: there are no trees in it"),
        ("fit no-trees.tsv m", "no-trees.tsv has no column of trees"),
        ("fit good.tsv m --tree 1", "good.tsv, line 1, column 1: a tree starts with '('"),
        ("fit good.tsv m --tree label", "good.tsv: the column 'label' does not hold trees"),
        ("fit good.tsv m --label tree", "good.tsv: the column 'tree' holds trees, not labels"),
        ("fit good.tsv m --label 3", "good.tsv has no column '3'; it has label, tree"),
        ("fit unlabelled.txt m", "unlabelled.txt has no column of labels, only tree"),
        ("fit two-labels.klp m", "example 1 has 2 labels (x y), and may have one"),
        ("fit nothing.tsv m", "there is no file nothing.tsv"),
        ("fit good.tsv no/m", "there is no folder no to put m in"),
        ("fit good.tsv m --kernel ssst", "kernel 'ssst', column 1: there is no kernel 'ssst'"),
        ("fit good.tsv m --kernel poly", "good.tsv has no column of vectors for poly"),
        ("fit good.tsv m --kernel rbf(on=tree)", "holds trees, and rbf(on=tree) needs numbers"),
        ("fit good.tsv m --format xml", "good.tsv, line 1, column 1: this is not XML"),
        ("fit good.tsv m --option each", "an option is written NAME=VALUE, and not 'each'"),
        ("fit good.tsv m --option each=x", "format 'tsv' has no option 'each'"),
        ("fit . m", "several formats (kelp: 2, tsv: 8): say which with --format FORMAT, or give"),
        ("fit good.tsv m --format brackets", "and this does not; it looks like --format tsv"),
        ("fit good.tsv m -o format=csv", "format is not an option of a format: use --format"),
        ("fit good.tsv m -o skip_bad=true", "skip_bad is not an option of a format: use --skip"),
        ("fit numbers.tsv m", "numbers.tsv: the labels are numbers with fractions, such as 2.5"),
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
        ("compare (A) (A) --kernel linear", "vectors of numbers were expected"),
        (f"fit good.tsv m -k sst({'9' * 5000})", "decay must be above 0"),
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


@pytest.mark.parametrize("arguments", ["fit data.tsv", "convert data.tsv"])
def test_one_name_where_two_are_needed(run: Run, arguments: str) -> None:
    """What was given is the data, even though it was taken for the file to write."""
    assert "Error: two names are needed: " in run(*arguments.split()).err


def test_errors_can_be_shown_in_full(run: Run, monkeypatch: Any) -> None:
    monkeypatch.setenv("TREEKERNELS_TRACEBACK", "1")
    with pytest.raises(tk.ExpressionError):
        main(["fit", write("data.tsv", LINES), "m", "--kernel", "?"])


def test_a_mistake_of_the_program_is_one_sentence_too(run: Run, monkeypatch: Any) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise KeyError("nobody expected this")

    monkeypatch.setattr("treekernels.cli.shared.reading.read", broken)
    result = run("fit", write("data.tsv", LINES), "m.tkm")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("Error: KeyError: 'nobody expected this' (this is a mistake in")
    assert result.err.count("\n") == 1
