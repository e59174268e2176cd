"""How much of a reference's syntax a candidate has, against counting subtrees as texts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treekernels as tk
from oracles.kernels import Tree
from treekernels.metrics import ast_match
from treekernels.testing.strategies import trees

JAVA = [
    "class A { int f(int x) { return x +; } }",
    "class A { int f(int x) { return x + 1; } }",
    "class B { int g(int y, int z) { if (y > z) { return y; } return z + 1; } }",
    "class C { void h() { for (int i = 0; i < 9; i++) { g(i, i + 1); } } }",
    "class D { int g(int y, int z) { while (y > z) { y = y - 1; } return y; } void h() {} }",
]


def subtrees(tree: Tree) -> list[str]:
    """Return what is written at each node that has children, and below it."""
    found, pending = [], [tree]
    while pending:
        node = pending.pop()
        if len(node) > 1:
            found.append(repr(node))
            pending.extend(node[1:])
    return found


def shares(references: list[list[Tree]], candidates: list[Tree], clip: bool) -> tuple[Any, Any]:
    found, there = [], []
    for right, made in zip(references, candidates, strict=True):
        own = Counter(subtrees(made))
        matches = total = 0
        for reference in right:
            wanted = subtrees(reference)
            total += len(wanted)
            if clip:
                matches += sum((Counter(wanted) & own).values())
            else:
                matches += sum(subtree in own for subtree in wanted)
        found.append(matches)
        there.append(total)
    return np.array(found, float), np.array(there, float)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.lists(trees(), max_size=3), trees()), max_size=4), st.booleans())
def test_shares_are_those_of_subtrees_as_texts(
    examples: list[tuple[list[Tree], Tree]], clip: bool
) -> None:
    references, candidates = [one for one, _ in examples], [two for _, two in examples]
    found, there = shares(references, candidates, clip)
    with np.errstate(invalid="ignore"):
        expected = found / there
        whole = found.sum() / there.sum()
    sets = tk.TreeSets([tk.Forest(reference) for reference in references])
    np.testing.assert_array_equal(ast_match(sets, candidates, clip=clip, average=None), expected)
    np.testing.assert_array_equal(ast_match(sets, candidates, clip=clip), whole)


def test_repetition_counts_unless_it_is_clipped() -> None:
    once, thrice = "(A (b c))", "(A (b c) (b c) (b c))"
    assert ast_match([thrice], [once]) == 0.25
    assert ast_match([thrice], [once], clip=False) == 0.75
    assert ast_match([once], [thrice]) == 0.5


def program_shares(reference: str, candidate: str) -> float:
    """Return what CodeBLEU's program computes: it compares how tree-sitter writes subtrees."""
    tree_sitter: Any = pytest.importorskip("tree_sitter", reason="tree-sitter is not installed")
    java = pytest.importorskip("tree_sitter_java", reason="tree-sitter-java is not installed")
    parser = tree_sitter.Parser(tree_sitter.Language(java.language()))

    def written(source: str) -> list[str]:
        found, pending = [], [parser.parse(source.encode()).root_node]
        while pending:
            node = pending.pop()
            if len(node.children) > 0:
                found.append(str(node))
            pending.extend(node.children)
        return found

    own, wanted = written(candidate), written(reference)
    return sum(subtree in own for subtree in wanted) / len(wanted)


def test_values_of_the_program() -> None:
    pytest.importorskip("tree_sitter_java", reason="tree-sitter-java is not installed")
    references = [item for item in JAVA for _ in JAVA]
    candidates = JAVA * len(JAVA)
    expected = [program_shares(*both) for both in zip(references, candidates, strict=True)]
    values = ast_match(references, candidates, language="java", clip=False, average=None)
    np.testing.assert_allclose(values, expected, rtol=1e-12)
    commented = [text.replace("{", "{ /* a comment */ ") for text in references]
    values = ast_match(commented, candidates, language="java", clip=False, average=None)
    np.testing.assert_allclose(values, expected, rtol=1e-12)
    two = ast_match([JAVA[:2]], JAVA[:1], language="java", average=None)
    assert 0.3 < two[0] < 1
    assert np.isnan(ast_match([""], ["class A {}"], language="java"))
    assert ast_match(["class A {}"], [""], language="java") == 0
