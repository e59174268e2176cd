"""Files made to do harm, or damaged: one sentence, in little time and memory."""

from __future__ import annotations

import gzip
import hashlib
import json
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import treekernels as tk
from helpers import Write
from treekernels.io.files.container import read_container

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


def container(description: Any, body: bytes) -> bytes:
    """Return a file with a checksum that fits."""
    text = json.dumps(description).encode()
    content = b"TREEKERN" + struct.pack("<IQ", 1, len(text)) + text + body
    return content + hashlib.sha256(content).digest()


def entry(offset: int, size: int) -> dict[str, Any]:
    return {"dtype": "|u1", "shape": [size], "offset": offset}


@pytest.mark.parametrize(
    "description",
    [
        {"kind": "x", "content": None, "arrays": [entry(0, 100_000)] * 2_000},
        {"kind": "x", "content": [{"array": 0}] * 2, "arrays": [entry(0, 100_000)]},
        {"kind": "x", "content": [{"forest": [0] * 6}] * 2_000, "arrays": [entry(0, 100_000)]},
        {"kind": "x", "content": {"array": -1}, "arrays": [entry(0, 100_000)]},
        {"kind": "x", "content": {"array": True}, "arrays": [entry(0, 10), entry(16, 10)]},
        {"kind": "x", "content": None, "arrays": [entry(8, 10), entry(0, 10)]},
    ],
    ids=["the same bytes", "used twice", "forests", "from behind", "no number", "out of order"],
)
def test_nothing_is_read_more_than_once(description: Any, tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(container(description, b"\0" * 100_000))
    tracemalloc.start()
    with pytest.raises(tk.ModelFileError, match="not what a model consists of"):
        read_container(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10 * path.stat().st_size


def test_a_model_file_names_no_file_of_word_vectors(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("dog 1 2\n")
    parameters = {"items": [["vectors", str(path)], ["words", None]]}
    kernel = {"vectors": "WordVectors", "parameters": parameters}
    description = {"kind": "x", "content": kernel, "arrays": []}
    (tmp_path / "model").write_bytes(container(description, b""))
    with pytest.raises(tk.ModelFileError, match="word vectors"):
        read_container(tmp_path / "model")


def test_pipes_are_not_models(tmp_path: Path) -> None:
    import os

    if not hasattr(os, "mkfifo"):
        pytest.skip("Windows has no such files")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(tk.ModelFileError, match="a pipe or device, and not a file"):
        tk.load(tmp_path / "pipe")
    with pytest.raises(tk.CheckpointError, match="a pipe or device"):
        tk.TreeSVC("sst", checkpoint=tmp_path / "pipe").fit(["(A b)", "(A c)"], [0, 1])


@pytest.mark.parametrize("encoding", ["nonsense", "utf-7", "shift_jis", "gb18030", "idna"])
def test_encodings_of_xml(encoding: str, write: Write) -> None:
    path = write("a.xml", f'<?xml version="1.0" encoding="{encoding}"?><a>b</a>')
    with pytest.raises(tk.ParseError, match=r"cannot be decoded|not XML") as caught:
        tk.read(path)
    assert caught.value.source == str(path)
    with pytest.warns(UserWarning, match="1 bad line was skipped"):
        assert len(tk.read(path, skip_bad=True)) == 0


@pytest.mark.parametrize(
    "where", ["<a>&l9;</a>", '<a x="&l9;"/>', '<a x="1">&l9;<b y="&l9;"/></a>']
)
def test_entities_that_grow(where: str, write: Write) -> None:
    document = f'<!DOCTYPE a [<!ENTITY l0 "{"ha" * 50}">{LAUGHS}]>{where}'
    path = write("a.xml", document)
    tracemalloc.start()
    try:
        (tree,) = tk.read(path)
        assert "&l9;" in tree.leaves()
    except tk.ParseError as error:
        assert "amplification" in str(error)  # noqa: PT017
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 64 << 20


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "text"])
def test_damaged_parquet(damage: str, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"tree": ["(A b)"] * 100}), path)
    data = path.read_bytes()
    path.write_bytes(
        {
            "cut": data[: len(data) // 2],
            "changed": data[:40] + bytes(byte ^ 0xFF for byte in data[40:-8]) + data[-8:],
            "empty": b"",
            "text": b"(A b)",
        }[damage]
    )
    with pytest.raises(tk.ParseError, match="cannot be read as Parquet") as caught:
        tk.read(path)
    assert "\n" not in str(caught.value)


def test_many_columns_take_linear_time(write: Write) -> None:
    table = tk.read(write("wide.tsv", "\t".join(["x"] * 30_000) + "\t(A b)\n"))
    assert len(table.columns) == 30_001


# Files that are larger than they seem.


@pytest.mark.parametrize("line_end", ["\n", " "])
def test_compressed_files_that_grow(line_end: str, tmp_path: Path) -> None:
    path = tmp_path / "trees.txt.gz"
    tree = b"(A (B b))"
    text = (tree + line_end.encode()) * 300_000
    path.write_bytes(gzip.compress(text, 1))
    assert path.stat().st_size < len(text) / 50
    before = tk.set_limits(read_bytes=1_000_000)
    try:
        tracemalloc.start()
        with pytest.raises(tk.DataError, match=r"set_limits\(read_bytes"):
            tk.read(path, format="brackets")
        _, peak = tracemalloc.get_traced_memory()
        assert peak < 20_000_000
    finally:
        tracemalloc.stop()
        tk.set_limits(before)


def test_plain_files_that_are_too_large(tmp_path: Path) -> None:
    path = tmp_path / "trees.txt"
    path.write_text("(A (B b))\n" * 1000)
    before = tk.set_limits(read_bytes=5000)
    try:
        with pytest.raises(tk.DataError, match="is not read: it has more than"):
            tk.read(path)
    finally:
        tk.set_limits(before)
    assert len(tk.read(path)) == 1000
