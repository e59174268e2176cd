"""The pages build without a warning. The gallery is not run here: `test_gallery` does that."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "sphinx",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery",
    "sphinx_copybutton",
    "furo",
    "latex2mathml",
)
# The theme writes all titles into the margin of every page, which takes as long as the pages do.
_WITHOUT_MARGIN = """
import sys
import furo
from sphinx.cmd.build import main
furo._compute_navigation_tree = lambda context: ""
sys.exit(main(sys.argv[1:]))
"""
_BUILD = [sys.executable, "-c", _WITHOUT_MARGIN, "-W", "--keep-going", "-q", "-D", "plot_gallery=0"]


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="the pages are not part of this copy")
def test_the_pages_build(tmp_path: Path) -> None:
    for package in PACKAGES:
        pytest.importorskip(package, reason=f"{package} is not installed")
    made = shutil.ignore_patterns("_build", "generated", "examples")
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=made)  # Sphinx writes beside sources
    for name in ("examples", "benchmarks/results", "tests/oracles"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, tmp_path)
    done = subprocess.run(
        [*_BUILD, str(tmp_path / "docs"), str(tmp_path / "html")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "html/kernels/subset-tree.html").read_text(encoding="utf-8")
    assert page.count('class="fragment') - page.count('class="fragments"') == 6
    assert page.count('class="fragment shared"') == 3
    assert "<math" in page
    reference = (tmp_path / "html/generated/treekernels.TreeSVC.html").read_text(encoding="utf-8")
    assert "support_examples_" in reference
    copying = (tmp_path / "html/_static/copybutton.js").read_text(encoding="utf-8")
    assert "'>>> |\\\\.\\\\.\\\\. ', true, true, true" in copying  # no prompts, and no results
    assert "_static/copybutton.js" in page
