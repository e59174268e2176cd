"""The examples in docs/ give what the pages say."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = ["formats.md", "structures.md"]


@pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are not part of this copy")
@pytest.mark.parametrize("name", PAGES)
def test_page(name: str) -> None:
    if name == "formats.md":
        for package in ("lxml", "pandas", "tree_sitter_javascript"):
            pytest.importorskip(package, reason=f"{package} is not installed")
    done = doctest.testfile(
        str(DOCS / name), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert done.attempted > 10
    assert done.failed == 0
