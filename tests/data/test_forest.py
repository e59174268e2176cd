"""Forest and Tree: making, selecting, counting, joining, storing, and sharing between threads."""

from __future__ import annotations

import copy
import operator
import pickle
import re
import subprocess
import sys
import threading
from collections import UserList
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import joblib
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import treekernels as tk
from treekernels import _native
from treekernels.data.tree import _tree_from_arrays
from treekernels.testing import oracle
from treekernels.testing.strategies import forests, trees

TEXTS = ["(S (NP (N Mary)) (VP (V sleeps)))", "(S (NP (N Mary)))", "(A)", "(S (NP (N Mary)))"]

AWKWARD = [" ", "(", ")", "\\", "\\x28", "\\x5cx28", "\\x00", "\\x", "\n", "\r\n", "\x1c", "\u00a0"]
LABELS = st.sampled_from([*AWKWARD, "\u2028", "\ufeff", "é", "🌲", "-LRB-", "NP:1"]) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8
)
LABELLED_TREES = st.lists(LABELS, min_size=1, max_size=4).flatmap(lambda labels: trees(10, labels))


@pytest.fixture
def forest() -> tk.Forest:
    return tk.Forest.from_brackets(TEXTS)


def as_tuple(tree: tk.Tree) -> oracle.Tree:
    return (tree.label, *map(as_tuple, tree.children))


class ListNode(list[Any]):
    """A tree as in NLTK 2: a list of children with an attribute."""

    def __init__(self, label: str, *children: Any) -> None:
        super().__init__(children)
        self.label = label


class CallableNode(UserList[Any]):
    """A tree as in NLTK 3: a sequence of children with a method."""

    def __init__(self, label: Any, *children: Any) -> None:
        super().__init__(children)
        self._label = label

    def label(self) -> Any:
        return self._label


def object_array(items: list[Any]) -> np.ndarray:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


# Making


