"""``treekernels fit``: weights of classes, checkpoints, and Ctrl-C."""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from command_line import LINES, SENTENCES, Run, write
from treekernels.cli.shared.options import EPOCHS, PENALTY

NEW = "(SQ (V sleep) (NP (N dogs)))"
TREES = [tree for _, tree in SENTENCES]
KINDS = [kind for kind, _ in SENTENCES]


def test_the_default_of_the_command_line_is_that_of_python(run: Run) -> None:
    assert inspect.signature(tk.TreeSVC).parameters["C"].default == PENALTY
    run("fit", write("data.tsv", LINES), "model.tkm")
    learned = tk.load("model.tkm")
    assert learned.C == PENALTY
    expected = tk.TreeSVC("sst", random_state=0).fit(TREES, KINDS).decision_function([NEW])
    np.testing.assert_allclose(learned.decision_function([NEW]), expected)
    assert f"[default: {PENALTY:g} for svm" in " ".join(run("fit", "--help").out.split())


@pytest.mark.parametrize(
    ("name", "class_"), [("perceptron", tk.TreePerceptron), ("pa", tk.TreePassiveAggressive)]
)
def test_online_learners_have_the_same_defaults_everywhere(
    run: Run, name: str, class_: type
) -> None:
    run("fit", write("data.tsv", LINES), "model.tkm", "--learner", name)
    learned = tk.load("model.tkm").get_params()
    expected = class_().get_params()
    given = ("kernel", "random_state", "n_jobs", "verbose")  # what the command chooses by itself
    for parameter in expected.keys() - {key for key in expected if key.startswith(given)}:
        assert learned[parameter] == expected[parameter], parameter
    assert expected["epochs"] == EPOCHS
    told = " ".join(run("fit", "--help").out.split())
    assert f"perceptron and pa. [default: {EPOCHS}; on a cluster {EPOCHS} for each" in told


@pytest.mark.parametrize(
    ("learner", "given", "weight"),
    [
        ("svm", ["balanced"], "balanced"),
        ("pa", ["question=3", "statement=0.5"], {"question": 3.0, "statement": 0.5}),
        ("perceptron", ["balanced"], "balanced"),
    ],
)
def test_weights_of_classes(run: Run, given: list[str], weight: Any, learner: str) -> None:
    data = write("data.tsv", "".join(LINES.splitlines(keepends=True)[:5]))
    options = [argument for text in given for argument in ("--class-weight", text)]
    options += ["--C", "0.01"] if learner != "perceptron" else []
    assert run("fit", data, "model.tkm", "--learner", learner, *options).code == 0
    learned = tk.load("model.tkm")
    assert learned.class_weight == weight
    expected = type(learned)(**learned.get_params(deep=False)).fit(TREES[:5], KINDS[:5])
    np.testing.assert_allclose(learned.decision_function(TREES), expected.decision_function(TREES))


def test_labels_that_are_numbers_or_have_signs_of_equality(run: Run) -> None:
    data = write("data.tsv", LINES.replace("statement", "-1").replace("question", "1"))
    assert run("fit", data, "m.tkm", "--class-weight", "1=2").code == 0
    assert tk.load("m.tkm").class_weight == {1: 2.0}
    data = write("data.tsv", LINES.replace("statement", "a=b"))
    assert run("fit", data, "m.tkm", "--class-weight", "a=b=2").code == 0
    assert tk.load("m.tkm").class_weight == {"a=b": 2.0}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["x=1"], "there is no class 'x'; there are question, statement"),
        (["question"], "--class-weight is 'balanced' or LABEL=NUMBER, and not 'question'"),
        (["question=much"], "'much' is not a number above 0"),
        (["question=-1"], "'-1' is not a number above 0"),
        (["question=inf"], "'inf' is not a number above 0"),
        (["question=1", "question=2"], "names the class 'question' twice"),
        (["balanced", "question=2"], "either 'balanced' or LABEL=NUMBER, not both"),
    ],
)
def test_wrong_weights(run: Run, given: list[str], sentence: str) -> None:
    options = [argument for text in given for argument in ("--class-weight", text)]
    for command in (["fit", "data.tsv", "m.tkm"], ["evaluate", "data.tsv"]):
        write("data.tsv", LINES)
        result = run(*command, *options)
        assert (result.code, result.out) == (2, "")
        assert sentence in result.err
        assert result.err.count("\n") == 1


