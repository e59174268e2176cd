"""The commands ``treekernels distance`` and ``treekernels teds``."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

from command_line import Run


def test_distance(run: Run) -> None:
    a, b = "(S (NP we) (VP run))", "(S (NP they) (VP (V run)))"
    assert run("distance", a, b).out == (
        "distance 2: 2 edits\n  rename 'we' to 'they'\n  insert 'V'\n"
    )
    assert run("distance", a, b, "--quiet", "--rename", "0.5").out == "1.5\n"
    assert run("distance", a, a).out == "distance 0: nothing to change\n"
    assert (
        run("distance", "(A kitten)", "(A sitting)", "-q", "--rename", "text").out == "0.428571\n"
    )
    found = json.loads(run("distance", a, b, "--json").out)
    assert found["distance"] == 2
    assert found["trees"] == [a, b]
    assert found["mapping"] == [[0, 0], [1, 1], [2, 2], [3, 3], [4, 5]]
    assert [step["edit"] for step in found["steps"]] == ["rename", "insert"]
    assert run("distance", a, b, "--svg", "both.svg").err == "The picture is in both.svg.\n"
    picture = ElementTree.parse("both.svg").getroot()
    assert len(picture.findall(".//{http://www.w3.org/2000/svg}rect")) == 3  # we, they, V
    assert "not 'words'" in run("distance", a, b, "--rename", "words").err


def test_compare_with_edits(run: Run) -> None:
    a, b = "(S (NP we) (VP run))", "(S (NP they) (VP (V run)))"
    result = run("compare", a, b, "--edit", "--svg", "both.svg")
    assert "distance 2: 2 edits\n  rename 'we' to 'they'\n  insert 'V'\n" in result.out
    picture = ElementTree.parse("both.svg").getroot()
    assert len(picture.findall(".//{http://www.w3.org/2000/svg}rect")) == 3
    assert json.loads(run("compare", a, b, "--edit", "--json").out)["edits"]["distance"] == 2
    assert "edits" not in json.loads(run("compare", a, b, "--json").out)


def test_teds(run: Run) -> None:
    def lines(*items: object) -> str:
        return "".join(json.dumps(item) + "\n" for item in items)

    def table(*cells: str) -> str:
        return "<table><tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr></table>"

    right = [{"id": name, "html": table(name, "x")} for name in ("a", "b", "c")]
    Path("right.jsonl").write_text(lines(*right))
    Path("predicted.jsonl").write_text(
        lines({"id": "b", "html": table("b", "y")}, {"id": "a", "html": table("a", "x")})
    )
    result = run("teds", "predicted.jsonl", "right.jsonl")
    assert result.out == f"TEDS of 3 tables: {(1 + 1 - 1 / 3) / 3:.4f}\n"
    assert result.err == "c: the prediction is empty.\n"
    found = json.loads(
        run("teds", "predicted.jsonl", "right.jsonl", "--json", "--structure-only").out
    )
    assert found["scores"] == {"a": 1.0, "b": 1.0, "c": 0.0}
    assert found["problems"] == {"c": "the prediction is empty"}
    Path("bad.jsonl").write_text('{"id": "a"}\n')
    assert 'line 1: there is no "html"' in run("teds", "bad.jsonl", "right.jsonl").err
    Path("bad.jsonl").write_text(lines({"id": "z", "html": ""}))
    assert "'z', which right.jsonl has not" in run("teds", "bad.jsonl", "right.jsonl").err
