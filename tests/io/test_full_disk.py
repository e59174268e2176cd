"""A disk that is full while a matrix is written to a file costs an error, and not the process."""

from __future__ import annotations

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
import os, sys
import numpy as np, treekernels as tk
from treekernels.cli.main import main
os.chdir(sys.argv[1])
trees = [f"(A (B b{number}) c)" for number in range(600)]
before = os.listdir()
try:
    match sys.argv[2]:
        case "kernel":
            tk.SubsetTreeKernel()(trees, out="gram.npy")
        case "kernel, mapped":
            out = np.lib.format.open_memmap("gram.npy", mode="w+", shape=(600, 600))
            before = os.listdir()
            tk.SubsetTreeKernel()(trees, out=out)
        case "kernel, part of a mapped file":
            out = np.memmap("raw", np.float64, "w+", shape=(700, 600))
            before = os.listdir()
            tk.SubsetTreeKernel()(trees, out=np.asarray(out)[50:650])
        case "vectors":
            tk.DistributedTrees(2048).transform(trees, out="vectors.npy")
        case "vectors, mapped":
            out = np.memmap("raw", np.float32, "w+", shape=(600, 2048))
            before = os.listdir()
            tk.DistributedTrees(2048).transform(trees, out=out)
        case command:
            main([command, sys.argv[3], "out.npy", "-q"])
except OSError as error:
    print(type(error).__name__, error.errno, error.filename, error)
finally:
    print(sorted(os.listdir()) == sorted(before))
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


@pytest.mark.parametrize(
    "what",
    [
        "kernel",
        "kernel, mapped",
        "kernel, part of a mapped file",
        "vectors",
        "vectors, mapped",
    ],
)
def test_matrices(what: str, tmp_path: Path) -> None:
    result = on_a_small_disk(tmp_path, what)
    assert result.returncode == 0, (result.returncode, result.stderr)
    name = {"kernel": "gram.npy", "kernel, mapped": "gram.npy", "vectors": "vectors.npy"}
    assert "OSError 28 " in result.stdout
    assert name.get(what, "raw") in result.stdout
    assert "No space left on device: all of the file takes" in result.stdout
    assert result.stdout.endswith("True\n")


@pytest.mark.parametrize("command", ["gram", "embed"])
def test_commands(command: str, tmp_path: Path) -> None:
    data = tmp_path / "data.tsv"
    data.write_text("".join(f"x\t{tree}\n" for tree in TREES))
    result = on_a_small_disk(tmp_path, command, str(data))
    assert result.returncode == 2, (result.returncode, result.stderr)
    assert result.stderr.startswith("Error: out.npy: no space left on device")
    assert result.stderr.count("\n") == 1
    assert result.stdout == "True\n"


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