def test_evaluate_takes_weights_and_a_checkpoint_with_a_test_file(run: Run) -> None:
    data = write("data.tsv", LINES * 2)
    options = ("--class-weight", "balanced")
    found = json.loads(run("evaluate", data, "--test", data, "--json", *options).out)
    assert found["accuracy"] == 1
    result = run("evaluate", data, "--checkpoint", "c.tkm")
    assert "--checkpoint goes with --test" in result.err
    assert run("evaluate", data, "--test", data, "--checkpoint", "c.tkm").code == 0
    assert not Path("c.tkm").exists()
    write("c.tkm", "something else")
    result = run("evaluate", data, "--test", data, "--checkpoint", "c.tkm")
    assert result.code == 2
    assert "the file is not a checkpoint" in result.err
    assert Path("c.tkm").read_text() == "something else"


def pressed_while_learning(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command, and press Ctrl-C once a perceptron has learned something and saved it.

    Before a batch, and at no time by the clock: how fast the computer is does not matter.
    """
    script = """
import os, signal, sys
from treekernels.cli.main import main
from treekernels.learners.online import learner
waits_for = sys.argv[sys.argv.index("--checkpoint") + 1] if "--checkpoint" in sys.argv else "."
before = os.stat(waits_for).st_mtime_ns if waits_for != "." and os.path.exists(waits_for) else 0
def pressing(bar, first, total):
    if first and os.path.exists(waits_for) and os.stat(waits_for).st_mtime_ns != before:
        signal.raise_signal(signal.SIGINT)
learner._batch_progress = pressing
learner._BATCH = 50
signal.signal(signal.SIGINT, signal.default_int_handler)
main(sys.argv[1:])
"""
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def contradictions(tmp_path: Path) -> str:
    """Trees of which there is always something left to learn."""
    rng = np.random.default_rng(0)
    lines = [
        f"{rng.choice(['x', 'y'])}\t(S " + " ".join(f"(A (B b{k}))" for k in row) + ")\n"
        for row in rng.integers(0, 40, (60, 30))
    ]
    (tmp_path / "data.tsv").write_text("".join(lines))
    return "data.tsv"


@pytest.mark.skipif(os.name != "posix", reason="signals differ elsewhere")
def test_ctrl_c_saves_what_was_learned(tmp_path: Path, contradictions: str) -> None:
    arguments = ("fit", contradictions, "model.tkm", "--learner", "perceptron")
    done = pressed_while_learning(tmp_path, *arguments, "--epochs", "10000")
    assert done.returncode == 130, done.stderr
    assert done.stderr.endswith(  # after a warning: no decay suits these trees
        "Interrupted: what was learned so far is saved in model.tkm, and can be used as it is; "
        "with --checkpoint FILE, the same command could go on later.\n"
    )
    assert done.stdout == ""
    model = tk.load(tmp_path / "model.tkm")
    assert 0 < model.t_ < 10_000 * 60
    assert set(model.predict(["(S (A (B b1)))", "(S (A (B b2)))"])) <= {"x", "y"}


@pytest.mark.skipif(os.name != "posix", reason="signals differ elsewhere")
def test_an_interrupted_command_goes_on_from_its_checkpoint(
    tmp_path: Path, contradictions: str
) -> None:
    arguments = ("fit", contradictions, "model.tkm", "--learner", "perceptron", "--epochs", "10000")
    checkpoint = ("--checkpoint", "state.tkm")
    done = pressed_while_learning(tmp_path, *arguments, *checkpoint)
    assert done.returncode == 130, done.stderr
    assert "the same command goes on from state.tkm." in done.stderr
    first = tk.load(tmp_path / "model.tkm").t_
    done = pressed_while_learning(tmp_path, *arguments, *checkpoint, "--json", "--quiet")
    assert done.returncode == 130, done.stderr
    assert json.loads(done.stdout)["interrupted"] is True
    assert tk.load(tmp_path / "model.tkm").t_ > first


def test_ctrl_c_before_anything_was_learned(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fit(self: tk.TreeSVC, *given: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(tk.TreeSVC, "fit", fit)
    result = run("fit", write("data.tsv", LINES), "new.tkm")
    assert result.code == 130
    assert result.err == "Interrupted before anything was learned; no model was saved.\n"
    assert not Path("new.tkm").exists()
