"""TEDS by its definition: tables as nested tuples, whose labels have all that is compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree, html

from oracles.edit_distance import levenshtein, one, zhang_shasha


def teds(predicted: str, right: str, structure_only: bool, ignored: tuple[str, ...]) -> float:
    """Return 1 less the distance, divided by the elements of the larger table."""
    tables = [html.fromstring(page).find("body/table") for page in (predicted, right)]
    for table in tables:
        etree.strip_tags(table, *ignored)
    elements = max(len(table.findall(".//*")) for table in tables)
    trees = [_nested(table, structure_only) for table in tables]
    # Labels of any kind will do.
    rename: Any = _rename
    return 1 - zhang_shasha(*trees, one, one, rename) / max(1, elements)


def _nested(element: Any, structure_only: bool) -> Any:
    if element.tag != "td":
        return ((element.tag,), *[_nested(child, structure_only) for child in element])
    content = () if structure_only else tuple(_content(element))
    return ((("td", int(element.get("colspan", 1)), int(element.get("rowspan", 1))), content),)


def _content(element: Any) -> Iterator[str]:
    yield from element.text or ""
    for child in element:
        yield f"<{child.tag}>"
        yield from _content(child)
        if child.tag != "unk":
            yield f"</{child.tag}>"
        yield from child.tail or ""


def _rename(a: Any, b: Any) -> float:
    if a == b:
        return 0.0
    if len(a) == len(b) == 2 and a[0] == b[0]:
        return levenshtein(a[1], b[1]) / max(len(a[1]), len(b[1]))
    return 1.0
