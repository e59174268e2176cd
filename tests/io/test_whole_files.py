"""Files appear whole or not at all, whatever else is there and whoever else writes."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

import treekernels as tk
from treekernels.io.files import atomic
from treekernels.io.files.atomic import whole_file, write_lines

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
LEFT = ".model.0123456789abcdef.unfinished"


@pytest.fixture(autouse=True)
def sweep_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic, "_swept", {})


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o777])
def test_permissions_are_kept(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_text("old")
    path.chmod(mode)
    with whole_file(path) as file:
        (beside,) = (tmp_path / name for name in names(tmp_path) if name != "model")
        assert stat.S_IMODE(beside.stat().st_mode) == mode  # before anything is written
        file.write(b"new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
def test_links_lead_to_the_new_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "model").write_text("old")
    (tmp_path / "link").symlink_to("folder/model")
    (tmp_path / "further").symlink_to("link")
    write_lines(tmp_path / "further", ["new"])
    assert (tmp_path / "folder" / "model").read_text() == "new\n"
    assert names(tmp_path) == ["folder", "further", "link"]
    assert names(tmp_path / "folder") == ["model"]


@posix
def test_pipes_are_written_to(tmp_path: Path) -> None:
    path = tmp_path / "pipe.tsv"
    os.mkfifo(path)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(path.read_text()))
    reader.start()
    tk.write(path, {"label": ["x"], "tree": ["(A b)"]})
    reader.join()
    assert read == ["x\t(A b)\n"]
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
@pytest.mark.parametrize("name", ["/dev/full", "link"])
def test_a_full_device_is_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name == "link":
        path.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as caught:
        tk.save(tk.TreeSVC("sst").fit(["(A b)", "(A c)"], [0, 1]), path)
    assert caught.value.filename == str(path)
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@posix
def test_matrices_do_not_go_into_pipes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npy")
    for compute in (tk.SubsetTreeKernel(), tk.DistributedTrees(16).transform):
        with pytest.raises(tk.ParameterError, match="not to a pipe or device"):
            compute(["(A b)"], out=tmp_path / "pipe.npy")


@pytest.mark.parametrize(
    ("place", "kind"),
    [("folder", OSError), ("nowhere/file", FileNotFoundError), ("file/below", OSError)],
)
def test_errors_name_the_path_of_the_user(
    place: str, kind: type[OSError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("old")
    with pytest.raises(kind) as caught:
        write_lines(place, ["new"])
    assert caught.value.filename == place
    assert names(tmp_path) == ["file", "folder"]


def test_writers_do_not_disturb_each_other(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npy"
    contents = [str(number) * 100_000 for number in range(4)]
    failures: list[BaseException] = []

    def write(content: str) -> None:
        try:
            for _ in range(20):
                atomic._swept.clear()
                write_lines(path, [content])
                assert path.read_text().strip() in contents
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=[content]) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert path.read_text().strip() in contents
    assert names(tmp_path) == ["vectors.npy"]


def test_what_was_left_behind_is_swept_up(tmp_path: Path) -> None:
    (tmp_path / LEFT).write_text("half")
    os.utime(tmp_path / LEFT, (0, 0))
    others = [".model.unfinished", "model.0123456789abcdef.unfinished", ".a.0123.unfinished"]
    for name in others:
        (tmp_path / name).write_text("of somebody else")
    write_lines(tmp_path / "other", ["new"])
    assert names(tmp_path) == sorted([*others, "other"])


@posix
def test_what_is_no_file_of_ours_is_not_swept_up(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("old")
    (tmp_path / ".link.0123456789abcdef.unfinished").symlink_to("precious")
    os.mkfifo(tmp_path / ".pipe.0123456789abcdef.unfinished")
    (tmp_path / ".folder.0123456789abcdef.unfinished").mkdir()
    before = names(tmp_path)
    write_lines(tmp_path / "other", ["new"])
    assert names(tmp_path) == sorted([*before, "other"])
    assert (tmp_path / "precious").read_text() == "old"


@posix
def test_what_is_being_written_is_not_swept_up(tmp_path: Path) -> None:
    with whole_file(tmp_path / "a") as file:
        file.write(b"first")
        atomic._swept.clear()
        write_lines(tmp_path / "b", ["second"])
    assert (tmp_path / "a").read_bytes() == b"first"
    assert names(tmp_path) == ["a", "b"]


@posix
def test_a_file_swept_up_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, removed = atomic._lock, []

    def sweep_first(file: Any) -> bool:
        if not removed:
            removed.append(file.name)
            os.unlink(file.name)
        return lock(file)

    monkeypatch.setattr(atomic, "_lock", sweep_first)
    write_lines(tmp_path / "a", ["new"])
    assert (tmp_path / "a").read_text() == "new\n"
    assert len(removed) == 1
