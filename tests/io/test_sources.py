"""Folders, patterns, lists and standard input; labels from names; what trees came from."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk


def put(folder: Path, **files: str) -> None:
    """Write files; __ in their names stands for a folder, and the last _ for a dot."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    put(
        tmp_path,
        spam__a_xml="<p>buy</p>",
        spam__deep__b_xml="<p><b>buy</b></p>",
        ham__c_xml="<q>hello</q>",
        d_xml="<r/>",
        readme_md="no tree",
    )
    (tmp_path / ".hidden.xml").write_text("<x>")
    return tmp_path


def test_folders(pages: Path) -> None:
    table = tk.read(pages, label="folder")
    assert table.columns == ["label", "tree", "file", "line"]
    files = [Path(file).relative_to(pages).as_posix() for file in table["file"]]
    assert files == ["d.xml", "ham/c.xml", "spam/a.xml", "spam/deep/b.xml"]
    assert table["label"].tolist() == [pages.name, "ham", "spam", "spam"]
    assert table["tree"].to_brackets()[2] == "(p (#text buy))"
    assert tk.read(pages).columns == ["tree", "file", "line"]
    assert tk.read(pages, origin=False).columns == ["tree"]
    assert tk.read(pages, label="folder", origin=False).columns == ["label", "tree"]


def test_patterns_and_lists(pages: Path) -> None:
    for source in (
        f"{pages}/*/*.xml",
        [pages / "ham" / "c.xml", pages / "spam" / "a.xml"],
        (str(pages / "ham"), f"{pages}/spam/a*"),
    ):
        table = tk.read(source, label="folder", text="none")
        assert table["label"].tolist() == ["ham", "spam"]
        assert table["tree"].to_brackets() == ["(q)", "(p)"]
    deep = tk.read(f"{pages}/**/*.xml", label="folder")
    assert deep["label"].tolist() == [pages.name, "ham", "spam", "deep"]
    assert tk.read([pages / "d.xml"]).columns == ["tree", "file", "line"]


def test_a_link_out_of_a_folder_is_labelled_where_it_stands(tmp_path: Path) -> None:
    put(tmp_path, elsewhere__c_xml="<q>hello</q>", pages__spam__a_xml="<p>buy</p>")
    try:
        (tmp_path / "pages" / "ham").mkdir()
        (tmp_path / "pages" / "ham" / "c.xml").symlink_to(tmp_path / "elsewhere" / "c.xml")
    except OSError:
        pytest.skip("there are no links here")
    assert tk.read(tmp_path / "pages", label="folder")["label"].tolist() == ["ham", "spam"]


def test_names_of_files_as_labels(tmp_path: Path) -> None:
    (tmp_path / "en.tst.txt.gz").write_bytes(gzip.compress(b"(A b)\n(A c)\n"))
    put(tmp_path, de_txt="(B b)\n")
    table = tk.read([tmp_path / "en.tst.txt.gz", tmp_path / "de.txt"], label="file")
    assert table["label"].tolist() == ["en.tst", "en.tst", "de"]
    assert table["line"].tolist() == [1, 2, 1]
    single = tk.read(tmp_path / "de.txt", label="file")
    assert single == tk.Table({"label": ["de"], "tree": tk.Forest(["(B b)"])})


def test_a_file_with_an_odd_name_is_no_pattern(tmp_path: Path) -> None:
    (tmp_path / "a[1].txt").write_text("(A b)\n")
    assert tk.read(tmp_path / "a[1].txt") == tk.Forest(["(A b)"])


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ("", tk.DataError, r"several formats \(json: 1, xml: 1\): say which with format"),
        ("*.py", FileNotFoundError, "no file matches this pattern"),
        ("none", tk.DataError, "none has no files to read"),
        ("", tk.DataError, r"or give a pattern such as .*\*\*.\*\.(json|xml)$"),
    ],
)
def test_what_cannot_be_found(tmp_path: Path, source: str, error: Any, message: str) -> None:
    put(tmp_path, a_xml="<a/>", b_json="{}")
    (tmp_path / "none").mkdir()
    with pytest.raises(error, match=message):
        tk.read(f"{tmp_path}/{source}")
    assert tk.read(tmp_path, "xml")["tree"].to_brackets() == ["(a)"]


def test_a_tree_is_not_the_name_of_a_file() -> None:
    with pytest.raises(tk.DataError, match=r"'\(A b\)' is a tree, and not .*from_brackets"):
        tk.read("(A b)")


def test_bad_sources(tmp_path: Path) -> None:
    with pytest.raises(tk.DataError, match="the list of files is empty"):
        tk.read([])
    put(tmp_path, a_txt="(A b)")
    for wrong in (3, [tmp_path, 3]):
        with pytest.raises(tk.ParameterError, match=r"path"):
            tk.read(wrong)  # type: ignore[call-overload]


