"""Examples in docs/ give what the pages say, links lead somewhere, no public name is missing.

That Sphinx builds them is the business of `test_docs_build`.
"""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import treekernels as tk
from treekernels import readers, structures

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    str(page.relative_to(DOCS))
    for folder in (DOCS, DOCS / "kernels")
    for page in folder.glob("*.md")
    if ">>> " in page.read_text(encoding="utf-8")
)
WRITTEN = [
    *(page for folder in (DOCS, DOCS / "kernels") for page in folder.glob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
]
NEEDED = {
    "formats.md": ("lxml", "pandas", "tree_sitter_javascript"),
    "code.md": ("tree_sitter_javascript",),
    "scikit-learn.md": ("pandas",),
}
LINK = re.compile(r"\]\(([^)\s]+)\)")

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are not part of this copy")


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str) -> None:
    for package in NEEDED.get(name, ()):
        pytest.importorskip(package, reason=f"{package} is not installed")
    done = doctest.testfile(
        str(DOCS / name), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert done.attempted > 2
    assert done.failed == 0


@pytest.mark.parametrize("name", ["distributed.md", "pairs.md"])
def test_program(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.DOTALL)
    assert found is not None
    exec(found[1], {})
    assert capsys.readouterr().out == found[2]


def test_pages_were_found() -> None:
    assert {"formats.md", "first-steps.md", "migrating.md", "kernels/partial.md"} <= set(PAGES)


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        target = link.partition("#")[0]
        if not target or "://" in target:
            continue
        if page.parent != ROOT and target.startswith("examples/"):  # made by the gallery
            source = ROOT / "examples" / f"{Path(target).name}.py"
            assert target == "examples/index" or source.is_file(), f"{link} in {page.name}"
        else:
            assert (page.parent / target).exists(), f"{link} in {page.name}"


def test_every_page_is_in_the_contents() -> None:
    listed: set[Path] = set()
    for page in (DOCS / "index.md", DOCS / "kernels/index.md"):
        for tree in re.findall(r"```\{toctree\}(.*?)```", page.read_text(encoding="utf-8"), re.S):
            names = [line for line in tree.split() if not line.startswith(":")]
            listed |= {page.parent / f"{name}.md" for name in names}
    there = {page for page in WRITTEN if page.is_relative_to(DOCS)} - {DOCS / "index.md"}
    assert there <= listed


def _public(module: ModuleType, prefix: str = "") -> set[str]:
    return {prefix + name for name in module.__all__}


def test_every_public_name_is_in_the_reference() -> None:
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   ([\w.]+)$", text, re.M))
    names = _public(tk) | _public(structures, "structures.")
    names |= _public(readers, "readers.") - {"readers.read"}
    plots = importlib.import_module("treekernels.plots")
    assert names | _public(plots, "plots.") <= listed


def test_every_name_in_the_reference_exists() -> None:
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    for name in re.findall(r"^   ([\w.]+)$", text, re.M):
        module, _, attribute = f"treekernels.{name}".rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


def test_the_configuration_is_python() -> None:
    pytest.importorskip("docutils", reason="docutils is not installed")
    before = list(sys.path)
    try:
        settings: dict[str, Any] = runpy.run_path(str(DOCS / "conf.py"))
    finally:
        sys.path[:] = before
    assert settings["release"] == tk.__version__
    assert not settings["_is_foreign"](None, "method", "diag", tk.Kernel.diag, False, None)
    assert settings["_is_foreign"](None, "method", "theta", tk.Kernel.theta, False, None)


def test_the_pictures_have_the_fragments_that_kernels_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("sphinx", reason="Sphinx is not installed")
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    pictures = importlib.import_module("fragment_pictures")
    tree = ("NP", ("D", ("the",)), ("N", ("dog",)))
    text = "(NP (D the) (N dog))"
    counting = {
        "subtree": tk.SubtreeKernel(normalize=False),
        "subset": tk.SubsetTreeKernel(1, normalize=False),
        "partial": tk.PartialTreeKernel(1, 1, normalize=False),
        "elastic": tk.ElasticTreeKernel(1, normalize=False),
    }
    for kind, kernel in counting.items():
        assert len(pictures.features(kind, tree)) == kernel.diag([text])[0], kind
    weights = pictures.features("partial", ("A", ("b",), ("c",), ("d",)))
    assert weights[("A", ("b",), ("d",))] == "μ<sup>3</sup>λ<sup>4</sup> · λ"


def test_the_version_of_the_citation() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {tk.__version__}\n" in text
    assert text.count("type: conference-paper") == 4
