"""Notebooks, and several languages in one folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import treekernels as tk


def notebook(*cells: tuple[str, Any], **metadata: Any) -> str:
    listed = [{"cell_type": kind, "source": source} for kind, source in cells]
    return json.dumps({"cells": listed, "metadata": metadata, "nbformat": 4})


CELLS = [
    ("markdown", "# Title"),
    (
        "code",
        ["import x\n", "%matplotlib inline\n", "for a in b:\n", "    !ls\n", "y = !ls\n", "x?"],
    ),
    ("code", "%%bash\nls"),
    ("code", "\n%%time\ndef f(a):\n    return a if a else '?'"),
    ("code", "x =\n"),
    ("code", " \n"),
]
F = "(FunctionDef f (arguments (arg a)) (Return (IfExp (Name a) (Name a) (Constant '?'))))"


def test_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(notebook(*CELLS))
    problems: list[tk.ParseError] = []
    table = tk.read(path, origin=True, skip_bad=True, problems=problems)
    assert table["tree"].to_brackets() == [
        "(Module (Import (alias x)) Pass (For (Name a) (Name b) Pass) "
        "(Assign (Name y) (Constant None)) Pass)",
        f"(Module {F})",
    ]
    assert table["cell"].tolist() == [2, 4]
    assert [(p.source, p.line) for p in problems] == [(f"{path}, cell 5", 1)]
    functions = tk.read(path, each="function", origin=True, skip_bad=True, problems=[])
    assert functions["tree"].to_brackets() == [F]
    assert functions["name"].tolist() == ["f"]
    assert (functions["cell"].tolist(), functions["line"].tolist()) == ([4], [3])


def test_the_third_version(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    cell = {"cell_type": "code", "input": ["x = 1"]}
    path.write_text(json.dumps({"worksheets": [{"cells": [cell]}]}))
    assert str(tk.read(path)) == "(Module (Assign (Name x) (Constant 1)))"


@pytest.mark.parametrize("text", ["{}", "[1]", '{"cells": {}}', "{", '{"worksheets": 1}'])
def test_what_is_no_notebook(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(text)
    with pytest.raises(tk.ParseError, match=r"not a notebook|not JSON"):
        tk.read(path)


def test_other_languages(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter_javascript")
    path = tmp_path / "a.ipynb"
    path.write_text(notebook(("code", "f(1);"), language_info={"name": "javascript"}))
    assert str(tk.read(path)).startswith("(program (expression_statement (call_expression")
    path.write_text(notebook(("code", "x"), kernelspec={"language": "no-such"}))
    with pytest.raises(ImportError, match="tree-sitter-no-such, if there is such a package"):
        tk.read(path)


def test_several_grammars_in_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter_javascript")
    pytest.importorskip("tree_sitter_java")
    (tmp_path / "a.jsx").write_text("let a = <b/>;")
    (tmp_path / "b.java").write_text("class A {}")
    (tmp_path / "c.mjs").write_text("f();")
    labels = [tree.label for tree in tk.read(tmp_path)["tree"]]
    assert labels == ["program", "program", "program"]
    (tmp_path / "d.py").write_text("x = 1")
    with pytest.raises(tk.DataError, match="format='tree-sitter' reads them all"):
        tk.read(tmp_path)
