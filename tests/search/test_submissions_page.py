"""The page of a course: one file, in which texts are data, and what a browser shows of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import treekernels as tk
from chromium import OPTIONS, browser
from command_line import Run, run

__all__ = ["run"]

CODE = """# </script><script>window.hacked=1</script> {{data}} {{style}} \u202e
def f(x):
    text = "</pre><img src=x onerror=window.hacked=2> 𝄞 <!-- é"
    for y in x:
        if y > 3 and y % 7 != 2:
            text += str(y * y - 1)
    return text
"""
OTHER = (
    "def g(a, b):\n    with open(a) as c:\n        return {d: d[b:] for d in c.read().split()}\n"
)
NAMES = ["<b onclick=hacked>", "\u202eevil&amp;", "{{script}}"]


class _Parsed(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, Any]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))


def page_of(folder: Path) -> str:
    for place, name in enumerate(NAMES):
        (folder / "c" / name).mkdir(parents=True)
        text = OTHER if place == 2 else CODE.replace("text", f"text{place}")
        (folder / "c" / name / f"{name}.py").write_text(text, encoding="utf-8")
    tk.compare_submissions(folder / "c").to_html(folder / "page.html")
    return (folder / "page.html").read_text("utf-8")


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


def test_the_page_is_one_file_in_which_texts_are_data(tmp_path: Path) -> None:
    page = page_of(tmp_path)
    tags = _Parsed(page).tags
    assert [tag for tag, _ in tags].count("script") == 2
    assert not {"img", "iframe", "link", "object", "embed"} & {tag for tag, _ in tags}
    for _, attributes in tags:
        assert not [name for name in attributes if name.startswith("on") or name == "src"]
        assert attributes.get("href", "#").startswith("#")
    assert "\u202e" not in page
    policy = next(attributes["content"] for tag, attributes in tags if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    data = data_of(page)
    assert sorted(one["name"] for one in data["submissions"]) == sorted(NAMES)
    first, second, similarity, *_, passages = data["pairs"][0]
    assert similarity == 1
    for side, number in ((0, first), (3, second)):
        text = data["submissions"][number]["files"][0][1].encode("utf-16-le")
        (file, begin, end) = passages[0][side : side + 3]
        assert file == 0
        assert (begin, 2 * end) == (0, len(text))


def test_what_a_browser_shows(tmp_path: Path) -> None:
    page_of(tmp_path)
    command = [browser(), *OPTIONS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    shown = subprocess.run(
        [*command, f"{(tmp_path / 'page.html').as_uri()}#pair=0"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env=environment,
    ).stdout
    left, right = re.findall(r"<article.*?</article>", shown, re.S)
    for side in (left, right):
        assert "<img" not in side
        marked = "".join(re.findall(r"<mark[^>]*>(.*?)</mark>", side, re.S))
        assert "onerror=window.hacked=2> 𝄞 <!-- é" in unescape(marked)
        assert "100 % of it in" in side
    assert 'class="m0 chosen"' in left
    assert "1 pair is at least 50 % alike" in shown
    assert "\u202e" not in re.sub(r"<script.*?</script>", "", shown, flags=re.S)


def test_the_command(run: Run) -> None:
    for name, text in {"anna": CODE, "ben": CODE.replace("y", "z"), "carla": OTHER}.items():
        Path("in", name).mkdir(parents=True)
        Path("in", name, "main.py").write_text(text, encoding="utf-8")
    Path("in", "dora").mkdir()
    Path("given.py").write_text(OTHER, encoding="utf-8")
    done = run("submissions", "in", "--report", "out.html", "--save-index", "old.tki")
    assert done.code == 0, done.err
    assert "3 submissions, and 1 pair of similarity 0.50 or more" in done.out
    assert "Group 1: anna, ben" in done.out
    assert "dora" in done.err
    assert len(json.loads(Path("out.json").read_text("utf-8"))["pairs"]) == 3
    assert len(Path("out.csv").read_text("utf-8").splitlines()) == 4
    assert len(data_of(Path("out.html").read_text("utf-8"))["pairs"]) == 3
    done = run("submissions", "in", "--against", "old.tki", "--json", "--pairs", "2", "--quiet")
    pairs = json.loads(done.out)["pairs"]
    assert [pair["similarity"] for pair in pairs] == [1, 1]
    assert done.err == ""
    done = run("submissions", "in", "--anonymous", "--threshold", "0.9", "--template", "given.py")
    assert "submission 1" in done.out
    assert "You have chosen it." in done.out
    assert "of the template" in done.err
    assert "anna" not in done.out + done.err
    assert run("submissions", "nowhere").code == 2
    refused = run("submissions", "in", "--report", "out.csv")
    assert (refused.code, "ends in .html" in refused.err) == (2, True)
    refused = run("submissions", "in", "--save-index", "index")
    assert (refused.code, "has to end in .tki" in refused.err) == (2, True)
