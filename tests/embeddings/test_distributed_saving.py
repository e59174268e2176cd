"""Embeddings in files: the same vectors after loading, and files that fit nothing are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from helpers import random_forest
from treekernels.io.files.container import read_container, write_container

TREES = tk.Forest(random_forest(60, 5, size=12))
OTHERS = tk.Forest(random_forest(20, 6, size=12))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"min_df": 3},
        {"min_df": 2, "link_length": 5, "composition": "convolution", "dtype": np.float64},
        {"min_df": 1000},  # which keeps nothing
        {"kernel": "subtree", "normalize": True, "seed": 2**64 - 1, "dtype": "float64"},
    ],
    ids=str,
)
def test_round_trip(parameters: dict[str, Any], tmp_path: Path) -> None:
    embedding = tk.DistributedTrees(64, **parameters).fit(TREES)
    tk.save(embedding, tmp_path / "model.tkm")
    loaded = tk.load(tmp_path / "model.tkm")
    assert isinstance(loaded, tk.DistributedTrees)
    assert loaded.n_trees_ == 60
    assert np.array_equal(loaded.links_, embedding.links_)
    assert (loaded.links_ is None) == ("min_df" not in parameters)
    vectors = embedding.transform(OTHERS)
    assert np.array_equal(loaded.transform(OTHERS), vectors)
    assert loaded.transform(OTHERS).dtype == vectors.dtype
    if parameters.get("min_df") == 3:  # or there would be nothing to save
        assert not np.array_equal(tk.DistributedTrees(64).fit_transform(OTHERS), vectors)
    tk.save(loaded, tmp_path / "again.tkm")
    assert (tmp_path / "again.tkm").read_bytes() == (tmp_path / "model.tkm").read_bytes()


def altered(part: str, name: str, value: Any) -> Callable[[Any], None]:
    def alter(content: Any) -> None:
        content[part][name] = value(content[part][name]) if callable(value) else value

    return alter


ALTERATIONS: dict[str, Callable[[Any], None]] = {
    "links of another type": altered("state", "links", lambda links: links.astype(np.int64)),
    "links of two dimensions": altered("state", "links", lambda links: links[:, None]),
    "links out of order": altered("state", "links", lambda links: links[::-1].copy()),
    "links twice": altered("state", "links", lambda links: np.repeat(links, 2)),
    "links in a list": altered("state", "links", [1, 2]),
    "no links": altered("state", "links", None),
    "links for min_df of 1": altered("parameters", "min_df", 1),
    "trees of no number": altered("state", "n_trees", "x"),
    "fewer than no trees": altered("state", "n_trees", -1),
    "min_df of no number": altered("parameters", "min_df", "2"),
    "no decay": altered("parameters", "decay", 0),
    "no dimension": altered("parameters", "dimension", 0),
    "another parameter": altered("parameters", "size", 3),
    "no state": lambda content: content.pop("state"),
    "a part of the state": lambda content: content["state"].pop("n_trees"),
}


@pytest.mark.parametrize("name", ALTERATIONS)
def test_bad_states_are_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.tkm"
    tk.save(tk.DistributedTrees(64, min_df=2).fit(TREES), path)
    kind, content = read_container(path)
    assert len(content["state"]["links"]) > 1
    ALTERATIONS[name](content)
    write_container(path, kind, content)
    with pytest.raises(tk.ModelFileError, match=r"model\.tkm: the parts of the model do not fit"):
        tk.load(path)


def test_ctrl_c_while_counting_leaves_what_was_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    from treekernels.embeddings import distributed

    embedding = tk.DistributedTrees(64, min_df=2).fit(TREES)
    links = embedding.links_

    class Interrupted:
        def __getattr__(self, name: str) -> Any:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(distributed, "_native", Interrupted())
        with pytest.raises(KeyboardInterrupt):
            embedding.fit(OTHERS)
    assert embedding.links_ is links
    assert embedding.n_trees_ == 60
