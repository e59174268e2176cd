"""What is written for SVM-LIGHT-TK and KeLP, read again by the rules of these programs.

The readers here know nothing of ours. They follow the programs step by step, with their oddities:
`loadParseTree` of SVM-LIGHT-TK 1.5 (tree_manager.c), `TreeIO` and `ExampleFactory` of KeLP.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import treekernels as tk
from helpers import forest_of, nested_of, read_text
from treekernels.testing.strategies import forests

ODD = ("A", "|BT|", "#", "a b", "(", "é🌲", "|EV|", "a|ET:x|", '"', "x:1", "|,|", "|Ex")
Nested = tuple[Any, ...]


def unescaped(tree: Nested | None) -> Nested | None:
    if tree is None:
        return None
    label = re.sub(r"\\x([0-9a-f]{2})", lambda code: chr(int(code.group(1), 16)), tree[0])
    return (label, *map(unescaped, tree[1:]))


# SVM-LIGHT-TK


class SvmLightTree:
    """A tree as the C program loads it, with a pointer into the text."""

    def __init__(self, text: str) -> None:
        kept = text[:1]  # no space after a closing bracket or another space
        for before, character in pairwise(text):
            if not (character == " " and before in ") \t"):
                kept += character
        self.text = kept.lstrip(" \t")
        self.at = 0

    def load(self) -> Nested | None:
        if not self.text:
            return None
        assert "(" in self.text
        tree, open_brackets = self._node(0)
        assert open_brackets == 0, f"brackets do not fit: {self.text}"
        assert len(self.text) - self.at <= 1, f"malformed: {self.text}"
        return tree

    def _closing(self, open_brackets: int) -> int:
        while self.text[self.at : self.at + 1] == ")":
            self.at += 1
            open_brackets -= 1
        return open_brackets

    def _node(self, open_brackets: int) -> tuple[Nested, int]:
        text, begin = self.text, self.at
        close = text.find(")", begin)
        if text[begin] != "(":  # a leaf is all up to the bracket, spaces and brackets included
            assert close >= 0
            self.at = close
            return (text[begin:close],), self._closing(open_brackets)
        open_brackets += 1
        space = text.find(" ", begin)
        end = space if -1 < space < close else close
        if end == close:
            open_brackets -= 1
        self.at = end + 1
        open_brackets = self._closing(open_brackets)
        children = []
        of_child = 0
        while open_brackets > 0:
            child, of_child = self._node(of_child)
            children.append(child)
            open_brackets += of_child
        return (text[begin + 1 : end], *children), open_brackets


def svmlight_example(line: str) -> tuple[float, list[Nested | None], list[dict[int, float]]]:
    label = float(line.split()[0])
    trees: list[Nested | None] = []
    rest = line[len(line.split()[0]) :]
    if "|BT|" in line:
        inside, end, rest = line[line.index("|BT|") + 4 :].partition("|ET|")
        assert end
        trees = [SvmLightTree(text).load() for text in inside.split("|BT|")]
    vectors = []
    rest = rest.lstrip()
    if rest:
        for text in rest.partition("|EV|")[0].split("|BV|"):
            entries = [entry.split(":") for entry in text.split()]
            numbers = [int(feature) for feature, _ in entries]
            assert all(number > 0 for number in numbers)
            assert numbers == sorted(set(numbers)), "features must be in increasing order"
            vectors.append({int(feature): float(value) for feature, value in entries})
    return label, trees, vectors


# KeLP


def kelp_tree(text: str) -> Nested:
    text = text.strip()
    prepared, opened = "", 0
    for place, character in enumerate(text):
        if character == " " and place < len(text) - 1 and text[place + 1] not in "()":
            prepared += " ("
            opened += 1
            continue
        if character == ")" and opened > 0:
            prepared += ")"
            opened -= 1
        prepared += character
    return _kelp_node(prepared.replace(" ", ""))


def _kelp_node(text: str) -> Nested:
    inside = text[1:-1]
    children = []
    depth = start = end = 0
    for place, character in enumerate(inside):
        if character == "(":
            if depth == 0:
                start = place
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                end = place + 1
        if depth == 0 and start != end:
            children.append(_kelp_node(inside[start:end]))
            start = end
    assert depth == 0, "the number of opened and closed parentheses is different"
    return (inside.partition("(")[0], *children)


def kelp_example(line: str) -> tuple[list[str], dict[str, tuple[str, str]]]:
    first = line.index("|")
    labels = line[:first].split()
    rest = line[first:].strip()
    parts: dict[str, tuple[str, str]] = {}
    while rest:
        end = rest.index("|E")
        after = rest.index("|", end + 1) + 1
        header, _, body = rest[2:end].partition("|")
        assert rest.startswith("|B")
        kind, _, name = header.partition(":")
        name = name or str(len(parts))
        assert name not in parts
        parts[name] = kind, body.strip()
        rest = rest[after:].strip()
    return labels, parts


# The readers themselves, on what is known of the programs.


def test_the_programs_misread_bare_leaves() -> None:
    assert SvmLightTree("(A b c)").load() == ("A", ("b c",))
    assert SvmLightTree("(A (b) (c))").load() == ("A", ("b",), ("c",))
    assert SvmLightTree("(S (NP (D the)(N dog)) (VP (V barks)))").load() == (
        *("S", ("NP", ("D", ("the",)), ("N", ("dog",)))),
        ("VP", ("V", ("barks",))),
    )
    assert SvmLightTree("  ").load() is None
    assert kelp_tree("(A (b) (c))") == ("A", ("b",), ("c",))
    assert kelp_tree("(A b)") == kelp_tree("(A (b))") == ("A", ("b",))
    with pytest.raises(AssertionError, match="parentheses"):
        kelp_tree("(A b c)")


# What is written


def lines_of(folder: Path, name: str, table: tk.Table) -> list[str]:
    path = folder / name
    tk.write(path, table)
    return path.read_text().splitlines()


@st.composite
def tables(draw: st.DrawFn) -> tuple[tk.Table, list[Nested], list[Nested], Any]:
    nested = draw(forests(min_trees=1, labels=ODD))
    count = len(nested)
    value = st.sampled_from([0.0, 1.0, -2.5, 1e-300])
    rows = draw(st.lists(st.lists(value, min_size=3, max_size=3), min_size=count, max_size=count))
    table = tk.Table(
        {
            "label": [(-1) ** place for place in range(count)],
            "tree1": forest_of(nested),
            "tree2": forest_of(nested[::-1]),
            "vector": csr_matrix(np.array(rows)),
        }
    )
    return table, nested, nested[::-1], rows


@given(tables())
def test_svm_light_tk_reads_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, drawn: Any
) -> None:
    table, first, second, rows = drawn
    lines = lines_of(tmp_path_factory.mktemp("written"), "a.svmlight", table)
    for place, line in enumerate(lines):
        label, trees, vectors = svmlight_example(line)
        assert label == (-1) ** place
        assert [unescaped(tree) for tree in trees] == [first[place], second[place]]
        assert vectors == [{n: value for n, value in enumerate(rows[place], 1) if value}]


@given(tables())
def test_kelp_reads_what_was_written(tmp_path_factory: pytest.TempPathFactory, drawn: Any) -> None:
    table, first, second, rows = drawn
    lines = lines_of(tmp_path_factory.mktemp("written"), "a.klp", table)
    for place, line in enumerate(lines):
        labels, parts = kelp_example(line)
        assert labels == [str((-1) ** place)]
        assert parts["tree1"][0] == parts["tree2"][0] == "T"
        assert unescaped(kelp_tree(parts["tree1"][1])) == first[place]
        assert unescaped(kelp_tree(parts["tree2"][1])) == second[place]
        entries = [entry.split(":") for entry in parts["vector"][1].split()]
        expected = {str(n): value for n, value in enumerate(rows[place], 1) if value}
        assert {name: float(value) for name, value in entries} == expected


def test_what_is_missing_stays_missing(tmp_path: Path) -> None:
    table = tk.Table(
        {
            "label": [1, -1, 1, -1],
            "tree1": tk.Forest(["(A b)", "(-EMPTY-)", "(-MISSING-)", "(A c)"]),
            "tree2": tk.Forest(["(B b c)", "(B b)", "(-MISSING-)", "(-MISSING-)"]),
            "vector": np.array([[1.0, 0.0], [np.nan, np.nan], [0.0, 0.0], [0.0, 2.0]]),
        }
    )
    lines = lines_of(tmp_path, "a.svmlight", table)
    assert lines == [
        "1 |BT| (A b) |BT| (B (b) (c)) |ET| 1:1 |EV|",
        "-1 |BT|  |BT| (B b) |ET|",
        "1 |BT|  |ET|  |EV|",
        "-1 |BT| (A c) |ET| 2:2 |EV|",
    ]
    found = [svmlight_example(line)[1:] for line in lines]
    assert [len(vectors) for _, vectors in found] == [1, 0, 1, 1]
    assert [trees for trees, _ in found][1:3] == [[None, ("B", ("b",))], [None]]
    again = tk.read(tmp_path / "a.svmlight")
    assert again["tree2"] == table["tree2"]
    np.testing.assert_array_equal(np.isnan(again["vector"].toarray()).any(axis=1), [0, 1, 0, 0])
    lines = lines_of(tmp_path, "a.klp", table)
    assert [sorted(kelp_example(line)[1]) for line in lines] == [
        ["tree1", "tree2", "vector"],
        ["tree2"],
        ["vector"],
        ["tree1", "vector"],
    ]
    again = tk.read(tmp_path / "a.klp")
    np.testing.assert_array_equal(again["vector"], table["vector"])
    assert again["tree2"] == table["tree2"]
    tk.write(tmp_path / "a.jsonl", table)
    again = tk.read(tmp_path / "a.jsonl")
    assert again["tree2"] == table["tree2"]
    assert again["tree1"] == table["tree1"]
    vectors = tk.Table({"label": [1], "a": np.full((1, 2), np.nan), "b": np.ones((1, 2))})
    with pytest.raises(ValueError, match=r"row 1 has no vector 1 but one after it.*of zeros"):
        tk.write(tmp_path / "b.svmlight", vectors)
    tk.write(
        tmp_path / "b.svmlight", tk.Table({"label": [1, 2], "a": np.array([[0, 2.0], [0, 0]])})
    )
    assert (tmp_path / "b.svmlight").read_text() == "1 2:2\n2\n"
    assert tk.read(tmp_path / "b.svmlight")["vector"].toarray().tolist() == [[0, 2], [0, 0]]


# What is read


@pytest.mark.parametrize(
    ("tree", "leaves"),
    [
        ("(VB ask a)", ["ask a"]),
        ("(VB   ask   a )", ["ask a"]),
        ("(A (B b) c d e)", ["b", "c d e"]),
        ("(A (B b c)(C d))", ["b c", "d"]),
        ("(A (b) (c))", ["b", "c"]),
    ],
)
def test_words_before_a_bracket_are_one_leaf(tree: str, leaves: list[str]) -> None:
    found = read_text("a.svmlight", f"1 |BT| {tree} |ET|\n")["tree"][0]
    assert found.leaves() == leaves
    by_program = SvmLightTree(tree).load()
    assert by_program is not None
    assert nested_of(found) == stripped(by_program)


def stripped(tree: Nested) -> Nested:
    return (tree[0].strip(), *map(stripped, tree[1:]))


def test_columns_of_errors_count_what_the_file_has() -> None:
    with pytest.raises(tk.ParseError, match=r"line 1, column 25: a closing bracket too many"):
        read_text("a.svmlight", "1 |BT| (A (VB ask me a)))  |ET|\n")


def test_query_numbers_are_kept(tmp_path: Path) -> None:
    text = "1 qid:3 |BT| (A b) |ET| 1:0.5 |EV|\n2 qid:4 |BT| (A c) |ET|\n"
    table = read_text("a.svmlight", text)
    assert table.columns == ["label", "qid", "tree", "vector"]
    assert (table["label"].tolist(), table["qid"].tolist()) == ([1, 2], [3, 4])
    tk.write(tmp_path / "a.svmlight", table)
    assert (tmp_path / "a.svmlight").read_text() == text
    # KeLP has no place for them but among texts, and they come back from there.
    tk.write(tmp_path / "a.klp", table)
    through_kelp = tk.read(tmp_path / "a.klp")
    assert through_kelp["qid"].tolist() == ["3", "4"]
    tk.write(tmp_path / "b.svmlight", through_kelp)
    assert (tmp_path / "b.svmlight").read_text() == text
    odd = tk.Table({**through_kelp, "qid": ["3", "x"]})
    with pytest.raises(tk.DataError, match="the column 'qid' holds neither trees nor vectors"):
        tk.write(tmp_path / "b.svmlight", odd)
    plain = read_text("a.dat", "1 qid:3 cost:0.5 1:0.5 7:1 # note\n2 qid:4 cost:2 2:1\n")
    assert plain.columns == ["label", "qid", "cost", "vector"]
    assert (plain["qid"].tolist(), plain["cost"].tolist()) == ([3, 4], [0.5, 2.0])
    assert plain["vector"].shape == (2, 7)
    with pytest.raises(tk.ParseError, match="'qid:x' is not a number"):
        read_text("a.svmlight", "1 qid:x 1:1\n")


def test_kelp_labels_for_regression(tmp_path: Path) -> None:
    text = "label:0.5 |BT:t| (A b) |ET|\nlabel:-2 |BT:t| (A c) |ET|\n"
    table = read_text("a.klp", text)
    assert table["label"].tolist() == [0.5, -2.0]
    tk.write(tmp_path / "a.klp", table)
    assert (tmp_path / "a.klp").read_text() == text
    for other in ("a:1 |BT:t| (A) |ET|\nb:1 |BT:t| (A) |ET|\n", "a:x |BT:t| (A) |ET|\n"):
        assert isinstance(read_text("a.klp", other)["label"][0], str)
    colon = tk.Table({"label": ["NUM:date"], "tree": tk.Forest(["(A b)"])})
    with pytest.raises(ValueError, match="KeLP would take the label 'NUM:date' for a name and a"):
        tk.write(tmp_path / "a.klp", colon)
