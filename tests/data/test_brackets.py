"""Penn bracket notation: what is a tree, what is not, and where it goes wrong."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treekernels as tk
from helpers import up_to_a_million
from oracles import kernels as oracle
from treekernels.testing.strategies import trees

NEVER_CLOSED = "the bracket opened here is never closed"
NO_LABEL = "a bracket is not followed by a label"
EMPTY = "the text is empty, where a tree in brackets was expected"
NO_START = "a tree starts with '(', and this does not"
NOT_OPENED = "a closing bracket without an opening one"
TOO_MANY = "a closing bracket too many"
MORE_TEXT = "there is more text after the tree"
NUL = "a label contains a NUL character"
SURROGATE = "a character that UTF-8 cannot encode (half of a surrogate pair)"

BAD = [
    ("", 1, EMPTY),
    ("(", 1, NEVER_CLOSED),
    ("(A b", 1, NEVER_CLOSED),
    ("  (A (B b)", 3, NEVER_CLOSED),
    ("(A (B b", 4, NEVER_CLOSED),
    (")", 1, NOT_OPENED),
    ("(A b))", 6, TOO_MANY),
    ("()", 1, NO_LABEL),
    ("(A ())", 4, NO_LABEL),
    ("( (A b))", 1, NO_LABEL),
    ("(A ( (B b)))", 4, NO_LABEL),
    ("word", 1, NO_START),
    ("  2 words", 3, NO_START),
    ("\u00a0(A b)", 1, NO_START),
    ("\ufeff(A b)", 1, NO_START),
    ("(A b) c", 7, MORE_TEXT),
    ("(A b)(A c)", 6, MORE_TEXT),
    ("(A b) \u00a0", 7, MORE_TEXT),
    ("(A b\0c)", 5, NUL),
    ("(\0A b)", 2, NUL),
    ("( \0", 3, NUL),
    ("\0", 1, NO_START),
    ("(A b)\0", 6, MORE_TEXT),
    ("(A \ud800)", 4, SURROGATE),
    ("(A b\udfff", 5, SURROGATE),
    ("(é (ü ü) ())", 10, NO_LABEL),
    ("(🌲 (🌲 b) (🌳 c", 10, NEVER_CLOSED),
    ("(日本 語) 語", 8, MORE_TEXT),
    ("(é \u00a0\0)", 5, NUL),
    ("(é 🌲\ud800)", 5, SURROGATE),
]


@pytest.mark.parametrize(("text", "column", "reason"), BAD)
def test_bad_text(text: str, column: int, reason: str) -> None:
    with pytest.raises(tk.ParseError) as caught:
        tk.Forest.from_brackets([text])
    error = caught.value
    assert str(error) == f"tree 1, column {column}: {reason}"
    assert (error.reason, error.source, error.line, error.column) == (reason, None, 1, column)
    assert isinstance(error, ValueError)
    assert isinstance(error, tk.TreeKernelsError)


def test_bad_text_among_many() -> None:
    texts = [f"(A b{i})" for i in range(10_000)]
    texts[7_776] = "(A é) ?"
    with pytest.raises(tk.ParseError, match=f"^tree 7777, column 7: {MORE_TEXT}$"):
        tk.Forest(texts)
    texts[7_776] = "(A \udcff)"
    with pytest.raises(tk.ParseError, match=r"^tree 7777, column 4: "):
        tk.Forest(np.array(texts, dtype=object))


@pytest.mark.parametrize("space", [" ", "\t", "\n", "\r\n", "\x0b", "\x0c", " \t\r\n "])
def test_white_space(space: str) -> None:
    text = "|(|A|(|B|b|)|c|(|d|)|)|".replace("|", space)
    assert tk.Forest([text]).to_brackets() == ["(A (B b) c d)"]


@pytest.mark.parametrize("label", ["\u00a0", "\u2003", "\u2028", "\x85", "\x1c", "\x7f", "\ufeff"])
def test_only_ascii_white_space_ends_a_label(label: str) -> None:
    forest = tk.Forest([f"(A x{label}y {label})"])
    assert forest[0].leaves() == [f"x{label}y", label]
    assert forest.to_brackets() == [f"(A x{label}y {label})"]


ESCAPES = [
    (r"\x28", "("),
    (r"\x29", ")"),
    (r"\x20", " "),
    (r"\x0a", "\n"),
    (r"a\x28b\x29", "a(b)"),
    (r"\x5cx28", r"\x28"),
    (r"\x5cx5cx28", r"\x5cx28"),
    ("\\\\x28", "\\("),
]


@pytest.mark.parametrize(("written", "label"), ESCAPES)
def test_escapes(written: str, label: str) -> None:
    for text in (f"(A {written})", f"({written} {written})", f"({written})"):
        forest = tk.Forest([text])
        assert forest[0].leaves() == [label]
        assert forest.to_brackets() == [text]


@pytest.mark.parametrize(
    "label", [r"1\/2", "\\", "\\\\", r"\x", r"\x2", r"\x2g", r"\x00", r"\x80", r"\xff", r"\u0028"]
)
def test_other_backslashes_stand_for_themselves(label: str) -> None:
    forest = tk.Forest([f"(A {label})"])
    assert forest[0].leaves() == [label]
    assert forest.to_brackets() == [f"(A {label})"]


@up_to_a_million
def test_a_million_levels(count: int) -> None:
    text = "(a " * (count - 1) + "b" + ")" * (count - 1)
    forest = tk.Forest([text])
    assert (forest.sizes[0], forest.depths[0], forest.n_subtrees) == (count, count, count)
    assert_same(forest.to_brackets()[0], text)
    assert_same(str(pickle.loads(pickle.dumps(forest[0]))), text)
    with pytest.raises(tk.ParseError, match=f"^tree 1, column 1: {NEVER_CLOSED}$"):
        tk.Forest([text[:-1]])
    with pytest.raises(tk.ParseError, match=f"^tree 1, column {len(text) + 1}: {TOO_MANY}$"):
        tk.Forest([text + ")"])


@up_to_a_million
def test_a_million_children(count: int) -> None:
    text = "(a" + " b (c d)" * (count // 2) + ")"
    forest = tk.Forest([text])
    assert (forest.sizes[0], forest.depths[0]) == (1 + 3 * count // 2, 3)
    assert (forest.n_subtrees, len(forest[0].children)) == (4, count)
    assert_same(forest.to_brackets()[0], text)
    assert_same(str(pickle.loads(pickle.dumps(forest[0]))), text)


def assert_same(one: str, two: str) -> None:
    """Without pytest's account of where two texts of megabytes differ."""
    same = one == two
    assert same


