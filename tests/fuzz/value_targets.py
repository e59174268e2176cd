"""Values that are fuzzed: what the core makes of trees that bytes describe, against oracles."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import treekernels as tk
from fuzz.file_targets import FOLDER, TREES
from oracles import kernels as oracle
from oracles import pairs as pairs_oracle
from oracles.learners import OnlineOracle

_KERNELS: tuple[tuple[str, type[tk.Kernel]], ...] = (
    ("subset", tk.SubsetTreeKernel),
    ("subtree", tk.SubtreeKernel),
    ("partial", tk.PartialTreeKernel),
    ("elastic", tk.ElasticTreeKernel),
    ("subpath", tk.SubpathKernel),
)


def compare_with_oracle(data: bytes) -> None:
    """Compare a kernel, with a decay, of two trees with the dot product of their fragments."""
    trees = _small_trees(data[2:], 2)
    if trees is None:
        return
    name, kind = _KERNELS[data[0] % len(_KERNELS)]
    decay = (1 + data[1] % 16) / 16
    value = kind(decay, normalize=False)([trees[0]], [trees[1]])[0, 0]  # type: ignore[call-arg]
    one, other = map(oracle.parse, trees)
    parameters = {"vertical_decay": Fraction(0.4)} if name == "partial" else {}
    expected = oracle.recursive(name, one, other, decay=Fraction(decay), **parameters)
    np.testing.assert_allclose(value, float(expected), rtol=1e-9)


def compare_pairs(data: bytes) -> None:
    """Compare the kernel of sentence pairs with enumeration, where placeholders tie nodes."""
    trees = _small_trees(data[1:], 4, longest=7, placeholders=True)
    if trees is None:
        return
    decay = (1 + data[0] % 8) / 8
    pairs = tk.Pairs(trees[:2], trees[2:])
    one, other = [
        (oracle.parse(text), oracle.parse(hypothesis))
        for text, hypothesis in zip(trees[:2], trees[2:], strict=True)
    ]
    expected = float(pairs_oracle.kernel(one, other, Fraction(decay)))
    for algorithm in ("auto", "inclusion-exclusion"):
        kernel = tk.TripartiteKernel(decay, normalize=False, algorithm=algorithm)
        np.testing.assert_allclose(kernel(pairs)[0, 1], expected, rtol=1e-9)
    normalized = tk.TripartiteKernel(decay)(pairs)
    assert np.isfinite(normalized).all()
    assert (normalized <= 1 + 1e-9).all()


def replay_forest(data: bytes) -> None:
    """Add, score, merge and save a weighted forest in any order, against the plain sum."""
    if not data:
        return
    kernel: Any = _KERNELS[data[0] % len(_KERNELS)][1](0.5)  # type: ignore[call-arg]
    forest = tk.WeightedForest(kernel)
    added: list[tuple[str, float]] = []
    for byte in data[1:24]:
        tree, weight = TREES[byte % 6], float(byte % 7 - 3)
        match byte >> 6:
            case 0 | 1:
                forest.add([tree], [weight])
                added.append((tree, weight))
            case 2:
                other = tk.WeightedForest(kernel)
                other.add([tree], [weight])
                forest.merge(other, 0.5)
                added.append((tree, 0.5 * weight))
            case _:
                tk.save(forest, FOLDER / "forest")
                forest = tk.load(FOLDER / "forest")
        expected = np.zeros(6)
        if added:
            expected = kernel(TREES, [t for t, _ in added]) @ np.array([w for _, w in added])
        np.testing.assert_allclose(forest.score(TREES), expected, rtol=1e-9, atol=1e-9)


def replay_perceptron(data: bytes) -> None:
    """Learn from examples a few at a time, saved and loaded in between, against a plain one."""
    if not data:
        return
    kernel: Any = _KERNELS[data[0] % len(_KERNELS)][1](0.4)  # type: ignore[call-arg]
    learner: Any = tk.TreePerceptron(kernel, average=None)
    examples, labels = [byte % 6 for byte in data[1:20]], [byte // 6 % 3 for byte in data[1:20]]
    begin = 0
    for end, byte in enumerate(data[1:20], 1):
        if byte >> 6 == 0 and end < len(examples):  # a longer batch
            continue
        batch = slice(begin, end)
        learner.partial_fit([TREES[i] for i in examples[batch]], labels[batch], classes=[0, 1, 2])
        begin = end
        if byte >> 6 == 3:
            tk.save(learner, FOLDER / "learner")
            learner = tk.load(FOLDER / "learner")
    if not begin:
        return
    learned = [TREES[i] for i in examples[:begin]]
    plain = OnlineOracle("perceptron", 3).learn(kernel(learned), labels, range(begin))
    if not plain.doubtful:
        expected = kernel(TREES, learned) @ plain.models[-1]
        np.testing.assert_allclose(learner.decision_function(TREES), expected, atol=1e-9)


def parse_expression(data: bytes) -> None:
    try:
        kernel = tk.parse_kernel(data.decode(errors="replace"))
    except tk.TreeKernelsError:
        return
    assert tk.parse_kernel(tk.format_kernel(kernel)) == kernel


def embed(data: bytes) -> None:
    """Vectors of any dimension are finite, and the same each time, whatever memory held."""
    dimension = 1 + (data[0] if data else 0)
    trees = _small_trees(data[1:], 1) or TREES[:1]
    embedding = tk.DistributedTrees(dimension, composition="product" if len(data) % 2 else "sign")
    first = embedding.transform(trees)
    embedding.transform(TREES)
    dirt = [np.full(size, np.nan) for size in (dimension, dimension + 8, 64, 512)]
    del dirt
    assert np.array_equal(first, embedding.transform(trees))
    assert np.isfinite(first).all()


def _small_trees(
    data: bytes, count: int, *, longest: int = 14, placeholders: bool = False
) -> list[str] | None:
    """Return trees of few nodes that bytes describe, or None."""
    texts, size = [], len(data) // count
    for number in range(count):
        text, depth = "(S", 1
        for byte in data[number * size : (number + 1) * size][:longest]:
            mark = f":{1 + byte // 64}" if placeholders and byte % 32 < 16 else ""
            if byte % 4 == 0 and depth < 5:
                text, depth = f"{text} ({'ABC'[byte // 4 % 3]}{mark}", depth + 1
            elif byte % 4 == 1 and depth > 1:
                text, depth = text + ")", depth - 1
            else:
                text += " " + "abcd"[byte // 4 % 4]
        texts.append(text + ")" * depth)
    return texts if size else None
