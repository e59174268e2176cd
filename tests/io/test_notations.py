"""Newick, NEXUS, dot-bracket, glycans, PENMAN, terms and braces: what is read, and errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treekernels as tk
from treekernels import readers

Nested = tuple[Any, ...]
LABELS = st.sampled_from(["A", "b c", "it's", "x(y", "z,[w]:;", "{q}\\", "é", "#1"])
TREES = st.recursive(
    LABELS.map(lambda label: (label,)),
    lambda trees: st.tuples(LABELS, st.lists(trees, min_size=1, max_size=3)).map(
        lambda node: (node[0], *node[1])
    ),
    max_leaves=8,
)


def newick(tree: Nested) -> str:
    name = "'" + tree[0].replace("'", "''") + "'"
    below = ",[a (comment] ".join(map(newick, tree[1:]))
    return (f"( {below})" if below else "") + name + ":1.5e-3"


def term(tree: Nested) -> str:
    name = "".join(f"\\{sign}" if sign in " (),\\#" else sign for sign in tree[0])
    return f"{name}({', '.join(map(term, tree[1:]))})" if tree[1:] else name


def braces(tree: Nested) -> str:
    name = "".join(f"\\{sign}" if sign in "{}\\" else sign for sign in tree[0])
    return "{" + name + "".join(map(braces, tree[1:])) + "}"


@given(tree=TREES)
@settings(max_examples=40, deadline=None)
def test_trees_come_back(tree: Nested) -> None:
    expected = tk.Forest.from_trees([tree])[0]
    assert readers.from_newick(newick(tree) + " ;") == expected
    assert readers.from_term(term(tree)) == expected
    assert readers.from_braces(braces(tree)) == expected


def reverse(tree: Nested) -> Nested:
    return (tree[0], *(reverse(child) for child in tree[:0:-1]))


@given(tree=TREES)
@settings(max_examples=20, deadline=None)
def test_sorted_trees_have_no_order(tree: Nested) -> None:
    here, there = (readers.from_newick(newick(t), sort=True) for t in (tree, reverse(tree)))
    assert here == there
    assert sorted(node.label for node in here.preorder()) == sorted(
        node.label for node in tk.Forest.from_trees([tree])[0].preorder()
    )


@pytest.mark.parametrize(
    ("read", "text", "column", "reason"),
    [
        (readers.from_newick, "(a b)", 4, "two names"),
        (readers.from_newick, "(a,(b)", 1, "never closed"),
        (readers.from_newick, "a,b", 2, "comma outside"),
        (readers.from_newick, "(a:x)", 4, "length of a branch"),
        (readers.from_newick, "(a))", 4, "closing bracket too many"),
        (readers.from_newick, "(a,'b", 4, "quote is never closed"),
        (readers.from_newick, "(a,[b", 4, "comment is never closed"),
        (readers.from_newick, "a(b)", 2, "a comma was expected"),
        (readers.from_newick, "", 1, "ends where a tree"),
        (readers.from_term, "a(b,)", 5, "comma is not followed"),
        (readers.from_term, "a(,b)", 3, "not between two children"),
        (readers.from_term, "a(b", 2, "never closed"),
        (readers.from_term, "a b", 3, "more text"),
        (readers.from_term, "(b)", 1, "not preceded by a label"),
        (readers.from_term, "a(b))", 5, "closing bracket too many"),
        (readers.from_term, " ", 1, "empty"),
        (readers.from_braces, "{a{b}c}", 6, "behind the children"),
        (readers.from_braces, "{a", 1, "never closed"),
        (readers.from_braces, "a", 1, "starts with"),
        (readers.from_braces, "{a}{b}", 4, "more text"),
        (readers.from_braces, "{a}}", 4, "closing brace too many"),
        (readers.from_glycan, "Gal(b1-4)", 10, "after its last linkage"),
        (readers.from_glycan, "Gal[Fuc(a1)]Glc", 1, "not followed by its linkage"),
        (readers.from_glycan, "(b)Gal", 1, "does not follow a residue"),
        (readers.from_glycan, "[Gal(b1)Glc", 1, "never closed"),
        (readers.from_glycan, "Gal(b1)]Glc", 8, "without an opening one"),
        (readers.from_glycan, "[]Glc", 2, "no linkage"),
        (readers.from_glycan, "Gal(b1", 4, "does not enclose"),
        (readers.from_penman, "(a / b :x c", 1, "never closed"),
        (readers.from_penman, "a", 1, "starts with"),
        (readers.from_penman, "(a / b) c", 9, "more text"),
        (readers.from_penman, "(a / b c)", 8, "role such as"),
        (readers.from_penman, "(a / (b))", 6, "not followed by a concept"),
        (readers.from_penman, "(a / b :x)", 10, "not followed by a value"),
        (readers.from_penman, "(a / b :x (a / c))", 12, "two concepts"),
        (readers.from_penman, "(a / b :x a)", 11, "not a tree"),
        (readers.from_dot_bracket, "(.x", 3, "letter"),
        (readers.from_dot_bracket, "(?", 2, "not a sign"),
        (readers.from_dot_bracket, "([)]", 3, "crosses"),
        (readers.from_dot_bracket, "((.)", 1, "never closed"),
        (readers.from_dot_bracket, ".)", 2, "without an opening one"),
        (readers.from_dot_bracket, "", 1, "empty"),
    ],
)
def test_what_is_wrong_and_where(
    read: Callable[[str], tk.Tree], text: str, column: int, reason: str
) -> None:
    with pytest.raises(tk.ParseError, match=reason) as caught:
        read(text)
    assert (caught.value.line, caught.value.column) == (1, column)


@pytest.mark.parametrize(
    ("read", "text", "depth"),
    [
        (readers.from_newick, "(" * 4_000 + "a" + ")" * 4_000, 4_001),
        (readers.from_term, "a(" * 4_000 + "a" + ")" * 4_000, 4_001),
        (readers.from_braces, "{a" * 4_000 + "}" * 4_000, 4_000),
        (readers.from_dot_bracket, "(" * 4_000 + "." + ")" * 4_000, 4_002),
        (readers.from_glycan, "G(b1-4)" * 4_000 + "G", 8_001),
        (
            readers.from_penman,
            "".join(f"(a{n} / b :x " for n in range(4_000)) + "c" + ")" * 4_000,
            8_001,
        ),
    ],
)
def test_depth_has_no_limit(read: Callable[[str], tk.Tree], text: str, depth: int) -> None:
    assert read(text).depth == depth


def test_newick_files(tmp_path: Path) -> None:
    path = tmp_path / "a.nwk"
    path.write_text("((A:0.1,B:2)0.98:3,C)r;\n(A,\n(B,);\n\n  x;a b;", encoding="utf-8")
    problems: list[tk.ParseError] = []
    table = tk.read(path, lengths=True, skip_bad=True, problems=problems, origin=True)
    assert table["tree"].to_brackets() == ["(r (0.98 A B) C)", "(x)"]
    assert table["line"].tolist() == [1, 5]
    np.testing.assert_array_equal(table["lengths"][0], [0.1, 2, 3, np.nan, np.nan])
    assert [(p.line, p.column) for p in problems] == [(2, 1), (5, 7)]
    assert str(tk.read(path, inner=False, skip_bad=True, problems=[])[0]) == "(* (* A B) C)"


def test_nexus_files(tmp_path: Path) -> None:
    path = tmp_path / "a.nex"
    path.write_text(
        "#NEXUS\n[; a comment]\nBegin Taxa; dimensions ntax=2; end;\nbegin trees;\n"
        "translate 1 Homo, 2 'Pan x',\n3 G;\ntree one = [&R] ((1,2)3,G);\n"
        "tree * 'b c' = (1,(2,3)\n;\nUTREE c=(1,3);\nend; tree d = x;"
    )
    problems: list[tk.ParseError] = []
    table = tk.read(path, skip_bad=True, problems=problems, origin=True)
    assert table["tree"].to_brackets() == [r"(* (G Homo Pan\x20x) G)", "(* Homo G)"]
    assert table["name"].tolist() == ["one", "c"]
    assert table["line"].tolist() == [7, 10]
    assert [(p.line, p.column) for p in problems] == [(8, 16)]


def test_dot_bracket_files(tmp_path: Path) -> None:
    path = tmp_path / "a.dbn"
    path.write_text(">one\nGGAACUC\n((..).) (-1.20)\n\n(..)\n>two\nAC\n([)]\n>x\n([)]\n")
    problems: list[tk.ParseError] = []
    table = tk.read(path, skip_bad=True, problems=problems, origin=True)
    assert table["tree"].to_brackets() == ["(RNA (GC (GC A A) U))", "(RNA (P U U))"]
    assert table["name"].tolist() == ["one", None]
    assert [(p.line, p.column) for p in problems] == [(8, 1), (10, 3)]
    knots = tk.read(path, pseudoknots="unpaired", skip_bad=True, problems=[])
    assert str(knots[2]) == "(RNA (P U) U)"


def test_glycans_have_no_order(tmp_path: Path) -> None:
    path = tmp_path / "a.iupac"
    arms = ("Gal(b1-4)GlcNAc(b1-2)Man(a1-3)", "Neu5Ac(a2-6)Man(a1-6)")
    lines = [f"{here}[{there}]Man(b1-4)GlcNAc" for here, there in (arms, arms[::-1])]
    path.write_text("\n".join(["# two ways to write one", *lines]))
    first, second = tk.read(path)
    assert first == second
    assert str(first) == (
        "(GlcNAc (b1-4 (Man (a1-3 (Man (b1-2 (GlcNAc (b1-4 Gal))))) (a1-6 (Man (a2-6 Neu5Ac))))))"
    )
    assert str(readers.from_glycan("Gal(b1-4)[Fuc(a1-3)]Glc", linkages=False)) == "(Glc Fuc Gal)"


def test_penman_files(tmp_path: Path) -> None:
    path = tmp_path / "a.amr"
    path.write_text(
        "# ::id x.1 ::date y\n# ::snt The boy wants to go.\n(w / want-01~e.2\n"
        '   :ARG0 (b / boy~e.1)\n   :ARG1 (g / go-02 :ARG0 b :polarity - :name "A \\"B\\""))\n'
        "\n(x / y :ARG0)\n\n(c)\n"
    )
    problems: list[tk.ParseError] = []
    table = tk.read(path, reentrancies="leaves", skip_bad=True, problems=problems, origin=True)
    assert table["tree"].to_brackets() == [
        r'(want-01 (:ARG0 boy) (:ARG1 (go-02 (:ARG0 boy) (:polarity -) (:name A\x20"B"))))',
        "(c)",
    ]
    assert table["text"].tolist() == ["The boy wants to go.", None]
    assert table["sent_id"].tolist() == ["x.1", None]
    assert [(p.line, p.column) for p in problems] == [(7, 13)]
    with pytest.raises(tk.ParseError, match="used again") as caught:
        tk.read(path)
    assert (caught.value.line, caught.value.column) == (5, 27)
