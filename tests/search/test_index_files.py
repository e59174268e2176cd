"""An index that is saved, opened and added to is the one that was made at once."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treekernels as tk
from treekernels.testing.strategies import forests, trees

TEXTS = ["(S (A a) (B b))", "(S (A a) (B c))", "(T (A a))", "(S (A a) (B b))", "(T (A b) (C ü))"]


def answers(index: tk.TreeIndex, query: Any) -> list[Any]:
    return [
        index.ids,
        [list(hits) for hits in index.search([query], 4)],
        [list(hits) for hits in index.within([query], 0.1)],
        list(index.duplicates(0.2)),
    ]


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(forests(max_trees=8), forests(max_trees=8), trees(), st.booleans(), st.data())
def test_saved_opened_and_added_to(
    tmp_path: Path, first: Any, second: Any, query: Any, native: bool, data: st.DataObject
) -> None:
    kernel = tk.SubsetTreeKernel() if native else tk.PartialTreeKernel()
    at_once, saved = tk.TreeIndex(kernel), tk.TreeIndex(kernel)
    at_once.add(tk.Forest.from_trees([*first, *second]))
    saved.add(tk.Forest.from_trees(first))
    gone = data.draw(st.sets(st.integers(0, max(0, len(first) - 1)), max_size=len(first)))
    gone &= set(range(len(first)))
    saved.remove(gone)
    saved.save(tmp_path / "index.tki")
    opened = tk.TreeIndex.load(tmp_path / "index.tki", verify=data.draw(st.booleans()))
    opened.add(tk.Forest.from_trees(second))
    at_once.remove(gone)
    assert answers(opened, query) == answers(at_once, query)


@pytest.mark.parametrize(
    "ids", [None, ["a", "b", "ü", "d", ""], [5, -1, 7, 2**40, 0], ["a", 1, "1", 2, "b"]], ids=str
)
def test_ids_are_saved(tmp_path: Path, ids: Any) -> None:
    index = tk.TreeIndex(tk.SubsetTreeKernel())
    index.add(TEXTS, ids=ids)
    index.save(tmp_path / "index.tki")
    opened = tk.TreeIndex.load(tmp_path / "index.tki")
    assert opened.ids == (ids or list(range(5)))
    assert opened.trees(opened.ids[1:3]).to_brackets() == TEXTS[1:3]
    with pytest.raises(tk.DataError):
        opened.add(["(A b)"], ids=[opened.ids[2]])
    opened.remove([opened.ids[2]])
    assert ids is None or ids[2] not in opened.search([TEXTS[2]], 5)[0].ids


def _saved(tmp_path: Path) -> Path:
    index = tk.TreeIndex(tk.SubsetTreeKernel())
    index.add(TEXTS * 5, ids=[f"tree {i}" for i in range(25)])
    index.save(tmp_path / "index.tki")
    return tmp_path / "index.tki"


def test_every_flipped_bit_is_noticed_by_who_looks(tmp_path: Path) -> None:
    path = _saved(tmp_path)
    whole = path.read_bytes()
    for place in np.random.default_rng(0).integers(0, len(whole), 150).tolist():
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        with pytest.raises(tk.ModelFileError):
            tk.TreeIndex.load(path, verify=True)


def test_a_cut_file_is_refused_at_once(tmp_path: Path) -> None:
    path = _saved(tmp_path)
    whole = path.read_bytes()
    for size in [
        0,
        5,
        19,
        20,
        60,
        len(whole) // 2,
        len(whole) - 40,
        len(whole) - 8,
        len(whole) - 1,
    ]:
        path.write_bytes(whole[:size])
        with pytest.raises(tk.ModelFileError):
            tk.TreeIndex.load(path)
    path.write_bytes(whole + b"\0" * 8)
    with pytest.raises(tk.ModelFileError):
        tk.TreeIndex.load(path)


def test_arrays_that_begin_in_the_middle_of_a_number_are_refused(tmp_path: Path) -> None:
    """A description with one more space moves all that follows it."""
    path = _saved(tmp_path)
    whole = path.read_bytes()
    place = whole.index(b"{")
    length = int.from_bytes(whole[place - 8 : place], "little")
    moved = whole[: place - 8] + (length + 1).to_bytes(8, "little")
    moved += whole[place : place + length] + b" " + whole[place + length : -32]
    path.write_bytes(moved + hashlib.sha256(moved).digest())
    for verify in (False, True):
        with pytest.raises(tk.ModelFileError, match="begins where none can be read"):
            tk.TreeIndex.load(path, verify=verify)


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("(S a)\n" * 20)
    with pytest.raises(tk.ModelFileError, match="not a model"):
        tk.TreeIndex.load(tmp_path / "text")
    machine = tk.TreeSVC("sst", random_state=0).fit(["(A b)", "(A c)"], ["x", "y"])
    tk.save(machine, tmp_path / "model.tkm")
    with pytest.raises(tk.ModelFileError, match="which is not an index of trees"):
        tk.TreeIndex.load(tmp_path / "model.tkm")
    with pytest.raises(tk.ModelFileError, match="which is not a model"):
        tk.load(_saved(tmp_path))
