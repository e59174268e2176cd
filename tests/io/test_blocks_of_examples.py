"""What the core reads in blocks, against the same line by line."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treekernels as tk
from treekernels import _native
from treekernels.io.reading.input import lines

Line = st.SearchStrategy[str]


def joined(*parts: Any) -> Line:
    """Return a strategy for texts of several parts, each a choice of texts."""
    parts = tuple([part] if isinstance(part, str) else part for part in parts)
    choices = [st.sampled_from(part) if isinstance(part, list) else part for part in parts]
    return st.builds(lambda *texts: "".join(texts), *choices)


TREES = ["(A b)", "(S (A b) (B c))", "(A)", "(A é)", "", " "] * 3 + ["(A b", "A", "(VB ask a)"]
ENTRIES = [
    "1:1",
    "2:0.5",
    "3:-1e-3",
    "7:0.1234567890123456789",
    "10:+2",
    "1:1",
    "x:1",
    "2:",
    "\xa0",
]
VECTORS = st.lists(st.sampled_from(ENTRIES[:5] * 3 + ENTRIES), max_size=3).map(" ".join)
LABELS = ["1", "-1", "+1", "x y", "2.5", "", "#"]

SVMLIGHT = st.one_of(
    joined(LABELS[:3], ["", " qid:7", " cost:2.5", " sid:x"], " ", VECTORS, ["", " # c"]),
    joined(
        LABELS,
        ["", " qid:7"],
        " |BT| ",
        TREES,
        ["", " |BT| (C d)", " |BT|"],
        " |ET| ",
        VECTORS,
        ["", " |BV| ", " |STD| "],
        VECTORS,
        ["", " |EV|", " |EV|", "|EV| #", " |EV| x"],
    ),
)
KELP = joined(
    LABELS,
    [" |BT:t| ", " |<| |BT:t| ", " |BT| ", "|BT:t|", " x|BT:t| "],
    TREES,
    [" |ET| ", " |ET:t| ", " "],
    ["", "|BS:s| a | b |ES| ", "|BT| (A b) |ET|", "|,| |BT:t| (A b) |ET| |>|"],
    [" |BV:v| ", "|BV:t| "],
    VECTORS,
    [" |EV| "],
    ["", "", "|BDV:d| 1,2.5 |EDV|", "|BDV:d| 1 2e0 |EDV|", "|BDV:d| 1 |EDV|", "|BDV:d| ,1 2|EDV|"],
)
VALUES = ["1", "2.50", "true", "null", "01", "NaN", "1e400", "[1, {}]"]
VALUES += ['"x"', '"é\\n"', '"\\ud800"']
FIELDS = joined(
    '{"tree": ',
    ['"(A b)"', '"(A \\u00e9)"', "null", '"(A b"', "1"],
    [', "a": ', ', "b": ', ', "tree": '],
    VALUES,
    [', "c": '],
    VALUES,
    ["}", "} ", ', "a": 2}', "", "}}"],
)
DOCUMENTS = joined(
    ["", " "],
    ["{", '{"k": '],
    VALUES,
    [', "b": ', ', "": ', ', "k": ', ","],
    VALUES,
    [', "a": {"z": [[], {}], "y": "two  words\\u2003x\\u0000"}}', "}", "", "]"],
)
CSV = st.one_of(
    joined(["x", "", '"a, ""b"""', '"two\nlines"', "é", '"x" '], ",", ["(A b)", '"(, ,)"', "(A"]),
    st.sampled_from(["", " , ", "x", 'x,(A b),"', '"', "x,(A b)\r"]),
)
FORMATS: dict[str, tuple[Line, str, list[dict[str, Any]]]] = {
    "svmlight-tk": (SVMLIGHT, "1 |BT| (A b) |ET|", [{}]),
    "kelp": (KELP, "x |BT:t| (A b) |ET|", [{}]),
    "csv": (CSV, "x,(A b)", [{}]),
    "jsonl": (FIELDS, '{"tree": "(A b)"}', [{}, {"trees": []}]),
    "documents": (
        DOCUMENTS,
        '{"k": 1}',
        [
            {"values": v, "keys": k}
            for v, k in [
                ("all", "all"),
                ("words", "sorted"),
                ("types", "none"),
                ("none", "all"),
            ]
        ]
        + [{"label": "k"}],
    ),
}


def nothing_is_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the core take no line."""
    empty = np.empty(0, np.uint32)

    def rows(dag: Any, block: bytes, begin: int, holds: list[bool], *_: Any) -> Any:
        return [empty if tree else [] for tree in holds], (empty, begin, 0)

    monkeypatch.setattr(_native, "read_rows", rows)
    monkeypatch.setattr(_native, "read_json_items", lambda *_: None)
    monkeypatch.setattr(
        _native, "read_json_lines", lambda _, __, begin, *___: (empty, empty, [], (empty, begin, 0))
    )
    monkeypatch.setattr(
        _native, "read_json_fields", lambda _, __, begin, *___: ([], (empty, begin, 0))
    )
    monkeypatch.setattr(
        _native, "read_examples", lambda _, __, begin, *___: ([], empty, [], (empty, begin, 0))
    )


def read(path: Path, format: str, options: dict[str, Any]) -> tuple[Any, list[str]]:
    """Return what is read, as plain data, and what is wrong."""
    problems: list[tk.ParseError] = []
    kwargs = {"skip_bad": True, "problems": problems, "origin": True, **options}
    table = tk.read(path, format, **kwargs)
    columns = {
        name: column.to_brackets()
        if isinstance(column, tk.Forest)
        else column.toarray().tolist()
        if hasattr(column, "toarray")
        else column.tolist()
        for name, column in table.items()
    }
    return repr(columns), [str(problem) for problem in problems]


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_blocks_are_read_as_lines_are(format: str, data: st.DataObject) -> None:
    line, first, options = FORMATS[format]
    rows = data.draw(st.lists(line, max_size=12))
    ends = data.draw(st.sampled_from(["\n", "\r\n"]))
    choice = data.draw(st.sampled_from(options))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "file"
        path.write_bytes(ends.join([first, *rows]).encode("utf-8", "surrogatepass"))
        patch.setattr(lines, "_BUFFER", data.draw(st.integers(1, 200)))
        name = "jsonl" if format == "documents" else format
        fast = read(path, name, choice)
        nothing_is_good(patch)
        assert fast == read(path, name, choice)


@pytest.mark.parametrize("each", [None, "a.rows", "items"])
@settings(max_examples=40, deadline=None)
@given(document=DOCUMENTS, items=st.lists(DOCUMENTS, max_size=3))
def test_documents_are_read_as_they_are_slowly(
    each: str | None, document: str, items: list[str]
) -> None:
    array = f"[{', '.join(items)}]"
    text = array if each == "items" else f'{{"b": {document}, "a": {{"rows": \n{array}}}}}'
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "file.json"
        path.write_text(text)
        fast = read(path, "json", {"each": each, "keys": "sorted"})
        nothing_is_good(patch)
        assert fast == read(path, "json", {"each": each, "keys": "sorted"})
