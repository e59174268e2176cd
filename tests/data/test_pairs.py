"""Pairs as a sequence, in files, in tables, and in the hands of scikit-learn."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treekernels as tk

TEXTS = ["(A:1 (B:2 b) (B:1 c))", "(A (B b))", "(A:5 b)"]
HYPOTHESES = ["(A:2 (C:1 c))", "(A b)", "(A:7 (B:5 b))"]


def test_sequence() -> None:
    pairs = tk.Pairs(TEXTS, HYPOTHESES)
    assert len(pairs) == 3
    assert pairs.shape == (3,)
    assert str(pairs[1].text) == "(A (B b))"
    assert str(pairs[-1].hypothesis) == HYPOTHESES[2]
    assert [str(pair.text) for pair in pairs] == TEXTS
    assert pairs[1:].texts.to_brackets() == TEXTS[1:]
    assert pairs[np.array([2, 0])].hypotheses.to_brackets() == [HYPOTHESES[2], HYPOTHESES[0]]
    assert pairs[np.array([True, False, True])] == pairs[[0, 2]]
    assert len(pairs[[]]) == 0
    assert pairs != pairs[:2]
    assert tk.Pairs.concatenate([pairs[:1], tk.Pairs(TEXTS[1:], HYPOTHESES[1:])]) == pairs
    assert pickle.loads(pickle.dumps(pairs)) == pairs
    assert np.asarray(pairs)[0].text == pairs[0].text
    assert repr(tk.Pairs()) == "<Pairs: 0 pairs, 0 nodes, at most 0 placeholders>"
    with pytest.raises(IndexError):
        pairs[3]
    with pytest.raises(KeyError, match="hypothesis"):
        pairs["lex"]


def test_placeholders() -> None:
    pairs = tk.Pairs(TEXTS, HYPOTHESES)
    assert pairs.n_placeholders.tolist() == [2, 0, 2]
    assert pairs.limited(1).texts.to_brackets() == ["(A:1 (B b) (B:1 c))", "(A (B b))", "(A:5 b)"]
    assert pairs.limited(1).hypotheses.to_brackets() == ["(A (C:1 c))", "(A b)", "(A (B:5 b))"]
    assert pairs.limited(9) == pairs
    assert pairs.plain().texts.to_brackets() == ["(A (B b) (B c))", "(A (B b))", "(A b)"]
    assert pairs["hypothesis"].to_brackets() == ["(A (C c))", "(A b)", "(A (B b))"]
    assert pairs["anchored_text"].to_brackets() == TEXTS
    assert pairs["anchored_hypothesis"].to_brackets() == HYPOTHESES
    assert all(len(pairs[name]) == 3 for name in pairs.columns)
    assert tk.Pairs().limited(3) == tk.Pairs()
    with pytest.raises(ValueError, match="0 or more"):
        pairs.limited(-1)


def test_what_is_a_placeholder() -> None:
    pairs = tk.Pairs(["(A:0 (:) (:1) (b:) (c:x1) (d:1:2) (e:007))"], ["(A:00 b)"])
    assert pairs.n_placeholders.tolist() == [3]
    assert pairs["text"].to_brackets() == ["(A : :1 b: c:x1 d:1 e)"]
    with pytest.raises(ValueError, match="more than 18 digits"):
        _ = tk.Pairs(["(A:1234567890123456789 b)"], ["(A b)"]).n_placeholders


def test_numbers_are_read_as_numbers() -> None:
    kernel = tk.TripartiteKernel(normalize=False)
    values = kernel([("(A:7 b)", "(A:007 b)")], [("(A:1 b)", "(A:1 b)"), ("(A:1 b)", "(A:2 b)")])
    assert values.tolist() == [[pytest.approx(0.16), 0.0]]


def test_unequal_sides() -> None:
    with pytest.raises(ValueError, match="2 texts, but 1 hypotheses"):
        tk.Pairs(TEXTS[:2], HYPOTHESES[:1])
    with pytest.raises(TypeError, match="pair 1 is not"):
        tk.TripartiteKernel()(["(A b)"])
    with pytest.raises(TypeError, match="single text"):
        tk.TripartiteKernel()("(A b)")


def test_read(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    lines = [f"{i}\t{t}\t{h}\n" for i, (t, h) in enumerate(zip(TEXTS, HYPOTHESES, strict=True))]
    path.write_text("".join(lines))
    assert tk.read(path, "anchored-pairs") == tk.Pairs(TEXTS, HYPOTHESES)
    table = tk.read(path, "anchored-pairs", columns=["label", "text", "hypothesis"])
    assert table["pair"] == tk.Pairs(TEXTS, HYPOTHESES)
    assert table["label"].tolist() == [0, 1, 2]
    path.write_text("")
    assert tk.read(path, "anchored-pairs") == tk.Pairs()
    path.write_text("1\t(A b)\n")
    with pytest.raises(ValueError, match="1 columns of trees; pairs need two"):
        tk.read(path, "anchored-pairs")
    path.write_text("1\t(A b)\t(A b)\n1\t(A b)\t(A:1 b\n")
    with pytest.raises(tk.ParseError, match=r"pairs.tsv, line 2, column 9"):
        tk.read(path, "anchored-pairs")


def test_forms_of_input() -> None:
    pairs = tk.Pairs(TEXTS, HYPOTHESES)
    expected = tk.TripartiteKernel()(pairs)
    table = {"text": TEXTS, "hypothesis": HYPOTHESES}
    assert np.array_equal(
        tk.TripartiteKernel()(list(zip(TEXTS, HYPOTHESES, strict=True))), expected
    )
    assert np.array_equal(tk.TripartiteKernel()(table), expected)
    assert np.array_equal(tk.TripartiteKernel()(pd.DataFrame(table)), expected)
    named = tk.Table({"t": TEXTS, "h": HYPOTHESES, "both": pairs})
    assert repr(named) == "<Table: 3 rows; t: str, h: str, both: Pairs>"
    assert np.array_equal(tk.TripartiteKernel(on=["t", "h"])(named), expected)
    assert np.array_equal(tk.TripartiteKernel(on="both")(named[:]), expected)
    with pytest.raises(ValueError, match="two columns"):
        tk.TripartiteKernel(on=["t"])(named)
