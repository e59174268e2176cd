"""Formats beyond brackets and tables: round trips on random trees, variants, and errors."""

from __future__ import annotations

import gzip
import json
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import treekernels as tk
from treekernels import readers
from treekernels.testing.strategies import forests, trees

Nested = tuple[Any, ...]
Write = Callable[[str, "str | bytes"], Path]

# Labels that markers, comments, brackets and white space might break.
ODD = ("A", "|BT|", "#", "a b", "(", "\\x28", "|EV|", "é🌲", "a|ET:x|", '"', "<&>", "x:1", "|,|")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Give a function that writes a file; a name in .gz makes it compressed."""

    def written(name: str, content: str | bytes) -> Path:
        raw = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return tmp_path / name

    return written


def again(name: str, data: Any, **options: Any) -> Any:
    """Write, and read what was written."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        tk.write(path, data)
        return tk.read(path, **options)


def read_text(name: str, text: str | bytes, **options: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return tk.read(path, **options)


def forest_of(nested: list[Nested]) -> tk.Forest:
    return tk.Forest.from_trees(nested)


def nested_of(tree: tk.Tree) -> Nested:
    return (tree.label, *map(nested_of, tree.children))


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


def test_bad_rows_of_columns(write: Write) -> None:
    path = write("a.tsv", "x\t(A b)\ny\t(A\nz\n\xe9\t(A c)\n\t(A d))\nw\t(B)\n")
    problems: list[tk.ParseError] = []
    table = tk.read(path, columns=["label", "tree"], skip_bad=True, problems=problems)
    assert table["label"].tolist() == ["x", "é", "w"]
    assert table["tree"].to_brackets() == ["(A b)", "(A c)", "(B)"]
    assert sorted(problem.line for problem in problems) == [2, 3, 5]


def test_many_bad_lines(write: Write) -> None:
    """Bad lines must not cost more the more there are."""
    problems: list[tk.ParseError] = []
    forest = tk.read(write("a.txt", "(A\n(A b)\n" * 50_000), skip_bad=True, problems=problems)
    assert len(forest) == len(problems) == 50_000
    assert [problem.line for problem in problems] == list(range(1, 100_000, 2))


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
def test_hint_at_another_format(write: Write, line: str, format: str) -> None:
    with pytest.raises(tk.ParseError, match=f"line 1, column 1: .*it looks like format='{format}'"):
        tk.read(write("a.txt", line))


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
    assert table["tree1"].to_brackets() == ["(A (# #))", "(-EMPTY-)", "(A a)", "(-EMPTY-)"]
    assert table["tree2"].to_brackets() == ["(B b)", "(C c)", "(-EMPTY-)", "(-EMPTY-)"]
    assert table["vector1"].toarray().tolist() == [[0.5, 0, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert table["vector2"].toarray().tolist() == [[0, 0.3], [1, 0], [0, 0], [0, 0]]
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
    assert table["left.tree"].to_brackets() == ["(S (NP (N dog::n)))", "(-EMPTY-)"]
    assert table["right.tree"].to_brackets() == ["(S (V sit::v))", "(-EMPTY-)"]
    assert table["d"].tolist() == [[0.5, 1], [0, 0]]
    assert table["e"].tolist() == [[1, 0], [0, 0]]
    assert table["bow"].tolist() == [{"a": 1.0, "b:c": 2.0}, {"c": 3.5}]
    assert table["info"].tolist() == ["x | y", ""]
    assert table["matrix"].tolist() == ["", "1 2"]
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


def test_kelp_parts_that_do_not_fit(write: Write) -> None:
    with pytest.raises(tk.ParseError, match="line 2: 'a' is a text here, and a sparse"):
        tk.read(write("a.klp", "x |BV:a| b:1 |EV|\nx |BS:a| b |ES|\n"))
    with pytest.raises(tk.ParseError, match="line 2: a dense vector has 1 numbers, and the first"):
        tk.read(write("a.klp", "x |BDV:a| 1 2 |EV|\nx |BDV:a| 1 |EDV|\n"))


def test_examples_in_batches(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "1 |BT| (A b) |ET|\n1 |ET|\n1 |BT| (A c) |BT| (B) |ET| 1:1 |EV|\n1 |ET|\n1 |BT| (D) |ET|"
    whole = tk.read(write("a.svmlight", text))
    monkeypatch.setattr("treekernels.readers.examples.BATCH", 2)
    assert tk.read(write("a.svmlight", text)) == whole


# CoNLL-U and spaCy

SENTENCE = """\
# text = The cat runs over the grass .
1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_
2\tcat\tcat\tNOUN\tNN\t_\t3\tnsubj\t_\t_
3\truns\trun\tVERB\tVBZ\t_\t0\troot\t_\t_
3.1\tx\tx\tX\tX\t_\t_\t_\t_\t_
4\tover\tover\tADP\tIN\t_\t6\tcase\t_\t_
5\tthe\tthe\tDET\tDT\t_\t6\tdet\t_\t_
6\tgrass\tgrass\tNOUN\tNN\t_\t3\tnmod\t_\t_
7\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_
"""
SHAPES = {  # as KeLP gives them, but for the kinds of nodes that it writes before the labels
    "GRCT": "(root (nsubj (det (DT the)) (NN cat)) (VBZ run) (nmod (case (IN over)) (det (DT the))"
    " (NN grass)) (punct (. .)))",
    "LCT": "(run (cat (the DT det) NN nsubj) (grass (over IN case) (the DT det) NN nmod)"
    " (. . punct) VBZ root)",
    "LOCT": "(run (cat the) (grass over the) .)",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_dependency_shapes(write: Write, shape: Any) -> None:
    forest = tk.read(write("a.conllu", SENTENCE), shape=shape, lexeme="{lemma}", tag="xpos")
    assert forest.to_brackets() == [SHAPES[shape]]


class Word:
    """What `from_spacy` needs of a spaCy token."""

    def __init__(self, i: int, row: list[str]) -> None:
        self.i = i
        self.text, self.lemma_, self.pos_, self.tag_ = row[1:5]
        self.dep_ = row[7]
        self.head = self


class Doc:
    def __init__(self) -> None:
        rows = [line.split("\t") for line in SENTENCE.splitlines()[1:] if ".1" not in line]
        self.words = [Word(place + 10, row) for place, row in enumerate(rows)]
        for word, row in zip(self.words, rows, strict=True):
            word.head = self.words[int(row[6]) - 1] if row[6] != "0" else word
        self.sents = [self.words, self.words]


@pytest.mark.parametrize("shape", SHAPES)
def test_spacy(shape: Any) -> None:
    forest = readers.from_spacy(Doc(), shape=shape, lexeme="{lemma}", tag="xpos")
    assert forest.to_brackets() == [SHAPES[shape]] * 2
    assert len(readers.from_spacy([Doc(), Doc()])) == 4
    with pytest.raises(TypeError, match="a spaCy Doc or Span was expected, not str"):
        readers.from_spacy("text")


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (["1\ta"], "line 1: this line has 2 columns, and CoNLL-U has 10"),
        (["2\ta\t_\tN\t_\t_\t0\troot\t_\t_"], "line 1, column 1: this is word 1 .* numbered '2'"),
        (["1\ta\t_\tN\t_\t_\t_\troot\t_\t_"], "line 1, column 13: the head '_'"),
        (["1\ta\t_\tN\t_\t_\t1\troot\t_\t_"], "line 1: the sentence has no root"),
        (["{}\ta\t_\tN\t_\t_\t0\troot\t_\t_"] * 2, "line 1: the sentence has 2 roots"),
        (
            ["1\ta\t_\tN\t_\t_\t0\troot\t_\t_", *["{}\ta\t_\tN\t_\t_\t{other}\tx\t_\t_"] * 2],
            "line 1: the heads of word 2 and others go round in a circle",
        ),
        (["1.1\ta\t_\tN\t_\t_\t_\t_\t_\t_"], "line 1: the sentence has no words"),
    ],
)
def test_bad_conllu(write: Write, rows: list[str], reason: str) -> None:
    lines = [row.format(place, other=5 - place) for place, row in enumerate(rows, start=1)]
    with pytest.raises(tk.ParseError, match=reason):
        tk.read(write("a.conllu", "\n".join(lines)))


# Python and other languages


def test_python_files(write: Write) -> None:
    source = "class A:\n    def f(self): return 1\n\nasync def g(): pass\n"
    path = write("a.py", source)
    assert tk.read(path)[0] == readers.from_python_source(source)
    assert [tree.label for tree in tk.read(path, each="class")] == ["ClassDef"]
    functions = tk.read(path, each="function")
    assert sorted(tree.label for tree in functions) == ["AsyncFunctionDef", "FunctionDef"]
    with pytest.raises(ValueError, match="each is 'x'"):
        tk.read(path, each="x")
    latin = write("b.py", "# -*- coding: latin-1 -*-\nx = 'é'".encode("latin-1"))
    assert tk.read(latin)[0].leaves() == ["x", "'é'"]


def test_python_values() -> None:
    tree = readers.from_python_source("f('a\\0', b'x', 1.5, None, '\\ud800', '\\d')")
    assert tree.leaves() == ["f", "'a\\x00'", "b'x'", "1.5", "None", "'\\ud800'", "'\\\\d'"]
    everything = Path(json.__file__).read_text()
    assert readers.from_python_source(everything).size > 500


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = (\n", "the source, line 1, column 5: this is not Python: '\\(' was never closed"),
        ("a\0b", "this is not Python"),
        ("(" * 100_000 + ")" * 100_000, "too deeply|not Python: too many nested"),
        ("x" + "+x" * 200_000, "too deeply"),
        ("-" * 200_000 + "x", "too deeply|not Python"),
    ],
    ids=["syntax", "nul", "brackets", "sum", "signs"],
)
def test_bad_python(source: str, message: str) -> None:
    with pytest.raises(tk.ParseError, match=message):
        readers.from_python_source(source)


def test_code_by_tree_sitter(write: Write) -> None:
    pytest.importorskip("tree_sitter_javascript", reason="tree-sitter is not installed")
    source = "let x = f(1);"
    expected = (
        "(program (lexical_declaration (variable_declarator (identifier x)"
        " (call_expression (identifier f) (arguments (number 1))))))"
    )
    assert tk.read(write("a.js", source)).to_brackets() == [expected]
    assert readers.from_code(source, "javascript").to_brackets() == expected
    tokens = readers.from_code(source, "javascript", tokens=True)
    assert "=" in tokens.leaves()
    with pytest.raises(tk.ParseError, match=r"a\.js, line 2, column"):
        tk.read(write("a.js", "let x = 1;\nlet ) (;"))
    kept = tk.read(write("a.js", "let x = 1;\nlet ) (;"), errors=True)
    assert "ERROR" in {node.label for node in kept[0].preorder()}
    with pytest.raises(ImportError, match="reading nonsense needs its grammar: pip install tree-"):
        readers.from_code("x", "nonsense")
    with pytest.raises(ValueError, match="name it with language="):
        tk.read(write("a.txt", "x"), "tree-sitter")


def test_deep_code_by_tree_sitter() -> None:
    pytest.importorskip("tree_sitter_javascript", reason="tree-sitter is not installed")
    deep = readers.from_code("[" * 20_000 + "]" * 20_000, "javascript")
    assert deep.depth == 20_002


@pytest.mark.parametrize(
    ("module", "call", "message"),
    [
        ("lxml.etree", lambda: readers.from_html_string("<p>"), r"lxml: pip install .*\[html\]"),
        ("tree_sitter", lambda: readers.from_code("x", "java"), r"pip .*\[treesitter\]"),
        (
            "pyarrow.parquet",
            lambda: tk.read("a.parquet"),
            r"needs the package pyarrow: pip install .*\[arrow\]",
        ),
    ],
)
def test_missing_packages(
    monkeypatch: pytest.MonkeyPatch, module: str, call: Callable[[], Any], message: str
) -> None:
    pytest.importorskip("tree_sitter_java")
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(ImportError, match=message):
        call()


# XML, HTML and JSON


def test_xml_options(write: Write) -> None:
    text = (
        '<?xml version="1.0" encoding="latin-1"?><!DOCTYPE a [<!ENTITY big "ha ha">]>'
        '<a xmlns="urn:x" k="v">one &big; t\xf6w<?pi x?><!-- no --><b/>  '
        "<b><b>&lt;<![CDATA[&]]></b></b></a>"
    )
    path = write("a.xml", text.encode("latin-1"))
    assert tk.read(path).to_brackets() == [
        "(a (@k v) (#text one\\x20&big;\\x20töw) b (b (b (#text <&))))"
    ]
    assert tk.read(path, each="b", text="none").to_brackets() == ["(b)", "(b b)"]
    words = tk.read(path, text="words", attributes=False, namespaces=True)[0]
    assert (words.label, words.children[0].to_brackets()) == ("{urn:x}a", "(#text one &big; töw)")
    assert readers.from_xml_string(text) == tk.read(path)[0]
    with pytest.raises(ValueError, match="text is 'some'"):
        tk.read(path, text="some")


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<a>\n <b></a>", "the document, line 2, column 7: this is not XML: mismatched tag"),
        ("", "this is not XML: no element found"),
        ("<a/><a/>", "this is not XML: junk after"),
        (f'<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}]><a x="&l11;"/>', "this is not XML"),
    ],
)
def test_bad_xml(text: str, message: str) -> None:
    with pytest.raises(tk.ParseError, match=message):
        readers.from_xml_string(text)


