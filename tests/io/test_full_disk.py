"""A disk that is full while a matrix is written to a file costs an error, and not the process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import treekernels as tk
from treekernels.io.files.disk_space import reserve_mapped

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a small file system")

TREES = [f"(A (B b{number}) c)" for number in range(600)]  # 2.9 MB as a matrix

PROGRAM = """
import contextlib, io, json, os, sys
import numpy as np, treekernels as tk
from treekernels.cli.main import main
os.chdir(sys.argv[1])
trees = [f"(A (B b{number}) c)" for number in range(600)]

def mapped_matrix():
    return np.lib.format.open_memmap("gram.npy", mode="w+", shape=(600, 600))

def mapped_vectors():
    return np.memmap("raw", np.float32, "w+", shape=(600, 2048))

def larger_file():
    return np.memmap("raw", np.float64, "w+", shape=(700, 600))

def without_a_name():
    import tempfile
    return np.memmap(tempfile.TemporaryFile(dir="."), np.float64, "w+", shape=(600, 600))

def removed():
    out = mapped_matrix()
    os.unlink("gram.npy")
    return out

def renamed():
    out = mapped_matrix()
    os.rename("gram.npy", "other.npy")
    return out

def replaced():
    out = renamed()
    open("gram.npy", "wb").close()
    return out

def memory():
    import mmap
    with open("raw", "wb+") as file:
        file.truncate(600 * 600 * 8)
        return np.frombuffer(mmap.mmap(file.fileno(), 0)).reshape(600, 600)

def run(command):
    main([command, sys.argv[2], "out.npy", "-q"])

embedding = tk.DistributedTrees(2048)
CASES = {
    "kernel": (str, lambda _: tk.SubsetTreeKernel()(trees, out="gram.npy")),
    "kernel, mapped": (mapped_matrix, lambda out: tk.SubsetTreeKernel()(trees, out=out)),
    "kernel, part of a mapped file":
        (larger_file, lambda out: tk.SubsetTreeKernel()(trees, out=np.asarray(out)[50:650])),
    **{f"kernel, {make.__name__}": (make, lambda out: tk.SubsetTreeKernel()(trees, out=out))
       for make in (without_a_name, removed, renamed, replaced, memory)},
    "vectors": (str, lambda _: embedding.transform(trees, out="vectors.npy")),
    "vectors, mapped": (mapped_vectors, lambda out: embedding.transform(trees, out=out)),
    "gram": (str, lambda _: run("gram")),
    "embed": (str, lambda _: run("embed")),
}
results = {}
for name, (prepare, work) in CASES.items():
    out = prepare()
    before, told = sorted(os.listdir()), io.StringIO()
    try:
        with contextlib.redirect_stderr(told):
            work(out)
    except OSError as error:
        told.write(f"{type(error).__name__} {error.errno} {error.filename} {error}")
    except SystemExit as ended:
        told.write(f"exit code {ended.code}")
    assert sorted(os.listdir()) == before
    del out
    for file in before:
        os.unlink(file)
    results[name] = told.getvalue()
print(json.dumps(results))
"""


def on_a_small_disk(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program on a file system of one megabyte that nobody else sees."""
    small = folder / "small"
    small.mkdir()
    mount = 'mount -t tmpfs -o size=1m none "$0" || exit 77; exec "$@"'
    program = [sys.executable, "-c", PROGRAM, str(small), *arguments]
    wrapped = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, str(small), *program]
    try:
        result = subprocess.run(wrapped, capture_output=True, text=True, timeout=120)
    except FileNotFoundError:
        pytest.skip("there is no unshare")
    if result.returncode == 77 or "unshare" in result.stderr:
        pytest.skip("this system lets nobody mount a file system")
    return result


def test_a_full_disk(tmp_path: Path) -> None:
    data = tmp_path / "data.tsv"
    data.write_text("".join(f"x\t{tree}\n" for tree in TREES))
    done = on_a_small_disk(tmp_path, str(data))
    assert done.returncode == 0, (done.returncode, done.stderr)
    results = json.loads(done.stdout)
    for command in ("gram", "embed"):
        sentence, code = results.pop(command).splitlines()
        assert sentence.startswith("Error: out.npy: no space left on device")
        assert code == "exit code 2"
    for name in ("without_a_name", "removed", "renamed", "replaced", "memory"):
        told = results.pop(f"kernel, {name}")
        assert told.startswith("OSError 28 None [Errno 28] no room on the disk: all of the array")
    names = {"kernel": "gram.npy", "kernel, mapped": "gram.npy", "vectors": "vectors.npy"}
    assert len(results) == 5
    for name, told in results.items():
        assert told.startswith("OSError 28 ")
        assert names.get(name, "raw") in told
        assert "No space left on device: all of the file takes" in told


@pytest.mark.parametrize("mode", ["w+", "r+"])
def test_a_mapped_file_has_its_room_before_it_is_filled(mode: str, tmp_path: Path) -> None:
    path = tmp_path / "raw"
    path.write_bytes(b"\1" * 8 + b"\0" * 8)
    os.truncate(path, 1 << 20)
    out = np.memmap(path, np.float64, mode, shape=(1 << 17,))  # type: ignore[call-overload]
    before = out[:1].tobytes()
    assert path.stat().st_blocks * 512 < path.stat().st_size
    reserve_mapped(out[5:])
    assert path.stat().st_blocks * 512 >= path.stat().st_size == 1 << 20
    assert out[:1].tobytes() == before
    assert not out[1:].any()


def test_what_needs_no_room_takes_none(tmp_path: Path) -> None:
    path = tmp_path / "raw"
    path.touch()
    os.truncate(path, 1 << 20)
    reserve_mapped(np.memmap(path, np.float64, "c"))  # what is written stays in memory
    reserve_mapped(np.empty((3, 3)))
    gone = np.memmap(tmp_path / "gone", np.float64, "w+", shape=(4, 4))
    os.unlink(tmp_path / "gone")
    assert tk.SubsetTreeKernel()(TREES[:4], out=gone) is gone
    assert path.stat().st_blocks == 0
    assert not (tmp_path / "gone").exists()