FORMS = {
    "brackets": ["(S (A b) c)", "(S)"],
    "tuples": [("S", ("A", "b"), "c"), ("S",)],
    "bracketed leaves": [("S", ("A", ("b",)), ("c",)), ("S",)],
    "lists": [["S", ["A", "b"], "c"], ["S"]],
    "attribute": [ListNode("S", ListNode("A", "b"), "c"), ListNode("S")],
    "method": [CallableNode("S", CallableNode("A", "b"), "c"), CallableNode("S")],
    "array of str": np.array(["(S (A b) c)", "(S)"]),
    "array of objects": object_array(["(S (A b) c)", "(S)"]),
    "array of tuples": object_array([("S", ("A", "b"), "c"), ("S",)]),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_forms_of_trees(form: Any) -> None:
    assert tk.Forest(form).to_brackets() == ["(S (A b) c)", "(S)"]


def test_forms_made_of_forests(forest: tk.Forest) -> None:
    assert tk.Forest(forest) == tk.Forest(list(forest)) == tk.Forest(np.asarray(forest)) == forest
    assert tk.Forest(forest).dag is tk.Forest(list(forest)).dag is forest.dag
    other = tk.Forest.from_brackets(["(B b)"])[0]
    assert tk.Forest([forest[1], other]).to_brackets() == [TEXTS[1], "(B b)"]
    assert tk.Forest([("S", forest[2], other), other]).to_brackets() == ["(S A (B b))", "(B b)"]


def test_from_a_generator() -> None:
    assert tk.Forest(text for text in TEXTS).to_brackets() == TEXTS
    assert tk.Forest.from_brackets(iter(TEXTS)).to_brackets() == TEXTS
    assert tk.Forest.from_trees(map(oracle.parse, TEXTS)).to_brackets() == TEXTS


def test_from_nltk() -> None:
    nltk = pytest.importorskip("nltk")
    parsed = [nltk.Tree.fromstring(text) for text in TEXTS]
    assert tk.Forest(parsed).to_brackets() == TEXTS
    assert tk.Forest([nltk.ParentedTree.convert(tree) for tree in parsed]).to_brackets() == TEXTS


def test_from_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    index = [7, 7, 3, 1]
    assert tk.Forest(pandas.Series(TEXTS, index=index)).to_brackets() == TEXTS
    assert tk.Forest(pandas.Series(TEXTS, index=index, dtype=object)).to_brackets() == TEXTS
    tuples = pandas.Series(list(map(oracle.parse, TEXTS)), index=index)
    assert tk.Forest(tuples).to_brackets() == TEXTS


@pytest.mark.parametrize("empty", [(), [], np.array([], dtype=str), np.array([], dtype=object)])
def test_empty(empty: Any) -> None:
    forest = tk.Forest(empty)
    assert len(forest) == 0
    assert list(forest) == forest.to_brackets() == []
    assert (forest.n_nodes, forest.n_subtrees, forest.n_labels, forest.n_productions) == (0,) * 4
    assert repr(forest) == "<Forest: 0 trees, 0 nodes, 0 distinct subtrees, 0 labels>"
    assert forest == tk.Forest() == forest[:0] == pickle.loads(pickle.dumps(forest))


def test_forms_do_not_mix(forest: tk.Forest) -> None:
    with pytest.raises(TypeError, match="tree 2 is not a text but of type tuple"):
        tk.Forest.from_brackets(["(A b)", ("A", "b")])
    with pytest.raises(TypeError, match="tree 2 is of type tuple, but others are texts"):
        tk.Forest(["(A b)", ("A", "b")])
    with pytest.raises(TypeError, match="tree 1 is of type Tree, but others are texts"):
        tk.Forest([forest[0], "(A b)"])
    with pytest.raises(TypeError, match=r"tree 2 is missing \(nan\): leave the example out"):
        tk.Forest(object_array(["(A b)", float("nan")]))


@pytest.mark.parametrize(
    "make", [tk.Forest, tk.Forest.from_brackets, lambda text: tk.Forest().extend(text)]
)
def test_a_single_text_is_not_a_list(make: Any) -> None:
    with pytest.raises(TypeError, match=r"write \[text\]"):
        make("(A b)")


@pytest.mark.parametrize("wrong", [3, b"(A c)", ("A", "c")])
def test_what_is_not_a_text_is_named(wrong: Any) -> None:
    with pytest.raises(TypeError, match=f"tree 2.*{type(wrong).__name__}"):
        tk.Forest.from_brackets(["(A b)", wrong])


@pytest.mark.parametrize("make", [tk.Forest, tk.Forest.from_brackets, tk.Forest.from_trees])
@pytest.mark.parametrize("gap", [None, float("nan"), np.float64("nan")])
def test_a_missing_tree_is_named_as_such(make: Any, gap: Any) -> None:
    first = ("A", "b") if make == tk.Forest.from_trees else "(A b)"
    with pytest.raises(
        ValueError, match=r"tree 2 is missing \((None|nan)\): leave the example out"
    ):
        make([first, gap])
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"tree 2 is missing \(<NA>\)"):
        make([first, pandas.NA])


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        ((), "an empty sequence is not a tree"),
        (("A", []), "an empty sequence is not a tree"),
        (3, "int is not a tree"),
        (("A", None), "NoneType is not a tree"),
        (b"(A b)", "bytes is not a tree"),
        ((3, "A"), r"a label must be a string, not int \(3\)"),
        ((("A", "b"), "c"), "a label must be a string, not tuple"),
        (CallableNode(None, "a"), "a label must be a string, not NoneType"),
        (("A", ""), "a label is empty"),
        (("A", "b\0"), "a label contains a NUL character"),
        (("A", "\ud800"), "a label contains a character that UTF-8 cannot encode"),
    ],
)
def test_bad_objects(tree: Any, reason: str) -> None:
    with pytest.raises(tk.ParseError, match=f"^tree 2: .*({reason})") as caught:
        tk.Forest([("A", "b"), tree])
    assert (caught.value.source, caught.value.line, caught.value.column) == (None, 2, None)


