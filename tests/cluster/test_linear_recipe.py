"""The recipe of docs/cluster.md for linear models on vectors, run as it stands there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk
import treekernels.dask as tkd
from dask_cluster import labelled_trees

PAGE = Path(__file__).parents[2] / "docs" / "cluster.md"


def test_linear_models_learn_from_chunks(client: Any) -> None:
    if not PAGE.exists():
        pytest.skip("there is no documentation here")
    blocks = [block.split("```")[0] for block in PAGE.read_text().split("```python\n")[1:]]
    (recipe,) = (block for block in blocks if "partial_fit" in block)
    trees, labels = labelled_trees(300)
    data = tkd.partitions(
        tk.Table({"tree": trees, "label": ["+1" if y == "class 1" else "-1" for y in labels]}),
        3,
        client=client,
    )
    names: dict[str, Any] = {"tk": tk, "tkd": tkd, "data": data}
    np.random.seed(0)  # noqa: NPY002
    with client.as_current():
        exec(recipe, names)
        exec(recipe.replace("SGDClassifier()", "model").replace("model, start", "_, start"), names)
    accuracy = names["model"].score(
        tk.DistributedTrees(4096).transform(trees), data["label"].to_local()
    )
    assert names["start"] == 300
    assert accuracy > 0.8
