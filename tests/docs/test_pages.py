"""README and pages: programs print what is shown, commands run, links lead somewhere.

That Sphinx builds the pages is the business of `test_docs_build`.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import inspect
import io
import re
import shlex
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import treekernels as tk
from treekernels import readers, structures
from treekernels.cli.main import main
from treekernels.io.formats import FORMATS, reader_of

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [page for folder in (DOCS, DOCS / "kernels") for page in sorted(folder.glob("*.md"))]
WRITTEN = [*PAGES, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))]
NEEDED = {
    "formats.md": ("lxml", "pandas", "tree_sitter_javascript", "sqlglot", "latex2mathml", "yaml"),
    "objects.md": ("networkx",),
    "code.md": ("tree_sitter_javascript",),
    "scikit-learn.md": ("pandas",),
}
LINK = re.compile(r"\]\(([^)\s]+)\)")
WORD = "{0}\t{1}\t{1}\t{2}\t_\t_\t{3}\t{4}\t_\t_\n"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are not part of this copy")


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if ">>> " in read(page)],
    ids=lambda page: str(page.relative_to(DOCS)),
)
def test_examples(page: Path) -> None:
    for package in NEEDED.get(page.name, ()):
        pytest.importorskip(package, reason=f"{package} is not installed")
    done = doctest.testfile(
        str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert done.attempted > 2
    assert done.failed == 0


def test_formats_are_as_the_table_says() -> None:
    cell = r"\|([^|\n]*)"
    rows = re.findall(rf"^\| *(`[^|]*){cell}\|[^|\n]*{cell}\|$", read(DOCS / "formats.md"), re.M)
    described = {
        name.strip("` "): tuple(set(re.findall(r"`([^`]+)`", cell)) for cell in cells)
        for name, *cells in rows
    }
    assert set(described) == set(FORMATS)
    for name, (extensions, options) in described.items():
        known = set(FORMATS[name].extensions)
        assert extensions <= known if name == "tree-sitter" else extensions == known, name
        taken = set(inspect.signature(reader_of(name)).parameters)
        taken -= {"path", "problems", "origins", "label"}
        taken |= {"columns"} if FORMATS[name].can_rename else set()
        assert options == taken, name


@pytest.mark.parametrize("name", ["README.md", "docs/distributed.md", "docs/pairs.md"])
def test_programs_print_what_is_shown(name: str) -> None:
    """Each program that is followed by what it prints; they go on where the last one ended."""
    shown = re.findall(r"```python\n((?:(?!```).)*)```\n\n```\n(.*?)```", read(ROOT / name), re.S)
    assert len(shown) == (5 if name == "README.md" else 1)
    names: dict[str, Any] = {}
    for program, output in shown:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(program, names)
        assert printed.getvalue() == output


def make_files() -> None:
    """Write the files that the commands on the pages read."""
    rows = [f"question\t(SBARQ (WHNP (WP {who})) (SQ (VBZ sings)))" for who in "abcdef"]
    rows += [f"statement\t(S (NP (NN {who})) (VP (VBZ sings)))" for who in "abcdef"]
    files = {"data.tsv": "\n".join(rows), "new.tsv": "\n".join(rows[::2])}
    files |= {"new.py": "def f(a):\n    return a\n", "a.py": "x = f(1)\n", "b.py": "y = g(1)\n"}
    files["new/a.xml"] = "<page><h1>new</h1></page>"
    for number in range(5):
        files[f"src/one/{number}.py"] = f"def f(x):\n    return x + {number}\n"
        files[f"src/two/{number}.py"] = f"def g(x):\n    for y in x:\n        f({number})\n"
        files[f"handed-in/{number}.py"] = f"def f(x):\n    return [x, x + {number}, -x]\n"
        files[f"pages/news/{number}.xml"] = f"<page><h1>{number}</h1></page>"
        files[f"pages/shop/{number}.xml"] = f"<page><p>{number}</p><b>2</b></page>"
    for language, relation in {"english": "det", "german": "advmod"}.items():
        sentence = WORD.format(1, "a", "X", 2, relation) + WORD.format(2, "b", "Y", 0, "root")
        files[f"{language}.conllu"] = 5 * f"{sentence}\n"
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "page", ["README.md", "docs/code.md", "docs/pages.md", "docs/treebanks.md"]
)
def test_commands(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jinja2", reason="Jinja is not installed")
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    monkeypatch.chdir(tmp_path)
    make_files()
    lines = re.findall(r"^(treekernels .*?)(?:  +#.*)?$", read(ROOT / page), re.M)
    assert len(lines) >= 3
    for line in lines:
        if " explore " in line:  # waits for a browser; tests/explorer runs it
            continue
        with pytest.raises(SystemExit) as caught:
            main(shlex.split(line)[1:])
        assert not caught.value.code, line


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(read(page)):
        target, _, heading = link.partition("#")
        if "://" in target:
            continue
        if page.parent != ROOT and target.startswith("examples/"):  # made by the gallery
            source = ROOT / "examples" / f"{Path(target).name}.py"
            assert target == "examples/index" or source.is_file(), f"{link} in {page.name}"
            continue
        there = page.parent / target if target else page
        assert there.exists(), f"{link} in {page.name}"
        if heading:
            assert heading in headings(there), f"{link} in {page.name}"


def headings(page: Path) -> set[str]:
    """Return the names by which the headings of a page are linked to."""
    titles = re.findall(r"^#+ (.*)$", read(page), re.M)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


def test_every_page_is_in_the_contents() -> None:
    listed: set[Path] = set()
    for page in (DOCS / "index.md", DOCS / "kernels/index.md"):
        for tree in re.findall(r"```\{toctree\}(.*?)```", read(page), re.S):
            names = [line for line in tree.split() if not line.startswith(":")]
            listed |= {page.parent / f"{name}.md" for name in names}
    assert set(PAGES) - {DOCS / "index.md"} <= listed


def test_every_kernel_has_a_page() -> None:
    text = "".join(map(read, (DOCS / "kernels").glob("*.md")))
    kernels = [name for name in tk.__all__ if name.endswith("Kernel") and name != "Kernel"]
    assert [name for name in kernels if f"{{class}}`treekernels.{name}`" not in text] == []


def _public(module: ModuleType, prefix: str = "") -> set[str]:
    return {prefix + name for name in module.__all__}


def test_the_reference_has_every_public_name() -> None:
    listed = set(re.findall(r"^   ([\w.]+)$", read(DOCS / "reference.md"), re.M))
    names = _public(tk) | _public(structures, "structures.")
    names |= _public(readers, "readers.") - {"readers.read"}
    plots = importlib.import_module("treekernels.plots")
    assert names | _public(plots, "plots.") <= listed
    for name in listed:
        module, _, attribute = f"treekernels.{name}".rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


def test_the_page_on_limits_names_tests_and_defaults() -> None:
    page = read(DOCS / "limits.md")
    rows = [line for line in page.partition("| attack |")[2].splitlines() if line.startswith("| ")]
    assert len(rows) > 15
    for row in rows:
        file = None
        for name in re.findall(r"`((?:tests/|cpp/|::)[^`]*)`", row.split("|")[2]):
            path, _, test = name.partition("::")
            file = ROOT / path if path else file
            assert file is not None, row
            assert file.exists(), name
            assert not test or f"def {test}(" in read(file), name
        assert file is not None, row
    named = re.findall(r"^\| `(\w+)` \| (\S+)", page, re.MULTILINE)
    assert [name for name, _ in named] == [field.name for field in fields(tk.Limits)]
    for name, value in named:
        default = getattr(tk.Limits(), name)
        assert default == (None if value == "half" else int(value.replace(",", "")))