@given(st.lists(LABELLED_TREES, max_size=4))
def test_brackets_round_trip(sample: list[oracle.Tree]) -> None:
    forest = tk.Forest.from_trees(sample)
    assert list(map(as_tuple, forest)) == sample
    again = tk.Forest.from_brackets(forest.to_brackets())
    assert list(map(as_tuple, again)) == sample
    assert again == forest
    assert str(forest) == "\n".join(again.to_brackets())
    assert not re.search(r"[\t\n\r\v\f]", "".join(forest.to_brackets()))  # a line each


# Counting


@given(forests())
def test_counts(sample: list[oracle.Tree]) -> None:
    forest = tk.Forest.from_trees(sample)
    nodes = [node for tree in sample for node in oracle.nodes(tree)]
    productions = {(node[0], *(child[0] for child in node[1:])) for node in nodes if len(node) > 1}
    assert forest.n_nodes == len(nodes)
    assert forest.n_subtrees == len(set(nodes))
    assert forest.n_labels == len({node[0] for node in nodes})
    assert forest.n_productions == len(productions)
    counts = re.findall(r"(\d+) (tree|node|distinct subtree|label)(s?)\b", repr(forest))
    assert [int(count) for count, _, _ in counts] == [
        len(sample),
        len(nodes),
        len(set(nodes)),
        forest.n_labels,
    ]
    assert all((plural == "s") == (count != "1") for count, _, plural in counts)
    assert forest.sizes.tolist() == [len(oracle.nodes(tree)) for tree in sample]
    assert forest.depths.tolist() == [depth(tree) for tree in sample]
    assert (len(forest), forest.shape) == (len(sample), (len(sample),))


def depth(tree: oracle.Tree) -> int:
    return 1 + max(map(depth, tree[1:]), default=0)


def test_counts_are_those_of_the_slice(forest: tk.Forest) -> None:
    assert repr(forest[2:3]) == "<Forest: 1 tree, 1 node, 1 distinct subtree, 1 label>"
    assert (forest[:2].n_productions, forest[1:].n_productions) == (6, 3)
    assert "1,000 trees, 4,000 nodes" in repr(forest[np.ones(1000, dtype=int)])


# Selecting


@pytest.mark.parametrize("integer", [int, np.int8, np.uint64, np.intp, np.array])
def test_integers(forest: tk.Forest, integer: Any) -> None:
    assert isinstance(forest[integer(1)], tk.Tree)
    assert str(forest[integer(0)]) == TEXTS[0]
    for outside in (4, 100):
        with pytest.raises(IndexError):
            forest[integer(outside)]


def test_negative_integers(forest: tk.Forest) -> None:
    assert [str(forest[-k]) for k in range(1, 5)] == TEXTS[::-1]
    assert str(forest[np.int32(-4)]) == TEXTS[0]
    with pytest.raises(IndexError):
        forest[-5]


SELECTIONS = {
    "all": slice(None),
    "slice": slice(1, 3),
    "backwards": slice(None, None, -2),
    "far": slice(2, 100),
    "list": [3, 0, 0, -1],
    "integers": np.array([2, 1, 2]),
    "unsigned": np.array([2, 1, 2], dtype=np.uint8),
    "range": range(1, 4, 2),
    "booleans": np.array([True, False, False, True]),
    "list of booleans": [False, True, False, False],
    "empty slice": slice(4, 2),
    "empty list": [],
    "empty range": range(0),
    "empty integers": np.array([], dtype=int),
    "no booleans": np.zeros(4, dtype=bool),
}


@pytest.mark.parametrize("key", SELECTIONS.values(), ids=SELECTIONS.keys())
def test_selections(forest: tk.Forest, key: Any) -> None:
    wanted = np.array(TEXTS)[np.array(key, dtype=int) if np.size(key) == 0 else key].tolist()
    for selected in (forest[key], forest[key, ...]):
        assert isinstance(selected, tk.Forest)
        assert selected.dag is forest.dag
        assert selected.to_brackets() == wanted
        assert len(selected) == len(wanted)


def test_selection_of_a_selection(forest: tk.Forest) -> None:
    assert forest[::-1][1:][[0, 2]].to_brackets() == [TEXTS[2], TEXTS[0]]
    assert str(forest[1, ...]) == TEXTS[1]