def test_entities_are_not_fetched_or_expanded(write: Write) -> None:
    secret = write("secret.txt", "secret")
    text = f'<!DOCTYPE a [<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY l0 "ha">{LAUGHS}]>'
    tree = readers.from_xml_string(f"{text}<a>&x; &l11;</a>")
    assert tree.leaves() == ["&x; &l11;"]


def test_html(write: Write) -> None:
    pytest.importorskip("lxml", reason="lxml is not installed")
    text = "<!doctype html><p class=x>one<br>two &eacute;<!-- c --> <b>three</b> four"
    expected = (
        "(html (body (p (@class x) (#text one) br (#text two\\x20é) (b (#text three))"
        " (#text four))))"
    )
    assert tk.read(write("a.html", text)).to_brackets() == [expected]
    assert readers.from_html_string(text).to_brackets() == expected
    accents = readers.from_html_string("<p>é</p>")
    assert accents.leaves() == ["é"]
    with pytest.raises(tk.ParseError, match="there is no element"):
        readers.from_html_string(" ")


@pytest.mark.parametrize("depth", [200, 1000, 5000, 300_000])
def test_deep_html_is_whole_or_refused(depth: int) -> None:
    pytest.importorskip("lxml", reason="lxml is not installed")
    text = "<div>" * depth + "x" + "</div>" * depth
    if depth > 2000:  # libxml2's limit is some 2,048
        with pytest.raises(tk.ParseError, match="cannot be read to its end"):
            readers.from_html_string(text)
    else:
        assert readers.from_html_string(text).depth == depth + 4


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "column 1: this is not JSON: a value"),
        ("[1,]", "column 4: this is not JSON: a value"),
        ('{"a" 1}', "column 6: this is not JSON: a colon"),
        ("{1: 2}", "column 2: this is not JSON: a key"),
        ("[1 2]", "column 4: this is not JSON: a comma or ]"),
        ('{"a": 1]', "column 8: this is not JSON: a comma or }"),
        ("[1]\n]", "the document, line 2, column 1: this is not JSON: there is more"),
        ('["a', "column 2: this is not JSON: Unterminated string"),
        ("[01]", "column 3: this is not JSON: a comma"),
        ("NaN", "column 1: this is not JSON: a value"),
        ("[", "column 2: this is not JSON: a value"),
        ('{"a": 1,}', "column 9: this is not JSON: a key"),
    ],
)
def test_bad_json(text: str, where: str) -> None:
    with pytest.raises(tk.ParseError, match=where):
        readers.from_json_string(text)


