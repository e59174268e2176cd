"""``--learner ranker``, as a person uses it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import treekernels as tk
from command_line import Run


@pytest.fixture(name="answers")
def _answers(tmp_path: Path) -> str:
    rng = random.Random(0)
    lines = []
    for query in range(1, 9):
        for good in rng.sample([0, 0, 1, 2], 4):
            words = " ".join(f"(X {rng.choice('abc')})" for _ in range(2))
            lines.append(f"{good} qid:{query} |BT| (Q {'(A a) ' * good}{words}) |ET|")
    (tmp_path / "answers.svmlight").write_text("\n".join(lines) + "\n")
    return "answers.svmlight"


def test_evaluated(run: Run, answers: str) -> None:
    done = run("evaluate", answers, "--learner", "ranker", "-k", "ptk", "--folds", "4", "--json")
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["queries"] == 8
    assert result["ndcg"] > 0.9
    assert {"map", "mrr"} <= result.keys()
    shown = run("evaluate", answers, "--learner", "ranker", "--test", answers)
    assert shown.code == 0, shown.err
    assert "NDCG" in shown.out
    assert "8 queries, 32 examples" in shown.out


def test_learned_and_used(run: Run, answers: str, tmp_path: Path) -> None:
    done = run("fit", answers, "model.tkm", "--learner", "ranker", "--C", "2")
    assert done.code == 0, done.err
    assert "40 preferences" in done.err
    table = tk.read(tmp_path / answers)
    expected = tk.TreeRanker("sst", C=2).fit(table["tree"], table["label"], groups=table["qid"])
    done = run("predict", "model.tkm", answers, "--json")
    assert done.code == 0, done.err
    np.testing.assert_allclose(json.loads(done.out), expected.predict(table["tree"]), rtol=1e-9)
    explained = run("explain", "model.tkm")
    assert explained.code == 0, explained.err


@pytest.mark.parametrize("command", [["evaluate"], ["fit", "model.tkm"]], ids=["evaluate", "fit"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1\t(A b)\n0\t(A c)\n", "no column qid"),
        ("good |BT| (A b) |ET|\n", "labels"),
        ("1 qid:1 |BT| (A b) |ET|\n1 qid:2 |BT| (A c) |ET|\n", "nothing to prefer"),
    ],
)
def test_wrong_data(run: Run, tmp_path: Path, command: list[str], text: str, words: str) -> None:
    name = "data.svmlight" if "|BT|" in text else "data.tsv"
    (tmp_path / name).write_text(text)
    code, _, err = run(command[0], name, *command[1:], "--learner", "ranker")
    assert code == 2
    assert words in err
    assert "Traceback" not in err
