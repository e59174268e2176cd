"""Data frames and Arrow tables as X, and tables as data frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treekernels as tk

COLUMNS = {"parse": ["(A b)", "(A c)"], "y": [1, 2], "v": [[1.0, 2.0], [0.0, 1.0]]}


def frames() -> list[Any]:
    result: list[Any] = [COLUMNS]
    pandas = pytest.importorskip("pandas")
    result.append(pandas.DataFrame(COLUMNS))
    try:
        import pyarrow

        result.append(pyarrow.table(COLUMNS))
    except ImportError:
        pass
    try:
        import polars

        result.append(polars.DataFrame(COLUMNS))
    except ImportError:
        pass
    return result


def test_kernels_take_them() -> None:
    for frame in frames():
        expected = tk.SubsetTreeKernel()(COLUMNS["parse"])
        np.testing.assert_array_equal(tk.SubsetTreeKernel(on="parse")(frame), expected)
        np.testing.assert_array_equal(tk.SubsetTreeKernel()(frame), expected)
        np.testing.assert_array_equal(tk.LinearKernel(on="v")(frame), [[5, 2], [2, 1]])
        np.testing.assert_array_equal(tk.LinearKernel(on="y")(frame), [[1, 2], [2, 4]])
        table = tk.readers.from_table(frame)
        assert table["parse"] == tk.Forest(COLUMNS["parse"])
        assert table["y"].tolist() == [1, 2]
        with pytest.raises(ValueError, match="X has no column 'x'; it has 'parse', 'y', 'v'"):
            tk.SubsetTreeKernel(on="x")(frame)


def test_what_was_learned_from_is_saved(tmp_path: Any) -> None:
    fitted = tk.TreeSVC(tk.SubsetTreeKernel(on="parse")).fit(COLUMNS, [0, 1])
    tk.save(fitted, tmp_path / "model.tkm")
    loaded = tk.load(tmp_path / "model.tkm")
    assert loaded.n_features_in_ == 3
    assert loaded.feature_names_in_.tolist() == ["parse", "y", "v"]


def test_lazy_frames_are_refused() -> None:
    class LazyFrame:
        columns = ("parse",)

    for call in (tk.SubsetTreeKernel(on="parse"), tk.readers.from_table):
        with pytest.raises(ValueError, match=r"a LazyFrame has no rows yet: .*\.collect\(\)"):
            call(LazyFrame())
    polars = pytest.importorskip("polars")
    with pytest.raises(ValueError, match="a LazyFrame has no rows yet"):
        tk.TreeSVC("sst").fit(polars.DataFrame(COLUMNS).lazy(), [0, 1])


def test_a_table_as_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    table = tk.Table({"tree": tk.Forest(["(A b)", "(A c)"]), "label": ["x", "y"], "n": [1, 2]})
    frame = pandas.DataFrame(table)
    assert frame.columns.tolist() == ["tree", "label", "n"]
    assert frame["n"].tolist() == [1, 2]
    assert [str(tree) for tree in frame["tree"]] == ["(A b)", "(A c)"]
    np.testing.assert_array_equal(
        tk.SubsetTreeKernel(on="tree")(frame), tk.SubsetTreeKernel(on="tree")(table)
    )


def test_a_table_does_not_change() -> None:
    table = tk.Table({"tree": tk.Forest(["(A b)"]), "n": [1]})
    for change in (
        lambda: table.__setitem__("n", [2]),
        lambda: table.update(n=[2]),
        lambda: table.pop("n"),
        lambda: table.clear(),
        lambda: table.setdefault("m", [1]),
    ):
        with pytest.raises(ValueError, match="a Table does not change"):
            change()
    assert tk.Table({**table, "n": [2]})["n"].tolist() == [2]
    with pytest.raises(KeyError, match="there is no column 'm'; there are tree, n"):
        table["m"]