def test_pandas_mask(forest: tk.Forest) -> None:
    pandas = pytest.importorskip("pandas")
    mask = pandas.Series([True, False, True, False], index=list("abcd"))
    assert forest[mask].to_brackets() == TEXTS[::2]


@pytest.mark.parametrize(
    "key",
    [
        [True, False],
        np.ones(5, dtype=bool),
        [0, 4],
        np.array([-5]),
        np.array([[0, 1]]),
        (0, 1),
        (slice(None), 0),
        (),
        None,
        True,
        1.0,
        [0.5],
    ],
)
def test_bad_selections(forest: tk.Forest, key: Any) -> None:
    with pytest.raises(IndexError):
        forest[key]


def test_a_forest_has_no_columns(forest: tk.Forest) -> None:
    with pytest.raises(
        ValueError, match=r"a Forest is trees alone and has no column 'label': .*Table"
    ):
        forest["label"]


def test_iteration(forest: tk.Forest) -> None:
    assert [str(tree) for tree in forest] == TEXTS
    assert [str(tree) for tree in reversed(forest)] == TEXTS[::-1]
    assert forest[1] in forest
    assert tk.Forest.from_brackets(["(B)"])[0] not in forest


def test_array_of_trees(forest: tk.Forest) -> None:
    array = np.asarray(forest)
    assert (array.dtype, array.shape) == (object, (4,))
    assert array.tolist() == list(forest)


# Joining


def test_concatenate_keeps_a_shared_dag(forest: tk.Forest) -> None:
    joined = tk.Forest.concatenate([forest[2:], forest, forest[:0]])
    assert joined.dag is forest.dag
    assert joined.to_brackets() == TEXTS[2:] + TEXTS


@settings(max_examples=50)
@given(st.lists(forests(max_trees=3, max_nodes=6), max_size=3), st.data())
def test_concatenate(samples: list[list[oracle.Tree]], data: st.DataObject) -> None:
    parts = [tk.Forest.from_trees(sample) for sample in samples]
    chosen = data.draw(st.lists(st.sampled_from(parts), max_size=5)) if parts else []
    joined = tk.Forest.concatenate([part[::-1] for part in chosen])
    together = [tree for part in chosen for tree in map(as_tuple, reversed(part))]
    assert list(map(as_tuple, joined)) == together
    assert joined.n_subtrees == tk.Forest.from_trees(together).n_subtrees
    assert joined == tk.Forest.from_trees(list(joined)) == tk.Forest(together)


def test_concatenate_nothing() -> None:
    assert tk.Forest.concatenate([]) == tk.Forest()
    assert tk.Forest.concatenate([tk.Forest(), tk.Forest()]) == tk.Forest()


def test_extend() -> None:
    forest = tk.Forest.from_brackets(TEXTS)  # the thread's own, where several run the test
    part, whole = forest[:2], tk.Forest(forest)
    forest.extend(["(B b)"])
    forest.extend([("B", "b")])
    forest.extend(tk.Forest.from_brackets(["(C c)"]))
    forest.extend(iter(()))
    assert forest.to_brackets() == [*TEXTS, "(B b)", "(B b)", "(C c)"]
    assert (part.to_brackets(), whole.to_brackets()) == (TEXTS[:2], TEXTS)
    assert part.dag is forest.dag


def test_extend_with_itself() -> None:
    forest = tk.Forest.from_brackets(TEXTS)
    subtrees = len(forest.dag)
    forest.extend(forest[1:])
    forest.extend(forest)
    assert forest.to_brackets() == 2 * (TEXTS + TEXTS[1:])
    assert len(forest.dag) == subtrees


def failing_after_one_tree() -> Any:
    yield "(B b)"
    raise OSError("the disk is gone")


@pytest.mark.parametrize(
    ("added", "error"),
    [
        (lambda: ["(B b)", "(B (C)"], tk.ParseError),
        (lambda: [("B", "b"), ("B", "")], tk.ParseError),
        (lambda: ["(B b)", ("B", "b")], TypeError),
        (failing_after_one_tree, OSError),
        (lambda: 3, TypeError),
    ],
)
def test_failed_extend_adds_nothing(added: Callable[[], Any], error: type) -> None:
    forest = tk.Forest.from_brackets(TEXTS)
    subtrees = len(forest.dag)
    with pytest.raises(error):
        forest.extend(added())
    assert forest.to_brackets() == TEXTS
    assert len(forest.dag) == subtrees


