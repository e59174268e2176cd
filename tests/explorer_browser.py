"""Pages of explorers in a real browser, driven by Playwright."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from chromium import browser

_PATIENCE = 60  # seconds: a browser beside a compiler on two cores is slow
READY = """() => Boolean(document.querySelector("#content").dataset.view)
    && !document.querySelector("[aria-busy], .busy, [data-waiting]")"""


@contextmanager
def chromium() -> Iterator[Any]:
    """Lend a browser, or skip the test with a sentence."""
    path = browser()
    driver = pytest.importorskip("playwright.sync_api", reason="Playwright drives the browser")
    # What is preloaded to check our own code is not for the browser.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    with driver.sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        opened = playwright.chromium.launch(executable_path=path, args=options, env=environment)
        yield opened
        opened.close()


class Page:
    """A page of an explorer; errors in its scripts fail the test."""

    def __init__(
        self, browser_: Any, address: str, *, width: int = 1200, dark: bool = False
    ) -> None:
        scheme = "dark" if dark else "light"
        size = {"width": width, "height": 800}
        self.context = browser_.new_context(viewport=size, color_scheme=scheme)
        self.context.set_default_timeout(1000 * _PATIENCE)
        self.page = self.context.new_page()
        self.address = address
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def open(self, link: str = "") -> Any:
        """Open a view by its link, and wait until it is complete."""
        self.page.goto("about:blank")
        self.page.goto(self.address + link)
        return self.ready()

    def ready(self) -> Any:
        """Wait until nothing is asked for any longer."""
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            if self.page.evaluate(READY):
                self.page.wait_for_timeout(30)
                if self.page.evaluate(READY):
                    return self.page
            self.page.wait_for_timeout(25)
        raise AssertionError(f"not complete: {self.page.locator('main').inner_text()}")

    def text(self) -> str:
        """Return what stands in the view."""
        text: str = self.page.locator("main").inner_text()
        return text

    def close(self) -> None:
        self.context.close()
        assert self.errors == []
