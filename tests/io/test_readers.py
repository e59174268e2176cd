"""Reading files: formats, compression, columns, and errors that say where."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

import treekernels as tk
from helpers import Write

TREES = ["(S (NP Mary) (VP sleeps))", "(A b)", "(A (B é) c)", "(A b)", "(🌲)"]
LINES = "".join(f"{tree}\n" for tree in TREES)
LABELS = ["x", "y y", "", "é", "x"]
ROWS = "".join(f"{label}\t{tree}\n" for label, tree in zip(LABELS, TREES, strict=True))


@pytest.fixture(params=["one batch", "batches of 2"])
def batches(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "batches of 2":
        monkeypatch.setattr("treekernels.io.reading.tables.bracket_columns.BATCH", 2)
        monkeypatch.setattr("treekernels.io.reading.input.lines._BUFFER", 30)


# Brackets


@pytest.mark.parametrize("name", ["a.txt", "a.trees", "a", "a.gz", "a.trees.gz", "a.b.mrg"])
@pytest.mark.usefixtures("batches")
def test_brackets(write: Write, name: str) -> None:
    path = write(name, LINES)
    assert tk.read(path).to_brackets() == TREES
    assert tk.read(str(path)).to_brackets() == TREES
    assert tk.read(path, "brackets") == tk.read(path, format="brackets") == tk.Forest(TREES)


def test_compression_is_recognised_by_content(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(gzip.compress(LINES.encode()))
    (tmp_path / "b.gz").write_text(LINES, encoding="utf-8")
    assert tk.read(tmp_path / "a.txt") == tk.read(tmp_path / "b.gz") == tk.Forest(TREES)


@pytest.mark.usefixtures("batches")
def test_bad_tree_in_a_file(write: Write) -> None:
    for name in ("bad.trees", "bad.gz"):
        path = write(name, "\n" + LINES.replace("\n", "\r\n") + "\n(é (B b) ())\n" + LINES)
        with pytest.raises(tk.ParseError) as caught:
            tk.read(path)
        error = caught.value
        assert str(error) == f"{path}, line 8, column 10: a bracket is not followed by a label"
        assert (error.source, error.line, error.column) == (str(path), 8, 10)


def test_byte_order_mark_does_not_count(write: Write) -> None:
    with pytest.raises(tk.ParseError, match="line 1, column 7: there is more text"):
        tk.read(write("a.trees", "\ufeff(A b) c\n"))


# Columns


@pytest.mark.parametrize("name", ["a.tsv", "a.tab", "a.tsv.gz", "a.b.tsv.gz"])
@pytest.mark.usefixtures("batches")
def test_columns(write: Write, name: str) -> None:
    path = write(name, ROWS)
    table = tk.read(path, columns=["label", "tree"])
    assert tk.read(path) == tk.read(path, "tsv") == table
    assert isinstance(table, tk.Table)
    assert table["label"].tolist() == LABELS
    assert table["tree"] == tk.Forest(TREES)
    assert table.columns == ["label", "tree"]


def test_no_column_of_trees(write: Write) -> None:
    path = write("a.tsv", "x\ty\n")
    with pytest.raises(ValueError, match=r"a\.tsv has no column of trees: .*trees=\[\.\.\.\]"):
        tk.read(path)
    assert tk.read(path, columns=["one", "two"])["two"].tolist() == ["y"]


@pytest.mark.parametrize(("row", "count"), [("x (A b)", 1), ("x\t(A b)\t", 3), ("\tx\t(A b)", 3)])
@pytest.mark.usefixtures("batches")
def test_wrong_number_of_columns(write: Write, row: str, count: int) -> None:
    path = write("a.tsv", f"{ROWS}\n{row}\n{ROWS}")
    with pytest.raises(tk.ParseError) as caught:
        tk.read(path)
    assert str(caught.value).startswith(f"{path}, line 7: this line has {count} column")
    assert (caught.value.source, caught.value.line) == (str(path), 7)


@pytest.mark.parametrize("names", [["label"], ["label", "id", "tree"], []])
def test_wrong_number_of_names(write: Write, names: list[str]) -> None:
    path = write("a.tsv", "\n" + ROWS)
    with pytest.raises(tk.ParseError) as caught:
        tk.read(path, columns=names)
    expected = f"{path}, line 2: this line has 2 columns, but {len(names)} were named"
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("row", "column", "reason"),
    [
        ("LABEL\té🌲\t(A (B b)\t(A)", 10, "the bracket opened here is never closed"),
        ("é\t\t(A b)\t(A b))", 15, "a closing bracket too many"),
        ("\t\t(A b)\tword", 9, "a tree starts with '(', and this does not"),
        ("\t\t\t(A)", 3, "the text is empty, where a tree in brackets was expected"),
        ("x\ty\t(A b)\t(A \0)", 14, "a label contains a NUL character"),
    ],
)
@pytest.mark.usefixtures("batches")
def test_bad_tree_in_a_column(write: Write, row: str, column: int, reason: str) -> None:
    good = "x\ty\t(A b)\t(A c)\n"
    path = write("a.tsv", good * 3 + "\n" + row + "\n" + good)
    with pytest.raises(tk.ParseError) as caught:
        tk.read(path, columns=["label", "id", "one", "two"])
    assert str(caught.value) == f"{path}, line 5, column {column}: {reason}"


def test_brackets_have_no_columns(write: Write) -> None:
    with pytest.raises(ValueError, match="no columns to name; try format='tsv'"):
        tk.read(write("a.trees", LINES), columns=["tree"])


# Files that cannot be read


@pytest.mark.parametrize("name", ["missing.trees", "a.tsv"])
def test_unknown_format(write: Write, name: str) -> None:
    write("a.tsv", ROWS)
    with pytest.raises(ValueError, match="unknown format 'xls'; known are brackets, tsv"):
        tk.read(name, "xls")


@pytest.mark.parametrize(
    ("line", "column", "byte"),
    [
        (b"\xff(A b)", 1, "ff"),
        ("(é 🌲".encode() + b"\xe9)", 5, "e9"),
        (b"(A \xf0\x9f)", 4, "f0"),
        (b"(A \xed\xa0\x80)", 4, "ed"),
        (b"(A b)\xc3", 6, "c3"),
    ],
)
@pytest.mark.parametrize("name", ["a.trees", "a.tsv", "a.gz"])
def test_invalid_utf8(write: Write, name: str, line: bytes, column: int, byte: str) -> None:
    path = write(name, b"(A b)\n\r\n" + line + b"\n(A c)\n")
    with pytest.raises(tk.ParseError) as caught:
        tk.read(path)
    assert str(caught.value) == f"{path}, line 3, column {column}: the byte 0x{byte} is not UTF-8"


def damaged(raw: bytes, place: int) -> bytes:
    return raw[:place] + bytes(255 - byte for byte in raw[place : place + 40]) + raw[place + 40 :]


COMPRESSED = gzip.compress("".join(f"(A (B b{i}) c{i * i})\n" for i in range(2000)).encode())
BROKEN = {
    "two bytes": COMPRESSED[:2],
    "header only": COMPRESSED[:10],
    "truncated": COMPRESSED[: len(COMPRESSED) // 2],
    "checksum missing": COMPRESSED[:-8],
    "checksum wrong": COMPRESSED[:-8] + bytes(8),
    "garbage at the end": COMPRESSED + b"garbage",
    "damaged at the start": damaged(COMPRESSED, 10),
    "damaged in the middle": damaged(COMPRESSED, len(COMPRESSED) // 2),
}


@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN.keys())
@pytest.mark.parametrize("format", ["brackets", "tsv"])
def test_damaged_compression(tmp_path: Path, format: str, raw: bytes) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(raw)
    with pytest.raises(tk.ParseError) as caught:
        tk.read(path, format)
    assert str(caught.value).startswith(f"{path}, line ")
    assert "damaged" in str(caught.value)


# Nothing half-done


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_files_are_closed(write: Write) -> None:
    good, bad = write("a.tsv.gz", ROWS), write("b.tsv", ROWS + "x\t(A")
    before = os.listdir("/proc/self/fd")
    tk.read(good)
    with pytest.raises(tk.ParseError):
        tk.read(bad)
    assert os.listdir("/proc/self/fd") == before


def test_columns_of_trees_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "odd.tsv"
    path.write_text("(no tree\t(A b)\n")
    table = tk.read(path, columns=["text", "tree"], trees=["tree"])
    assert table["text"][0] == "(no tree"
    assert table["tree"].to_brackets() == ["(A b)"]
    with pytest.raises(ValueError, match="'x' is not among"):
        tk.read(path, columns=["text", "tree"], trees=["x"])
    with pytest.raises(TypeError, match="in a list"):
        tk.read(path, columns="ab")