def test_equality(forest: tk.Forest) -> None:
    assert forest == tk.Forest(TEXTS) == tk.Forest(map(oracle.parse, TEXTS))
    assert forest[1:2] == forest[3:]
    assert forest != forest[:3]
    assert forest != forest[::-1]
    assert forest != tk.Forest([*TEXTS[:3], "(S (NP (N Bob)))"])
    assert forest != TEXTS
    assert forest != None  # noqa: E711


def test_unhashable(forest: tk.Forest) -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(forest)


# Storing


@settings(max_examples=50)
@given(st.lists(LABELLED_TREES, max_size=3), st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_pickle(sample: list[oracle.Tree], protocol: int) -> None:
    forest = tk.Forest.from_trees(sample)
    again = pickle.loads(pickle.dumps(forest, protocol))
    assert list(map(as_tuple, again)) == sample
    assert again == forest


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies_are_independent(forest: tk.Forest, duplicate: Any) -> None:
    again = duplicate(forest)
    again.extend(["(B b)"])
    assert forest.to_brackets() == TEXTS
    assert again.to_brackets() == [*TEXTS, "(B b)"]


@pytest.mark.parametrize("mmap_mode", [None, "r"])
def test_joblib(forest: tk.Forest, tmp_path: Any, mmap_mode: str | None) -> None:
    joblib.dump(forest, tmp_path / "forest.joblib")
    again = joblib.load(tmp_path / "forest.joblib", mmap_mode=mmap_mode)
    assert again == forest
    again.extend(["(B b)"])
    assert again[::2].to_brackets() == [*TEXTS[::2], "(B b)"]
    assert joblib.hash(forest) == joblib.hash(tk.Forest(TEXTS))


def test_a_pickled_slice_leaves_the_rest_behind() -> None:
    forest = tk.Forest.from_brackets([f"(S (A a{i}) (B b{i}))" for i in range(5000)])
    assert len(pickle.dumps(forest)) > 100_000
    assert len(pickle.dumps(forest[4000:4003])) < 2000
    assert len(pickle.dumps(forest[4000])) < 2000
    assert pickle.loads(pickle.dumps(forest[4000:4003])) == forest[4000:4003]


COUNTS = st.integers(0, 4) | st.sampled_from([2**32 - 1, 2**63, 2**64 - 1])
ARRAYS = st.lists(COUNTS, max_size=5).map(lambda counts: np.array(counts, dtype=np.uint64))


def check_loading(state: tuple[Any, ...]) -> None:
    """A state is refused with a sentence, or it is a forest like any other."""
    forest = tk.Forest()
    try:
        forest.__setstate__(state)
    except ValueError as error:
        complaint = str(error)
    else:
        complaint = ""
    if complaint:
        assert complaint.startswith("not a forest: ")
        return
    assert len(forest.to_brackets()) == len(forest.sizes) == len(forest)
    assert forest.n_subtrees <= len(forest.dag)
    assert pickle.loads(pickle.dumps(forest)) == forest


@given(st.text("ab", max_size=4).map(str.encode), st.tuples(*[ARRAYS] * 5))
@example(b"ab", tuple(map(np.array, ([0, 1, 2], [0, 1], [0, 0, 1], [0], [1]))))  # (b a)
def test_arbitrary_states(text: bytes, arrays: tuple[np.ndarray, ...]) -> None:
    kinds = [np.uint64, np.uint32, np.uint64, np.uint32, np.uint32]
    check_loading((text, *(a.astype(kind) for a, kind in zip(arrays, kinds, strict=True))))


@given(forests(min_trees=1), st.integers(1, 5), st.integers(0), COUNTS, st.booleans())
def test_damaged_states(
    sample: list[oracle.Tree], which: int, place: int, value: int, shorten: bool
) -> None:
    state = list(tk.Forest.from_trees(sample).__getstate__())
    damaged = state[which].copy()
    if len(damaged):
        damaged[place % len(damaged)] = value & np.iinfo(damaged.dtype).max
    state[which] = damaged[:-1] if shorten else damaged
    check_loading(tuple(state))


@pytest.mark.parametrize("label", [b"", b"a\0", b"\xff", b"\xed\xa0\x80"])
def test_states_with_bad_labels(label: bytes) -> None:
    offsets, leaf = np.array([0, len(label)], dtype=np.uint64), np.array([0], dtype=np.uint32)
    no_children = np.array([0, 0], dtype=np.uint64), np.array([], dtype=np.uint32)
    with pytest.raises(ValueError, match=r"^not a forest: "):
        _native.Dag.from_arrays(label, offsets, leaf, *no_children)


@pytest.mark.parametrize("roots", [[99], [-1], [[0]], [0.5]])
def test_states_with_bad_roots(forest: tk.Forest, roots: list[Any]) -> None:
    *arrays, _ = forest.__getstate__()
    with pytest.raises(ValueError, match=r"^not a forest: "):
        tk.Forest().__setstate__((*arrays, np.array(roots)))


def test_trees_with_a_bad_root(forest: tk.Forest) -> None:
    *arrays, _ = forest.__getstate__()
    with pytest.raises(ValueError, match=r"^not a (forest|tree): "):
        _tree_from_arrays(arrays, 99)


# Trees


def test_tree(forest: tk.Forest) -> None:
    tree = forest[0]
    assert (tree.label, tree.size, tree.depth, tree.is_leaf) == ("S", 7, 4, False)
    assert [str(child) for child in tree.children] == ["(NP (N Mary))", "(VP (V sleeps))"]
    assert [node.label for node in tree.preorder()] == ["S", "NP", "N", "Mary", "VP", "V", "sleeps"]
    assert tree.leaves() == ["Mary", "sleeps"]
    assert str(tree) == tree.to_brackets() == TEXTS[0]
    assert repr(tree) == f"<Tree {TEXTS[0]}>"


def test_single_node(forest: tk.Forest) -> None:
    tree = forest[2]
    assert (tree.label, tree.children, tree.is_leaf) == ("A", [], True)
    assert (tree.size, tree.depth, tree.leaves(), str(tree)) == (1, 1, ["A"], "(A)")
    assert list(tree.preorder()) == [tree]


def test_long_repr() -> None:
    tree = tk.Forest([("A", *["b"] * 100)])[0]
    assert len(repr(tree)) < 80
    assert repr(tree).endswith("...>")


@given(trees())
def test_tree_against_tuples(tree: oracle.Tree) -> None:
    found = tk.Forest.from_trees([tree])[0]
    nodes = oracle.nodes(tree)
    assert as_tuple(found) == tree
    assert (found.size, found.depth) == (len(nodes), depth(tree))
    assert sorted(map(as_tuple, found.preorder())) == sorted(nodes)
    assert found.leaves() == [node[0] for node in nodes if len(node) == 1]


@given(LABELLED_TREES, LABELLED_TREES)
def test_tree_equality_hash_and_pickle(one: oracle.Tree, two: oracle.Tree) -> None:
    a, b = tk.Forest.from_trees([one, two])
    other = tk.Forest.from_trees([two])[0]
    assert (a == b) == (a == other) == (one == two)
    assert b == other
    assert len({a, b, other}) == len({one, two})
    again = pickle.loads(pickle.dumps(a))
    assert again == a
    assert as_tuple(again) == as_tuple(copy.deepcopy(a)) == one


def test_trees_differ_from_other_things(forest: tk.Forest) -> None:
    assert forest[0] != TEXTS[0]
    assert forest[0] != oracle.parse(TEXTS[0])
    with pytest.raises(TypeError):
        operator.lt(forest[0], forest[1])


def test_a_tree_outlives_its_forest() -> None:
    tree = tk.Forest.from_brackets(["(A (B b))"])[0]
    assert [str(node) for node in tree.preorder()] == ["(A (B b))", "(B b)", "(b)"]


# Threads


def test_reading_while_another_thread_extends() -> None:
    texts = [f"(S (A (B b{i % 7}) (C c{i % 5})) (D (B b{i % 3}) d{i}))" for i in range(300)]
    kernel = tk.SubsetTreeKernel()
    forest = tk.Forest.from_brackets(texts)
    first = forest[:300]
    parts = [slice(start, start + 40) for start in (0, 100, 250)]
    matrices = [kernel(forest[part]) for part in parts]
    description = repr(first)
    finished = threading.Event()

    def extend() -> None:
        try:
            for k in range(300):
                forest.extend([f"(S (A (B new{k}) (C c{i})) e{k})" for i in range(20)])
        finally:
            finished.set()

    def read(turn: int) -> int:
        rounds = 0
        while not finished.is_set() or rounds == 0:
            part, matrix = parts[(turn + rounds) % 3], matrices[(turn + rounds) % 3]
            np.testing.assert_array_equal(kernel(forest[part], n_jobs=1 + turn % 2), matrix)
            assert repr(first) == description
            assert forest[part].to_brackets() == texts[part]
            assert pickle.loads(pickle.dumps(forest[part])) == forest[part]
            assert all(tree.size == 10 for tree in forest[part])
            assert repr(forest).startswith("<Forest: ")
            rounds += 1
        return rounds

    with ThreadPoolExecutor(4) as pool:
        extending = pool.submit(extend)
        reading = [pool.submit(read, turn) for turn in range(3)]
        assert all(future.result(timeout=60) for future in reading)
        extending.result()
    assert len(forest) == 6300
    assert forest[:300] == tk.Forest(texts)
    np.testing.assert_allclose(kernel(texts[parts[1]]), matrices[1], rtol=1e-12)
    assert forest.to_brackets()[-1] == "(S (A (B new299) (C c19)) e299)"


CROSSING = """
import threading
import treekernels as tk

a = tk.Forest.from_brackets([f"(A b{i})" for i in range(1000)])
b = tk.Forest.from_brackets([f"(A c{i})" for i in range(1000)])

def extend(one, other):
    for _ in range(3000):
        tk.Forest(one).extend(other)

threads = [threading.Thread(target=extend, args=pair, daemon=True) for pair in ((a, b), (b, a))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_two_forests_extend_each_other() -> None:
    """In a process of its own, because threads that wait for each other cannot be ended."""
    subprocess.run([sys.executable, "-c", CROSSING], check=True, timeout=15)


def test_a_single_tree_is_refused(forest: tk.Forest) -> None:
    node = ListNode("S", "a", "b")
    for single in (forest[0], node):
        with pytest.raises(TypeError, match=r"write \[tree\]"):
            tk.Forest(single)
    with pytest.raises(TypeError, match="tree 1 is a text: use from_brackets"):
        tk.Forest.from_trees(["(A b)"])
    with pytest.raises(TypeError, match="this has columns"):
        tk.Forest({"tree": TEXTS})


def test_a_column_of_an_array_is_a_list_of_trees() -> None:
    assert tk.Forest(np.array([["(A b)"], ["(A c)"]])).to_brackets() == ["(A b)", "(A c)"]
    with pytest.raises(TypeError, match="one dimension"):
        tk.Forest(np.array([["(A b)", "(A c)"]]))


def test_leaves_of_chunk_trees() -> None:
    assert tk.Forest.from_trees([ListNode("NP", ("the", "DT"))]).to_brackets() == ["(NP the/DT)"]


def test_an_object_that_contains_itself_is_refused() -> None:
    loop: list[Any] = ["A"]
    loop.append(["B", loop])
    with pytest.raises(tk.ParseError, match="tree 1: an object contains itself"):
        tk.Forest.from_trees([loop])
    twice = ["B", "b"]
    assert tk.Forest.from_trees([["A", twice, twice]]).to_brackets() == ["(A (B b) (B b))"]


def test_extending_from_many_threads_loses_nothing() -> None:
    forest = tk.Forest()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: forest.extend([f"(A x{i % 7})"]), range(2000)))
    assert len(forest) == 2000
    assert forest.n_subtrees == 14
