"""Fields of JSON lines that hold programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import treekernels as tk

ONE, TWO = "a = 1\nprint(a)\n", "def f(b):\n    return b\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "programs.jsonl"
    rows: list[dict[str, Any]] = [
        {"problem": 1, "source": ONE, "other": "x"},
        {"problem": 2, "source": TWO, "other": "pass"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_programs_are_columns_of_trees(file: Path) -> None:
    table = tk.read(file, language="python")
    assert list(table) == ["other", "problem", "source"]
    assert table["problem"].tolist() == [1, 2]
    assert table["source"].source == "code"
    expected = [tk.readers.from_python_source(text) for text in (ONE, TWO)]
    assert table["source"] == tk.Forest(expected)
    hidden = tk.read(file, language="python", names="none", literals=False)["source"]
    assert "Name" in str(hidden[0])
    assert " 1" not in str(hidden[0])
    both = tk.read(file, language="python", trees=["source", "other"], label="problem")
    assert both["label"].tolist() == [1, 2]
    assert isinstance(both["other"], tk.Forest)
    places = tk.read(file, language="python", origin=True)
    assert places["line"].tolist() == [1, 2]


def test_what_is_no_program(file: Path) -> None:
    bad = file.with_name("other.jsonl")
    bad.write_text('{"a": 1}')
    with pytest.raises(tk.ParseError, match="no field holds a program"):
        tk.read(bad, language="python")
    with file.open("a") as more:
        more.write('\n{"problem": 3, "source": "def ("}\n{"problem": 4}\n')
    with pytest.raises(tk.ParseError, match="line 3"):
        tk.read(file, language="python")
    with pytest.warns(UserWarning, match="2 bad lines were skipped"):
        table = tk.read(file, language="python", skip_bad=True)
    assert len(table) == 2
