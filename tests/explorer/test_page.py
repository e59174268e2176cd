"""Every view in a real browser: typing, clicking, keys, links, phones, the dark, a server gone."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

import treekernels as tk
from explorer_browser import Page, chromium
from explorer_client import HOSTILE, LABELS, TREES, model_of, sentences
from treekernels.explorer.explorer import start
from treekernels.explorer.session.corpus import Corpus
from treekernels.explorer.session.jobs import Cancelled, Job
from treekernels.explorer.session.model import ExploredModel
from treekernels.explorer.views import fragments

VIEWS = ["tree", "fragments", "compare", "nearest", "mistakes", "map"]
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def explorer() -> Iterator[tk.Explorer]:
    with tk.explore(model_of(), sentences(), browser=False) as found:
        yield found


@pytest.fixture
def opened(browser: Any, explorer: tk.Explorer) -> Iterator[Open]:
    pages: list[Page] = []

    def make(link: str = "", *, address: str | None = None, **settings: Any) -> Page:
        page = Page(browser, address or explorer.address, **settings)
        pages.append(page)
        page.open(link)
        return page

    yield make
    for page in pages:
        page.close()


def test_typing(opened: Open) -> None:
    result = opened("#/tree?row=0")
    page = result.page
    assert page.locator(".verdict").inner_text() == "statement"
    assert "line 1" in result.text()
    page.get_by_role("textbox", name="Tree").fill("(SQ (V do) (NP (N dogs)) (VP (V bark")
    result.ready()
    assert page.locator(".verdict").inner_text() == "question"
    assert "3 closing brackets were added." in result.text()
    assert page.locator("main svg rect").count() > 0, "what decides is coloured"
    page.get_by_role("textbox", name="Tree").fill("(S))")
    result.ready()
    assert "column 4" in page.get_by_role("alert").filter(has_text="column").inner_text().lower()


def test_work_is_cancelled_and_begun_again(browser: Any) -> None:
    """The data are read in the background: here slowly, until somebody has cancelled it once."""
    model = ExploredModel(model_of())
    cancelled = threading.Event()

    def read(job: Job) -> Corpus:
        while not cancelled.is_set():
            try:
                job.progress(1, 8)
            except Cancelled:
                cancelled.set()
                raise
            time.sleep(0.01)
        return Corpus.of(sentences(), model.kernel)

    with start(model, read, browser=False) as explorer:
        result = Page(browser, explorer.address)
        result.page.goto(explorer.address + "#/nearest?row=0")
        result.page.get_by_text("1 of 8").first.wait_for()
        result.page.get_by_role("button", name="Cancel").first.click()
        result.page.get_by_text(re.compile("Reading .*: cancelled")).first.wait_for()
        result.page.get_by_role("button", name="Start again").first.click()
        result.ready()
        assert "line 2" in result.text(), "the nearest ones are there"
        result.close()


def test_classes_are_chosen(opened: Open) -> None:
    result = opened("#/tree?row=4")
    assert "For question" in result.text()
    result.page.get_by_role("button", name=re.compile("^statement")).click()
    result.page.get_by_text("For statement").wait_for()
    assert "class=statement" in result.page.url


def test_examples_in_turn(opened: Open) -> None:
    result = opened("#/tree?row=6")
    result.page.get_by_role("button", name="Next example").click()
    result.page.get_by_text("line 8").wait_for()
    assert result.page.get_by_role("textbox", name="Tree").input_value() == TREES[7]
    assert result.page.locator(".chip.wrong").inner_text() == "statement"
    result.page.get_by_label("Number of the example").fill("2")
    result.page.keyboard.press("Enter")
    result.page.get_by_text("line 2").wait_for()


def test_fragments(opened: Open) -> None:
    result = opened("#/fragments")
    page = result.page
    page.get_by_label("Search").fill("does")
    result.ready()
    names = page.locator(".fragments .open")
    assert names.count() > 0
    assert all("does" in (name.get_attribute("aria-label") or "") for name in names.all())
    names.first.click()
    page.get_by_text("In 2 of 8 examples").wait_for()
    assert page.locator(".sticky svg rect").count() > 0, "the place is marked"
    page.get_by_role("button", name=re.compile("^Size")).click()
    result.ready()
    sizes = [int(text) for text in page.locator(".fragments td.number").all_inner_texts()]
    assert sizes == sorted(sizes, reverse=True)
    page.get_by_label("Counts for").select_option("statement")
    result.ready()
    assert "No fragment with a positive weight matches." in result.text()


def test_a_fragment_is_chosen_while_more_are_found(
    browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, plain = threading.Event(), fragments._heaviest

    def slowly(state: Any, job: Job, *question: Any) -> list[Any]:
        result = plain(state, Job("", lambda own: None), *question)
        job.partial = result[:3]
        while not chosen.wait(0.01):
            job.progress(3, len(result))
        return result

    monkeypatch.setattr(fragments, "_heaviest", slowly)
    with tk.explore(model_of(), sentences(), browser=False) as explorer:
        result = Page(browser, explorer.address)
        result.page.goto(explorer.address + "#/fragments")
        result.page.locator(".fragments .open").first.click()
        result.page.get_by_text(re.compile(r"In \d+ of 8")).wait_for()
        assert result.page.locator(".fragments .open").count() == 3
        result.page.wait_for_timeout(700)  # it has asked again meanwhile
        chosen.set()
        result.ready()
        assert result.page.locator(".fragments .open").count() > 3
        assert result.page.locator("tr[aria-selected=true]").count() == 1
        result.close()


def test_links_reproduce_a_view(opened: Open) -> None:
    result = opened("#/fragments?text=NP&sort=size")
    result.page.locator(".fragments .open").first.click()
    result.page.get_by_text(re.compile(r"In \d+ of 8")).wait_for()
    again = opened(result.page.url.removeprefix(result.address))
    assert again.text() == result.text()
    assert again.page.locator("tr[aria-selected=true]").count() == 1


def test_mistakes(opened: Open) -> None:
    result = opened("#/mistakes")
    assert "87.50% right" in result.text()
    result.page.get_by_label("statement taken for question: 1").click()
    result.ready()
    assert "statement, taken for question: 1 example" in result.text()
    result.page.get_by_role("link", name="line 8").click()
    result.page.locator(".verdict").wait_for()
    assert "row=7" in result.page.url


def test_map(opened: Open) -> None:
    result = opened("#/map")
    page = result.page
    page.get_by_role("button", name="Select").click()
    box = page.locator("canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 2, steps=3)
    page.mouse.up()
    page.get_by_text("8 examples selected").wait_for()
    result.ready()
    again = opened(page.url.removeprefix(result.address))
    assert "8 examples selected" in again.text()
    page.get_by_role("button", name="Zoom in").click()
    page.locator("canvas").focus()
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    result.ready()
    assert "z=1.000" in page.url
    page.get_by_label("Colour by").select_option("mistake")
    result.ready()
    assert "wrong" in page.locator(".legend").inner_text()


def test_keyboard(opened: Open) -> None:
    result = opened()
    page = result.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the view"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.get_by_role("link", name="Mistakes").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Mistakes", exact=True).wait_for()
    assert page.locator("nav [aria-current=page]").inner_text() == "Mistakes"


def test_phones_and_names(opened: Open) -> None:
    """Nothing sticks out on a phone, and everything one can use has a name to be read out."""
    result = opened(width=360)
    for view in VIEWS:
        result.open(f"#/{view}")
        over = result.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert over <= 0, view
        unnamed = result.page.evaluate(
            """() => [...document.querySelectorAll("button, a, input, select, textarea, canvas")]
            .filter(part => part.offsetParent && !(part.getAttribute("aria-label") || part.title
                || part.textContent.trim() || (part.labels && part.labels.length)))
            .map(part => part.outerHTML)"""
        )
        assert unnamed == [], view
        assert result.page.locator("h1").count() == 1
        untitled = "all => all.filter(svg => !svg.querySelector('title')).length"
        assert result.page.locator("svg").evaluate_all(untitled) == 0
    assert all(url.startswith((result.address, "about:")) for url in result.requests), "no network"


def test_dark(opened: Open) -> None:
    def colours(dark: bool) -> tuple[str, str]:
        page = opened("#/tree?row=0", dark=dark).page
        body = page.evaluate("getComputedStyle(document.body).backgroundColor")
        mark = page.locator("svg rect").first.evaluate("one => getComputedStyle(one).fill")
        return body, mark

    assert colours(False) == ("rgb(246, 247, 248)", "rgb(0, 114, 178)")
    assert colours(True) == ("rgb(15, 17, 20)", "rgb(77, 184, 255)")


def test_hostile_labels_are_only_shown(opened: Open) -> None:
    evil = '"><img/src=x/onerror=hacked=1>'
    trees = [f"(S (A {HOSTILE}))", f"(S (B {evil}))", "(S (A b))", "(S (B c))"]
    labels = [HOSTILE, evil, HOSTILE, evil]
    with tk.explore(model_of(trees, labels), trees, labels, browser=False) as explorer:
        result = opened(address=explorer.address)
        for view in VIEWS:
            result.open(f"#/{view}")
            result.page.wait_for_timeout(50)
            assert result.page.evaluate("typeof hacked") == "undefined", view
            assert result.page.locator("main img, main script").count() == 0, view
            assert HOSTILE in result.page.locator("main").text_content(), view


def test_a_server_that_goes_away(opened: Open) -> None:
    with tk.explore(model_of(), TREES, LABELS, browser=False) as explorer:
        result = opened("#/tree?row=0", address=explorer.address)
    result.page.get_by_role("button", name="Next example").click()
    result.page.get_by_text("The explorer does not answer").wait_for()
    assert result.page.get_by_role("button", name="Try again").is_visible()


def test_the_button_stops_it(opened: Open) -> None:
    with tk.explore(model_of(), browser=False) as explorer:
        result = opened(address=explorer.address)
        result.page.on("dialog", lambda dialog: dialog.accept())
        result.page.get_by_role("button", name="Stop").click()
        result.page.get_by_text("The explorer has stopped.").wait_for()
        assert not explorer.running


def test_in_a_frame_of_a_notebook(browser: Any, explorer: tk.Explorer) -> None:
    """A notebook is another page of this machine, and may show the explorer."""

    class Notebook(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(explorer.view("mistakes")._repr_html_().encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Notebook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"http://localhost:{server.server_port}/")
    page.frame_locator("iframe").get_by_text("87.50% right").wait_for()
    context.close()
    server.shutdown()
    server.server_close()