PIECES = st.sampled_from(["(", ")", "(a", " ", "b", "\\x0a", "\\", "é", "\t", "\n", "\0"])
NEARLY_TREES = st.builds(
    lambda tree, place, piece: (text := oracle.to_brackets(tree))[:place] + piece + text[place:],
    trees(8),
    st.integers(0, 30),
    st.just("") | PIECES,
)
TEXTS = (
    st.text("() ab\\x0\n\t\0é", max_size=20)
    | st.lists(PIECES, max_size=12).map("".join)
    | NEARLY_TREES
)


@settings(max_examples=150)
@given(TEXTS)
def test_any_text_is_a_tree_or_an_error(text: str) -> None:
    try:
        forest = tk.Forest([text])
    except tk.ParseError as error:
        forest, column = None, error.column
    if forest is None:
        assert column is not None
        assert 1 <= column <= max(1, len(text))
        assert "\0" in text or not is_tree(text)
        return
    written = forest.to_brackets()
    assert tk.Forest(written) == forest
    assert tk.Forest(written).to_brackets() == written
    assert "\0" not in text
    assert is_tree(text)
    if not re.search(r"\\x[0-7][0-9a-f]", text):
        assert written == [oracle.to_brackets(oracle.parse(text))]


def is_tree(text: str) -> bool:
    """Ask the oracle, to which NUL is a character like any other."""
    try:
        oracle.parse(text)
    except ValueError:
        return False
    return True
