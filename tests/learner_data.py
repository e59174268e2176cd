"""Trees with labels that learners are tested on, made once."""

from __future__ import annotations

import ast
import inspect
import json
import random
import string
import textwrap
from pathlib import Path
from typing import Any

import numpy as np

import treekernels as tk
from helpers import random_forest, random_tree

SCARCE = 0.01  # megabytes: too few for a matrix, so that trees answer each other


def syntax_trees() -> tuple[list[Any], Any]:
    """Functions of the standard library as trees of their syntax, with the module as the class."""

    def tree_of(node: ast.AST) -> Any:
        children = list(ast.iter_child_nodes(node))
        return (type(node).__name__, *map(tree_of, children)) if children else type(node).__name__

    trees, labels = [], []
    for module in (ast, inspect, json, random, string, textwrap):
        source = ast.parse(Path(module.__file__ or "").read_text())
        functions = [node for node in ast.walk(source) if isinstance(node, ast.FunctionDef)]
        for function in functions[:40]:
            trees.append(tree_of(function))
            labels.append(module.__name__)
    names, counts = np.unique(labels, return_counts=True)
    kept = set(names[counts >= 10])
    chosen = [i for i, label in enumerate(labels) if label in kept]
    return [trees[i] for i in chosen], np.array([labels[i] for i in chosen])


def grammar_trees() -> tuple[list[Any], Any]:
    """Trees of two random grammars, some of them with the wrong label."""
    rng = random.Random(3)

    def grown(kind: int, depth: int = 0) -> Any:
        label = rng.choice("ABCD")
        if depth > 3 or rng.random() < 0.2:
            return (label, rng.choice("xyz"))
        count = 2 if rng.random() < 0.5 + 0.2 * kind else 1
        return (label, *(grown(kind, depth + 1) for _ in range(count)))

    labels = [rng.randrange(2) for _ in range(150)]
    trees = [grown(label) for label in labels]
    return trees, np.array([1 - y if rng.random() < 0.1 else y for y in labels])


def unbalanced_trees() -> tuple[list[Any], Any]:
    """Random trees in four classes, the last of which is rare."""
    trees = random_forest(200, 11, size=15)
    sizes = np.array([len(str(tree)) for tree in trees])
    return trees, np.digitize(sizes, np.quantile(sizes, [0.5, 0.85, 0.97]))


DATA = {"syntax": syntax_trees(), "grammar": grammar_trees(), "unbalanced": unbalanced_trees()}
CACHES = {"matrix": 150.0, "responding": SCARCE}

AVERAGES = ["vote", "mean", None]
RULES = ["perceptron", "hinge", "squared_hinge"]
TREES = tk.Forest([random_tree(4 + seed // 3, seed) for seed in range(40)])
NEW = tk.Forest(random_forest(25, 6, size=12))


def learner_of(rule: str, kernel: tk.Kernel | None = None, **parameters: Any) -> Any:
    if rule == "perceptron":
        return tk.TreePerceptron(kernel, **parameters)
    return tk.TreePassiveAggressive(kernel, loss=rule, C=0.3, **parameters)


def agree(learner: Any, X: Any, expected: tuple[Any, Any]) -> None:
    """Compare scores; votes may differ by as many as hang on rounding."""
    scores, doubts = expected
    most = 1e-9 * (1 + np.abs(scores).max(initial=0)) + doubts
    assert (np.abs(learner.decision_function(X) - scores) <= most).all()
    assert np.mean(doubts) < 0.5
