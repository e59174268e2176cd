"""What trees, forests and lists of fragments look like in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treekernels.drawing.colours import AGAINST, FOR, Colours
from treekernels.drawing.drawable import DrawableFragment, DrawableTree, WeightedFragment
from treekernels.drawing.markup import markup
from treekernels.drawing.svg import svg

_MAX_TREES = 3  # of a forest
_CELL = "padding:4px 12px 4px 0;text-align:left;vertical-align:middle;white-space:nowrap"


def html_of_tree(
    tree: DrawableTree,
    colours: Colours | None = None,
    *,
    max_nodes: int = 120,
    caption: str | None = None,
) -> str:
    """Return the picture of a tree in a box that scrolls, if the page is too narrow for it."""
    above = "" if caption is None else f"<p>{markup(caption)}</p>"
    picture = svg(tree, colours, max_nodes=max_nodes)
    return f'{above}<div style="overflow-x:auto">{picture}</div>'


def html_of_fragment(fragment: DrawableFragment, kind: str | None = None) -> str:
    """Return the picture of a fragment, or those of both sides of a rule with an arrow between.

    The kind of a feature is named beside it.
    """
    if isinstance(fragment, tuple):
        sides = (svg(side, max_nodes=40) for side in fragment)
        return '<span style="padding:0 10px">→</span>'.join(sides)
    name = "" if kind is None else f'<span style="padding-right:10px">{markup(kind)}</span>'
    return name + svg(fragment, max_nodes=40)


def html_of_forest(forest: Any) -> str:
    """Return the counts of a forest, and its first trees."""
    pictures = "".join(html_of_tree(tree, max_nodes=60) for tree in forest[:_MAX_TREES])
    more = len(forest) - _MAX_TREES
    rest = f"<p>… and {more:,} more</p>" if more > 0 else ""
    return f"<div><p>{markup(repr(forest)[1:-1])}</p>{pictures}{rest}</div>"


def html_of_fragments(fragments: Sequence[WeightedFragment], *, with_columns: bool = False) -> str:
    """Return a table: the weight of each fragment as a bar and a number, its picture, its count.

    With `with_columns` it also says which column of the examples a fragment is of.
    """
    if not fragments:
        return "<p>no fragments</p>"
    largest = max(abs(item.weight) for item in fragments)
    names = any(item.class_ is not None for item in fragments)
    counts = any(item.trees is not None for item in fragments)
    headings = [*(["class"] if names else []), "weight", "fragment"]
    headings += ["column"] if with_columns else []
    headings += ["trees"] if counts else []
    rows = []
    for item in fragments:
        cells = [markup(item.class_)] if names else []
        cells += [weight_bar(item.weight, largest), html_of_fragment(item.fragment, item.kind)]
        cells += [markup(item.on)] if with_columns else []
        cells += ["" if item.trees is None else f"{item.trees:,}"] if counts else []
        rows.append("".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells))
    head = "".join(f'<th scope="col" style="{_CELL}">{heading}</th>' for heading in headings)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def html_of_table(headings: Sequence[str], rows: Sequence[Sequence[object]], more: int = 0) -> str:
    """Return a table of texts and numbers, and how many more rows there are."""
    head = "".join(f'<th scope="col" style="{_CELL}">{markup(name)}</th>' for name in headings)
    cells = [[f'<td style="{_CELL}">{markup(cell)}</td>' for cell in row] for row in rows]
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    rest = f"<p>… and {more:,} more</p>" if more > 0 else ""
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}</div>"
    )


def weight_bar(weight: float, largest: float) -> str:
    """Return a bar and a number: blue if it speaks for a class, orange if against it."""
    width = round(60 * abs(weight) / largest) if largest else 0
    colour = FOR if weight > 0 else AGAINST
    return (
        '<span style="display:inline-block;width:60px;margin-right:8px">'
        '<span style="display:block;height:10px;border-radius:2px;'
        f'width:{max(1, width)}px;background:{colour}"></span></span>'
        f'<span style="font-variant-numeric:tabular-nums">{weight:+.4f}</span>'
    )
