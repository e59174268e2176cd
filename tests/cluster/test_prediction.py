"""Predictions over partitions: equal bits at any partitioning, and those of the model itself."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import treekernels as tk
import treekernels.dask as tkd
from dask_cluster import labelled_trees
from treekernels.cluster.workers.arrays import lend

TREES, LABELS = labelled_trees(600, classes=3)
VALUES = np.array([text.count("(") for text in TREES.to_brackets()], float)
LEARNERS = [
    tk.TreeSVC("sst", C=1, random_state=0),
    tk.TreePerceptron("sst", random_state=0),
    tk.TreePerceptron(tk.PartialTreeKernel(), average="vote", random_state=0),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_equal_bits_at_any_partitioning(client: Any, learner: Any) -> None:
    model = learner.fit(TREES[:100], LABELS[:100])
    result = []
    for count in (1, 3, 10):
        data = tkd.partitions(TREES, count, client=client)
        with client.as_current():
            result.append(tkd.decision_function(model, data).compute())
            labels = tkd.predict(model, data)
            assert labels.shape == (600,)
            assert labels.compute().tolist() == model.predict(TREES).tolist()
            expected = np.mean(model.predict(TREES) == LABELS)
            assert tkd.score(model, data, LABELS) == pytest.approx(expected)
    np.testing.assert_array_equal(result[0], result[1])
    np.testing.assert_array_equal(result[0], result[2])
    np.testing.assert_allclose(result[0], model.decision_function(TREES), atol=1e-12)


def test_numbers(client: Any) -> None:
    model = tk.TreeSVR("sst", C=10, random_state=0).fit(TREES[:100], VALUES[:100])
    data = tkd.partitions(TREES, 4, client=client)
    with client.as_current():
        np.testing.assert_allclose(tkd.predict(model, data).compute(), model.predict(TREES))
    assert tkd.score(model, data, VALUES) == pytest.approx(model.score(TREES, VALUES))
    with pytest.raises(tk.ParameterError, match="has no scores"):
        tkd.decision_function(model, data)


def test_a_model_is_sent_again_only_if_it_changed_or_was_lost(client: Any) -> None:
    model = tk.TreePerceptron("sst", random_state=0).fit(TREES, LABELS)
    first = lend(client, model)
    assert lend(client, pickle.loads(pickle.dumps(model))).key == first.key
    model.partial_fit(TREES[:50], LABELS[::-1][:50])
    second = lend(client, model)
    assert second.key != first.key
    client.cancel(second, force=True)
    data = tkd.partitions(TREES, 3, client=client)
    with client.as_current():
        assert tkd.predict(model, data).compute().tolist() == model.predict(TREES).tolist()
    assert lend(client, model).key != second.key


def test_empty_partitions(client: Any) -> None:
    model = tk.TreeSVC("sst", C=1).fit(TREES[:50], LABELS[:50])
    data = tkd.partitions(TREES[:3], 5, client=client)
    with client.as_current():
        assert tkd.predict(model, data).compute().tolist() == model.predict(TREES[:3]).tolist()
        nothing = tkd.partitions(TREES[:0], client=client)
        assert tkd.decision_function(model, nothing).compute().shape == (0, 3)
