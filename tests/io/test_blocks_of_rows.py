"""Files in blocks: read by the core as far as they are good, and otherwise line by line."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import treekernels as tk
from treekernels.io.reading.input import lines
from treekernels.io.spreadsheets import text_of

GOOD = ["(A b)", " (A(B é)c) ", "(S (A b) (A b))", r"(A \x28)", "(-MISSING-)"]
BAD = ["", "(A", "A b)", "(A b))", "()", "(A b) c", "(A \0)", "(A b) (A c)"]
LABELS = ["x", "", "é", " y", "1", "'=1", "x\0", "#"]
CELLS = st.sampled_from(GOOD * 4 + BAD)
ROW = st.builds(lambda *cells: "\t".join(cells), st.sampled_from(LABELS), CELLS, CELLS)
ODD = ["", "  ", "x", "x\t(A b)", "x\t(A b)\t(A b)\t", "\x1c", " # no\t(A b)\t(A b)"]
LINE = st.one_of(ROW, ROW, ROW, st.sampled_from(ODD), CELLS).map(str.encode)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r\r\n"])
FILES = st.lists(st.tuples(st.one_of(LINE, LINE, LINE, st.just(b"\xff\t(A b)\t(B c)")), ENDS))
FIRST = b"x\t(A b)\t(A (B c))\n"


def expected(content: bytes, columns: int) -> tuple[list[list[str]], list[int]]:
    """Return the good rows of a file, and the lines of its bad ones."""
    rows: list[list[str]] = []
    bad = []
    for number, raw in enumerate(content.split(b"\n"), start=1):
        raw = raw.rstrip(b"\r")
        try:
            line = raw.decode()
            if not line.strip(" " if columns == 3 else None):
                continue
            if columns == 1 and line.lstrip().startswith("#"):
                continue
            row = line.split("\t") if columns == 3 else [line]
            for tree in row[1:] if columns == 3 else row:
                tk.Forest([tree])
            if len(row) != columns:
                raise ValueError
            rows.append(row)
        except ValueError:
            bad.append(number)
    return rows, bad


@given(files=FILES, size=st.integers(1, 200), compressed=st.booleans(), end=st.booleans())
@example(files=[(b"x\t(A b)\t(A b)", b"\n")] * 50, size=1, compressed=True, end=True)
@settings(max_examples=40, deadline=None)
def test_whatever_is_in_a_block(
    files: list[tuple[bytes, bytes]], size: int, compressed: bool, end: bool
) -> None:
    body = b"".join(line + ending for line, ending in files)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BUFFER", size)
        for first, columns, format in ((FIRST, 3, "tsv"), (b"(A b)\n", 1, "brackets")):
            content = first + body if end else (first + body).removesuffix(b"\n")
            rows, bad = expected(content, columns)
            path = Path(folder) / "file"
            path.write_bytes(gzip.compress(content, 1) if compressed else content)
            problems: list[tk.ParseError] = []
            table = tk.read(path, format, skip_bad=True, problems=problems, origin=True)
            assert sorted({problem.line for problem in problems}) == bad
            assert set(table["line"].tolist()).isdisjoint(bad)
            if columns == 3:
                labels = [text_of(label) for label, *_ in rows]
                assert [str(label) for label in table["label"]] == labels
                assert table["tree1"] == tk.Forest([tree for _, tree, _ in rows])
                assert table["tree2"] == tk.Forest([tree for *_, tree in rows])
            else:
                assert table["tree"] == tk.Forest([tree for (tree,) in rows])
            if bad:
                with pytest.raises(tk.ParseError) as caught:
                    tk.read(path, format)
                assert caught.value.line in bad


def test_a_line_may_be_longer_than_many_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "_BUFFER", 7)
    trees = [f"(A {'x' * 500})", "(A b)", f"(B {'(C d) ' * 90})"]
    for name, pack in (("a.txt", bytes), ("b.gz", gzip.compress)):
        (tmp_path / name).write_bytes(pack("\n".join(trees).encode()))
        assert tk.read(tmp_path / name) == tk.Forest(trees)


def test_a_damaged_file_is_read_as_far_as_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(f"(A {number})\n" for number in range(20_000))
    (tmp_path / "a.gz").write_bytes(gzip.compress(text.encode())[:-20])
    for size in (100, 1 << 20):
        monkeypatch.setattr(lines, "_BUFFER", size)
        with pytest.raises(tk.ParseError, match="damaged after this line") as caught:
            tk.read(tmp_path / "a.gz")
        assert 10_000 < caught.value.line <= 20_000