def test_json_values_of_other_types() -> None:
    with pytest.raises(TypeError, match="a value of type set is not JSON"):
        readers.from_json([{1}])


# A million deep


def test_a_million_deep(write: Write) -> None:
    depth = 1_000_000
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


def test_compressed_files_are_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a.txt.gz", "b.txt.gz"):
        tk.write(tmp_path / name, ["(A b)"])
    assert (tmp_path / "a.txt.gz").read_bytes() == (tmp_path / "b.txt.gz").read_bytes()
    assert tk.read(tmp_path / "a.txt.gz").to_brackets() == ["(A b)"]


@pytest.mark.parametrize(
    ("name", "data", "options", "message"),
    [
        ("a.xml", ["(A b)"], {}, "'xml' cannot be written; known are brackets, tsv, penn"),
        ("a.txt", {"a": ["(A b)"], "b": ["(A b)"]}, {}, "2 columns of trees"),
        ("a.txt", ["(A b)"], {"label": "x"}, "'brackets' has no option 'label'"),
        ("a.svmlight", ["(A b)"], {}, "there is no column 'label': name it with label="),
        ("a.svmlight", {"label": [1], "x": ["text"]}, {}, "holds neither trees nor vectors"),
        ("a.svmlight", {"label": [""], "tree": ["(A b)"]}, {}, "the label '' cannot"),
        ("a.klp", {"label": [1], "a b": ["(A b)"]}, {}, "name of the column 'a b'"),
        ("a.klp", {"label": [1], "a": ["x |ES| y"]}, {}, "contains a line end or a marker"),
        ("a.tsv", {"label": ["a\tb"], "tree": ["(A b)"]}, {}, "contains a tab"),
        ("a.tsv", {"v": np.ones((1, 2)), "tree": ["(A b)"]}, {}, "holds vectors"),
        ("a.klp", {"label": [1], "v": np.full((1, 2), np.inf)}, {}, "inf is not a number"),
    ],
)
def test_what_cannot_be_written(
    tmp_path: Path, name: str, data: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        tk.write(tmp_path / name, data, **options)
    assert list(tmp_path.iterdir()) == []


def test_writing_labels_of_another_name(tmp_path: Path) -> None:
    tk.write(tmp_path / "a.klp", {"y": [("a", "b")], "t": ["(A b)"]}, label="y")
    assert (tmp_path / "a.klp").read_text() == "a b |BT:t| (A b) |ET|\n"
