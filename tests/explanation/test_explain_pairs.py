"""explain on sentence pairs, against the enumeration of all rewrite rules."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import treekernels as tk
from oracles import kernels as oracle
from oracles import pairs as pairs_oracle
from sentence_pairs import sentence_pairs
from treekernels.explanation.searches.rewrite_rules import variable

SentencePair = pairs_oracle.SentencePair


def as_pairs(examples: list[SentencePair]) -> tk.Pairs:
    return tk.Pairs(*(tk.Forest.from_trees(side) for side in zip(*examples, strict=True)))


def with_variables(tree: oracle.Tree) -> oracle.Tree:
    name, number = pairs_oracle.split(tree[0])
    label = name if number is None else f"{name}:{variable(int(number))}"
    return (label, *(with_variables(child) for child in tree[1:]))


def text_of(rule: pairs_oracle.Rule) -> str:
    return " -> ".join(oracle.to_brackets(with_variables(side)) for side in rule)


def weights_of(pair: SentencePair, decay: float) -> dict[str, float]:
    """Return the features of a pair."""
    return {
        text_of(rule): times
        * decay ** ((pairs_oracle.productions(rule[0]) + pairs_oracle.productions(rule[1])) / 2)
        for rule, times in pairs_oracle.rules(pair).items()
    }


def expected(machine: Any, decay: float, examples: list[SentencePair]) -> dict[str, float]:
    """Return the weight of every rule of the support pairs, one by one."""
    weights: dict[str, float] = defaultdict(float)
    for number, coefficient in zip(machine.support_, machine.dual_coef_[:, 0], strict=True):
        features = weights_of(examples[number], decay)
        norm = sum(value**2 for value in features.values())
        for rule, value in features.items():
            weights[rule] += coefficient * value / math.sqrt(norm)
    return weights


def machine_of(examples: list[SentencePair], decay: float, seed: int) -> tk.TreeSVC:
    labels = np.random.default_rng(seed).integers(0, 2, len(examples))
    assume(len(set(labels.tolist())) == 2)
    return tk.TreeSVC(tk.TripartiteKernel(decay), C=2.0, tol=0.05, random_state=0).fit(
        as_pairs(examples), labels
    )


SOME = st.lists(sentence_pairs(), min_size=2, max_size=5)


@given(SOME, st.sampled_from([0.4, 1.0]), st.integers(0, 5))
def test_exact(examples: list[SentencePair], decay: float, seed: int) -> None:
    machine = machine_of(examples, decay, seed)
    listed = tk.explain(machine, top=30, class_=1)
    weights = expected(machine, decay, examples)
    best = sorted((w for w in weights.values() if w > 1e-9), reverse=True)[:30]
    result = [item.weight for item in listed if item.weight > 1e-9]
    np.testing.assert_allclose(result, best, rtol=1e-9, atol=1e-9)
    for item in listed:
        assert item.weight == pytest.approx(weights[item.text], abs=1e-9)
    assert len({item.text for item in listed}) == len(listed)


@given(SOME, st.integers(0, 5))
def test_a_prediction_adds_up(examples: list[SentencePair], seed: int) -> None:
    machine = machine_of(examples, 0.5, seed)
    pair = as_pairs(examples)[:1]
    listed = tk.explain(machine, tree=pair, top=100_000, class_=1)
    score = machine.decision_function(pair)[0] - machine.intercept_[0]
    assert sum(item.weight for item in listed) == pytest.approx(score, abs=1e-9)


def test_what_a_person_sees() -> None:
    pairs = tk.Pairs(
        [
            f"(VP (V {verb}) {objects})"
            for verb in ("feed", "sell")
            for objects in ("(NP:1 cows) (NP:2 grass)", "(NP:2 mice) (NP:7 corn)")
        ],
        ["(S (NP:1 cows) (V eat) (NP:2 grass))", "(S (NP:2 mice) (V eat) (NP:7 corn))"] * 2,
    )
    machine = tk.TreeSVC(tk.TripartiteKernel(), random_state=0).fit(pairs, [1, 1, 0, 0])
    listed = tk.explain(machine, top=200, class_=1)
    rule = next(o for o in listed if o.text == "(VP (V feed) NP:X NP:Y) -> (S NP:X (V eat) NP:Y)")
    assert rule.trees == 2
    assert rule.size == 4
    assert rule.text in str(listed)
    text, hypothesis = rule.fragment
    assert str(text) == "(VP (V feed) NP:X NP:Y)"
    assert str(hypothesis) == "(S NP:X (V eat) NP:Y)"
    # One pair, given in the ways that a pair can be.
    for item in (pairs[0], pairs[:1]):
        assert tk.explain(machine, tree=item, top=1)[0].class_ == 1


def test_the_maximum_has_no_features() -> None:
    pairs = tk.Pairs(["(A b)", "(A c)"], ["(B b)", "(B c)"])
    kernel = tk.TripartiteKernel(algorithm="max")
    machine = tk.TreeSVC(kernel, solver="gram").fit(pairs, [0, 1])
    with pytest.raises(ValueError, match="can be listed"):
        tk.explain(machine)
