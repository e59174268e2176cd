"""A program that is interrupted while learning, and goes on when it is started again.

``python resumption.py begin FOLDER`` leaves checkpoints in a folder, and ``finish FOLDER`` goes on
from them. Both print in JSON what came of each problem.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import treekernels as tk
from treekernels import _native
from treekernels.learners.models import part_model, support_model
from treekernels.learners.online import learner as online
from treekernels.learners.svm import descent


def word_length(p: str, q: str) -> float:
    return float(len(p))


SIDES = tk.SubsetTreeKernel(on="text") + tk.SubsetTreeKernel(on="hypothesis")
COLUMNS = tk.SubsetTreeKernel(on="h") + 0.1 * tk.LinearKernel(on="lex")
BOTH = tk.TripartiteKernel(on=["t", "h"]) + 0.1 * tk.LinearKernel(on="lex")
WORDS = tk.MappingKernel(str.split, word_length, group=str.lower, normalize=True, on="words")

PROBLEMS = {
    "svc-pairs": tk.TreeSVC(SIDES, solver="forest"),
    "svc-table": tk.TreeSVC(COLUMNS, solver="forest"),
    "perceptron-pairs": tk.TreePerceptron(tk.TripartiteKernel(), average="vote"),
    "perceptron-table": tk.TreePerceptron(BOTH, average=None),
    "perceptron-objects": tk.TreePerceptron(WORDS, average="vote"),
    "perceptron-sum": tk.TreePerceptron(WORDS + tk.LinearKernel(on="lex"), average="mean"),
}


def sentence(rng: np.random.RandomState, kind: int) -> str:
    subject, verb, thing = rng.choice(list("abcdefgh"[2 * kind : 2 * kind + 4]), 3)
    return f"(S (NP:1 (N:1 {subject})) (VP (V {verb}) (NP:2 (N:2 {thing}))))"


def examples(*, changed: bool) -> tuple[dict[str, Any], Any]:
    """Return a table and labels, some of them wrong; or one in which one example differs."""
    rng = np.random.RandomState(0)
    y = np.arange(60) % 3
    texts, hypotheses = ([sentence(rng, kind) for kind in y] for _ in range(2))
    words = [text.replace("(", "").replace(")", "") for text in texts]
    if changed:
        hypotheses[3], words[3] = "(S (NP:1 (N:1 new)))", "new"
    table = {"t": texts, "h": hypotheses, "words": words, "lex": rng.normal(size=(60, 3))}
    y[::7] = (y[::7] + 1) % 3
    return table, y


class Counted:
    """The native core, which presses Ctrl-C after some epochs of a machine, or some batches."""

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self.steps = 0
        counter = self

        class Svm:
            def __init__(self, *arguments: Any) -> None:
                self.native = _native.Svm(*arguments)

            def __getattr__(self, name: str) -> Any:
                return getattr(self.native, name)

            def epoch(self, progress: Any = None) -> float:
                counter.count(1)
                return self.native.epoch(progress)

        self.Svm = Svm

    def __getattr__(self, name: str) -> Any:
        return getattr(_native, name)

    def learn_online(self, *arguments: Any) -> Any:
        batch = arguments[6]
        self.count(len(batch))
        return _native.learn_online(*arguments)

    def count(self, steps: int) -> None:
        if self.most is not None and self.steps + steps > self.most:
            raise KeyboardInterrupt
        self.steps += steps


def fit(name: str, path: Path, *, changed: bool = False, most: int | None = None) -> dict[str, Any]:
    """Return what came of a problem."""
    table, y = examples(changed=changed)
    X: Any = tk.Pairs(table["t"], table["h"]) if name.endswith("pairs") else table
    learner = PROBLEMS[name]
    learner.set_params(random_state=0, checkpoint=path)
    if name.startswith("svc"):
        learner.set_params(C=10, tol=1e-4)
    else:
        learner.set_params(epochs=5)
    counted = Counted(most)
    with (
        mock.patch.object(descent, "_native", counted),
        mock.patch.object(online, "_native", counted),
        mock.patch.object(online, "_BATCH", 50),
        mock.patch.object(support_model, "_BATCH", 50),
        mock.patch.object(part_model, "_BATCH", 50),
    ):
        try:
            learner.fit(X, y)
        except KeyboardInterrupt:
            return {"interrupted": True}
        except tk.CheckpointError as error:
            return {"refusal": str(error)}
    return {
        "steps": learner.n_iter_ if name.startswith("svc") else learner.t_,
        "own_steps": counted.steps,
        "scores": learner.decision_function(X).tolist(),
    }


def begin(name: str, folder: Path) -> dict[str, Any]:
    interrupted = fit(name, folder / name, most=25 if name.startswith("svc") else 150)
    assert interrupted == {"interrupted": True}, interrupted
    return fit(name, folder / "steady")


def finish(name: str, folder: Path) -> dict[str, Any]:
    return {**fit(name, folder / name, changed=True), **fit(name, folder / name)}


if __name__ == "__main__":
    part = {"begin": begin, "finish": finish}[sys.argv[1]]
    print(json.dumps({name: part(name, Path(sys.argv[2])) for name in PROBLEMS}))
