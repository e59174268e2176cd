"""Partitions: what they are made of, and that they keep the examples in order."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import treekernels as tk
import treekernels.dask as tkd
from dask_cluster import labelled_trees

TREES, LABELS = labelled_trees(40)
TEXTS = TREES.to_brackets()


def test_local_data_is_cut_and_comes_back(client: Any) -> None:
    data = tkd.partitions(tk.Table({"tree": TREES, "label": LABELS}), 3, client=client)
    assert data.npartitions == 3
    assert len(data) == 40
    assert data.lengths == [13, 14, 13]
    assert data["tree"].to_local().to_brackets() == TEXTS
    assert data["label"].to_local().tolist() == LABELS.tolist()
    assert repr(data) == "<Partitions: 40 rows in 3 parts>"


def test_repartition_keeps_the_order(client: Any) -> None:
    data = tkd.partitions(TREES, 3, client=client)
    for count in (1, 2, 7, 50):  # 50 are more than there are trees: some are empty
        again = data.repartition(count)
        assert again.npartitions == count
        assert again.persist().to_local().to_brackets() == TEXTS
        assert sum(again.lengths) == 40


def test_dask_collections(client: Any) -> None:
    import dask
    import dask.array as da
    import dask.bag as db
    import dask.dataframe as dd
    import pandas as pd

    bag = db.from_sequence(TEXTS, npartitions=4)
    assert tkd.partitions(bag, client=client).to_local().to_brackets() == TEXTS
    delayed = [dask.delayed(TEXTS[:10]), dask.delayed(TEXTS[10:])]
    assert tkd.partitions(delayed, client=client).lengths == [10, 30]
    frame = dd.from_pandas(pd.DataFrame({"tree": TEXTS, "label": LABELS}), npartitions=3)
    result = tkd.partitions(frame, client=client)
    assert list(result["label"].to_local()) == LABELS.tolist()
    array = da.from_array(np.arange(40.0), chunks=9)
    assert tkd.partitions(array, client=client).to_local().tolist() == list(range(40))
    futures = client.scatter([TEXTS[:5], TEXTS[5:]])
    assert tkd.partitions(futures, client=client).to_local().to_brackets() == TEXTS


def test_a_column_that_is_not_there(client: Any) -> None:
    data = tkd.partitions(tk.Table({"tree": TREES}), 2, client=client)
    with pytest.raises(KeyError, match="there is no column 'label'; there are tree"):
        data["label"].to_local()
    with pytest.raises(tk.DataError, match="chosen by name"):
        data[0]  # type: ignore[index]


def test_without_a_client() -> None:
    with pytest.raises(tk.ParameterError, match="there is no Dask client yet"):
        tkd.partitions(TREES)
    with pytest.raises(tk.ParameterError, match=r"must be a distributed\.Client"):
        tkd.partitions(TREES, client="tcp://somewhere")


def test_labels_that_do_not_fit(client: Any) -> None:
    data = tkd.partitions(TREES, 2, client=client)
    with pytest.raises(tk.DataError, match="X has 40 examples, and y 39 labels"):
        tkd.TreePerceptron("sst").fit(data, LABELS[:39])
    with pytest.raises(tk.DataError, match="one class only"):
        tkd.TreePerceptron("sst").fit(data, ["a"] * 40)


def test_parts_that_are_cut_anew_are_spread_over_the_workers(client: Any) -> None:
    first = client.submit(tk.Forest, TREES.to_brackets(), workers=[sorted(client.nthreads())[0]])
    data = tkd.partitions([first], client=client).repartition(6).persist()
    places = [where for where, *_ in client.who_has(data.futures).values()]
    assert sorted(Counter(places).values()) == [3, 3]
