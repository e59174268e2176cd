"""Files with columns whose first line names them."""

from __future__ import annotations

from pathlib import Path

import pytest

import treekernels as tk


def test_header_names_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "data.tsv"
    path.write_text("\nkind\t parse\r\nx\t(A b)\n\ny\t(A c)\n")
    table = tk.read(path, header=True)
    assert table.columns == ["kind", "parse"]
    assert table["kind"].tolist() == ["x", "y"]
    assert table["parse"].to_brackets() == ["(A b)", "(A c)"]
    renamed = tk.read(path, header=True, columns=["a", "b"], trees=["b"])
    assert renamed.columns == ["a", "b"]
    assert len(renamed) == 2


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