def test_bad_files_are_skipped(pages: Path) -> None:
    put(pages, ham__bad_xml="<q>")
    with pytest.raises(tk.ParseError, match=r"bad\.xml, line 1"):
        tk.read(pages)
    problems: list[tk.ParseError] = []
    table = tk.read(pages, label="folder", skip_bad=True, problems=problems)
    assert len(table) == 4
    assert [Path(str(problem.source)).name for problem in problems] == ["bad.xml"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def given(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    given(b"x\t(A b)\ny\t(A c)\n")
    assert tk.read("-") == tk.Table({"label": ["x", "y"], "tree": tk.Forest(["(A b)", "(A c)"])})
    given(gzip.compress(b"(A b)\n"))
    assert tk.read("-") == tk.Forest(["(A b)"])
    given(b"def f(): pass\n")
    assert tk.read("-", "python")[0].label == "Module"
    given(b"(A b\n")
    with pytest.raises(tk.ParseError, match="standard input, line 1, column 1"):
        tk.read("-")


# What a tree came from


def test_origins_of_functions(tmp_path: Path) -> None:
    put(tmp_path, a_py="def f(): pass\n\nclass A:\n    def g(self): pass\n", b_py="x = 1\n")
    table = tk.read(tmp_path, each="function")
    assert table["name"].tolist() == ["f", "g"]
    assert table["line"].tolist() == [1, 4]
    assert {Path(file).name for file in table["file"]} == {"a.py"}
    one = tk.read(tmp_path / "a.py", each="function", origin=True)
    assert one.columns == ["tree", "file", "line", "last_line", "name"]
    assert one["last_line"].tolist() == [1, 4]
    by_name = tk.read(tmp_path / "a.py", each="function", label="name")
    assert by_name["label"].tolist() == ["f", "g"]
    assert by_name.columns == ["tree", "label"]


def test_origins_of_sentences(tmp_path: Path) -> None:
    row = "1\tHi\thi\tINTJ\tUH\t_\t0\troot\t_\t_\n\n"
    text = f"# sent_id = s1\n# text = Hi = there\n{row}{row}# newdoc\n# sent_id = s3\n{row}"
    put(tmp_path, a_conllu=text)
    table = tk.read(tmp_path / "a.conllu", origin=True)
    assert table["sent_id"].tolist() == ["s1", None, "s3"]
    assert table["text"].tolist() == ["Hi = there", None, None]
    assert table["line"].tolist() == [3, 5, 9]
    assert isinstance(tk.read(tmp_path / "a.conllu"), tk.Forest)


def test_origins_in_code(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter")
    pytest.importorskip("tree_sitter_javascript")
    put(tmp_path, a_js="function f() { return 1 }\nclass A {\n  g() { function h() {} }\n}\n")
    table = tk.read(tmp_path / "a.js", each="function", origin=True)
    assert table["name"].tolist() == ["f", "g", "h"]
    assert table["line"].tolist() == [1, 3, 3]
    assert [tree.label for tree in table["tree"]] == [
        "function_declaration",
        "method_definition",
        "function_declaration",
    ]
    assert len(tk.read(tmp_path / "a.js", each="class")) == 1
    assert len(tk.read(tmp_path / "a.js", each="return_statement")) == 1
    with pytest.raises(tk.ParameterError, match="each is 'paragraph', and may be 'function'"):
        tk.read(tmp_path / "a.js", each="paragraph")


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.txt", "# x\n(A b)\n\n(A\n(A c)\n", [2, 5]),
        ("a.mrg", "( (A\n  b))\n((B b))\n", [1, 3]),
        ("a.tsv", "kind\ttree\nx\t(A b)\ny\t(A\nz\t(A c)\n", [2, 4]),
        ("a.csv", 'kind,tree\n"x\ny",(A b)\nz,(A c)\n', [2, 4]),
        ("a.svmlight", "# x\n1 |BT| (A b) |ET|\n2 |BT| (A |ET|\n3 |BT| (A c) |ET|\n", [2, 4]),
        ("a.klp", "x |BT:t| (A b) |ET|\n\ny |BT:t| (A c) |ET|\n", [1, 3]),
        ("a.jsonl", '{"tree": "(A b)"}\n\n{"tree": "(A c)"}\n', [1, 3]),
        ("b.jsonl", '{"a": 1}\n{\n[2]\n', [1, 3]),
    ],
)
def test_lines(tmp_path: Path, name: str, text: str, lines: list[int]) -> None:
    (tmp_path / name).write_text(text)
    table = tk.read(tmp_path / name, origin=True, skip_bad=True, problems=[])
    assert table["line"].tolist() == lines
    assert len(table) == 2


# Files that have different columns


def test_columns_that_a_file_lacks(tmp_path: Path) -> None:
    put(
        tmp_path,
        a_svmlight="1 |BT| (A b) |ET| 1:1 3:2 |EV|\n",
        b_svmlight="2 |BT| (A c) |ET| 5:1 |EV|\n",
        c_svmlight="3 |BT| (A d) |ET|\n",
    )
    table = tk.read(tmp_path)
    assert table["label"].tolist() == [1, 2, 3]
    nan = np.nan
    expected = [[1, 0, 2, 0, 0], [0, 0, 0, 0, 1], [nan, 0, 0, 0, 0]]
    np.testing.assert_array_equal(table["vector"].toarray(), expected)
    put(
        tmp_path,
        d_klp="x |BT:t| (A b) |ET| |BDV:v| 1,2 |EDV|\n",
        e_klp="y |BT:u| (A c) |ET| |BS:s| hi |ES|\n",
    )
    table = tk.read(tmp_path / "*.klp")
    assert table["t"].to_brackets() == ["(A b)", "(-MISSING-)"]
    assert table["u"].to_brackets() == ["(-MISSING-)", "(A c)"]
    np.testing.assert_array_equal(table["v"], [[1, 2], [nan, nan]])
    assert table["s"].tolist() == [None, "hi"]


def test_columns_that_do_not_fit(tmp_path: Path) -> None:
    put(tmp_path, a_klp="x |BT:t| (A b) |ET|\n", b_klp="y |BDV:t| 1,2 |EDV|\n")
    with pytest.raises(tk.DataError, match="column 't' holds trees in one file and vectors"):
        tk.read(tmp_path)
    put(tmp_path, a_klp="x |BDV:t| 1 |EDV|\n")
    with pytest.raises(tk.DataError, match="vectors in column 't' have 1 and 2 numbers"):
        tk.read(tmp_path)
