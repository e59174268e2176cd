"""Penn Treebank, SVM-LIGHT-TK and KeLP files: what is read, dialects, and errors."""

from __future__ import annotations

import numpy as np
import pytest

import treekernels as tk
from helpers import Write

# Penn Treebank files


def test_treebank_file(write: Write) -> None:
    text = "*x*x*\n\n( (S \n    (NP-SBJ (-NONE- *) )\n    (VP (VB go) )))\n\n\n( (X (Y y)))\n"
    assert tk.read(write("wsj.mrg", text)).to_brackets() == [
        "(S (NP-SBJ (-NONE- *)) (VP (VB go)))",
        "(X (Y y))",
    ]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("( (A b)\n(C d))", "line 2, column 1: there is more text"),
        ("( )", "line 1, column 1: a bracket is not followed by a label"),
        ("(A b)\n word\n(A b)", "line 2, column 2: a tree starts with"),
        ("(A b)\n )", "line 2, column 2: a closing bracket without"),
        ("(A b)\n  (A\n b", "line 2, column 3: the bracket opened here is never closed"),
    ],
)
def test_bad_treebank_files(write: Write, text: str, where: str) -> None:
    with pytest.raises(tk.ParseError, match=where):
        tk.read(write("a.mrg", text))


def test_trees_after_an_unclosed_one(write: Write) -> None:
    text = "( (A a) )\n( (B b)\n( (C c)\n   (D d) \n( (E e) )\n(F\nf)\n"
    problems: list[tk.ParseError] = []
    got = tk.read(write("a.mrg", text), skip_bad=True, problems=problems)
    assert got.to_brackets() == ["(A a)", "(E e)", "(F f)"]
    assert [problem.line for problem in problems] == [2, 3]


# SVM-LIGHT-TK and KeLP


def test_svmlight_examples(write: Write) -> None:
    table = tk.read(
        write(
            "a.svmlight",
            "# from somewhere\n"
            "+1 |BT| (A (# #)) |BT| (B b) |ET| 1:0.5 3:1 |BV| 2:0.3 |EV| # comment |BT| (\n"
            "-1 |BT| |BT|(C c)|ET| |BV| 1:1 |EV|\n"
            "-1 |BT| (A a) |ET|\n"
            "1 |ET| |EV|\n",
        )
    )
    assert table.columns == ["label", "tree1", "tree2", "vector1", "vector2"]
    assert table["label"].tolist() == [1, -1, -1, 1]
    assert table["tree1"].to_brackets() == ["(A (# #))", "(-EMPTY-)", "(A a)", "(-MISSING-)"]
    assert table["tree2"].to_brackets() == ["(B b)", "(C c)", "(-MISSING-)", "(-MISSING-)"]
    nan = np.nan
    expected = [[0.5, 0, 1], [0, 0, 0], [nan, 0, 0], [0, 0, 0]]
    np.testing.assert_array_equal(table["vector1"].toarray(), expected)
    expected = [[0, 0.3], [1, 0], [nan, 0], [nan, 0]]
    np.testing.assert_array_equal(table["vector2"].toarray(), expected)
    assert tk.SubsetTreeKernel(on="tree1")(table)[1].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    "line",
    ["2.5 |BT| (A b) |ET| 1:1 |EV|", "2.5 |BT| (A b) |STD| 1:1", "2.5 |STD| 1:1 |BT| (A b) |ET|"],
)
def test_svmlight_dialects(write: Write, line: str) -> None:
    table = tk.read(write("a.svmlight", line))
    assert table.columns == ["label", "tree", "vector"]
    assert (table["label"].tolist(), table["vector"].toarray().tolist()) == ([2.5], [[1]])
    assert table["tree"].to_brackets() == ["(A b)"]


