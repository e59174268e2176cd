"""Labels, class names and file names that mean something to a browser, terminal or spreadsheet.

They go through every output, and come out as text.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from chromium import seen
from command_line import Run, run
from treekernels.drawing import svg_of_several, text
from treekernels.drawing.markup import markup
from treekernels.io.spreadsheets import cell_of, text_of

__all__ = ["run"]

PAYLOADS = [
    "<script>window.hacked=1</script>",
    "</title></text></svg></style><script>window.hacked=2</script>",
    '"><img src=x onerror=window.hacked=3>',
    "'onload=window.hacked=4 '",
    "<svg/onload=window.hacked=5>",
    "javascript:window.hacked=6",
    "{{7*7}}{% raw %}${7*7}",
    "]]><!--&lt;script&gt;&#60;script>window.hacked=8<!-- -->",
    "[bold red]style[/bold red][/]",
    "\x1b]0;owned\x07\x9b31m\u202e\x00x".replace("\x00", ""),
    "=HYPERLINK(1)",
    "=cmd|'/C calc'!A0",
    "@SUM(1+1)*cmd|'x'!A0",
    "-2+3+cmd|' /C calc'!A0",
]
FORMULAS = PAYLOADS[-4:]
OBEYED = "\x1b\x07\x9b\u202e"
NAMES = [payload.replace("/", "_").replace("\x07", "") + ".py" for payload in PAYLOADS]
CODE = "def f{number}(x):\n    y = x + 1\n    return [y, y * 2, {text!r}]\n"


def trees() -> list[tk.Tree]:
    return list(
        tk.Forest.from_trees([("S", (payload, ("B", payload)), ("C", "c")) for payload in PAYLOADS])
    )


def classes() -> list[str]:
    return [PAYLOADS[place % 3] for place in range(len(PAYLOADS))]


def fitted() -> tk.TreeSVC:
    return tk.TreeSVC("sst", random_state=0).fit(tk.Forest.from_trees(trees()), classes())


HTML: dict[str, Callable[[], str]] = {
    "tree": lambda: "".join(tree._repr_html_() for tree in trees()),
    "forest": lambda: tk.Forest.from_trees(trees()[:3])._repr_html_(),
    "picture": lambda: svg_of_several(trees(), title="".join(PAYLOADS)),
    "fragments": lambda: tk.explain(fitted(), top=50)._repr_html_(),
    "prediction": lambda: tk.explain(fitted(), tree=trees()[0], top=50)._repr_html_(),
    "comparison": lambda: tk.compare(trees()[0], trees()[1])._repr_html_(),
}


class _Parsed(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attributes:
            self.attributes.add(name)
            if name in ("href", "src", "xlink:href", "action"):
                self.links.append(value or "")

    def handle_data(self, data: str) -> None:
        self.text += data


def check_page(page: str) -> _Parsed:
    parsed = _Parsed(page)
    assert not parsed.tags & {"script", "img", "iframe", "object", "embed", "link", "form", "base"}
    assert not [name for name in parsed.attributes if name.startswith("on")]
    assert not [
        link for link in parsed.links if not link.startswith(("#", "https://", "data:image/png;"))
    ]
    assert not set(page) & set(OBEYED)
    return parsed


@pytest.mark.parametrize("name", HTML)
def test_nothing_is_markup(name: str) -> None:
    page = HTML[name]()
    parsed = check_page(page)
    assert "window.hacked" in parsed.text
    for picture in page.split("<svg")[1:]:
        ElementTree.fromstring("<svg" + picture.split("</svg>")[0] + "</svg>")


def written_pages(run: Run) -> dict[str, str]:
    """Return the pages that commands write, with hostile labels, classes and names of files."""
    Path("code").mkdir()
    for place, name in enumerate(NAMES):
        Path("code", name).write_text(
            CODE.format(number=place, text=PAYLOADS[place]), encoding="utf-8"
        )
    tk.write("data.tsv", {"label": classes(), "tree": tk.Forest.from_trees(trees())})
    done = run(
        *("duplicates", "code", "--smallest", "5", "--kernel", "sst", "--threshold", "0.5"),
        *("--format", "html=copies.html", "--format", "sarif=copies.sarif"),
    )
    assert done.code == 1, done.err
    done = run("evaluate", "data.tsv", "--folds", "2", "--report", "report.html")
    assert done.code == 0, done.err
    return {name: Path(name).read_text("utf-8") for name in ("copies.html", "report.html")}


def test_written_pages_and_results(run: Run) -> None:
    for page in written_pages(run).values():
        assert "window.hacked" in check_page(page).text
    results = Path("copies.sarif").read_text("utf-8")
    assert not set(results) & set(OBEYED)
    for result in json.loads(results)["runs"][0]["results"]:
        for place in [result["locations"][0], *result["relatedLocations"]]:
            uri = place["physicalLocation"]["artifactLocation"]["uri"]
            assert not set(uri) & set(" <>\"'\\^`{}|"), uri


@pytest.mark.slow
def test_no_script_runs_in_a_browser(run: Run, tmp_path: Path) -> None:
    pages = written_pages(run)
    pages["notebook.html"] = "<!doctype html><meta charset='utf-8'><body>" + "".join(
        make() for make in HTML.values()
    )
    for name, content in pages.items():
        page = tmp_path / name
        page.write_text(content, encoding="utf-8")
        found = seen(page, 800, tmp_path)
        assert (found["scripts"], found["hacked"]) == (0, None), name
    page.write_text("<body><script>window.hacked=1</script>")  # otherwise this would be no test
    assert seen(page, 800, tmp_path)["hacked"] == 1


def test_what_is_printed() -> None:
    model = fitted()
    shown = [str(tk.explain(model)), str(tk.compare(trees()[0], trees()[9])), repr(model)]
    shown += [text(tree) for tree in trees()] + [repr(tree) for tree in trees()]
    shown.append(repr(tk.Table({PAYLOADS[9]: [1, 2]})))
    for each in shown:
        assert not set(each) & set(OBEYED)


def test_what_a_search_shows(run: Run) -> None:
    forest = tk.Forest.from_trees(trees())
    index = tk.TreeIndex()
    index.add(forest, ids=PAYLOADS)
    shown = [
        repr(index),
        repr(index.search(forest, 9)[9]),
        str(index.explain(forest[9], PAYLOADS[9])),
    ]
    ranker = tk.TreeRanker("sst").fit(forest, range(len(forest)))
    shown += [str(tk.explain(ranker)), repr(list(index.within(forest, 0.5)[9]))]
    tk.write("trees.txt", forest)
    Path("code").mkdir()
    Path("code", NAMES[9]).write_text(CODE.format(number=9, text=PAYLOADS[9]), encoding="utf-8")
    for arguments in (
        ["index", "build", "trees.tki", "trees.txt"],
        ["index", "build", "code.tki", "code"],
        ["index", "info", "code.tki"],
        ["search", "trees.tki", str(forest[9])],
        ["search", "code.tki", "code"],
        ["search", "code.tki", "code", "--json"],
        ["duplicates", "trees.txt", "--threshold", "0.1"],
    ):
        done = run(*arguments)
        assert done.code in (0, 1), done.err
        shown.append(done.out + done.err)
    for each in shown:
        assert not set(each) & set(OBEYED)


def test_errors_of_hostile_files(run: Run) -> None:
    for name in NAMES:
        result = run("fit", name.replace(".py", ".tsv"), "model.tkm")
        assert result.code != 0
        assert not set(result.err) & set(OBEYED)


@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_no_formula_in_a_table(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"table.{format}"
    table = {"label": FORMULAS, FORMULAS[0]: ["-LRB-", "-1.5", "=", "'tis"], "tree": ["(A b)"] * 4}
    tk.write(path, table)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="," if format == "csv" else "\t"))
    assert [row[1] for row in rows[1:]] == ["-LRB-", "-1.5", "=", "'tis"]
    for cell in [rows[0][1], *(row[0] for row in rows[1:])]:
        assert cell[0] == "'", cell
    again: Any = tk.read(path)
    assert list(again["label"]) == FORMULAS
    assert again.columns == list(table)


@given(st.text("=+-@'a1(|! .\t") | st.text())
def test_cells_mean_their_texts(text: str) -> None:
    cell = cell_of(text)
    assert text_of(cell) == text
    if cell.lstrip()[:1] in ("=", "+", "-", "@") and cell[:1] in "=+-@":
        assert not set(cell) & set("(|!'\" \t")


@given(st.text())
def test_markup_has_no_markup(text: str) -> None:
    assert not set(markup(text)) & set("<>\"'")
    ElementTree.fromstring(f'<a title="{markup(text)}">{markup(text)}</a>')
