"""The commands on a cluster: the same files as without one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from command_line import Run
from dask_cluster import labelled_trees

TREES, LABELS = labelled_trees(60)


@pytest.fixture
def data(tmp_path: Path) -> str:
    lines = [f"{label}\t{text}\n" for label, text in zip(LABELS, TREES.to_brackets(), strict=True)]
    path = tmp_path / "data.tsv"
    path.write_text("".join(lines))
    return str(path)


def test_commands_on_a_cluster_that_runs(run: Run, data: str, client: Any) -> None:
    workers = ("--scheduler", client.scheduler.address)
    assert run("fit", data, "model.tkm", "--kernel", "sst", "--C", "0.5", *workers).code == 0
    model = tk.load("model.tkm")
    assert type(model) is tk.TreeSVC
    assert model.score(TREES, LABELS) > 0.8
    predicted = run("predict", "model.tkm", data, "--json", *workers)
    assert json.loads(predicted.out) == model.predict(TREES).tolist()
    assert run("gram", data, "gram.npy", *workers).code == 0
    np.testing.assert_allclose(np.load("gram.npy"), tk.SubsetTreeKernel()(TREES), rtol=1e-12)
    assert run("embed", data, "vectors.npy", "-d", "64", *workers).code == 0
    np.testing.assert_array_equal(np.load("vectors.npy"), tk.DistributedTrees(64).transform(TREES))

    learner = ["--learner", "perceptron", "--test", data, "--json"]
    done = run("evaluate", data, *learner, *workers)
    assert done.code == 0
    assert json.loads(done.out)["accuracy"] > 0.8


def test_a_cluster_of_its_own(run: Run, data: str) -> None:
    assert run("embed", data, "vectors.npy", "-d", "64", "--workers", "1").code == 0
    np.testing.assert_array_equal(np.load("vectors.npy"), tk.DistributedTrees(64).transform(TREES))


def test_what_cannot_be(run: Run, data: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from treekernels.cluster.workers import clients

    monkeypatch.setattr(clients, "_PATIENCE", 1)

    def complaint(*arguments: str) -> str:
        done = run(*arguments)
        assert done.code == 2
        return done.err

    both = ["--workers", "1", "--scheduler", "tcp://127.0.0.1:1"]
    assert "give one" in complaint("fit", data, "m.tkm", *both)
    assert "no scheduler answers at tcp://127.0.0.1:1" in complaint("fit", data, "m.tkm", *both[2:])
    assert "end v.parquet in .npy" in complaint("embed", data, "v.parquet", "--workers", "1")
    report = ["--report", "r.html", "--workers", "1"]
    assert "made on this machine" in complaint("evaluate", data, *report)
    pa = ["--learner", "pa", "--workers", "1"]
    assert "does not run on a cluster" in complaint("fit", data, "m.tkm", *pa)
