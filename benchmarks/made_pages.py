"""Pages of ten templates, made at random, and how alike they are by their tag-and-class paths.

A template has parts of its own, and others that several templates have. A page has some of the
parts of its template, repeats some of what is in them, and now and then has a part of others.
Classes such as "active" and ids come and go, and texts are random.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from lxml import html
from scipy.sparse import csr_matrix

__all__ = ["MAKES", "Make", "pages_of_templates", "path_similarities"]

_OUTER = ["div", "section", "article", "ul", "table", "p"]
_INNER = ["p", "h2", "h3", "span", "a", "img", "li", "form", "input", "button", "label", "td", "tr"]
_CLASSES = [
    "row", "col", "box", "item", "card", "wide", "note", "lead", "meta", "main", "title", "body",
    "thumb", "list", "info", "price", "date", "tag", "link", "icon", "text", "head", "foot",
    "side", "btn", "field",
]  # fmt: skip
_STATES = ["active", "odd", "even", "hidden", "new"]
_WORDS = [f"w{number}" for number in range(500)]
_EMPTY = ("img", "input")


@dataclass(frozen=True)
class Make:
    """How pages differ."""

    only: int  # parts that one template alone has
    shared: int  # parts that each template takes half of
    repeats: int  # how often a page repeats what can be repeated, at most
    states: float = 0.1  # how many elements have a class for their state


MAKES = {
    "hardly a part in common": Make(6, 14, 2),
    "many parts of their own": Make(4, 14, 5),
    "few parts of their own": Make(2, 20, 4),
    "one part of their own": Make(1, 14, 5, 0.3),
}


@dataclass(frozen=True)
class _Part:
    tag: str
    style: str
    inside: tuple[_Part, ...]
    repeated: bool
    optional: bool


class _Printer:
    """Makes parts, and shows them as HTML."""

    def __init__(self, make: Make, seed: int) -> None:
        self.make = make
        self.rng = random.Random(seed)

    def part(self, depth: int = 0) -> _Part:
        rng = self.rng
        most = (3, 3, 2, 0)[depth]
        inside = tuple(self.part(depth + 1) for _ in range(rng.randint(min(1, 2 - depth), most)))
        tag = rng.choice(_OUTER if depth < 2 else _INNER)
        repeated = bool(inside) and rng.random() < 0.4
        return _Part(tag, rng.choice(_CLASSES), inside, repeated, rng.random() < 0.3)

    def text(self) -> str:
        return " ".join(self.rng.choices(_WORDS, k=self.rng.randint(1, 8)))

    def shown(self, part: _Part) -> str:
        rng = self.rng
        state = " " + rng.choice(_STATES) if rng.random() < self.make.states else ""
        name = f' id="x{rng.randrange(10**6)}"' if rng.random() < 0.1 else ""
        opened = f'<{part.tag} class="{part.style}{state}"{name}>'
        if part.tag in _EMPTY:
            return opened
        times = rng.randint(1, self.make.repeats) if part.repeated else 1
        inner = "".join(
            self.shown(child)
            for _ in range(times)
            for child in part.inside
            if not child.optional or rng.random() < 0.5
        )
        return f"{opened}{inner if part.inside else self.text()}</{part.tag}>"


def pages_of_templates(
    make: Make, count: int = 200, templates: int = 10, seed: int = 0
) -> tuple[list[str], Any]:
    """Return pages as HTML, and the number of the template of each."""
    printer = _Printer(make, seed)
    rng = printer.rng
    shared = [printer.part() for _ in range(make.shared)]
    header, footer = printer.part(), printer.part()
    designs = []
    for _ in range(templates):
        alone = [(printer.part(), rng.uniform(0.3, 1)) for _ in range(make.only)]
        common = [(part, rng.uniform(0, 0.8)) for part in rng.sample(shared, make.shared // 2)]
        designs.append(rng.sample(alone + common, len(alone) + len(common)))
    texts, numbers = [], []
    for _ in range(count):
        number = rng.randrange(templates)
        parts = [part for part, chance in designs[number] if rng.random() < chance]
        if rng.random() < 0.25:
            parts.append(rng.choice(shared))
        body = "".join(printer.shown(part) for part in [header, *parts, footer])
        head = f"<head><title>{printer.text()}</title></head>"
        texts.append(f"<html>{head}<body>{body}</body></html>")
        numbers.append(number)
    return texts, np.array(numbers)


def path_similarities(pages: list[str]) -> Any:
    """Return Jaccard indices of the sets of paths from the root, of tags with their classes."""
    known: dict[Any, int] = {}
    rows, columns = [], []
    for row, page in enumerate(pages):
        stack: list[Any] = [(html.fromstring(page), ())]
        paths = set()
        while stack:
            element, above = stack.pop()
            path = (*above, (element.tag, element.get("class")))
            paths.add(path)
            stack += [(child, path) for child in element]
        for path in paths:
            rows.append(row)
            columns.append(known.setdefault(path, len(known)))
    sets = csr_matrix((np.ones(len(rows)), (rows, columns)))
    both = (sets @ sets.T).toarray()
    sizes = np.diag(both)
    return both / (sizes[:, None] + sizes - both)
