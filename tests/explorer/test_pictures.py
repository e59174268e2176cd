"""The pictures of the explorer in the documentation: of real data, and made here.

``TREEKERNELS_PICTURES=docs/_static pytest tests/explorer/test_pictures.py`` makes them anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import treekernels as tk
from explorer_browser import Page, chromium
from treekernels.demo.functions import functions
from treekernels.demo.learners import task_of

DOCS = Path(__file__).parents[2] / "docs"
VIEWS = {
    "tree": "#/tree?row={row}",
    "fragments": "#/fragments?class=logging",
    "compare": "#/compare?arow={row}&brow={other}&kernel=sst(0.2);ptk;st",
    "mistakes": "#/mistakes",
    "map": "#/map",
}


@pytest.fixture(scope="module")
def explorer() -> Iterator[tk.Explorer]:
    """The demo's machine, and the functions that it was not trained on."""
    forest, labels = functions()
    task = task_of(forest, labels, -1)
    kernel = tk.SubsetTreeKernel(0.2, weights="idf", counts="log")
    machine = tk.TreeSVC(kernel, C=10, random_state=0, n_jobs=-1)
    machine.fit(forest[task.train], labels[task.train])
    data = tk.Table(
        {
            "tree": forest[task.test],
            "label": labels[task.test],
            "line": [row + 1 for row in range(len(task.test))],
        }
    )
    with tk.explore(machine, data, browser=False) as found:
        yield found


@pytest.mark.slow  # the demo's model is learned
def test_pictures(explorer: tk.Explorer, tmp_path: Path) -> None:
    folder = Path(os.environ.get("TREEKERNELS_PICTURES", tmp_path))
    corpus = explorer._server.state.corpus()
    sizes = corpus.X.sizes
    row, other = (int(place) for place in ((sizes > 24) & (sizes < 32)).nonzero()[0][[3, 4]])
    with chromium() as browser:
        page = Page(browser, explorer.address, width=1100)
        for name, link in VIEWS.items():
            page.open(link.format(row=row, other=other))
            if name == "fragments":
                page.page.locator(".fragments .open").nth(1).click()
                page.page.get_by_text(re.compile(r"^In \d+ of")).wait_for()
                page.ready()
            if name == "compare":
                page.page.get_by_role("heading", name="Both trees").scroll_into_view_if_needed()
                page.page.mouse.wheel(0, 560)
                page.page.wait_for_timeout(200)
            page.page.screenshot(path=folder / f"explorer-{name}.png")
            assert (folder / f"explorer-{name}.png").stat().st_size > 10_000
        page.close()


@pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are not part of this copy")
def test_every_picture_is_there() -> None:
    text = (DOCS / "explorer.md").read_text(encoding="utf-8")
    named = set(re.findall(r"_static/(explorer-\w+\.png)", text))
    assert named == {f"explorer-{name}.png" for name in VIEWS}
    assert named == {path.name for path in (DOCS / "_static").glob("explorer-*.png")}
