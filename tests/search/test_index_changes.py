"""Trees and ids come together, whatever happens while trees are added."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import treekernels as tk
from treekernels.search.index.counted_store import CountedStore
from treekernels.search.index.stores import GramStore, NativeStore

STORES: list[tuple[Any, tk.Kernel]] = [
    (NativeStore, tk.SubsetTreeKernel()),
    (CountedStore, tk.PQGramKernel()),
    (GramStore, tk.PartialTreeKernel()),
    (NativeStore, tk.SubsetTreeKernel(weights="idf")),
]
FIRST, SECOND = ["(A b)", "(A c)"], ["(A (B b))", "(A (B c))", "(A d)"]


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("store", "kernel"), STORES, ids=str)
def test_trees_and_ids_come_together(
    store: Any, kernel: tk.Kernel, done: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Ctrl-C, or an error of progress=, may come before the trees are there, or just after."""
    index = tk.TreeIndex(kernel)
    index.add(FIRST, ids=["x", "y"])

    def interrupted(self: Any, forest: tk.Forest, run: Any, add: Any = store.add) -> None:
        if done:
            add(self, forest, run)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(store, "add", interrupted)
        with pytest.raises(KeyboardInterrupt):
            index.add(SECOND, ids=["p", "q", "r"], origins=[{"name": "gone"}] * 3)
    expected = {"x": FIRST[0], "y": FIRST[1]}
    if done:
        expected |= dict(zip("pqr", SECOND, strict=True))
    index.save(tmp_path / "index")
    for each in (index, tk.TreeIndex.load(tmp_path / "index")):
        assert dict(zip(each.ids, each.trees(each.ids).to_brackets(), strict=True)) == expected
        assert ("p" in each) == done
    index.add(["(A e)", "(A f)"], ids=["s", "t"])
    expected |= {"s": "(A e)", "t": "(A f)"}
    assert dict(zip(index.ids, index.trees(index.ids).to_brackets(), strict=True)) == expected
    assert index.search(["(A f)"], 1)[0].ids == ["t"]
    assert index.origin("s") == {}
    index.remove(["s"])
    index.add(["(A (S s))"], ids=["s"])
    assert index.trees(["s", "t"]).to_brackets() == ["(A (S s))", "(A f)"]


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
def test_trees_and_ids_of_distances_come_together(
    done: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tk.DistanceIndex()
    index.add(FIRST, ids=["x", "y"])

    class Interrupting:
        def add(self, dag: Any, roots: Any, labels: Any = index._labels) -> None:
            if done:
                labels.add(dag, roots)
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(index, "_labels", Interrupting())
        with pytest.raises(KeyboardInterrupt):
            index.add(SECOND, ids=["p", "q", "r"])
    assert index.ids == ["x", "y"]
    index.add(["(A e)", "(A f)"], ids=["p", "q"])
    assert [near[0].id for near in index.search([*FIRST, "(A e)", "(A f)"], 1)] == list("xypq")
    assert len(index.within(["(A f)"], 1)[0]) == 4


@pytest.mark.parametrize("call", ["add", "search", "save", "remove", "ids"])
def test_progress_cannot_use_what_is_being_changed(
    call: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    index = tk.TreeIndex(tk.SubsetTreeKernel())
    calls: dict[str, Callable[[], Any]] = {
        "add": lambda: index.add(FIRST),
        "search": lambda: index.search(FIRST),
        "save": lambda: index.save(tmp_path / "index"),
        "remove": lambda: index.remove([0]),
        "ids": lambda: index.ids,
    }

    def add(self: Any, forest: tk.Forest, run: Any, original: Any = NativeStore.add) -> None:
        run.progress(0, 1)
        original(self, forest, run)

    monkeypatch.setattr(NativeStore, "add", add)
    with pytest.raises(tk.DataError, match="is being changed"):
        index.add(FIRST, progress=lambda *_: calls[call]())
    monkeypatch.undo()
    index.add(SECOND)
    assert index.ids == [0, 1, 2]
