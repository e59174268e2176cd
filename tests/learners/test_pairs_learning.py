"""Learners on sentence pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk

TEXTS = [
    "(S (NP:1 (N:1 cows)) (VP (V eat) (NP:2 (N:2 grass))))",
    "(S (NP:1 (N:1 dogs)) (VP (V chase) (NP:2 (N:2 cats))))",
    "(S (NP:1 (N:1 birds)) (VP (V sing)))",
    "(S (NP:1 (N:1 fish)) (VP (V swim)))",
]
HYPOTHESES = [
    "(S (NP:1 (N:1 cows)) (VP (V like) (NP:2 (N:2 grass))))",
    "(S (NP:2 (N:2 cats)) (VP (V fear) (NP:1 (N:1 dogs))))",
    "(S (NP:1 (N:1 birds)) (VP (V make) (NP (N noise))))",
    "(S (NP (N water)) (VP (V hold) (NP:1 (N:1 fish))))",
]
LABELS = ["yes", "no", "yes", "no"]


TABLE = {
    "t": TEXTS,
    "h": HYPOTHESES,
    "lex": np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.5], [0.5, 1.0]]),
}


@pytest.mark.parametrize("table", [TABLE, tk.Table(TABLE)], ids=["dict", "Table"])
@pytest.mark.parametrize(
    "kernel",
    [
        tk.TripartiteKernel(on=["t", "h"]),
        tk.TripartiteKernel(on=["t", "h"]) + 0.1 * tk.LinearKernel(on="lex"),
    ],
    ids=repr,
)
def test_columns_of_texts_and_hypotheses(kernel: tk.Kernel, table: Any, tmp_path: Path) -> None:
    gram = kernel(table)
    machine = tk.TreeSVC(kernel, C=10, random_state=0).fit(table, LABELS)
    assert machine.predict(table).tolist() == LABELS
    by_hand = kernel(table, machine.support_examples_) @ machine.dual_coef_ + machine.intercept_
    np.testing.assert_allclose(machine.decision_function(table), by_hand[:, 0], atol=1e-9)
    perceptron = tk.TreePerceptron(kernel, epochs=5, random_state=0).fit(table, LABELS)
    assert perceptron.predict(table).tolist() == LABELS
    forest = tk.WeightedForest(kernel)
    forest.add(table, [1.0, -1.0, 0.5, 0.0])
    np.testing.assert_allclose(forest.score(table), gram @ [1.0, -1.0, 0.5, 0.0], atol=1e-12)
    for number, model in enumerate((machine, perceptron, forest)):
        tk.save(model, tmp_path / f"{number}.tkm")
        again = tk.load(tmp_path / f"{number}.tkm")
        score = "score" if model is forest else "decision_function"
        np.testing.assert_array_equal(getattr(again, score)(table), getattr(model, score)(table))
