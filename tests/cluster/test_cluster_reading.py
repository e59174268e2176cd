"""Files read on the workers: the same trees, whole files or pieces of them, and the same errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import treekernels as tk
import treekernels.dask as tkd
from dask_cluster import labelled_trees
from helpers import Write

TREES, LABELS = labelled_trees(60)
TEXTS = TREES.to_brackets()
LINES = [f"{label}\t{text}\n" for label, text in zip(LABELS, TEXTS, strict=True)]


def _same(client: Any, source: Any, **options: Any) -> tkd.Partitions:
    data = tkd.read(source, client=client, **options)
    options.pop("blocksize", None)
    local = tk.read(source, **options)
    assert data.to_local() == local
    assert len(data) == len(local)
    return data


def test_each_file_is_a_part(client: Any, write: Write) -> None:
    first = write("a.tsv", "".join(LINES[:25]))
    write("b.tsv", "".join(LINES[25:]))
    data = _same(client, str(first.parent / "?.tsv"))
    assert data.lengths == [25, 35]
    _same(client, [first, first.parent / "b.tsv"], label="file")


@pytest.mark.parametrize("blocksize", [100, 1000])
def test_large_files_are_cut_at_line_ends(client: Any, write: Write, blocksize: int) -> None:
    data = _same(client, write("all.tsv", "".join(LINES)), blocksize=blocksize)
    assert data.npartitions > 1
    _same(client, write("header.tsv", "kind\tparse\n" + "".join(LINES)), blocksize=blocksize)
    trees = write("trees.txt", "\n".join(TEXTS))  # without an end of its last line
    _same(client, trees, blocksize=blocksize)


@pytest.mark.parametrize("top", ["", "\n", "text\tparse\n", "\ntext\tparse\n\n"])
def test_the_first_rows_say_what_is_in_the_columns_of_all_parts(
    client: Any, write: Write, top: str
) -> None:
    """A part of its own would take texts for trees, or a row for a header."""
    rows = [f"he said\t{text}\n" for text in TEXTS[:20]]
    rows += [f"(laughs {number})\t{text}\n" for number, text in enumerate(TEXTS[20:40])]
    rows += [f"label\t{text}\n" for text in TEXTS[40:]]
    data = _same(client, write("texts.tsv", top + "".join(rows)), blocksize=300)
    assert data.npartitions > 5


def test_compressed_files_are_read_whole(client: Any, tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "all.tsv.gz"
    path.write_bytes(gzip.compress("".join(LINES).encode()))
    assert _same(client, path, blocksize=100).npartitions == 1


def test_errors_name_the_line_of_the_file(client: Any, write: Write) -> None:
    bad = [*LINES[:50], "class 1\t(A (B\n", *LINES[50:]]
    for header in ([], ["label\ttree\n"]):
        path = write("bad.tsv", "".join([*header, *bad]))
        with pytest.raises(tk.ParseError) as expected:
            tk.read(path)
        with pytest.raises(tk.ParseError) as found:
            tkd.read(path, blocksize=500, client=client).to_local()
        assert str(found.value) == str(expected.value)


def test_files_that_are_not_there(client: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        tkd.read(tmp_path / "none.tsv", client=client)
    with pytest.raises(tk.ParameterError, match="standard input"):
        tkd.read("-", client=client)
    with pytest.raises(tk.ParameterError, match="stays empty"):
        tkd.read(tmp_path, problems=[], client=client)
