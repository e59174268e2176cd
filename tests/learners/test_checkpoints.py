"""Checkpoints: an interrupted fit goes on from a file, and no other file is ever touched."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from example_kernels import NODES
from helpers import sentences
from learner_data import CACHES, DATA
from treekernels import _native
from treekernels.data.examples import Examples
from treekernels.learners.base.checkpoints import Checkpoint, parameter_digest
from treekernels.learners.models import forest_model, part_model, support_model
from treekernels.learners.online import learner as online_module
from treekernels.learners.svm import descent as descent_module


class Interrupted:
    """A native solver that is stopped by Ctrl-C in a later epoch."""

    def __init__(self, epochs: int) -> None:
        self.left = epochs

    def epoch(self, native: Any, progress: Any) -> float:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return float(native.epoch(progress))

    def patch(self, patch: pytest.MonkeyPatch) -> None:
        counter = self

        class Svm:
            def __init__(self, *arguments: Any) -> None:
                self.native = _native.Svm(*arguments)

            def __getattr__(self, name: str) -> Any:
                return getattr(self.native, name)

            def epoch(self, progress: Any = None) -> float:
                return counter.epoch(self.native, progress)

        replaced = type("Native", (), {**vars(_native), "Svm": Svm})
        patch.setattr(descent_module, "_native", replaced)


@pytest.mark.parametrize(("path", "stop"), [("matrix", 11), ("matrix", 38), ("responding", 25)])
def test_resumed_machine_equals_uninterrupted(
    stop: int, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees, y = DATA["unbalanced"]
    X = tk.Forest(trees)
    parameters = {
        "kernel": "sst",
        "C": 10,
        "tol": 1e-5,
        "cache_size": CACHES[path],
        "max_iter": 5000,
    }
    whole = tk.TreeSVC(checkpoint=tmp_path / "whole", random_state=0, **parameters).fit(X, y)
    assert whole.n_iter_ > 40
    assert not (tmp_path / "whole").exists()
    machine = tk.TreeSVC(checkpoint=tmp_path / "stopped", random_state=0, **parameters)
    with monkeypatch.context() as patch:
        Interrupted(stop).patch(patch)
        with pytest.raises(KeyboardInterrupt):
            machine.fit(X, y)
    assert (tmp_path / "stopped").exists()
    assert machine.predict(X).shape == y.shape  # with what it has learned
    machine.fit(X, y)
    assert not (tmp_path / "stopped").exists()
    assert machine.n_iter_ == whole.n_iter_
    assert np.array_equal(machine.dual_coef_, whole.dual_coef_)
    assert np.array_equal(machine.intercept_, whole.intercept_)
    assert np.array_equal(machine.decision_function(X), whole.decision_function(X))


def test_checkpoint_of_another_problem_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees, y = DATA["unbalanced"]
    machine = tk.TreeSVC("sst", C=10, tol=1e-5, checkpoint=tmp_path / "c", random_state=0)
    with monkeypatch.context() as patch:
        Interrupted(15).patch(patch)
        with pytest.raises(KeyboardInterrupt):
            machine.fit(trees, y)
    for X, labels in [(trees, y[::-1]), ([*trees[1:], ("A", "new")], y)]:
        with pytest.raises(tk.CheckpointError, match="of other data"):
            machine.fit(X, labels)
    with pytest.raises(tk.CheckpointError, match="of other data"):
        machine.fit(trees, y, sample_weight=np.arange(1.0, len(y) + 1))
    with pytest.raises(tk.CheckpointError, match="other parameters"):
        tk.TreeSVC("sst", C=9, tol=1e-5, checkpoint=tmp_path / "c", random_state=0).fit(trees, y)


ONLINE = {
    "vote": tk.TreePerceptron("sst", average="vote", epochs=4, random_state=0),
    "mean": tk.TreePassiveAggressive("sst", average="mean", epochs=4, random_state=0),
    "balanced": tk.TreePerceptron("sst", class_weight="balanced", epochs=4, random_state=0),
    "batches": tk.TreePerceptron(tk.PartialTreeKernel(), epochs=4, average=None, random_state=0),
    "support": tk.TreePerceptron(
        tk.SubsetTreeKernel() * tk.SubtreeKernel(), epochs=4, average=None, random_state=0
    ),
    "objects": tk.TreePerceptron(NODES, average="vote", epochs=4, random_state=0),
}


@pytest.mark.parametrize(("name", "batches"), [*zip(ONLINE, [1, 7, 15, 15, 7, 9], strict=True)])
def test_resumed_perceptron_equals_uninterrupted(
    name: str, batches: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (online_module, support_model, forest_model, part_model):
        monkeypatch.setattr(module, "_BATCH", 50)
    trees, y = DATA["unbalanced"]
    X = tk.Forest(trees)
    kind, parameters = type(ONLINE[name]), ONLINE[name].get_params(deep=False)
    whole = kind(**parameters).set_params(checkpoint=tmp_path / "whole").fit(X, y)
    learner = kind(**parameters).set_params(checkpoint=tmp_path / "stopped")
    learn, left = online_module._native.learn_online, batches

    def stopped(*arguments: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        return learn(*arguments)

    with monkeypatch.context() as patch:
        replaced = type("Native", (), {**vars(_native), "learn_online": staticmethod(stopped)})
        patch.setattr(online_module, "_native", replaced)
        with pytest.raises(KeyboardInterrupt):
            learner.fit(X, y)
    assert learner.t_ == 50 * batches
    assert learner.predict(X).shape == y.shape
    resumed = kind(**parameters).set_params(checkpoint=tmp_path / "stopped")
    with pytest.raises(tk.CheckpointError, match="other data"):
        resumed.fit(X[::-1], y)
    with pytest.raises(tk.CheckpointError, match="other data"):
        resumed.fit(X, y, sample_weight=np.arange(1.0, len(y) + 1))
    resumed.fit(X, y)
    assert not (tmp_path / "stopped").exists()
    assert resumed.t_ == whole.t_ == 800
    assert (resumed.n_updates_, resumed.loss_) == (whole.n_updates_, whole.loss_)
    scores, expected = resumed.decision_function(X), whole.decision_function(X)
    if name in ("support", "objects"):  # what a file has is numbered and summed in another order
        np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)
    else:
        assert np.array_equal(scores, expected)


# Files that are no checkpoints.


def saved_model(path: Path) -> None:
    tk.save(tk.TreePerceptron("sst", random_state=0).fit(*sentences(20)), path)


FOREIGN: dict[str, Callable[[Path], Any]] = {
    "text": lambda path: path.write_text("x\t(A b)\ny\t(A c)\n"),
    "empty": lambda path: path.touch(),
    "model": saved_model,
    "of another learner": lambda path: Checkpoint(path, "TreeOther", "", "").write({}),
}
FITTED = {
    "gram": tk.TreeSVC(tk.PartialTreeKernel(), solver="gram", random_state=0),
    "forest": tk.TreeSVC("sst", random_state=0),
    "regression": tk.TreeSVR("sst", random_state=0),
    "perceptron": tk.TreePerceptron("sst", random_state=0),
}


@pytest.mark.parametrize(
    ("foreign", "name"), [*zip(FOREIGN, FITTED, strict=True), ("text", "forest")]
)
def test_other_files_are_neither_removed_nor_changed(
    name: str, foreign: str, tmp_path: Path
) -> None:
    path = tmp_path / "data.tsv"
    FOREIGN[foreign](path)
    before = path.read_bytes()
    texts, kinds = sentences(20)
    y = np.arange(20.0) if name == "regression" else kinds
    learner = type(FITTED[name])(**FITTED[name].get_params(deep=False)).set_params(checkpoint=path)
    with pytest.raises(tk.CheckpointError, match=r"data\.tsv.*left as it is"):
        learner.fit(texts, y)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    assert not hasattr(learner, "classes_")


def test_a_file_that_comes_while_learning_stays(tmp_path: Path) -> None:
    path = tmp_path / "state"
    checkpoint = Checkpoint(path, "TreeSVC", "parameters", "data")
    checkpoint.write({"a": 1})
    assert checkpoint.read() == {"a": 1}
    path.write_text("of somebody else")
    with pytest.raises(tk.CheckpointError, match="not a checkpoint"):
        checkpoint.write({"a": 2})
    checkpoint.remove()
    assert path.read_text() == "of somebody else"
    path.unlink()
    checkpoint.write({"a": 3})
    other = Checkpoint(path, "TreeSVC", "parameters", "data")
    other.remove()  # which has not looked at it
    assert path.exists()
    assert other.read() == {"a": 3}
    other.remove()
    assert not path.exists()


@pytest.mark.parametrize("name", FITTED)
def test_a_loaded_model_has_no_checkpoint(name: str, tmp_path: Path) -> None:
    texts, kinds = sentences(20)
    y = np.arange(20.0) if name == "regression" else kinds
    learner = type(FITTED[name])(**FITTED[name].get_params(deep=False))
    learner.set_params(checkpoint=str(tmp_path / "state")).fit(texts, y)
    tk.save(learner, tmp_path / "model.tkm")
    assert b"checkpoint" not in (tmp_path / "model.tkm").read_bytes()
    assert tk.load(tmp_path / "model.tkm").checkpoint is None


def test_a_checkpoint_named_in_a_model_file_is_ignored(tmp_path: Path) -> None:
    """A model from elsewhere must not choose which file is read, written and removed."""
    from treekernels.io.files.container import read_container, write_container

    saved_model(tmp_path / "model.tkm")
    kind, content = read_container(tmp_path / "model.tkm")
    content["parameters"]["checkpoint"] = "precious"
    write_container(tmp_path / "model.tkm", kind, content)
    assert tk.load(tmp_path / "model.tkm").checkpoint is None


def test_functions_count_by_what_they_do() -> None:
    def twice(number: int) -> int:
        return number + number

    def square(number: int) -> int:
        return number * number

    before = parameter_digest({"f": square, "g": {"a": object()}})
    assert before == parameter_digest({"f": square, "g": {"a": object()}})
    square.__qualname__ = twice.__qualname__
    assert parameter_digest({"f": twice}) != parameter_digest({"f": square})
    assert parameter_digest({"f": 1}) != parameter_digest({"f": 2}) != parameter_digest({"g": 2})


def test_every_column_counts() -> None:
    texts, hypotheses = ["(S (A:1 a))", "(S (B b))"], ["(T (A:1 a))", "(T (B b))"]
    forest, vectors = tk.Forest(texts), np.eye(2)
    columns: list[dict[Any, Any]] = [
        {None: tk.Pairs(texts, hypotheses)},
        {None: tk.Pairs(texts, ["(T (A:1 a))", "(T (B c))"])},
        {"tree": forest, "vector": vectors, "words": ["a b", "c"]},
        {"tree": forest, "vector": vectors, "words": ["a b", "d"]},
        {"tree": forest, "vector": 2 * vectors, "words": ["a b", "c"]},
    ]
    assert len({Examples(each).digest(np.zeros(2)) for each in columns}) == len(columns)


DIGESTS = """
import numpy as np
import treekernels as tk
from example_kernels import NODES
from treekernels.data.examples import Examples
from treekernels.learners.base.checkpoints import parameter_digest

texts, hypotheses = ["(S (A:1 a))", "(S (B b))"], ["(T (A:1 a))", "(T (B b))"]
table = {"tree": tk.Forest(texts), "vector": np.eye(2), "words": ["a b", "c"]}
for columns in ({None: tk.Pairs(texts, hypotheses)}, table):
    print(Examples(columns).digest(np.zeros(2)))
print(parameter_digest(tk.TreePerceptron(NODES, class_weight={"a": 1.0, "b": 2.0}).get_params()))
"""


def test_another_process_knows_its_data_and_functions_again() -> None:
    printed = [
        subprocess.run(
            [sys.executable, "-c", DIGESTS],
            cwd=Path(__file__).parents[1],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "12"
    ]
    assert printed[0] == printed[1]
    assert len(set(printed[0].split())) == 3
