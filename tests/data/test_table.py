"""Table: columns of trees, vectors and labels as one X."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import treekernels as tk

TREES = ["(S (A b) c)", "(S)", "(A (B b))", "(S (A b) c)"]
VECTORS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]


@pytest.fixture
def table() -> tk.Table:
    return tk.Table(
        {
            "tree": tk.Forest(TREES),
            "label": ["x", "y", "x", "long text"],
            "number": [1, 2, 3, 4],
            "vector": np.array(VECTORS),
            "sparse": sparse.coo_matrix(np.eye(4)),
        }
    )


def test_columns(table: tk.Table) -> None:
    assert isinstance(table["tree"], tk.Forest)
    assert table["tree"].to_brackets() == TREES
    assert table["label"].tolist() == ["x", "y", "x", "long text"]
    assert (table["number"].dtype.kind, table["vector"].shape) == ("i", (4, 2))
    assert table.columns == ["tree", "label", "number", "vector", "sparse"]
    assert (table.shape, len(table)) == ((4, 5), 4)
    with pytest.raises(KeyError, match="missing"):
        table["missing"]
    assert table[["label", "tree"]] == tk.Table({"label": table["label"], "tree": table["tree"]})
    assert len(table[[]]) == 0
    only = tk.SubsetTreeKernel()(table)  # which finds the one column of trees
    np.testing.assert_array_equal(only, tk.SubsetTreeKernel()(TREES))
    with pytest.raises(KeyError, match="missing"):
        table[["tree", "missing"]]


def test_repr(table: tk.Table) -> None:
    assert repr(table) == (
        "<Table: 4 rows; tree: Forest, label: str, number: int64, vector: float64, sparse: float64>"
    )
    assert repr(table[:0]).startswith("<Table: 0 rows; tree: Forest, label: object")
    assert repr(tk.Table({"tree": TREES * 300})) == "<Table: 1,200 rows; tree: str>"


def test_mapping(table: tk.Table) -> None:
    assert isinstance(table, Mapping)
    assert list(table) == list(table.keys()) == table.columns
    assert dict(table)["tree"] is table["tree"] is dict(table.items())["tree"]
    assert [len(column) for column in list(table.values())[:4]] == [4] * 4
    assert "tree" in table
    assert "missing" not in table
    assert table.get("missing", 3) == 3
    assert tk.Table(table).columns == table.columns


def test_a_row(table: tk.Table) -> None:
    for key in (2, np.int64(2), -2, (2, ...)):
        row = table[key]
        assert (str(row["tree"]), row["label"], row["number"]) == (TREES[2], "x", 3)
        assert row["vector"].tolist() == VECTORS[2]
        assert row["sparse"].toarray().ravel().tolist() == [0, 0, 1, 0]
    for outside in (4, -5):
        with pytest.raises(IndexError):
            table[outside]


@pytest.mark.parametrize(
    ("key", "rows"),
    [
        (slice(1, 3), [1, 2]),
        (slice(None, None, -1), [3, 2, 1, 0]),
        ([3, 0, 0], [3, 0, 0]),
        (np.array([3, -4]), [3, 0]),
        (np.array([True, False, False, True]), [0, 3]),
        ([], []),
        (np.zeros(4, dtype=bool), []),
    ],
)
def test_rows(table: tk.Table, key: Any, rows: list[int]) -> None:
    for selected in (table[key], table[key, ...]):
        assert isinstance(selected, tk.Table)
        assert selected.columns == table.columns
        assert selected.shape == (len(rows), 5)
        assert selected["tree"].dag is table["tree"].dag
        assert selected["tree"].to_brackets() == [TREES[row] for row in rows]
        assert selected["number"].tolist() == [row + 1 for row in rows]
        assert selected["vector"].tolist() == [VECTORS[row] for row in rows]
        assert selected["sparse"].toarray().tolist() == np.eye(4)[rows].tolist()


@pytest.mark.parametrize("key", [[True], np.ones(5, dtype=bool), [4], (0, 1), None, 1.5])
def test_bad_rows(table: tk.Table, key: Any) -> None:
    with pytest.raises(IndexError):
        table[key]


@pytest.mark.parametrize("empty", [{}, {"tree": []}, {"tree": [], "label": []}])
def test_empty(empty: dict[str, Any]) -> None:
    table = tk.Table(empty)
    assert (len(table), table.shape, table.columns) == (0, (0, len(empty)), list(empty))
    assert repr(table).startswith("<Table: 0 rows")
    assert len(table[:]) == 0


class Node(list[Any]):
    """A tree as NLTK has it: a list of children with a label."""

    def __init__(self, label: str, *children: Any) -> None:
        super().__init__(children)
        self._label = label

    def label(self) -> str:
        return self._label


@pytest.mark.parametrize(
    "column",
    [
        ["(S a b)", "(X a b)"],
        np.array(["(S a b)", "(X a b)"]),
        [("S", "a", "b"), ("X", "a", "b")],
        [["S", "a", "b"], ["X", "a", "b"]],
        [Node("S", "a", "b"), Node("X", "a", "b")],
    ],
    ids=["texts", "array", "tuples", "lists", "nodes"],
)
def test_columns_of_trees_in_any_form(column: Any) -> None:
    table = tk.Table({"tree": column})
    assert table.forest("tree").to_brackets() == ["(S a b)", "(X a b)"]
    np.testing.assert_allclose(tk.SubsetTreeKernel(on="tree")(table), np.eye(2))


def test_columns_of_trees_of_different_shapes() -> None:
    for column in ([("S", "a", "b"), ("X", "a")], [Node("S", "a", "b"), Node("X", "a")]):
        assert tk.Table({"tree": column}).forest("tree").to_brackets() == ["(S a b)", "(X a)"]


def test_pandas_columns() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"tree": TREES, "number": [1, 2, 3, 4]}, index=[5, 5, 2, 1])
    table = tk.Table(frame)
    assert table[[2]].forest("tree").to_brackets() == [TREES[2]]
    assert table[[2]]["number"].tolist() == [3]


# As X


def test_tables_with_more_or_other_columns_differ() -> None:
    result = tk.Table({"a": [1, 2], "tree": tk.Forest(["(A b)", "(A c)"])})
    more = tk.Table({"a": [1, 2], "tree": tk.Forest(["(A b)", "(A c)"]), "b": [3, 4]})
    turned = tk.Table({"tree": tk.Forest(["(A b)", "(A c)"]), "a": [1, 2]})
    assert result == tk.Table(dict(result.items())) == pickle.loads(pickle.dumps(result))
    assert result != result[::-1]
    assert result != result[:1]
    assert result != more
    assert more != result
    assert result != turned  # the order of columns is that of a file
    assert result != tk.Table({"a": [1, 3], "tree": result["tree"]})
    assert result != tk.Table({"a": [1, 2], "tree": result["tree"][::-1]})
