"""Details of the report page: its title, where mistakes are, what scrolls, colours at night."""

from __future__ import annotations

import html
import re
from pathlib import Path

import numpy as np
import pytest

from chromium import seen
from treekernels.cli.main import main
from treekernels.report import Report, ScoreTable, html_of


def page_of(data: list[str], *options: str) -> str:
    """Evaluate files, and return the report."""
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", *data, "--folds", "3", "--report", "out.html", "--quiet", *options])
    assert ended.value.code == 0
    return html.unescape(Path("out.html").read_text(encoding="utf-8"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder within a folder, with files of two classes and one wrong label in each."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep" / "inside").mkdir(parents=True)
    for name in ("one", "two"):
        rows = [f"{'xy'[i % 2]}\t(S ({'AB'[i % 2]} {'ab'[i % 2]}) (C c{i % 3}))" for i in range(30)]
        rows[16] = rows[16].replace("x\t", "y\t")
        # A line that is empty is no example, but is counted.
        (tmp_path / "deep" / "inside" / f"{name}.tsv").write_text("\n\n" + "\n".join(rows) + "\n")
    return tmp_path / "deep" / "inside"


def test_title_and_lines_of_mistakes(folder: Path) -> None:
    text = page_of([str(folder / "one.tsv")])
    assert "<h1>How well can the labels of one.tsv be learned?</h1>" in text
    assert "<title>How well can the labels of one.tsv be learned?</title>" in text
    assert f"<dd>{folder / 'one.tsv'}</dd>" in text, "the whole path is among the facts"
    assert "y, taken for x" in text
    assert re.findall(r"\((line \d+), margin", text) == ["line 19"]
    text = page_of([str(folder / "one.tsv")], "--test", str(folder / "two.tsv"))
    assert re.findall(r"\((line \d+), margin", text) == ["line 19"]


def test_of_several_files_the_file_is_named(folder: Path) -> None:
    files = [str(folder / "one.tsv"), str(folder / "two.tsv")]
    text = page_of(files)
    assert "<h1>How well can the labels of one.tsv and 1 more be learned?</h1>" in text
    assert set(re.findall(r"\((\S+), line 19, margin", text)) == set(files)


def small_report() -> Report:
    labels = np.array(["a", "b"] * 3)
    scores = ScoreTable(["", *(f"a long heading {i}" for i in range(5))], [["x", *["0.123"] * 5]])
    return Report("Wide", {}, scores, labels, labels)


def test_a_wide_table_scrolls_in_a_box_that_shows_it(tmp_path: Path) -> None:
    """The shadows stay at the edges of the box; the covers that hide them move with the table."""
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    page = tmp_path / "page.html"
    page.write_text(html_of(small_report()), encoding="utf-8")
    for width, scrolls in ((360, True), (1400, False)):
        result = seen(page, width, tmp_path)
        assert result["content"] <= result["width"], "the page itself does not scroll"
        (box,) = (box for box in result["boxes"] if box["label"] == "Scores")
        assert (box["content"] > box["room"]) == scrolls
        assert box["overflow"] == "auto"
        assert box["focus"] == 0, "the keyboard can scroll it"
        assert box["attachment"] == "local, local, scroll, scroll"
        assert (
            len(
                re.findall(
                    r"linear-gradient\(to (?:left|right), rgba\(0, 0, 0, 0\.22\)", box["shadow"]
                )
            )
            == 2
        )
