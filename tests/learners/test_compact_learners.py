"""All that learners offer, with partial and elastic trees: alone, in sums, with similar labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import treekernels as tk
from learner_data import DATA, SCARCE
from treekernels.learners.base.checkpoints import Checkpoint
from treekernels.learners.models import forest_model, support_model
from treekernels.learners.online import learner as online
from treekernels.learners.svm import machine as svm

SIMILAR = {("A", "B"): 0.5, ("C", "D"): 0.25}
KERNELS = {
    "partial": tk.PartialTreeKernel(),
    "similar": tk.ElasticTreeKernel(elastic=False, similarity=SIMILAR),
    "elastic": tk.ElasticTreeKernel(),
    "similar elastic": tk.ElasticTreeKernel(similarity=SIMILAR),
    "sum": 0.5 * tk.PartialTreeKernel() + tk.SubsetTreeKernel() + 0.1,
    "similar sum": tk.ElasticTreeKernel(similarity=SIMILAR) + 0.5 * tk.SubtreeKernel(),
}
LEARNERS: dict[str, Any] = {
    "perceptron": tk.TreePerceptron(epochs=2, random_state=0),
    "votes": tk.TreePerceptron(average="vote", epochs=2, random_state=0),
    "passive-aggressive": tk.TreePassiveAggressive(epochs=2, random_state=0),
    "svc": tk.TreeSVC(solver="forest", cache_size=SCARCE, random_state=0),
    "svr": tk.TreeSVR(solver="forest", cache_size=SCARCE, random_state=0),
}
TREES, LABELS = tk.Forest(DATA["grammar"][0]), DATA["grammar"][1]
# Every kernel and every learner, and not each with each.
some_pairs = pytest.mark.parametrize(
    ("learner", "kernel"),
    [
        ("perceptron", "partial"),
        ("perceptron", "similar sum"),
        ("votes", "elastic"),
        ("passive-aggressive", "similar"),
        ("svc", "sum"),
        ("svc", "elastic"),
        ("svr", "partial"),
        ("svr", "similar elastic"),
    ],
)


def fitted(learner: str, kernel: str, **parameters: Any) -> Any:
    unfitted = clone(LEARNERS[learner]).set_params(kernel=KERNELS[kernel], **parameters)
    return unfitted.fit(TREES, LABELS)


def scores(learner: Any, X: Any = TREES) -> Any:
    return getattr(learner, "decision_function", learner.predict)(X)


@some_pairs
def test_a_checkpoint_changes_nothing(
    learner: str, kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped in the midst and resumed, as without a stop."""
    for module in (online, forest_model, support_model):
        monkeypatch.setattr(module, "_BATCH", 40)
    path = tmp_path / "checkpoint"
    whole = fitted(learner, kernel, checkpoint=tmp_path / "other")
    write = Checkpoint.write

    def write_and_stop(self: Checkpoint, state: Any) -> None:
        write(self, state)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "write", write_and_stop)
        with pytest.raises(KeyboardInterrupt):
            fitted(learner, kernel, checkpoint=path)
    assert path.exists()
    resumed = fitted(learner, kernel, checkpoint=path)
    assert not path.exists()
    np.testing.assert_allclose(scores(resumed), scores(whole), rtol=1e-9, atol=1e-9)


def test_the_choice_is_said_and_costly_kernels_get_more_memory(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(kernel: tk.Kernel, solver: Any = "auto") -> str:
        capsys.readouterr()
        options = {"cache_size": 0.01, "verbose": True, "random_state": 0}
        tk.TreeSVC(kernel, solver=solver, **options).fit(TREES, LABELS)
        return capsys.readouterr().out

    start = f"TreeSVC: 150 examples with {TREES.n_subtrees} distinct subtrees; "
    without = "solver='forest', without one of 90.0 kB (room for 0.01 MB; estimated: up to a second"
    assert start + without in said(tk.SubsetTreeKernel())
    assert start + "solver='gram', with a matrix of 180.0 kB" in said(tk.SubsetTreeKernel() ** 2)
    monkeypatch.setattr(svm, "free_memory", lambda: 8 * 2**20)
    assert without in said(KERNELS["partial"])  # it would not save much time
    monkeypatch.setattr(svm, "_MUCH_TIME", 1e-3)
    for name in ("partial", "similar elastic", "sum"):
        fits = "solver='forest', with a matrix of 90.0 kB (room for 1 MB; "
        assert fits in said(KERNELS[name])
    assert without in said(tk.SubsetTreeKernel())
    assert without in said(KERNELS["partial"], "forest")
    monkeypatch.setattr(svm, "free_memory", lambda: 8 * 2**10)
    assert without in said(KERNELS["partial"])
