"""Trees too large to be written out are compared and counted, and refused for the rest."""

from __future__ import annotations

import importlib.util
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from bombs import doubled
from treekernels.data.examples import Examples
from treekernels.testing.strategies import trees

BOMB = doubled(60)
TREE = BOMB[0]
PAIRS = tk.Pairs(BOMB, BOMB)


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    before = tk.get_limits()
    yield
    tk.set_limits(before)


def shared_tuples(levels: int) -> tuple[Any, ...]:
    tree: tuple[Any, ...] = ("a",)
    for _ in range(levels):
        tree = ("a", tree, tree)
    return tree


REFUSED: dict[str, Callable[[], Any]] = {
    "str of a tree": lambda: str(TREE),
    "to_brackets": TREE.to_brackets,
    "leaves": TREE.leaves,
    "str of a forest": lambda: str(BOMB),
    "all to_brackets": BOMB.to_brackets,
    "tuples": lambda: tk.Forest.from_trees([shared_tuples(60)]),
    "tree in a tuple": lambda: tk.Forest.from_trees([("b", TREE, "c")]),
    "deep in a tuple": lambda: tk.Forest.from_trees([("b", ("c", TREE), "c")]),
    "from_trees of a mixture": lambda: tk.Forest.from_trees([TREE, ("b", "c")]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_writes_a_tree_out_is_refused(name: str) -> None:
    tk.set_limits(unfolded_nodes=200_000)
    with pytest.raises(tk.DataError, match="more than 200,000 nodes is not written out"):
        REFUSED[name]()


@pytest.mark.parametrize("ending", ["txt", "mrg", "tsv", "csv", "svmlight", "kelp", "jsonl"])
def test_files_are_refused_and_leave_nothing(ending: str, tmp_path: Path) -> None:
    tk.set_limits(unfolded_nodes=1000)
    data = BOMB if ending in ("txt", "mrg") else {"label": ["x"], "tree": BOMB}
    with pytest.raises(tk.DataError, match="more than 1,000 nodes"):
        tk.write(tmp_path / f"file.{ending}", data)
    assert list(tmp_path.iterdir()) == []


def test_the_limit_is_exact() -> None:
    text = "(A (B b) c)"
    (tree,) = tk.Forest([text])
    tk.set_limits(unfolded_nodes=4)
    assert str(tree) == text
    assert tree.leaves() == ["b", "c"]
    tk.set_limits(unfolded_nodes=3)
    for call in (tree.to_brackets, tree.leaves):
        with pytest.raises(tk.DataError, match="more than 3 nodes"):
            call()


def test_what_needs_no_unfolding_works() -> None:
    other = doubled(60)[0]
    assert repr(TREE).startswith("<Tree (a (a (a")
    assert len(repr(TREE)) < 80
    assert hash(TREE) == hash(other)
    assert other == TREE != doubled(61)[0]
    assert doubled(60, "b")[0] != TREE
    assert tk.Forest.from_trees([TREE, other]) == tk.Forest.concatenate([BOMB, BOMB])
    assert pickle.loads(pickle.dumps(TREE)) == TREE
    assert TREE.depth == 61
    assert next(TREE.preorder()).label == "a"
    assert "at most 0 placeholders" in repr(PAIRS)


@pytest.mark.parametrize(
    "kernel",
    [tk.SubtreeKernel(), tk.SubsetTreeKernel(), tk.SubpathKernel(), tk.PartialTreeKernel()],
    ids=lambda kernel: type(kernel).__name__,
)
def test_kernels_and_learners_take_them(kernel: tk.Kernel, tmp_path: Path) -> None:
    forest = tk.Forest.concatenate([BOMB, doubled(59), doubled(60, "b"), doubled(59, "b")])
    values = kernel(forest)
    assert np.isfinite(values).all()
    np.testing.assert_allclose(np.diag(values), 1.0)
    learner = tk.TreeSVC(kernel, random_state=0, checkpoint=tmp_path / "checkpoint")
    assert learner.fit(forest, [0, 0, 1, 1]).predict(forest).tolist() == [0, 0, 1, 1]
    tk.save(learner, tmp_path / "model")
    assert tk.load(tmp_path / "model").predict(forest).tolist() == [0, 0, 1, 1]


def test_counts_do_not_wrap() -> None:
    assert doubled(63).n_nodes == 2**64 - 1
    assert doubled(70).n_nodes == 2**64 - 1  # as large as it goes
    assert doubled(62)[[0, 0, 0]].n_nodes == 3 * (2**63 - 1)
    assert repr(doubled(63)[[0, 0]]).startswith(
        "<Forest: 2 trees, 36,893,488,147,419,103,230 nodes"
    )


def test_long_placeholders_can_be_shown() -> None:
    pairs = tk.Pairs(["(A:1" + "0" * 30 + " b)"], ["(A b)"])
    assert repr(pairs).startswith("<Pairs: 1 pair, 4 nodes; the placeholder of the label A:1000")


def test_objects_that_are_shared_are_counted_in_no_time() -> None:
    tk.set_limits(unfolded_nodes=10**15)
    with pytest.raises(tk.DataError, match="more than 1,000,000,000,000,000 nodes"):
        tk.Forest.from_trees([shared_tuples(60)])


@given(st.lists(trees(), min_size=1, max_size=4), st.lists(trees(), min_size=1, max_size=4))
def test_digests_differ_when_trees_do(one: Any, other: Any) -> None:
    def digest(texts: Any, before: Any = ()) -> str:
        forest = tk.Forest([*before, *texts])[len(before) :]
        return Examples({None: forest}).digest(np.zeros(1))

    assert digest(one) == digest(one, before=other)
    texts = [tk.Forest(some).to_brackets() for some in (one, other)]
    assert (digest(one) == digest(other)) == (texts[0] == texts[1])


def test_bad_limits() -> None:
    with pytest.raises(tk.ParameterError, match="there is no limit 'nodes'"):
        tk.set_limits(nodes=3)
    with pytest.raises(tk.ParameterError, match="unfolded_nodes"):
        tk.set_limits(unfolded_nodes=None)
    with pytest.raises(tk.ParameterError, match="model_bytes"):
        tk.set_limits(model_bytes=0)


def test_limit_of_a_matrix() -> None:
    tk.set_limits(matrix_bytes=3 * 3 * 8)
    tk.SubsetTreeKernel()(["(A b)"] * 3)
    with pytest.raises(tk.KernelMemoryError, match=r"takes 128 bytes, more than the 72 bytes"):
        tk.SubsetTreeKernel()(["(A b)"] * 4)


def test_limit_of_a_model(tmp_path: Path) -> None:
    tk.save(tk.TreeSVC("sst").fit(["(A b)", "(A c)"], [0, 1]), tmp_path / "model")
    tk.set_limits(model_bytes=100)
    with pytest.raises(tk.ModelFileError, match=r"more than the 100 bytes of tk\.get_limits"):
        tk.load(tmp_path / "model")


def test_limit_of_a_label(tmp_path: Path) -> None:
    tk.set_limits(label_bytes=6)
    assert tk.Forest(["(sechs6 ééé)"]).to_brackets() == ["(sechs6 ééé)"]
    for read in (
        lambda: tk.Forest(["(A b)", "(A (sieben7 c))"]),
        lambda: tk.Forest.from_trees([("A", "éééé")]),
        lambda: tk.readers.from_json_string('{"a": "sixteen letters."}'),
        lambda: tk.readers.from_xml_string('<a x="seventeen letters"/>'),
    ):
        with pytest.raises(ValueError, match=r"a label has more than 6 bytes; tk\.set_limits"):
            read()
    (tmp_path / "a.txt").write_text("(A b)\n(A (B sieben7))\n")
    with pytest.raises(tk.ParseError, match=r"line 2, column 7: a label has more than 6 bytes"):
        tk.read(tmp_path / "a.txt")
    with pytest.warns(UserWarning, match="1 bad line"):
        assert len(tk.read(tmp_path / "a.txt", skip_bad=True)) == 1


def test_limit_of_depth_where_another_library_reads(tmp_path: Path) -> None:
    tk.set_limits(library_depth=20)
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"tree": "(A b)", "more": ' + "[" * 25 + "]" * 25 + "}\n")
    with pytest.raises(tk.ParseError, match="nested too deeply"):
        tk.read(lines, label="more")
    lines.write_text('{"tree": "(A b)", "more": "' + "[" * 25 + '", "x": [[]]}\n')
    assert len(tk.read(lines)) == 1
    with pytest.raises(tk.DataError, match=r"more than 20 levels; tk\.set_limits\(library_depth"):
        tk.readers.from_python_source("-" * 30 + "x")
    if importlib.util.find_spec("lxml"):
        with pytest.raises(tk.DataError, match="more than 20 levels"):
            tk.readers.from_html_string("<div>" * 30)
    assert tk.readers.from_json_string("[" * 30 + "]" * 30).depth == 30  # taken apart here


@pytest.mark.parametrize("kernel", [tk.SubsetTreeKernel(), tk.PartialTreeKernel()], ids=repr)
def test_limit_of_what_a_search_finds(kernel: tk.Kernel) -> None:
    index = tk.TreeIndex(kernel)
    index.add(["(A (B b))", "(A (B c))"] * 200)
    before = tk.set_limits(matrix_bytes=64 * 40_000)
    assert len(index.search(["(A (B b))"] * 2, 400)) == 2
    assert len(index.within(["(A (B b))"] * 20, 0.1)[0]) == 400
    with pytest.raises(tk.KernelMemoryError, match="use a smaller k, or fewer queries"):
        index.search(["(A (B b))"] * 200, 400)
    with pytest.raises(tk.KernelMemoryError, match="use a larger threshold"):
        index.within(["(A (B b))"] * 200, 0.1)
    with pytest.raises(tk.KernelMemoryError, match="use a larger threshold"):
        index.within(["(Z z)"] * 200, 0)
    with pytest.raises(tk.KernelMemoryError, match="use a larger threshold"):
        index.duplicates(0.1)
    tk.set_limits(before)
    assert len(index.duplicates(0.1)) == 400 * 399 // 2
