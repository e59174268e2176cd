"""Learners on sentence pairs."""

from __future__ import annotations

from pathlib import Path

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


@pytest.mark.parametrize(
    "learner",
    [
        tk.TreeSVC(tk.TripartiteKernel(), C=10, random_state=0),
        tk.TreePerceptron(tk.TripartiteKernel(), epochs=5, random_state=0),
        tk.TreeSVC(
            tk.SubsetTreeKernel(on="text") + tk.SubsetTreeKernel(on="hypothesis"), random_state=0
        ),
    ],
)
def test_pairs_are_learned_from_and_saved(learner: tk.TreeSVC, tmp_path: Path) -> None:
    pairs = tk.Pairs(TEXTS, HYPOTHESES)
    learner.fit(pairs, LABELS)
    assert learner.predict(pairs).tolist() == LABELS
    tk.save(learner, tmp_path / "model.tkm")
    again = tk.load(tmp_path / "model.tkm")
    np.testing.assert_array_equal(again.decision_function(pairs), learner.decision_function(pairs))


def test_product_kernels_are_solved_with_the_gram_matrix() -> None:
    learner = tk.TreeSVC(tk.TripartiteKernel()).fit(tk.Pairs(TEXTS, HYPOTHESES), LABELS)
    assert learner.solver_ == "gram"
