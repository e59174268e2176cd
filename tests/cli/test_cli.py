"""``treekernels compare``, as a person uses it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import treekernels as tk
from command_line import LINES, Run, run, write

__all__ = ["LINES", "Run", "run"]


def test_compare(run: Run) -> None:
    a, b = "(S (NP (D the) (N dog)) (V ran))", "(S (NP (D a) (N dog)) (V ran))"
    result = json.loads(run("compare", a, b, "--json").out)
    assert result["trees"] == [a, b]
    for row in result["kernels"]:
        kernel = tk.parse_kernel(row["kernel"])
        plain = kernel.set_params(normalize=False)([a], [b])[0, 0]
        assert row["value"] == pytest.approx(plain)
        norm = np.sqrt(kernel([a])[0, 0] * kernel([b])[0, 0])
        assert row["normalized"] == pytest.approx(plain / norm)
    shown = run("compare", a, b).out
    for word in ("st", "sst", "ptk", "elastic", "normalised", "0.7488", "(8 nodes)"):
        assert word in shown
    own = json.loads(run("compare", a, b, "--json", "-k", "2*st").out)["kernels"]
    assert [row["value"] for row in own] == [pytest.approx(0.8)]
    assert [row["normalized"] for row in own] == [pytest.approx(0.4)]


def test_compare_shows_what_is_shared(run: Run) -> None:
    a, b = "(S (NP (D the) (N dog)) (V ran))", "(S (NP (D a) (N dog)) (V ran))"
    outcome = json.loads(run("compare", a, b, "--json", "-k", "sst").out)
    assert [item["fragment"] for item in outcome["shared"]] == ["(S (NP D (N dog)) (V ran))"]
    total = sum(item["weight"] for item in outcome["shared"])
    assert total == pytest.approx(outcome["kernels"][0]["value"])
    result = run("compare", a, b, "--svg", "both.svg")
    assert result.err == "The picture is in both.svg.\n"
    assert "├─ NP\n   │  ├─ D\n   │  └─ N ─ dog\n   └─ V ─ ran" in result.out
    picture = ElementTree.parse("both.svg").getroot()
    boxes = picture.findall(".//{http://www.w3.org/2000/svg}rect")
    assert len(boxes) == 2 * 7  # all but "the" and "a"
    assert json.loads(run("compare", "(A b)", "(C d)", "--json").out)["shared"] == []
    many = [f"(A {' '.join(f'(B{i} (C{i} {w}{i}))' for i in range(12))})" for w in "xy"]
    many[1] = many[1].replace("(A ", "(Z ")
    assert "... and 2 more shared fragments" in run("compare", *many).out


def test_compare_of_large_and_of_files(run: Run) -> None:
    large = "(A " + "(B (C d))" * 700 + ")"
    rows = json.loads(run("compare", large, large, "-k", "sst(1)", "--json").out)["kernels"]
    assert (rows[0]["value"], rows[0]["normalized"]) == (None, 1.0)
    result = run("compare", large, large, "-k", "sst(1)")
    assert "too large" in result.out
    assert "The shared fragments are not listed: the trees have too much in common" in result.err
    write("a.py", "x = f(y)\n")
    write("b.py", "x = f(z)\n")
    assert json.loads(run("compare", "a.py", "b.py", "--json").out)["trees"] == [
        "(Module (Assign (Name x) (Call (Name f) (Name y))))",
        "(Module (Assign (Name x) (Call (Name f) (Name z))))",
    ]
