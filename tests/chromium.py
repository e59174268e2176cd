"""Pages seen by a real browser, without a screen."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--allow-file-access-from-files",
    "--virtual-time-budget=5000",
)
# A window cannot be as narrow as a phone, but a frame can.
FRAME = """<!doctype html><meta charset="utf-8"><body style="margin:0">
<iframe src="{page}" style="width:{width}px;height:{height}px;border:0"></iframe>
<pre id="measured"></pre>
<script>
const frame = document.querySelector("iframe");
frame.addEventListener("load", () => {{
  const view = frame.contentWindow, page = frame.contentDocument;
  const box = element => {{
    const r = element.getBoundingClientRect();
    return [r.left, r.top, r.right, r.bottom];
  }};
  document.getElementById("measured").textContent = JSON.stringify({{
    title: page.title,
    text: page.body.innerText,
    scripts: page.scripts.length,
    hacked: view.hacked === undefined ? null : view.hacked,
    width: page.documentElement.clientWidth,
    content: Math.max(page.documentElement.scrollWidth, page.body.scrollWidth),
    requests: view.performance.getEntriesByType("resource").map(entry => entry.name),
    sticking_out: [...page.querySelectorAll("section, h1, h2, dl, p, .box")].map(box)
      .filter(r => r[0] < 0 || r[2] > view.innerWidth).length,
    trees: [...page.querySelectorAll("svg.treekernels")].map(svg =>
      [...svg.querySelectorAll("text")].map(box)),
    plot_text: [...page.querySelectorAll(".plot text")].map(text => {{
      const scale = text.getScreenCTM();
      return parseFloat(view.getComputedStyle(text).fontSize) * Math.hypot(scale.a, scale.b);
    }}),
    broken: [...page.querySelectorAll("svg")].filter(svg => !(box(svg)[2] > box(svg)[0])).length,
    ids: [...page.querySelectorAll("[id]")].map(element => element.id),
    boxes: [...page.querySelectorAll(".box")].map(box => {{
      const style = view.getComputedStyle(box);
      return {{
        label: box.getAttribute("aria-label"),
        room: box.clientWidth,
        content: box.scrollWidth,
        overflow: style.overflowX,
        attachment: style.backgroundAttachment,
        shadow: style.backgroundImage,
        focus: box.tabIndex,
      }};
    }}),
  }});
}});
</script>"""


def browser() -> str:
    """Return the browser, or skip the test."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    pytest.skip("there is no Chromium here: on Debian, apt-get install chromium")


def seen(page: Path, width: int, folder: Path) -> dict[str, Any]:
    """Open a page in a frame of some width; say what is on it, and keep a picture."""
    height = 1600
    frame = folder / f"frame{width}.html"
    frame.write_text(FRAME.format(page=page.as_uri(), width=width, height=height))
    picture = folder / f"page{width}.png"
    command = [browser(), *OPTIONS, f"--user-data-dir={folder / 'profile'}"]
    command += [f"--window-size={max(width, 500)},{height}", frame.as_uri()]
    # What is preloaded to check our own code is not for the browser.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    run = partial(subprocess.run, capture_output=True, check=True, timeout=120, env=environment)
    dumped = run([*command, "--dump-dom", f"--screenshot={picture}"], text=True).stdout
    text = re.search(r'<pre id="measured">(.*?)</pre>', dumped, re.DOTALL)
    assert text is not None, dumped[:2000]
    assert text[1], "the page was not loaded"
    content: dict[str, Any] = json.loads(unescape(text[1]))
    content["picture"] = picture
    return content