def test_plain_svmlight_and_labels(write: Write) -> None:
    table = tk.read(write("a.svmlight", "1 1:0.5 7:2 # note\n0\n"), n_features=9)
    assert table["vector"].shape == (2, 9)
    assert table["label"].tolist() == [1, 0]
    named = tk.read(write("b.svmlight", "a b |BT| (A b) |ET|\nc |BT| (A c) |ET|\n"))
    assert named["label"].tolist() == [("a", "b"), ("c",)]
    renamed = tk.read(write("b.svmlight", "x |BT| (A b) |ET|"), columns=["y", "parse"])
    assert renamed["y"].tolist() == ["x"]
    with pytest.raises(ValueError, match="has the columns label, tree, but 1 were named"):
        tk.read(write("b.svmlight", "x |BT| (A b) |ET|"), columns=["y"])
    with pytest.raises(ValueError, match="there is a feature 7, and n_features is 3"):
        tk.read(write("a.svmlight", "1 7:2"), n_features=3)


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("|BT| (A b) |ET|", "column 1: a label is missing"),
        ("1 |BT| (A b) |ET| 1:x |EV|", "column 19: '1:x' is not a feature"),
        ("1 |BT| (A b) |ET| 1 |EV|", "column 19: '1' is not a feature"),
        ("1 |BT| (A b) |ET| 1:nan |EV|", "column 19: '1:nan' is not"),
        ("1 |BT| (A b) |ET| a:1 |EV|", "the feature 'a' is not a number from 1"),
        ("1 |BT| (A b) |ET| 0:1 |EV|", "the feature '0' is not a number from 1"),
        ("1 |BT| (A b) |ET| 1:1 1:2 |EV|", "a feature occurs twice"),
        ("1 |BT| (A b) |ET| |EV| x", "column 23: there is more text after"),
        ("1 |BT| word |ET|", "column 8: a tree starts with"),
    ],
)
def test_bad_svmlight(write: Write, line: str, where: str) -> None:
    with pytest.raises(tk.ParseError, match=f"line 1(, |: ).*{where}"):
        tk.read(write("a.svmlight", line))


def test_kelp_examples(write: Write) -> None:
    table = tk.read(
        write(
            "a.klp",
            "good |<||BT:tree| (S(NP(N dog::n)))|ET||,||BT:tree| (S(V sit::v)) |ET| |>| "
            "|BDV:d|0.5 1.0|EDV||BDV:e| 1.0,0.0 |EV| |BV:bow| a:1 b:c:2 |EV| |BS:info| x | y |ES|\n"
            "bad ugly |BV:bow| c:3.5 |EV| |BM:matrix| 1 2 |EM|\n",
        )
    )
    assert table["label"].tolist() == [("good",), ("bad", "ugly")]
    assert table["left.tree"].to_brackets() == ["(S (NP (N dog::n)))", "(-MISSING-)"]
    assert table["right.tree"].to_brackets() == ["(S (V sit::v))", "(-MISSING-)"]
    np.testing.assert_array_equal(table["d"], [[0.5, 1], [np.nan, np.nan]])
    np.testing.assert_array_equal(table["e"], [[1, 0], [np.nan, np.nan]])
    assert table["bow"].tolist() == [{"a": 1.0, "b:c": 2.0}, {"c": 3.5}]
    assert table["info"].tolist() == ["x | y", None]
    assert table["matrix"].tolist() == [None, "1 2"]
    numbered = tk.read(write("b.klp", "x |BV:v| 2:1 |EV|\nx |BV:v| 1:3 |EV|"))
    assert numbered["v"].toarray().tolist() == [[0, 1], [3, 0]]


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("x |BT:a| (A b)", r"column 3: \|BT:a\| is never closed"),
        ("x |ET|", r"column 3: \|ET\| closes nothing"),
        ("x |BT:a| (A b) |ET| y |BT:b| (A b) |ET|", "column 20: there is text between"),
        ("x |BT:a| (A b) |ET| y", "column 20: there is text after"),
        ("x |BT:a| (A b) |ET| |BT:a| (A b) |ET|", "two parts with the name 'a'"),
        ("x |<| |BT:a| (A b) |ET|", r"\|<\| is never closed"),
        ("x |,| |BT:a| (A b) |ET|", r"\|,\| without \|<\|"),
        ("x |BDV:a| 1 y |EDV|", "column 13: 'y' is not a number"),
        ("x |BV:a| 1 |EV|", "column 10: '1' is not a feature"),
    ],
)
def test_bad_kelp(write: Write, line: str, where: str) -> None:
    with pytest.raises(tk.ParseError, match=f"line 1, .*{where}"):
        tk.read(write("a.klp", line))
