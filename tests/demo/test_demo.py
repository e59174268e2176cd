"""The demo: its parts, and, among the slow tests, that it runs and what it finds."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from helpers import sentences
from treekernels.demo.functions import _texts, names_apart
from treekernels.demo.learners import Learner, task_of

SOURCE = '''
def first(a, b=3):
    """What nobody is to learn from."""
    return a + b

class Holder:
    async def second(self):
        global counter
        return "text"

def only_documented():
    """Nothing else."""
'''


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "module.py"
    path.write_text(SOURCE)
    return path


def labels(text: str) -> set[str]:
    return {node.label for node in tk.Forest([text])[0].preorder()}


def test_functions_and_methods_without_their_documentation(module: Path) -> None:
    places, texts = zip(*_texts(module, hidden=False), strict=True)
    first, second, third = texts
    assert [place.split()[1] for place in places] == ["first", "second", "only_documented"]
    assert {"first", "a", "b", "3"} <= labels(first)
    assert {"second", "self", "counter"} <= labels(second)
    assert "Pass" in labels(third)
    assert not any("nobody" in label for label in labels(first))


def test_names_and_constants_are_hidden(module: Path) -> None:
    shown, hidden = ([t for _, t in _texts(module, hidden=hidden)] for hidden in (False, True))
    types = set(dir(ast))
    for before, after in zip(shown, hidden, strict=True):
        assert labels(after) & labels(before) <= types | {"name"}
        assert not labels(after) & {"3", "'text'", "text", "a", "b", "self", "counter", "first"}
    assert "0" in labels(hidden[0])
    assert "name" in labels(hidden[1])


class Looked:
    """A model that notes what it is asked to learn from and to predict."""

    def __init__(self, seen: list[Any], setting: float) -> None:
        self.seen = seen
        self.setting = setting

    def fit(self, X: Any, y: Any) -> Looked:
        self.seen.append(("fit", self.setting, [str(tree) for tree in X]))
        return self

    def predict(self, X: Any) -> Any:
        self.seen.append(("predict", self.setting, [str(tree) for tree in X]))
        return np.array(["statement" if self.setting == 2 else "question"] * len(X), object)


def test_settings_are_chosen_without_a_look_at_the_test_functions() -> None:
    texts, kinds = sentences(90, classes=2)
    distinct = [f"(ROOT{number} {text})" for number, text in enumerate(texts)]
    task = task_of(tk.Forest(distinct), np.array(kinds, object), 1)
    assert sorted([*task.train, *task.test]) == list(range(90))
    assert sorted([*task.part, *task.check]) == sorted(task.train)
    seen: list[Any] = []
    learner = Learner(
        lambda task, setting: Looked(seen, setting[0]), "tree", ("n",), ((1.0,), (2.0,))
    )
    chosen = learner.choose(task)

    def rows(which: Any) -> list[str]:
        return [str(names_apart(tk.Forest([distinct[row]]))[0]) for row in which]

    assert seen[:4] == [
        ("fit", 1.0, rows(task.part)),
        ("predict", 1.0, rows(task.check)),
        ("fit", 2.0, rows(task.part)),
        ("predict", 2.0, rows(task.check)),
    ]
    assert [call[0] for call in seen[4:]] == ["fit", "predict"]
    assert seen[4][2] == rows(task.train)
    assert seen[5][2] == rows(task.test)
    assert chosen.accuracy == pytest.approx(np.mean(chosen.predicted == task.labels[task.test]))


@pytest.mark.slow
def test_the_demo_runs(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    command = [sys.executable, "-m", "treekernels", "demo", "--report", str(page)]
    command += ["--explore", str(tmp_path / "learned")]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Warning" not in result.stdout + result.stderr
    assert re.search(r" explore \S+model\.tkm \S+test\.tsv$", result.stdout.rstrip()), "the end"
    model, tests = tk.load(tmp_path / "learned" / "model.tkm"), tmp_path / "learned" / "test.tsv"
    assert set(model.classes_) == set(tk.read(tests)["label"])
    rows = re.findall(r"^ (.*?)  +(0\.\d+) +(0\.\d+) +[\d.]+ s +[\d.]+ s *$", result.stdout, re.M)
    accuracies = {name: (float(written), float(hidden)) for name, written, hidden in rows}
    assert len(accuracies) == 6
    (majority, _), (words, bare_words), _, (vectors, _), (trees, bare_trees), _ = (
        accuracies.values()
    )
    assert majority < 0.4
    assert words > 0.8
    assert trees > 0.8
    assert vectors > 0.7
    assert bare_trees > bare_words + 0.05, "what the demo says of form and words"
    found = page.read_text(encoding="utf-8")
    assert all(f"<td>{written:.3f}</td>" in found for written, _ in accuracies.values())
    assert "distributed trees, linear SVM" in found
    count = int(re.search(r"([\d,]+) functions", result.stdout)[1].replace(",", ""))  # type: ignore[index]
    assert count >= 2000
