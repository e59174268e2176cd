"""An index of pieces: after any edits, the same as a run that knows nothing."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treekernels as tk
from command_line import Run
from treekernels.errors import ModelFileError
from treekernels.io.files.lock import locked
from treekernels.kernels import Kernel
from treekernels.search.duplicates.near_copies import fingerprints_of, near_copies
from treekernels.search.duplicates.piece_index import PieceIndex
from treekernels.search.duplicates.pieces import read_pieces
from treekernels.search.duplicates.similar_trees import learned_kernel
from treekernels.search.index.origins import packed

LINES = [
    "a = b + 1",
    "c = f(a, b)",
    "for x in a:\n        b += x",
    "if a:\n        g(b)",
    "d = [a]",
]
KERNELS = [tk.SubsetTreeKernel(decay=0.3), None, tk.SubsetTreeKernel(0.4, weights="idf")]
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["a.py", "b.py", "sub/c.py", "d.py"]),
        st.lists(st.lists(st.sampled_from(LINES), min_size=1, max_size=4), max_size=3),
    ),
    min_size=1,
    max_size=4,
)


def source(functions: list[list[str]]) -> str:
    return "".join(
        f"def f{number}(a, b):\n    " + "\n    ".join(lines) + "\n\n"
        for number, lines in enumerate(functions)
    )


def plain(found: Any) -> Any:
    return [group.as_data() for group in found.groups], found.fingerprints


def fresh(folder: Path, kernel: Kernel) -> Any:
    pieces = read_pieces([str(folder)], problems=[]).at_least(5)
    return plain(near_copies(pieces, kernel, 0.5)), pieces


@settings(max_examples=12, deadline=None)
@given(st.lists(EDITS, min_size=2, max_size=4), st.sampled_from(KERNELS))
def test_edits(rounds: list[Any], kernel: Kernel | None) -> None:
    with TemporaryDirectory() as name:
        folder, path = Path(name, "code"), Path(name, "index.tki")
        folder.mkdir()
        (folder / "sub").mkdir()
        (folder / "kept.py").write_text(source([LINES[:3], LINES[1:4], LINES]))
        for number, edits in enumerate(rounds):
            for file, functions in edits:
                if functions:
                    (folder / file).write_text(source(functions))
                else:
                    (folder / file).unlink(missing_ok=True)
            index = PieceIndex(kernel, 0.5, 5, {})
            index.load(path)
            index.update([str(folder)])
            found = index.copies()
            index.save(path)
            expected, pieces = fresh(folder, index.kernel)
            assert plain(found) == expected
            assert index.pieces() == (pieces.pieces, fingerprints_of(pieces.trees))
            if number == 0:  # the weights are those of a run without an index
                assert plain(found) == fresh(folder, learned_kernel(kernel, pieces.trees))[0]


def test_only_what_has_changed_is_read(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    for number in range(5):
        (tmp_path / "code" / f"{number}.py").write_text(source([LINES[: number + 1]]))
    path = tmp_path / "index.tki"
    index = PieceIndex(KERNELS[0], 0.5, 5, {})
    assert not index.load(path)
    assert index.update([str(tmp_path / "code")]).read == 5
    index.copies()
    index.save(path)
    again = PieceIndex(KERNELS[0], 0.5, 5, {})
    assert again.load(path)
    done = again.update([str(tmp_path / "code")])
    assert (done.read, done.kept, again.is_worth_saving) == (0, 5, False)
    (tmp_path / "code" / "0.py").write_text("def f(:\n")
    (tmp_path / "code" / "1.py").unlink()
    done = again.update([str(tmp_path / "code")])
    assert (done.read, done.kept, done.forgotten) == (1, 3, 1)
    assert [problem.line for problem in done.problems] == [1]
    again.copies()
    again.save(path)
    third = PieceIndex(KERNELS[0], 0.5, 5, {})
    third.load(path)
    assert [problem.line for problem in third.update([str(tmp_path / "code")]).problems] == [1]
    assert not PieceIndex(KERNELS[0], 0.6, 5, {}).load(path)
    query = tk.readers.from_python_source(source([LINES])).children[0]
    assert tk.TreeIndex.load(path).search([query], k=1)[0].similarities[0] == pytest.approx(1)


def test_an_altered_index_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(source([LINES, LINES[:3]]))
    index = PieceIndex(KERNELS[0], 0.5, 5, {})
    index.update([str(tmp_path / "a.py")])
    index.copies()
    index.save(tmp_path / "index.tki")
    other = tk.TreeIndex.load(tmp_path / "index.tki")
    assert other.notes_ is not None
    other.notes_["files"] = packed([])
    other.save(tmp_path / "other.tki")
    altered = PieceIndex(KERNELS[0], 0.5, 5, {})
    assert altered.load(tmp_path / "other.tki")
    with pytest.raises(ModelFileError, match="not those of its files"):
        altered.update([str(tmp_path / "a.py")])
    other.notes_["files"] = packed([[1, 2]])
    other.save(tmp_path / "other.tki")
    with pytest.raises(ModelFileError, match="does not fit"):
        altered.load(tmp_path / "other.tki")


def test_weights_stay_until_there_is_twice_as_much(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(source([LINES, LINES[:3], LINES[1:]]))
    index = PieceIndex(None, 0.5, 5, {})
    index.update([str(tmp_path)])
    kernel = index.kernel
    assert kernel.get_params()["weights"].documents == 3
    (tmp_path / "b.py").write_text(source([LINES[2:], LINES[:2], LINES[3:]]))
    index.update([str(tmp_path)])
    assert index.kernel is kernel
    (tmp_path / "c.py").write_text(source([LINES[:1]]))
    index.update([str(tmp_path)])
    assert index.kernel.get_params()["weights"].documents == 7


def test_one_at_a_time(tmp_path: Path) -> None:
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with locked(tmp_path / "index.tki"):
                inside += 1
                most = max(most, inside)
                threading.Event().wait(random.random() / 1000)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links are followed here")
def test_a_lock_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / ".index.tki.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"), locked(tmp_path / "index.tki"):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_runs_at_once(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "code").mkdir()
    for number in range(6):
        (tmp_path / "code" / f"{number}.py").write_text(source([LINES[number % 3 :], LINES]))
    command = ("duplicates", "code", "--index", "index.tki", "--smallest", "5", "--json", "-q")
    expected = run(*command).out
    (tmp_path / "index.tki").unlink()
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "treekernels", *command], stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    assert [process.communicate()[0] for process in runs] == [expected] * 3
    assert run(*command).out == expected
    assert tk.TreeIndex.load("index.tki", verify=True)
