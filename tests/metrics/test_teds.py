"""TEDS has the values of the program that came with PubTabNet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from oracles import teds as oracle
from treekernels.metrics import teds


def page(*rows: str) -> str:
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<html><body><table>{body}</table></body></html>"


def test_published_example() -> None:
    """The example in the repository of PubTabNet, for which it prints 0.9781765018607124."""
    rest = [
        ("SICER [1{0}]", "Designed for detecting diffusely enriched regions; for example, "
         "histone modification"),
        ("PeakS{1} [24]", "Corrects for reference genome mappability and local statistics"),
        ("SISSRs [25]", "High resolution, precise identification of binding-site location"),
        ("F-seq [26]", "Uses kernel density estimation"),
    ]  # fmt: skip
    macs = ("MACS [23]", "Uses both a control library and local statistics to minimize bias")

    def table(head: str, *parts: str) -> str:
        cells = [(a.format(*parts), b) for a, b in [macs, *rest]]
        rows = "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in cells)
        return (
            f"<html><body><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
            "</body></html>"
        )

    predicted = table("<td><b>Name of algori</b></td><td><b>Notablefeatures</b></td>", "5", "EQ")
    right = table("<td><b>Name of algorithm</b></td><td><b>Notable features</b></td>", "4", "eq")
    assert teds(predicted, right) == pytest.approx(0.9781765018607124, abs=1e-12)
    assert teds(predicted, right, structure_only=True) == 1.0


WORDS = st.text("ab ", max_size=4)
CONTENTS = st.lists(
    st.builds("{1}<{0}>{2}</{0}>{1}".format, st.sampled_from(["b", "i", "unk"]), WORDS, WORDS)
    | WORDS,
    max_size=2,
)
CELLS = st.builds(
    "<{0}{1}>{2}</{0}>".format,
    st.sampled_from(["td", "td", "th"]),
    st.sampled_from(["", "", " colspan=2", " rowspan='3'"]),
    CONTENTS.map("".join),
)
ROWS = st.lists(CELLS, max_size=3).map(lambda cells: f"<tr>{''.join(cells)}</tr>")
PARTS = st.lists(ROWS, max_size=3).map("".join)
TABLES = st.builds(
    "<html><body>{2}<table><thead>{0}</thead><tbody>{1}</tbody></table></body></html>".format,
    PARTS,
    PARTS,
    WORDS,
)


@given(TABLES, TABLES, st.booleans(), st.sampled_from([(), ("b",), ("i", "thead")]))
def test_like_the_definition(a: str, b: str, structure_only: bool, ignored: Any) -> None:
    expected = oracle.teds(a, b, structure_only, ignored)
    scores = teds([a, b], [b, b], structure_only=structure_only, ignore_nodes=ignored)
    np.testing.assert_allclose(scores.scores, [expected, 1.0], atol=1e-12)
    assert teds(a, b, structure_only=structure_only, ignore_nodes=ignored) == scores[0]


def test_what_counts() -> None:
    right = page("<td>ab</td><td>cd</td>")  # 3 elements below the table
    assert teds(right, right) == 1.0
    assert teds(page("<td>ab</td><td>cx</td>"), right) == pytest.approx(1 - 0.5 / 3)
    assert teds(page("<td>ab</td><td colspan=2>cd</td>"), right) == pytest.approx(1 - 1 / 3)
    assert teds(page("<td>ab</td><td rowspan=2>cd</td>"), right) == pytest.approx(1 - 1 / 3)
    assert teds(page("<td>ab</td><th>cd</th>"), right) == pytest.approx(1 - 1 / 3)
    # A tag inside a cell is one token at either end, and counts as an element.
    assert teds(page("<td>ab</td><td><b>cd</b></td>"), right) == pytest.approx(1 - (2 / 4) / 4)
    # What stands in a heading cell does not count, nor what follows a cell.
    assert teds(page("<th>x</th>"), page("<th>y</th>")) == 1.0
    # More than the table has: a score may be below 0.
    assert teds("<table></table>", page("<td>a</td>")) == pytest.approx(1 - 2 / 2)
    assert teds("<table></table>", "<table></table>") == 1.0


def test_batches_go_on() -> None:
    right = page("<td>ab</td>")
    predicted = [right, None, "", "nothing", page("<td colspan=x>ab</td>"), right, right, 7]
    wanted = [right] * 5 + ["nothing", page("<td>ac</td>"), right]
    for jobs in (1, 3):
        scores = teds(predicted, wanted, n_jobs=jobs)  # type: ignore[arg-type]
        expected = [1, 0, 0, 0, 0, np.nan, 1 - 0.5 / 2, 0]
        np.testing.assert_allclose(scores.scores, expected)
        assert scores.problems[1] == "the prediction is empty"
        assert scores.problems[3] == "the prediction has no table"
        assert "colspan='x'" in scores.problems[4]
        assert "no whole number" in scores.problems[4]
        assert scores.problems[5] == "the right answer has no table"
        assert sorted(scores.problems) == [1, 2, 3, 4, 5, 7]
        assert scores.mean == pytest.approx(np.nanmean(expected))
        assert "8 tables" in repr(scores)
        assert "6 problems" in repr(scores)


def test_malformed_tables_give_a_sentence() -> None:
    right = page("<td>ab</td>")
    malformed = [
        page(f"<td rowspan={'9' * 5000}>ab</td>"),
        page("<td colspan=''>ab</td>"),
        "<table><tr><td>" * 3000,
        "<table><tr><td>&#0;&bogus;\x00\ud800</td></table></td></tr>",
        "<html><body><table><td><td><tr><b></table><table>",
        "<!-- --><?pi?><table><!-- <td> --></table>",
        "\x00",
        "<",
        "<html><head></head></html>",
    ]
    scores = teds([right, *malformed, right], [right] * (len(malformed) + 2))
    assert scores[0] == scores[-1] == 1
    assert (scores.scores <= 1).all()
    assert "is no whole number" in scores.problems[1]
    assert len(scores.problems[1]) < 150
    assert "no whole number" in scores.problems[2]
    assert all(isinstance(problem, str) and problem for problem in scores.problems.values())


def test_mistakes() -> None:
    with pytest.raises(tk.DataError, match="has no table"):
        teds(page("<td>a</td>"), "text")
    with pytest.raises(tk.DataError, match="1 predictions, and 2 right"):
        teds(["a"], ["b", "c"])
    with pytest.raises(tk.ParameterError, match="names of tags"):
        teds(page("<td>a</td>"), page("<td>a</td>"), ignore_nodes=["<b>"])
    with pytest.raises(tk.DataError, match="two lists"):
        teds(["a"], "b")  # type: ignore[call-overload]
