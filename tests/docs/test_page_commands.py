"""The commands that pages for one kind of data show can be typed as they are."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from treekernels.cli.main import main

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("code.md", "pages.md", "treebanks.md")
WORD = "{0}\t{1}\t{1}\t{2}\t_\t_\t{3}\t{4}\t_\t_\n"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are not part of this copy")


def commands(page: str) -> list[str]:
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("treekernels ")]


def make_files(folder: Path) -> None:
    files = {"new.py": "def f(a):\n    return a\n", "a.py": "x = f(1)\n", "b.py": "y = g(1)\n"}
    for number in range(5):
        files[f"src/one/{number}.py"] = f"def f(x):\n    return x + {number}\n"
        files[f"src/two/{number}.py"] = f"def g(x):\n    for y in x:\n        f({number})\n"
        files[f"pages/news/{number}.xml"] = f"<page><h1>{number}</h1></page>"
        files[f"pages/shop/{number}.xml"] = f"<page><p>{number}</p><b>2</b></page>"
    files["new/a.xml"] = "<page><h1>new</h1></page>"
    for language, relation in {"english": "det", "german": "advmod"}.items():
        sentence = WORD.format(1, "a", "X", 2, relation) + WORD.format(2, "b", "Y", 0, "root")
        files[f"{language}.conllu"] = 5 * f"{sentence}\n"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_commands(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jinja2", reason="Jinja is not installed")
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    make_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    lines = commands(page)
    assert len(lines) >= 3
    for line in lines:
        with pytest.raises(SystemExit) as caught:
            main(shlex.split(line)[1:])
        assert not caught.value.code, line


def test_compare_takes_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "`treekernels compare a.py b.py`" in (DOCS / "code.md").read_text(encoding="utf-8")
    make_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as caught:
        main(["compare", "a.py", "b.py"])
    assert not caught.value.code
    assert "Assign" in capsys.readouterr().out
