"""Formats beyond brackets and tables: round trips on random trees, variants, and errors."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import treekernels as tk
from helpers import Write, again, forest_of, nested_of, read_text, up_to_a_million
from treekernels import readers
from treekernels.testing.strategies import forests, trees

Nested = tuple[Any, ...]

# Labels that markers, comments, brackets and white space might break.
ODD = ("A", "|BT|", "#", "a b", "(", "\\x28", "|EV|", "é🌲", "a|ET:x|", '"', "<&>", "x:1", "|,|")


# Round trips


@given(forests(labels=ODD))
def test_brackets_round_trip(nested: list[Nested]) -> None:
    forest = forest_of(nested)
    for name in ("a.txt", "a.mrg", "a.trees.gz"):
        assert again(name, forest) == forest


@given(forests(labels=ODD), st.data())
def test_tsv_round_trip(nested: list[Nested], data: st.DataObject) -> None:
    count = len(nested)
    text = st.text(st.characters(codec="utf-8", exclude_characters="\t\r\n"))
    labels = data.draw(st.lists(text, min_size=count, max_size=count))
    columns = {"label": np.array(labels, object), "a": forest_of(nested), "b": forest_of(nested)}
    names = ["label", "a", "b"]
    got = again("a.tsv", columns, columns=names, trees=["a", "b"])
    if count:
        assert got == tk.Table(columns)
    else:
        assert len(got) == 0


def matrices(rows: int) -> st.SearchStrategy[Any]:
    values = st.floats(-1e300, 1e300) | st.sampled_from([0.0, 1.0, -2.5, 1e-300])
    row = st.lists(values, min_size=3, max_size=3)
    return st.lists(row, min_size=rows, max_size=rows).map(lambda m: np.array(m).reshape(rows, 3))


@st.composite
def tables(draw: st.DrawFn) -> tk.Table:
    nested = draw(forests(min_trees=1, labels=ODD))
    count = len(nested)
    label = st.sampled_from([-1, 1, 7]) | st.just("x") if draw(st.booleans()) else st.integers()
    columns: dict[str, Any] = {
        "label": draw(st.lists(label, min_size=count, max_size=count)),
        "tree1": forest_of(nested),
        "tree2": forest_of(nested[::-1]),
        "vector1": csr_matrix(draw(matrices(count))),
        "vector2": csr_matrix(draw(matrices(count))),
    }
    return tk.Table(columns)


def same_tables(one: tk.Table, two: tk.Table) -> None:
    assert one.columns == two.columns
    for name in one:
        if hasattr(one[name], "tocsr"):
            assert one[name].toarray().tolist() == two[name].toarray().tolist()
        elif isinstance(one[name], tk.Forest):
            assert one[name] == two[name]
        else:
            assert [str(x) for x in one[name]] == [str(x) for x in two[name]]


@given(tables())
def test_svmlight_round_trip(table: tk.Table) -> None:
    got = again("a.svmlight", table, n_features=3)
    same_tables(got, table)


@given(tables())
def test_kelp_round_trip(table: tk.Table) -> None:
    count = len(table)
    dicts = np.empty(count, object)
    dicts[:] = [{"word:1": 1.5, "b": float(place)} for place in range(count)]
    columns = {n: c for n, c in table.items() if "vector" not in n}
    columns |= {"dense": table["vector1"].toarray(), "bow": dicts, "text": ["a | b"] * count}
    got = again("a.klp", tk.Table(columns))
    assert list(got) == ["label", "tree1", "tree2", "dense", "bow", "text"] or count == 0
    same_tables(tk.Table({n: got[n] for n in columns}), tk.Table(columns))


@given(trees(labels=("A", "B-1", "x")))
def test_penn_files(nested: Nested) -> None:
    tree = forest_of([nested])[0]
    lines = tree.to_brackets().replace(" ", "\n   ")
    for text in (lines, f"( {lines})", f"(\n{lines}\n)\n", f"({lines})({lines}) ( {lines})"):
        got = read_text("a.mrg", text)
        assert set(got.to_brackets()) == {tree.to_brackets()}
        assert len(got) == text.count(lines)


@given(trees(labels=("a", "b", "c")))
def test_xml_of_any_tree(nested: Nested) -> None:
    def written(tree: Nested) -> str:
        return f"<{tree[0]}>{''.join(map(written, tree[1:]))}</{tree[0]}>"

    text = written(nested)
    expected = forest_of([nested])
    assert read_text("a.xml", text) == expected
    assert readers.from_xml_string(text) == expected[0]
    assert readers.from_element(ElementTree.fromstring(text)) == expected[0]


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"])))
def test_xml_text(text: str) -> None:
    words = " ".join(text.split())
    got = readers.from_xml_string(f"<a x='1'>{escape(text)}<b/></a>")
    expected = ("a", ("@x", ("1",)), *([("#text", (words,))] if words else []), ("b",))
    assert nested_of(got) == expected


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text(),
    lambda below: st.lists(below) | st.dictionaries(st.text(), below),
    max_leaves=20,
)


@given(json_values, st.booleans(), st.booleans())
def test_json(value: Any, values: bool, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=1)
    got = readers.from_json_string(text, values=values)
    assert got == readers.from_json(value, values=values)
    if not any("\ud800" <= c <= "\udfff" for c in text):
        assert read_text("a.json", text, values=values) == tk.Forest([got])
        compact = json.dumps(value)
        assert len(read_text("a.jsonl", f"{compact}\n\n{compact}\r\n", values=values)) == 2


@given(st.text())
def test_json_agrees_with_python_on_what_is_json(text: str) -> None:
    try:
        expected = json.loads(text, parse_constant=lambda name: pytest.fail("not JSON"))
    except (ValueError, pytest.fail.Exception):
        with pytest.raises(tk.ParseError, match="this is not JSON"):
            readers.from_json_string(text)
    else:
        readers.from_json(expected)
        readers.from_json_string(text)


def dependencies(draw: st.DrawFn) -> list[int]:
    """Draw the heads of a sentence: a random tree, its words in random order."""
    count = draw(st.integers(1, 8))
    order = draw(st.permutations(range(count)))
    heads = [0] * count
    for number, word in enumerate(order):
        heads[word] = order[draw(st.integers(0, number - 1))] + 1 if number else 0
    return heads


@given(st.composite(dependencies)())
def test_conllu_shapes(heads: list[int]) -> None:
    rows = [
        f"{place}\tw{place}\tl{place}\tU{place}\tX{place}\t_\t{head}\tr{place}\t_\t_"
        for place, head in enumerate(heads, start=1)
    ]
    text = "# a comment\n1-2\tw1w2\t_\t_\t_\t_\t_\t_\t_\t_\n" + "\n".join(rows) + "\n"

    def below(word: int) -> list[int]:
        return [place for place, head in enumerate(heads, start=1) if head == word]

    def grct(word: int) -> Nested:
        parts = {place: grct(place) for place in below(word)}
        parts[word] = (f"U{word}", (f"w{word}",))
        return (f"r{word}", *(parts[place] for place in sorted(parts)))

    def lct(word: int) -> Nested:
        return (f"l{word}::X{word}", *map(lct, below(word)), (f"X{word}",), (f"r{word}",))

    def loct(word: int) -> Nested:
        return (f"w{word}", *map(loct, below(word)))

    (root,) = below(0)
    assert nested_of(read_text("a.conllu", text)[0]) == grct(root)
    assert nested_of(read_text("a.conllu", text, shape="LOCT")[0]) == loct(root)
    for lexeme in ("{lemma}::{xpos}", lambda token: f"{token.lemma}::{token.xpos}"):
        got = read_text("a.conllu", f"{text}\n\n{text}", shape="LCT", lexeme=lexeme, tag="xpos")
        assert [nested_of(tree) for tree in got] == [lct(root)] * 2

    def relation(word: int) -> str:
        head = heads[word - 1]
        return f"r{word}<w{head}::u,w{word}::u>" if head else f"r{word}"

    def cgrct(word: int) -> Nested:
        parts = {place: cgrct(place) for place in below(word)}
        parts[word] = (f"U{word}", (f"w{word}::u",))
        return (relation(word), *(parts[place] for place in sorted(parts)))

    def clct(word: int) -> Nested:
        return (f"w{word}::u", *map(clct, below(word)), (f"U{word}",), (relation(word),))

    composed = {"lexeme": "{form}::{pos}"}
    assert nested_of(read_text("a.conllu", text, shape="CGRCT", **composed)[0]) == cgrct(root)
    assert nested_of(read_text("a.conllu", text, shape="CLCT", **composed)[0]) == clct(root)


# Files with something odd about them

FILES = {
    "brackets": ("a.txt", "(A b)\n", "(A b))\n", "1, column 6"),
    "penn": ("a.mrg", "( (A\n  b) )\n", "( (A\n b()) )\n", "2, column 3"),
    "svmlight-tk": (
        "a.svmlight",
        "1 |BT| (A b) |ET| 1:2 |EV|\n",
        "1 |BT| (A |ET|\n",
        "1, column 8",
    ),
    "kelp": ("a.klp", "x |BT:t| (A b) |ET|\n", "x |BT:t| (A |ET|\n", "1, column 10"),
    "conllu": (
        "a.conllu",
        "1\ta\t_\tN\t_\t_\t0\troot\t_\t_\n\n",
        "1\ta\t_\tN\t_\t_\t5\troot\t_\t_\n\n",
        "1, column 13",
    ),
    "jsonl": ("a.jsonl", '{"a": [1]}\n', '{"a": [1}\n', "1, column 9"),
}


@pytest.mark.parametrize("format", FILES)
def test_odd_files(write: Write, format: str) -> None:
    name, good, bad, where = FILES[format]
    expected = tk.read(write(name, good))
    for content in (
        "\ufeff" + good,
        good.replace("\n", "\r\n"),
        "\n\n" + good + "\n\n",
        good.rstrip("\n"),
    ):
        for named in (name, name + ".gz"):
            assert tk.read(write(named, content)) == expected
    if format != "jsonl":
        assert tk.read(write(name, "# a comment\n" + good)) == expected
    assert len(tk.read(write(name, ""))) == 0
    path = write(name, bad)
    with pytest.raises(tk.ParseError) as caught:
        tk.read(path)
    assert str(caught.value).startswith(f"{path}, line {where}: ")


@pytest.mark.parametrize("format", FILES)
def test_bad_parts_are_skipped(write: Write, format: str) -> None:
    name, good, bad, _ = FILES[format]
    whole = tk.read(write(name, good * 3))
    other = b"x\n\n" if format == "conllu" else b"\xff\n"
    path = write(name, (good + bad + good).encode() + other + (bad + good).encode())
    with pytest.warns(tk.readers.SkippedWarning, match="3 bad lines were skipped:\n") as caught:
        got = tk.read(path, skip_bad=True)
    assert got == whole
    assert [problem.source for problem in caught[0].message.problems] == [str(path)] * 3
    assert caught[0].filename == __file__
    problems: list[tk.ParseError] = []
    assert tk.read(path, skip_bad=True, problems=problems) == whole
    assert [str(p) for p in problems] == [str(p) for p in caught[0].message.problems]
    clean: list[tk.ParseError] = []
    assert tk.read(write(name, good * 3), skip_bad=True, problems=clean) == whole
    assert clean == []
    with pytest.raises(ValueError, match="goes with skip_bad=True"):
        tk.read(path, problems=problems)


@pytest.mark.parametrize("name", ["a.json", "a.xml", "a.py", "a.html", "a.java"])
def test_whole_files_are_skipped(write: Write, name: str) -> None:
    if name == "a.html":
        pytest.importorskip("lxml")
    if name == "a.java":
        pytest.importorskip("tree_sitter_java")
    problems: list[tk.ParseError] = []
    content = "" if name == "a.html" else "<a>(class"
    assert tk.read(write(name, content), skip_bad=True, problems=problems) == tk.Forest()
    assert len(problems) == 1


def test_the_message_of_a_warning(write: Write) -> None:
    with pytest.warns(tk.readers.SkippedWarning) as caught:
        tk.read(write("a.txt", "(A\n" * 7), skip_bad=True)
    lines = str(caught[0].message).splitlines()
    assert lines[0] == "7 bad lines were skipped:"
    assert len(lines) == 7
    assert lines[-1] == "  ..."


@pytest.mark.parametrize(
    ("line", "format"),
    [("1 |BT| (A b) |ET|", "svmlight-tk"), ("x |BT:t| (A b) |ET|", "kelp"), ("x\t(A b)", "tsv")],
)
def test_the_first_line_tells_the_format(write: Write, line: str, format: str) -> None:
    path = write("a.txt", line)
    assert tk.read(path) == tk.read(path, format)
    with pytest.raises(tk.ParseError, match=f"line 1, column 1: .*it looks like format='{format}'"):
        tk.read(path, "brackets")


def test_unknown_options(write: Write) -> None:
    path = write("a.conllu", "")
    with pytest.raises(TypeError, match="'conllu' has no option 'sha'; it has shape, lexeme, tag"):
        tk.read(path, sha="LCT")
    with pytest.raises(TypeError, match="'brackets' has no option 'x'; it has none"):
        tk.read(path, "brackets", x=1)
    with pytest.raises(ValueError, match="shape is 'XCT', and may be GRCT, LCT, LOCT"):
        tk.read(path, shape="XCT")
    for lexeme in ("{word}", "{}", "{form", "{form.x}"):
        with pytest.raises(ValueError, match="and may use"):
            tk.read(path, lexeme=lexeme)
    with pytest.raises(tk.ParameterError, match=r"lexeme is 3, and must be a text such as '\{lem"):
        tk.read(path, lexeme=3)
    with pytest.raises(tk.ParseError, match="lexeme must return a text for a word, not 5 of"):
        read_text("a.conllu", "1\ta\ta\tDET\tDT\t_\t0\troot\t_\t_\n", lexeme=lambda token: 5)


# A million deep


@up_to_a_million
def test_a_million_deep(write: Write, count: int) -> None:
    depth = count
    assert tk.read(write("a.mrg", "(A" * depth + ")" * depth)).depths[0] == depth
    assert tk.read(write("a.xml", "<a>" * depth + "</a>" * depth)).depths[0] == depth
    assert tk.read(write("a.json", "[" * depth + "]" * depth)).depths[0] == depth
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    assert readers.from_json(value).depth == depth
    while value:  # Python's own way to free such a list is recursive
        value = value.pop()
    text = f"1 |BT| {'(A' * depth + ')' * depth} |ET|"
    table = tk.read(write("a.svmlight", text))
    assert table["tree"].depths[0] == depth
    path = write("b.klp", "")
    tk.write(path, table)
    assert tk.read(path) == table


# Frames


def test_frames(tmp_path: Path) -> None:
    columns = {"label": [1, 0], "parse": ["(A b)", "(A c)"], "text": ["x", "y"]}
    expected = ["label", "parse", "text"]
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    arrow = pyarrow.table(columns)

    class Dataset:  # as Hugging Face's
        column_names = expected

        def __getitem__(self, name: str) -> list[Any]:
            return columns[name]

    for frame in (pandas.DataFrame(columns), arrow, Dataset(), columns, tk.Table(columns)):
        table = readers.from_table(frame)
        if not isinstance(frame, tk.Table):
            assert table["parse"] == tk.Forest(columns["parse"])
        assert table.columns == expected
        assert table["label"].tolist() == [1, 0]
        assert list(table["text"]) == ["x", "y"]
    arrow_module = pytest.importorskip("pyarrow.parquet")
    arrow_module.write_table(arrow, tmp_path / "a.parquet")
    assert tk.read(tmp_path / "a.parquet")["parse"] == tk.Forest(columns["parse"])
    assert tk.read(tmp_path / "a.parquet", columns=["parse"]).columns == ["parse"]
    named = readers.from_table({"a": [("A", "b")]}, trees=["a"])
    assert named["a"].to_brackets() == ["(A b)"]
    vectors = pyarrow.table({"v": [[1.0, 2.0], [3.0, 4.0]], "t": ["(A)", "(B)"]})
    assert readers.from_table(vectors)["v"].tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("table", "trees", "message"),
    [
        ({"a": ["(A b)", None]}, None, "row 2 of the column 'a' has no tree"),
        ({"a": ["(A b)", float("nan")]}, None, "row 2 of the column 'a' has no tree"),
        ({"a": ["(A b)", "(A"]}, None, "tree 2, column 1: in the column 'a': the bracket"),
        ({"a": ["x"]}, ["b"], "there is no column 'b'; there are a"),
        ({"a": ["x"]}, "a", "in a list"),
        ([1], None, "a table with columns was expected, not list"),
    ],
)
def test_bad_frames(table: Any, trees: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        readers.from_table(table, trees)


# Writing


def test_writing_is_atomic(tmp_path: Path) -> None:
    path = tmp_path / "a.svmlight"
    path.write_text("old")
    with pytest.raises(ValueError, match="row 2: the label 'a b' cannot be written"):
        tk.write(path, {"label": ["x", "a b"], "tree": ["(A b)"] * 2})
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.svmlight"]
    tk.write(path, {"label": ["x"], "tree": ["(A b)"]})
    assert path.read_text() == "x |BT| (A b) |ET|\n"
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "target.txt")
    tk.write(link, ["(A b)"])
    assert link.is_symlink()
    assert (tmp_path / "target.txt").read_text() == "(A b)\n"


@pytest.mark.parametrize(
    ("name", "data", "options", "message"),
    [
        ("a.xml", ["(A b)"], {}, "'xml' cannot be written; known are brackets, tsv, csv"),
        ("a.txt", {"a": ["(A b)"], "b": ["(A b)"]}, {}, "2 columns of trees"),
        ("a.txt", ["(A b)"], {"label": "x"}, "'brackets' has no option 'label'"),
        ("a.svmlight", ["(A b)"], {}, "there is no column 'label': name it with label="),
        ("a.svmlight", {"label": [1], "x": ["text"]}, {}, "holds neither trees nor vectors"),
        ("a.svmlight", {"label": [""], "tree": ["(A b)"]}, {}, "the label '' cannot"),
        ("a.klp", {"label": [1], "a b": ["(A b)"]}, {}, "name of the column 'a b'"),
        ("a.klp", {"label": [1], "a": ["x |ES| y"]}, {}, "contains a line end or a marker"),
        ("a.tsv", {"label": ["a\tb"], "tree": ["(A b)"]}, {}, "contains a tab"),
        ("a.tsv", {"v": np.ones((1, 2)), "tree": ["(A b)"]}, {}, "holds vectors"),
        ("a.klp", {"label": [1], "v": np.full((1, 2), np.inf)}, {}, "vector 1 contains infinity"),
    ],
)
def test_what_cannot_be_written(
    tmp_path: Path, name: str, data: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        tk.write(tmp_path / name, data, **options)
    assert list(tmp_path.iterdir()) == []
