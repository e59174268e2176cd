"""The perceptron of a cluster is what a plain simulation of parameter mixing gives."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk
import treekernels.dask as tkd
from dask_cluster import labelled_trees

KERNEL = tk.SubsetTreeKernel(0.4)


def simulate(gram: Any, labels: Any, bounds: list[int], epochs: int, mean: bool, seed: int) -> Any:
    """Mix perceptrons by hand; return the coefficients of all examples, one column a class.

    Every shard keeps the list of all its models; the mean is over all of them.
    """
    classes = np.unique(labels)
    columns = 1 if len(classes) == 2 else len(classes)
    numbers = np.searchsorted(classes, labels)
    total = bounds[-1]
    now = np.zeros((len(gram), columns))
    on_the_way = np.zeros_like(now)
    for epoch in range(epochs):
        mixed = np.zeros_like(now)
        for shard, (first, last) in enumerate(pairwise(bounds)):
            own = last - first
            if not own:
                continue
            random = np.random.RandomState(seed + shard)
            order = [random.permutation(own) for _ in range(epoch + 1)][-1]
            alphas = now.copy()
            models = []
            for i in first + order:
                scores = gram[i] @ alphas
                if columns == 1:
                    sign = 1 if numbers[i] == 1 else -1
                    alphas[i] += sign * (scores[0] * sign <= 0)
                else:
                    others = [k for k in range(columns) if k != numbers[i]]
                    rival = max(others, key=lambda k: scores[k])
                    if scores[numbers[i]] <= scores[rival]:
                        alphas[i, numbers[i]] += 1
                        alphas[i, rival] -= 1
                models.append(alphas.copy())
            mixed += own / total * alphas
            on_the_way += own / total / epochs * np.mean(models, axis=0)
        now = mixed
    return on_the_way if mean else now


@pytest.mark.parametrize(
    ("classes", "average", "bounds"),
    [(2, "mean", [0, 13, 40]), (3, None, [0, 13, 40]), (3, "mean", [0, 5, 5, 20, 40])],
    ids=str,
)
def test_mixing_is_that_of_the_simulation(
    client: Any, classes: int, average: Any, bounds: list[int]
) -> None:
    trees, labels = labelled_trees(40, classes, seed=3)
    data = tkd.partitions(trees, 1, client=client).cut(bounds)
    learner = tkd.TreePerceptron(KERNEL, epochs=3, average=average, random_state=7)
    learner.fit(data, labels)
    seed = int(np.random.RandomState(7).randint(2**31))
    gram = KERNEL(trees)
    alphas = simulate(gram, labels, bounds, 3, average == "mean", seed)
    expected = gram @ alphas
    scores = learner.decision_function(trees).reshape(expected.shape)
    np.testing.assert_allclose(scores, expected, atol=1e-9)
    assert learner.t_ == 120


def test_one_partition_is_the_ordinary_learner(client: Any) -> None:
    trees, labels = labelled_trees(60, 3)
    ours = tkd.TreePerceptron("sst", epochs=3, random_state=0, client=client)
    ours.fit(tkd.partitions(trees, 1, client=client), labels)
    theirs = tk.TreePerceptron("sst", epochs=3, random_state=0).fit(trees, labels)
    np.testing.assert_allclose(
        ours.decision_function(trees), theirs.decision_function(trees), atol=1e-12
    )
    assert (ours.n_updates_, ours.loss_) == (theirs.n_updates_, theirs.loss_)
    local = ours.to_local()
    assert type(local) is tk.TreePerceptron
    np.testing.assert_array_equal(local.predict(trees), ours.predict(trees))


@pytest.mark.parametrize(("parts", "epochs"), [(2, 10), (5, 20)])
def test_more_partitions_take_more_epochs(client: Any, parts: int, epochs: int) -> None:
    trees, labels = labelled_trees(30)
    data = tkd.partitions(trees, parts, client=client)
    data = data.cut([0, 0, *np.cumsum(data.lengths)])  # an empty one does not count
    learner = tkd.TreePerceptron("sst", random_state=0).fit(data, labels)
    assert learner.t_ == 30 * epochs
    assert learner.to_local().epochs == tk.TreePerceptron("sst").epochs
    assert tkd.TreePerceptron("sst", epochs=3).to_local().epochs == 3


def test_weights_of_examples_and_classes(client: Any) -> None:
    trees, labels = labelled_trees(60)
    weights = np.random.RandomState(0).randint(0, 3, 60).astype(float)
    options: dict[str, Any] = {
        "kernel": "sst",
        "epochs": 2,
        "random_state": 0,
        "class_weight": "balanced",
    }
    ours = tkd.TreePerceptron(**options, client=client)
    ours.fit(tkd.partitions(trees, 1, client=client), labels, sample_weight=np.ones(60))
    theirs = tk.TreePerceptron(**options).fit(trees, labels)
    np.testing.assert_allclose(ours.decision_function(trees), theirs.decision_function(trees))
    options["class_weight"] = {"class 0": 2.0, "class 1": 1.0}
    ours = tkd.TreePerceptron(**options, client=client)
    ours.fit(tkd.partitions(trees, 1, client=client), labels, sample_weight=weights)
    theirs = tk.TreePerceptron(**options).fit(trees, labels, sample_weight=weights)
    np.testing.assert_allclose(ours.decision_function(trees), theirs.decision_function(trees))


def test_what_cannot_be_mixed(client: Any) -> None:
    trees, labels = labelled_trees(20)
    data = tkd.partitions(trees, 2, client=client)
    with pytest.raises(tk.ParameterError, match="votes cannot be mixed"):
        tkd.TreePerceptron("sst", average="vote").fit(data, labels)
    weights = tk.SubsetTreeKernel(weights=tk.InverseDocumentFrequency())
    with pytest.raises(tk.ParameterError, match="fitted_on"):
        tkd.TreePerceptron(weights).fit(data, labels)


def test_a_checkpoint_is_gone_on_with(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees, labels = labelled_trees(50)
    data = tkd.partitions(trees, 3, client=client)
    file = tmp_path / "learning.tkm"
    options: dict[str, Any] = {"epochs": 4, "random_state": 1}
    whole = tkd.TreePerceptron(**options).fit(data, labels)
    learner = tkd.TreePerceptron(**options, checkpoint=file)
    mix_epoch = tkd.TreePerceptron.mix_epoch

    def interrupted(
        self: Any, mixture: Any, shards: Any, counts: Any, epoch: int, seed: int
    ) -> Any:
        if epoch == 2:
            raise KeyboardInterrupt
        return mix_epoch(self, mixture, shards, counts, epoch, seed)

    with monkeypatch.context() as patch:
        patch.setattr(tkd.TreePerceptron, "mix_epoch", interrupted)
        with pytest.raises(KeyboardInterrupt):
            learner.fit(data, labels)
    assert learner.t_ == 100  # what was learned by then is kept
    assert file.exists()
    with pytest.raises(tk.CheckpointError, match="of other data"):
        tkd.TreePerceptron(**options, checkpoint=file).fit(data.repartition(2), labels)
    learner.fit(data, labels)
    assert not file.exists()
    np.testing.assert_array_equal(learner.decision_function(trees), whole.decision_function(trees))


@pytest.mark.parametrize(
    ("name", "options"), [("TreePerceptron", {}), ("TreeSVC", {"C": 0.1})], ids=str
)
def test_kernel_is_chosen_by_a_sample(client: Any, name: str, options: Any) -> None:
    rng = np.random.default_rng(0)
    texts, kinds = [], []
    for number in range(60):
        fields = [f"(f{field} x)" for field in rng.permutation(9)[:5]]
        fields[2:2] = ["(a x)", "(b x)"] if number % 2 else ["(b x)", "(a x)"]
        texts.append(f"(record {' '.join(fields)})")
        kinds.append(number % 2)
    trees, labels = tk.Forest(texts), np.array(kinds)
    data, y = (tkd.partitions(part, 3, client=client) for part in (trees, labels))
    learner = getattr(tkd, name)(random_state=0, client=client, **options).fit(data, y)
    local = getattr(tk, name)(random_state=0, **options).fit(trees, labels)
    assert [t.cells() for t in learner.selection_.trials] == [
        t.cells() for t in local.selection_.trials
    ]
    assert learner.kernel_ == local.kernel_
    assert learner.to_local().score(trees, labels) > 0.9
