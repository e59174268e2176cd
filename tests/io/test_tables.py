"""Files with labels give tables: by tabs, by commas, as JSON lines, and all the way round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from helpers import again, forest_of, read_text
from treekernels.testing.strategies import forests

TABLE = tk.Table({"label": ["x", "y"], "tree": tk.Forest(["(A b)", "(A (, ,) c)"])})
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\t\r\n"), max_size=5)


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.jsonl", "a.klp", "a.csv.gz"])
def test_round_trip(name: str) -> None:
    assert again(name, TABLE) == TABLE
    for labels in ([1, -1], [0.5, 2.0]):
        table = tk.Table({"label": labels, "tree": TABLE["tree"]})
        assert again(name, table) == table


@given(forests(min_trees=1), st.data())
@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.jsonl"])
def test_any_texts(name: str, nested: list[Any], data: st.DataObject) -> None:
    count = len(nested)
    texts = data.draw(st.lists(TEXT.map("t{}".format), min_size=count, max_size=count))
    table = tk.Table({"label": texts, "tree": forest_of(nested), "note": texts[::-1]})
    assert again(name, table) == table


ODD = list("\0\x0b\x0c\x1b\x1c\x1d\x1e\x7f\x85\xa0\u200b\u2028\u2029\ufeff\ud800\r\n\t ,|#\"'\\")
ODD += ["=1+f()", "|BT|", "x" * 140_000]


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.jsonl", "a.klp"])
def test_odd_texts_come_back_or_are_refused(name: str, tmp_path: Path) -> None:
    refused: dict[str, int] = {}
    for odd in ODD:
        for text in (f"t{odd}u", f"{odd}u{odd}"):
            for label, column, note in ((text, "n", "v"), ("a", text, "v"), ("a", "n", text)):
                trees = TABLE["tree"]
                table = tk.Table({"label": [label, "b"], column: [note, "w"], "tree": trees})
                try:
                    tk.write(tmp_path / name, table)
                except tk.DataError:
                    refused[odd] = refused.get(odd, 0) + 1
                else:
                    assert tk.read(tmp_path / name) == table, text
    assert refused["\ud800"] == 6
    if name == "a.jsonl":
        assert len(refused) == 1


def test_numbers_are_numbers() -> None:
    rows = [("1", "0.50", "+1", "007", "3", "a"), ("-2", "1e3", "-1", "8", "", "")]
    text = "".join("\t".join((*row, "(A b)")) + "\n" for row in rows)
    table = read_text("a.tsv", text)
    kinds = [column.dtype.kind for column in list(table.values())[:-1]]
    assert kinds == ["i", "f", "O", "O", "f", "O"]
    assert table["label"].tolist() == [1, -2]
    assert table["column2"].tolist() == [0.5, 1000.0]
    assert table["column3"].tolist() == ["+1", "-1"]
    assert np.isnan(table["column5"][1])
    for largest in (2**63 - 1, -(2**63)):
        assert read_text("a.tsv", f"{largest}\t(A b)\n")["label"].tolist() == [largest]
    for huge in (2**63, -(2**63) - 1, 10**30):
        assert read_text("a.tsv", f"{huge}\t(A b)\n")["label"].tolist() == [str(huge)]


@pytest.mark.parametrize("format", ["tsv", "csv"])
def test_headers_are_found(format: str) -> None:
    mark = "\t" if format == "tsv" else ","
    text = "kind\tparse\tid\nx\t(A b)\t1\ny\t(A c)\t2\n".replace("\t", mark)
    table = read_text(f"a.{format}", text)
    assert table.columns == ["kind", "parse", "id"]
    assert read_text(f"a.{format}", text, header=True) == table
    by_label = read_text(f"a.{format}", text, label="id")
    assert by_label.columns == ["kind", "parse", "label"]
    assert read_text(f"a.{format}", text, label=3) == by_label
    assert read_text(f"a.{format}", text, label="3") == by_label
    with pytest.raises(tk.ParameterError, match="has no column 'ids'; it has kind, parse, id"):
        read_text(f"a.{format}", text, label="ids")
    with pytest.raises(tk.ParameterError, match=r"no column '0' \(they are counted from 1\)"):
        read_text(f"a.{format}", text, label=0)
    with pytest.raises(tk.ParameterError, match="the column 'parse' holds trees, not labels"):
        read_text(f"a.{format}", text, label="parse")
    short = "kind\tparse\nx\t(A b)\t1\n".replace("\t", mark)
    with pytest.raises(tk.ParseError, match="line 2: this line has 3 columns, but 2 have a name"):
        read_text(f"a.{format}", short)


def test_labels_without_a_header() -> None:
    text = "s1\tx\t(A b)\ns2\ty\t(A c)\n"
    assert read_text("a.tsv", text).columns == ["label", "column2", "tree"]
    table = read_text("a.tsv", text, label=2)
    assert table.columns == ["column1", "label", "tree"]
    assert table["label"].tolist() == ["x", "y"]
    named = read_text("a.tsv", "label\tkind\ttree\n1\tx\t(A b)\n", label="kind")
    assert named.columns == ["label.1", "label", "tree"]


def test_trees_by_name_and_number() -> None:
    text = "a\tb\n(A b)\tx\n"
    table = read_text("a.tsv", text, trees=[1])
    assert isinstance(table["a"], tk.Forest)
    with pytest.raises(tk.ParseError, match="line 2, column 7: a tree starts with"):
        read_text("a.tsv", text, trees=["a", "b"])
    with pytest.raises(tk.ParameterError, match="the column 'label' does not hold trees"):
        read_text("a.tsv", "x\t(A b)\n", trees=["label"])


def test_csv() -> None:
    text = 'kind,tree\n"a, ""b""\nc","(A (, "","") b)"\n\nz,(A c)\n'
    table = read_text("a.csv", text)
    assert table["kind"].tolist() == ['a, "b"\nc', "z"]
    assert table["tree"][0] == tk.Forest(['(A (, ",") b)'])[0]
    other = read_text("a.csv", "x;(A b)\ny;(A c)\n", delimiter=";")
    assert other["label"].tolist() == ["x", "y"]
    with pytest.raises(tk.ParseError, match="line 2, column 3: the bracket opened here"):
        read_text("a.csv", "x,(A b)\ny,(A b\n")
    with pytest.raises(tk.ParseError, match="this is not CSV"):
        read_text("a.csv", 'x,(A b)\ny,"(A b)"z\n')
    with pytest.raises(tk.ParseError, match="line 2: this line has 4 columns"):
        read_text("a.csv", "x,(A b)\ny,(, ,)\n")
    with pytest.raises(tk.ParameterError, match="delimiter is one character"):
        read_text("a.csv", "x", delimiter="::")
    problems: list[tk.ParseError] = []
    bad = 'x,(A b)\ny,"(A b)"z\nw,(A d)\nv,(A c)\n'
    assert len(read_text("a.csv", bad, skip_bad=True, problems=problems)) >= 2
    assert problems


def test_json_lines() -> None:
    text = (
        '{"label": "x", "tree": "(A b)", "n": 1, "v": [1, 2]}\n'
        '{"label": "y", "tree": "(A c)", "n": 2, "v": [3, 4], "more": {"a": 1}}\n'
        '{"label": "y", "n": 3, "v": [3, 4]}\n'
    )
    table = read_text("a.jsonl", text)
    assert table.columns == ["label", "tree", "n", "v", "more"]
    assert table["tree"].to_brackets() == ["(A b)", "(A c)", "(-MISSING-)"]
    assert (table["n"].tolist(), table["v"].shape) == ([1, 2, 3], (3, 2))
    assert table["more"].tolist() == [None, {"a": 1}, None]
    assert read_text("a.jsonl", text, label="n")["label"].tolist() == [1, 2, 3]
    with pytest.raises(tk.ParseError, match="line 2: the bracket opened here is never closed"):
        read_text("a.jsonl", '{"tree": "(A b)"}\n{"tree": "(A b"}\n')
    with pytest.raises(tk.ParseError, match="line 2: the field 'tree' is not a tree in brackets"):
        read_text("a.jsonl", '{"tree": "(A b)"}\n{"tree": 3}\n')
    with pytest.raises(tk.ParseError, match="line 2: this is not an object"):
        read_text("a.jsonl", '{"tree": "(A b)"}\n[]\n')
    with pytest.raises(tk.ParseError, match="line 2, column 2: this is not JSON"):
        read_text("a.jsonl", '{"tree": "(A b)"}\n{\n')


def test_documents_with_labels() -> None:
    text = '{"kind": "x", "size": 1}\n{"kind": "y", "size": [2]}\n'
    assert read_text("a.jsonl", text).to_brackets()[0] == "({} (kind x) (size 1))"
    table = read_text("a.jsonl", text, label="kind")
    assert table["label"].tolist() == ["x", "y"]
    assert table["tree"].to_brackets() == ["({} (size 1))", "({} (size ([] 2)))"]
    with pytest.raises(tk.ParseError, match="line 2: there is no field 'kind' for the label"):
        read_text("a.jsonl", '{"kind": "x"}\n{"size": 1}\n', label="kind")
    deep = '{"kind": 1, "a": ' + "[" * 100_000 + "]" * 100_000 + "}\n"
    assert read_text("a.jsonl", deep, label="kind")["tree"][0].depth == 100_002


def test_lines_are_counted_with_the_header(tmp_path: Path) -> None:
    path = tmp_path / "data.tsv"
    path.write_text("kind\tparse\nx\t(A b)\ny\t(A c\n")
    with pytest.raises(tk.ParseError, match="line 3, column 3"):
        tk.read(path, header=True)
    path.write_text("kind\tkind\nx\t(A b)\n")
    with pytest.raises(ValueError, match="names of columns must differ"):
        tk.read(path, header=True)
    path.write_text("kind\tparse\n")
    assert len(tk.read(path, header=True)) == 0
    with pytest.raises(TypeError, match="has no option 'header'"):
        tk.read(path, "brackets", header=True)
