"""The disk fails at every write of every writer: one error, the old file intact, no litter."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import treekernels as tk
from helpers import sentences
from treekernels.cli.main import command
from treekernels.io.files import atomic
from treekernels.learners.base.checkpoints import Checkpoint
from treekernels.report import Report, ScoreTable, write_report
from treekernels.search.duplicates.known import Baseline

TREES, KINDS = sentences(12)
TABLE = tk.Table({"label": KINDS, "tree": tk.Forest(TREES)})
MODEL = tk.TreeSVC("sst", random_state=0).fit(TREES, KINDS)


class FailingFile:
    """A file whose writes work so many times, and then no more; nor do flush and close."""

    def __init__(self, file: Any, good_writes: int) -> None:
        self.file = file
        self.good_writes = good_writes
        self.failed = False

    def write(self, data: Any) -> int:
        if self.good_writes <= 0:
            self.failed = True
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.good_writes -= 1
        written: int = self.file.write(data)
        return written

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def embed(path: Path) -> None:
    data = path.with_name("data.tsv")
    result = CliRunner().invoke(
        command, ["embed", str(data), str(path), "-d", "64", "-q"], standalone_mode=False
    )
    if result.exception is not None:
        raise result.exception


def draw_report(path: Path) -> None:
    labels = np.array(["a", "b"])
    write_report(path, Report("Title", {}, ScoreTable(["", "accuracy"], []), labels, labels))


def failure_of(call: Callable[[], Any]) -> OSError | None:
    try:
        call()
    except OSError as error:
        return error
    return None


def save_weights(path: Path) -> None:
    forest = tk.WeightedForest()
    forest.add(TREES, [1.0] * 12)
    tk.save(forest, path)


def save_index(path: Path) -> None:
    index = tk.TreeIndex()
    index.add(TREES)
    index.save(path)


def write_checkpoint(path: Path) -> None:
    checkpoint = Checkpoint(path, "TreeSVC", "parameters", "data")
    checkpoint._own = checkpoint._identity()  # as if the old file were the last checkpoint
    checkpoint.write({"beta": np.arange(4.0), "trees": tk.Forest(TREES)})


def write_baseline(path: Path) -> None:
    Baseline({"a.py": ["f", "g"], "b.py": ["f"]}, {"smallest": 30}).save(path)


def draw_comparison(path: Path) -> None:
    arguments = ["compare", "(A (B b) c)", "(A (B b) d)", "--svg", str(path), "-q"]
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    if result.exception is not None:
        raise result.exception


WRITERS: dict[str, Callable[[Path], Any]] = {
    **{
        f"data.{ending}": lambda path: tk.write(path, TABLE)
        for ending in ("tsv", "csv", "svmlight", "kelp", "jsonl", "tsv.gz")
    },
    "trees.txt": lambda path: tk.write(path, TREES),
    "trees.mrg": lambda path: tk.write(path, TREES),
    "model.tkm": lambda path: tk.save(MODEL, path),
    "weights.tkm": save_weights,
    "gram.npy": lambda path: tk.SubsetTreeKernel()(TREES, out=path),
    "vectors.npy": lambda path: tk.DistributedTrees(16).transform(TREES, out=path),
    "vectors.parquet": embed,
    "report.html": draw_report,
    "index.tki": save_index,
    "checkpoint": write_checkpoint,  # of learners here and on a cluster
    "copies.json": write_baseline,
    "comparison.svg": draw_comparison,
}


def test_there_is_no_other_way_to_write() -> None:
    """Every file of the library goes through `whole_file`, which the tests below let fail."""
    source = Path(tk.__file__).parent
    ways = re.compile(
        r"\.write_(?:text|bytes)\(|\bopen\(.*[\"'][wax]\+?b?[\"']|\.tofile\(|np\.save\("
    )
    found = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if ways.search(line) and not line.lstrip().startswith((">>>", "..."))
    }
    # The writer itself, and a file in a folder that nobody else knows.
    assert found == {"io/files/atomic.py", "cluster/index.py"}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_at_every_write(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    tk.write(folder / "data.tsv", TABLE)
    path = folder / ("old-" + name)
    create = atomic._create_unfinished
    before = sorted([*folder.iterdir(), path])
    # The lines of a page are all alike, and the page takes long to make.
    steps = range(1000) if not name.endswith(("html", "svg")) else [0, 1, 2, 5, 10**6]
    for good_writes in steps:
        path.write_bytes(b"old")
        files: list[FailingFile] = []

        def failing(*arguments: Any, count: int = good_writes, made: Any = files) -> Any:
            made.append(FailingFile(create(*arguments), count))
            return made[-1]

        monkeypatch.setattr(atomic, "_create_unfinished", failing)
        error = failure_of(lambda: WRITERS[name](path))
        if error is None:
            assert not any(file.failed for file in files)
            break
        assert error.errno == errno.ENOSPC
        assert error.filename == str(path)
        assert path.read_bytes() == b"old"
        assert sorted(folder.iterdir()) == before
    assert good_writes > 0
    assert path.read_bytes() != b"old"
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("name", ["data.tsv", "model.tkm", "gram.npy", "vectors.parquet"])
def test_the_last_steps_fail(
    name: str, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tk.write(tmp_path / "data.tsv", TABLE)
    path = tmp_path / ("old-" + name)
    path.write_bytes(b"old")
    before = sorted(tmp_path.iterdir())

    def fail(*_: Any) -> None:
        raise OSError(errno.EIO, "it failed")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(OSError, match="it failed"):
        WRITERS[name](path)
    assert path.read_bytes() == b"old"
    assert sorted(tmp_path.iterdir()) == before
