"""Support vector machines of a cluster: the same problem as on one machine, to its gap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import treekernels as tk
import treekernels.dask as tkd
from dask_cluster import labelled_trees, small_cluster
from treekernels.cluster.learning.descent_rounds import DescentRounds

TREES, LABELS = labelled_trees(90, 3)


def _objective(model: Any, trees: tk.Forest, target: Any, C: Any, epsilon: Any = None) -> float:
    """Return the primal objective of a fitted machine, from a Gram matrix."""
    alphas = np.zeros((len(trees), model.dual_coef_.shape[1]))
    alphas[model.support_] = model.dual_coef_
    gram = model.learned_kernel()(trees)
    scores = gram @ alphas + model.intercept_
    if epsilon is None:
        losses = np.maximum(0, 1 - target * scores)
    else:
        losses = np.maximum(0, np.abs(target - scores) - epsilon)
    return float((alphas * (gram @ alphas)).sum() / 2 + (C * losses).sum())


def _targets(labels: Any) -> Any:
    return np.where(labels[:, None] == np.unique(labels), 1.0, -1.0)


@pytest.mark.parametrize(("parts", "cache"), [(2, 0.001), (3, 128)], ids=str)
def test_the_same_problem_as_on_one_machine(client: Any, parts: int, cache: float) -> None:
    data = tkd.partitions(TREES, parts, client=client)
    options: dict[str, Any] = {"C": 1, "random_state": 0, "cache_size": cache}
    ours = tkd.TreeSVC(**options, tol=0.03, max_rounds=300).fit(data, LABELS)
    theirs = tk.TreeSVC(**options, tol=1e-6).fit(TREES, LABELS)
    objective = _objective(ours, TREES, _targets(LABELS), 1)
    assert ours.objective_ == pytest.approx(objective, rel=1e-6)
    assert 0 <= ours.objective_ - theirs.objective_ <= ours.gap_ + 1e-6
    assert ours.gap_ <= 0.03 * ours.objective_
    scores = ours.decision_function(TREES)
    assert np.abs(scores - theirs.decision_function(TREES)).max() < 0.3


def test_weights(client: Any) -> None:
    data = tkd.partitions(TREES, 3, client=client)
    weights = np.random.RandomState(0).rand(90)
    options: dict[str, Any] = {"C": "auto", "class_weight": "balanced", "random_state": 0}
    ours = tkd.TreeSVC(**options, tol=0.1, max_rounds=300).fit(data, LABELS, sample_weight=weights)
    theirs = tk.TreeSVC(**options, tol=1e-6).fit(TREES, LABELS, sample_weight=weights)
    assert -1e-6 <= ours.objective_ - theirs.objective_ <= ours.gap_ + 1e-6


def test_regression(client: Any) -> None:
    values = np.array([text.count("(") for text in TREES.to_brackets()]) / 4
    data = tkd.partitions(TREES, 3, client=client)
    options: dict[str, Any] = {"C": 1, "epsilon": 0.2, "random_state": 0}
    ours = tkd.TreeSVR(**options, tol=0.1, max_rounds=300).fit(data, values)
    theirs = tk.TreeSVR(**options, tol=1e-6).fit(TREES, values)
    assert ours.objective_ == pytest.approx(
        _objective(ours, TREES, values[:, None], 1, 0.2), rel=1e-6
    )
    assert -1e-6 <= ours.objective_ - theirs.objective_ <= ours.gap_ + 1e-6
    assert type(ours.to_local()) is tk.TreeSVR
    with client.as_current():
        np.testing.assert_allclose(ours.predict(data).compute(), ours.predict(TREES))
        assert ours.score(data, values) == pytest.approx(ours.score(TREES, values))


def test_a_sum_with_vectors(client: Any) -> None:
    vectors = np.random.RandomState(0).rand(90, 4)
    table = tk.Table({"tree": TREES, "more": vectors})
    kernel = tk.SubsetTreeKernel(on="tree") + 0.5 * tk.PolynomialKernel(2, on="more")
    data = tkd.partitions(table, 3, client=client)
    options: dict[str, Any] = {"kernel": kernel, "C": 1, "random_state": 0}
    ours = tkd.TreeSVC(**options, max_rounds=300, tol=0.2).fit(data, LABELS)
    theirs = tk.TreeSVC(**options, tol=1e-6, solver="forest").fit(table, LABELS)
    assert -1e-6 <= ours.objective_ - theirs.objective_ <= ours.gap_ + 1e-6
    np.testing.assert_array_equal(ours.to_local().predict(table), ours.predict(table))


def test_shards_without_a_class_and_without_examples(client: Any) -> None:
    order = np.argsort(LABELS, kind="stable")  # each third is about one class
    trees, labels = TREES[order], LABELS[order]
    data = tkd.partitions(trees, 1, client=client).cut([0, 60, 60, 89, 90])
    ours = tkd.TreeSVC("sst", C=1, random_state=0, max_rounds=300, tol=0.2).fit(data, labels)
    theirs = tk.TreeSVC("sst", C=1, tol=1e-6).fit(trees, labels)
    assert -1e-6 <= ours.objective_ - theirs.objective_ <= ours.gap_ + 1e-6
    perceptron = tkd.TreePerceptron("sst", epochs=2, random_state=0).fit(data, labels)
    assert perceptron.score(trees, labels) > 0.4


def test_more_workers_than_parts() -> None:
    with small_cluster(3) as client, client.as_current():
        data = tkd.partitions(TREES, 2, client=client)
        machine = tkd.TreeSVC("sst", C=1, random_state=0, tol=0.3).fit(data, LABELS)
        perceptron = tkd.TreePerceptron("sst", random_state=0).fit(data, LABELS)
        assert machine.gap_ <= 0.3 * machine.objective_
        assert machine.score(data, LABELS) > 0.5
        assert perceptron.score(data, LABELS) > 0.5
        np.testing.assert_allclose(tkd.gram("sst", data).compute(), tk.SubsetTreeKernel()(TREES))


def test_the_result_depends_on_the_parts_and_not_on_the_workers(client: Any) -> None:
    data = tkd.partitions(TREES, 4, client=client)
    options: dict[str, Any] = {"C": 1, "random_state": 3, "max_rounds": 4, "tol": 0.1}
    models = []
    for _ in range(2):
        with pytest.warns(ConvergenceWarning, match="max_rounds=4"):
            models.append(tkd.TreeSVC(**options).fit(data, LABELS))
    np.testing.assert_array_equal(models[0].dual_coef_, models[1].dual_coef_)
    np.testing.assert_array_equal(models[0].intercept_, models[1].intercept_)


def test_a_checkpoint_is_gone_on_with(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tkd.partitions(TREES, 3, client=client)
    file = tmp_path / "learning.tkm"
    options: dict[str, Any] = {"C": 1, "random_state": 1, "tol": 0.1}
    whole = tkd.TreeSVC(**options).fit(data, LABELS)
    machine = tkd.TreeSVC(**options, checkpoint=file)
    one_round = DescentRounds._round

    def interrupted(self: Any, rounds: Any) -> Any:
        if rounds.done == 3:
            raise KeyboardInterrupt
        return one_round(self, rounds)

    with monkeypatch.context() as patch:
        patch.setattr(DescentRounds, "_round", interrupted)
        with pytest.raises(KeyboardInterrupt):
            machine.fit(data, LABELS)
    assert machine.n_iter_ == 2  # the last round whose gap is known
    assert file.exists()
    machine.fit(data, LABELS)
    assert not file.exists()
    np.testing.assert_array_equal(machine.dual_coef_, whole.dual_coef_)
    np.testing.assert_array_equal(machine.intercept_, whole.intercept_)
    assert machine.n_iter_ == whole.n_iter_


def test_an_ordinary_model_comes_out(client: Any, tmp_path: Path) -> None:
    data = tkd.partitions(TREES, 2, client=client)
    machine = tkd.TreeSVC("sst", C=1, tol=0.1, client=client).fit(data, LABELS)
    local = machine.to_local()
    assert type(local) is tk.TreeSVC
    assert local.C == 1
    tk.save(local, tmp_path / "model.tkm")
    again = tk.load(tmp_path / "model.tkm")
    np.testing.assert_array_equal(again.predict(TREES), machine.predict(TREES))
    assert clone(machine).client is client
    with client.as_current():
        np.testing.assert_array_equal(machine.predict(data).compute(), local.predict(TREES))
    assert machine.score(data, LABELS) == pytest.approx(local.score(TREES, LABELS))
    assert tk.explain(local)


def test_kernels_that_cannot_be_taken_apart(client: Any) -> None:
    data = tkd.partitions(TREES, 2, client=client)
    with pytest.raises(tk.ParameterError, match="cannot be taken apart"):
        tkd.TreeSVC(tk.SubsetTreeKernel() ** 2).fit(data, LABELS)
    with pytest.raises(tk.ParameterError, match="max_rounds"):
        tkd.TreeSVC("sst", max_rounds=0).fit(data, LABELS)
