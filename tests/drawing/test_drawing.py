"""Pictures of trees: where things are, what is coloured, what is cut, and what is escaped."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from chromium import seen
from helpers import tree_of, up_to_a_million
from treekernels import drawing
from treekernels.drawing.colours import AGAINST, FOR, GROUPS
from treekernels.drawing.layout import layout
from treekernels.drawing.sketch import ELLIPSIS, LEVELS, sketch, visible_label
from treekernels.testing.strategies import trees

SVG = "{http://www.w3.org/2000/svg}"
TREE = tk.Forest(["(S (NP (D the) (N dog)) (VP (V barks)))"])[0]


def parsed(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def labels_of(picture: str) -> list[str]:
    """Return the labels, without the hints inside them."""
    return ["".join(text.itertext()) for text in without_hints(picture).iter(f"{SVG}text")]


def without_hints(picture: str) -> ElementTree.Element:
    root = parsed(picture)
    for text in root.iter(f"{SVG}text"):
        for hint in text.findall(f"{SVG}title"):
            text.text = hint.tail
            text.remove(hint)
    return root


LABELS = ("A", "a_long_label", "i")
WIDTHS = st.lists(st.floats(1, 200), min_size=40, max_size=40)


@given(trees(40, LABELS), WIDTHS, st.floats(0, 20))
def test_layout(nested: Any, many: list[float], gap: float) -> None:
    part = sketch(tree_of(nested), 1000)
    widths = many[: len(part)]
    found = layout(part, widths, gap)
    by_level: dict[int, list[tuple[float, float]]] = {}
    for node in part.preorder():
        half = widths[node] / 2
        by_level.setdefault(found.levels[node], []).append(
            (found.middles[node] - half, found.middles[node] + half)
        )
        children = part.children[node]
        assert all(found.levels[child] == found.levels[node] + 1 for child in children)
        if children:
            ends = found.middles[children[0]], found.middles[children[-1]]
            assert found.middles[node] == pytest.approx(sum(ends) / 2)
    for boxes in by_level.values():  # in the order of the words
        assert all(a[1] + gap <= b[0] + 1e-6 for a, b in pairwise(boxes))
    everything = [edge for boxes in by_level.values() for box in boxes for edge in box]
    assert min(everything) == pytest.approx(0, abs=1e-6)
    assert max(everything) == pytest.approx(found.width)


@given(trees(40, ("A", "B", "x")))
def test_picture_has_every_node_once(nested: Any) -> None:
    tree = tree_of(nested)
    picture = tree.to_svg()
    assert labels_of(picture) == [node.label for node in tree.preorder()]
    assert picture.count("<path") == tree.size - 1


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=60)


@given(st.lists(NAMES, min_size=1, max_size=5))
def test_any_label_makes_good_xml(labels: list[str]) -> None:
    tree = tree_of(("A<b>&", *[(label,) for label in labels]))
    assert labels_of(tree.to_svg()) == [visible_label(node.label) for node in tree.preorder()]
    assert parsed(tree.to_svg(title="".join(labels))) is not None
    drawing.text(tree).encode()


def test_accessible_and_dark() -> None:
    root = parsed(TREE.to_svg())
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title"
    assert root[0].text == "Tree S of 9 nodes"
    assert root.get("fill") == "currentColor"
    assert parsed(TREE.to_svg(title="a < b"))[0].text == "a < b"


def test_groups_and_weights() -> None:
    picture = parsed(TREE.to_svg({1: "noun phrase", 2: "noun phrase", 6: "verb phrase"}))
    boxes = [box.get("fill") for box in picture.iter(f"{SVG}rect")]
    assert boxes == [GROUPS[0], GROUPS[0], GROUPS[1]]
    coloured = [line.get("stroke") for line in picture.iter(f"{SVG}path") if line.get("stroke")]
    assert coloured == [GROUPS[0]]
    weighted = parsed(TREE.to_svg(lambda node: [0.5, -1.0, None, 0.0, 0.25][node % 5]))
    found = [
        (box.get("fill"), float(box.get("fill-opacity", "0")))
        for box in weighted.iter(f"{SVG}rect")
    ]
    assert [colour for colour, _ in found] == [FOR, AGAINST, FOR, FOR, AGAINST]
    assert found[1][1] > found[0][1] > found[2][1] > 0
    with pytest.raises(ValueError, match="a weight must be a number, and not nan"):
        TREE.to_svg({0: float("nan")})


def test_groups_have_one_colour_in_all_trees() -> None:
    picture = drawing.svg_of_several(
        [TREE, TREE], [{1: "first", 6: "second"}, {1: "second", 6: "first"}]
    )
    boxes = [box.get("fill") for box in parsed(picture).iter(f"{SVG}rect")]
    assert boxes == [GROUPS[0], GROUPS[1], GROUPS[1], GROUPS[0]]
    with pytest.raises(ValueError, match="shorter"):
        drawing.svg_of_several([TREE, TREE], [{}])


@up_to_a_million
def test_a_million_levels(count: int) -> None:
    deep = tk.Forest(["(A " * count + "b" + ")" * count])[0]
    picture = deep.to_svg()
    assert labels_of(picture) == ["A"] * LEVELS + [ELLIPSIS, f"… {count - 39:,} more nodes"]
    assert drawing.text(deep).endswith(f"(… {count - 39:,} more nodes)")
    assert len(deep._repr_html_()) < 20_000


@up_to_a_million
def test_a_million_children(count: int) -> None:
    wide = tk.Forest(["(A" + " (B c)" * count + ")"])[0]
    labels = labels_of(wide.to_svg(max_nodes=10))
    assert labels.count("B") == 9
    assert labels[-1] == f"… {2 * count - 9:,} more nodes"


def test_what_is_coloured_is_not_cut() -> None:
    tree = tk.Forest(["(A" + " (B (C c))" * 20 + " (D (E (F (G g)))))"])[0]
    last = tree.size - 1
    assert "g" not in labels_of(tree.to_svg(max_nodes=30))
    labels = labels_of(tree.to_svg({last: "here"}, max_nodes=30))
    assert "g" in labels
    assert len([label for label in labels if label.isalpha()]) == 30
    with pytest.raises(ValueError, match="max_nodes must be at least 1, not 0"):
        tree.to_svg(max_nodes=0)


def test_notebook() -> None:
    forest = tk.Forest(["(A b)", "(A c)", "(B c)", "(B <d>)"])
    page = forest._repr_html_()
    assert page.count("<svg") == 3
    assert "4 trees, 8 nodes" in page
    assert "and 1 more" in page
    assert tk.Forest([])._repr_html_().count("<svg") == 0
    machine = tk.TreeSVC("sst", C=10, random_state=0).fit(forest, ["<x>", "<x>", "y", "y"])
    fragments = tk.explain(machine, top=2)
    page = fragments._repr_html_()
    assert page.count("<svg") == len(fragments) > 2
    assert "&lt;x&gt;" in page
    assert "<x>" not in page
    assert f"{fragments[0].weight:+.4f}" in page
    assert tk.Fragments()._repr_html_() == "<p>no fragments</p>"
    assert parsed(page) is not None


def test_labels_in_a_browser_do_not_overlap(tmp_path: Path) -> None:
    """The widths of labels are estimates; the browser has the fonts."""
    words = ["WWWWWW", "mmmmmm", "MASSACHUSETTS", "illicit", "@@@@", "中文字符", "ÄÖÜ%&", "%%%%"]
    nested = ("S", *[("NP", *[("WHADVP", (word,)) for word in words]) for _ in range(3)])
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><meta charset='utf-8'>{tree_of(nested).to_svg()}")
    (boxes,) = seen(page, 1200, tmp_path)["trees"]
    assert len(boxes) == 52
    for number, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[:number]:
            apart = left >= other[2] or other[0] >= right or top >= other[3] or other[1] >= bottom
            assert apart
