"""The files of the page, as the server sends them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from treekernels.drawing.colours import AGAINST, FOR, GROUPS, IN_THE_DARK

PAGE = Path(__file__).parents[1] / "page"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@cache
def page_files() -> dict[str, tuple[bytes, str]]:
    """Return the content and the type of each file, by name; nothing else is ever sent."""
    files = {
        path.name: (path.read_bytes(), _TYPES[path.suffix])
        for path in PAGE.iterdir()
        if path.suffix in _TYPES
    }
    return {**files, "colours.css": (_colours().encode(), _TYPES[".css"])}


def _colours() -> str:
    """Return rules that name the colours of all drawings, and lighten them on a dark page."""
    dark = dict(zip(GROUPS, IN_THE_DARK, strict=True))
    lightened = [
        f'  svg [{name}="{colour}"] {{ {name}: {lighter} }}'
        for colour, lighter in dark.items()
        for name in ("fill", "stroke")
    ]
    return "\n".join(
        [
            _root(FOR, AGAINST, GROUPS),
            "@media (prefers-color-scheme: dark) {",
            _root(dark[FOR], dark[AGAINST], IN_THE_DARK),
            *lightened,
            "}",
            "",
        ]
    )


def _root(favourable: str, adverse: str, groups: tuple[str, ...]) -> str:
    names = [f"--for: {favourable}", f"--against: {adverse}"]
    names += [f"--group{place}: {colour}" for place, colour in enumerate(groups)]
    return f":root {{ {'; '.join(names)} }}"
