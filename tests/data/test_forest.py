"""Forest: making, selecting, counting and joining."""

from __future__ import annotations

import pickle
import re
from collections import UserList
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from awkward_labels import LABELLED_TREES, depth
from helpers import nested_of
from oracles import kernels as oracle
from treekernels.testing.strategies import forests

TEXTS = ["(S (NP (N Mary)) (VP (V sleeps)))", "(S (NP (N Mary)))", "(A)", "(S (NP (N Mary)))"]


@pytest.fixture
def forest() -> tk.Forest:
    return tk.Forest.from_brackets(TEXTS)


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
    assert list(map(nested_of, forest)) == sample
    again = tk.Forest.from_brackets(forest.to_brackets())
    assert list(map(nested_of, again)) == sample
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


# Joining


def test_concatenate_keeps_a_shared_dag(forest: tk.Forest) -> None:
    joined = tk.Forest.concatenate([forest[2:], forest, forest[:0]])
    assert joined.dag is forest.dag
    assert joined.to_brackets() == TEXTS[2:] + TEXTS


@given(st.lists(forests(max_trees=3, max_nodes=6), max_size=3), st.data())
def test_concatenate(samples: list[list[oracle.Tree]], data: st.DataObject) -> None:
    parts = [tk.Forest.from_trees(sample) for sample in samples]
    chosen = data.draw(st.lists(st.sampled_from(parts), max_size=5)) if parts else []
    joined = tk.Forest.concatenate([part[::-1] for part in chosen])
    together = [tree for part in chosen for tree in map(nested_of, reversed(part))]
    assert list(map(nested_of, joined)) == together
    assert joined.n_subtrees == tk.Forest.from_trees(together).n_subtrees
    assert joined == tk.Forest.from_trees(list(joined)) == tk.Forest(together)


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
