"""Draw the picture of the README: a tree, and the fragments that decided what a model says of it.

`python tools/readme_picture.py` learns a small model, explains one prediction, and writes the
picture twice, for light and for dark pages, into docs/_static. A test draws it again and compares.
"""

from __future__ import annotations

import argparse
import re
from itertools import product
from pathlib import Path

import treekernels as tk
from treekernels.explanation.matching import importance

STATIC = Path(__file__).parents[1] / "docs" / "_static"
INK = {"light": "#1f2328", "dark": "#e6edf3"}
FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
QUESTION = (
    "(SBARQ (WHNP (WRB How) (JJ many) (NNS people)) (SQ (VBP live) (PP (IN in) (NP (NNP Rome)))))"
)
SUMMED = 12  # fragments for and against that give the nodes their colours
FOR, AGAINST = 3, 2  # how many of them are drawn beside the tree
MINUS = "\N{MINUS SIGN}"
MARGIN, GAP, LINE = 8.0, 28.0, 24.0


def questions() -> tuple[list[str], list[str]]:
    """Return questions as parse trees, and what each of them asks for."""
    cities = [f"(PP (IN in) (NP (NNP {city})))" for city in ("Oslo", "Lima", "Rome")]
    trees = {
        "number": [
            f"(SBARQ (WHNP (WRB How) (JJ many) (NNS {thing})) (SQ (VBP {verb}) {city}))"
            for thing, verb, city in product(("nurses", "poets"), ("work", "stay"), cities[:2])
        ],
        "person": [
            f"(SBARQ (WHNP (WDT Which) (NNS people)) (SQ (VBP {verb}) {city}))"
            for verb, city in product(("live", "sing"), cities)
        ],
        "place": [
            f"(SBARQ (WHADVP (WRB Where)) (SQ (VBP do) (NP (NNS {thing})) (VP (VB {verb}))))"
            for thing, verb in product(("people", "nurses", "poets"), ("live", "work"))
        ],
    }
    pairs = [(tree, asked) for asked, several in trees.items() for tree in several]
    return [tree for tree, _ in pairs], [asked for _, asked in pairs]


def explained() -> tuple[tk.Tree, str, list[tk.Fragment]]:
    """Return a question, what the model says of it, and the fragments that decided, best first."""
    model = tk.TreeSVC(tk.SubsetTreeKernel(decay=0.4), tol=1e-6, random_state=0)
    model.fit(*questions())
    tree = tk.Forest([QUESTION])[0]
    fragments = list(tk.explain(model, tree=tree, top=SUMMED))
    # Fragments of equal weight come in the order of the alphabet, whatever the last digits are.
    fragments.sort(key=lambda one: (-round(abs(one.weight), 3), str(one.fragment)))
    return tree, str(model.predict([tree])[0]), fragments


def picture(ink: str) -> str:
    """Return the drawing as SVG, with text of the given colour and no background."""
    tree, asked, fragments = explained()
    whole = tree.to_svg(importance(fragments, tree), title=" ".join(tree.leaves()))
    supporting = [fragment for fragment in fragments if fragment.weight > 0][:FOR]
    opposing = [fragment for fragment in fragments if fragment.weight < 0][:AGAINST]
    tree_width, tree_height = _size(whole)
    left = MARGIN + tree_width + 2 * GAP
    above, right_above, middle = _row(f"What speaks for “{asked}”", supporting, left, MARGIN)
    below, right_below, bottom = _row("What speaks against it", opposing, left, middle + GAP)
    height = max(bottom, tree_height + 2 * MARGIN) + MARGIN
    width = max(right_above, right_below) + MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" color="{ink}" fill="{ink}" '
        f'font-family="{FONTS}" font-size="13">',
        f"<title>{_title(tree, asked, supporting, opposing)}</title>",
        _place(whole, MARGIN, (height - tree_height) / 2),
        *above,
        *below,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _row(
    heading: str, fragments: list[tk.Fragment], left: float, top: float
) -> tuple[list[str], float, float]:
    """Draw fragments side by side under a heading; return the lines, right edge and lower edge."""
    lines = [_text(heading, left, top + 14, weight="600")]
    x, drawn_to = left, top
    for fragment in fragments:
        shade = dict.fromkeys(range(fragment.fragment.size), fragment.weight)
        drawing = fragment.fragment.to_svg(shade)
        width, height = _size(drawing)
        lines.append(_place(drawing, x, top + LINE))
        lines.append(
            _text(
                f"{fragment.weight:+.2f}".replace("-", MINUS),
                x + width / 2,
                top + LINE + height + 12,
                anchor="middle",
            )
        )
        drawn_to = max(drawn_to, top + LINE + height + LINE)
        x += width + GAP
    return lines, max(x - GAP, left + 8.0 * len(heading)), drawn_to


def _text(text: str, x: float, y: float, *, weight: str = "400", anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-weight="{weight}" text-anchor="{anchor}">{text}</text>'
    )


def _place(drawing: str, x: float, y: float) -> str:
    return f'<g transform="translate({x:.1f} {y:.1f})">\n{drawing}\n</g>'


def _size(drawing: str) -> tuple[float, float]:
    hits = re.search(r'width="([\d.]+)" height="([\d.]+)"', drawing)
    assert hits is not None
    return float(hits[1]), float(hits[2])


def _title(
    tree: tk.Tree, asked: str, supporting: list[tk.Fragment], opposing: list[tk.Fragment]
) -> str:
    listed = [", ".join(str(item.fragment) for item in some) for some in (supporting, opposing)]
    return (
        f"The parse tree of “{' '.join(tree.leaves())}”. The model says that it asks for a "
        f"{asked}: {listed[0]} speak for that, {listed[1]} against it."
    )


def main() -> None:
    """Write both pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=STATIC, help="Where the pictures go.")
    folder = parser.parse_args().folder
    for page, ink in INK.items():
        path = folder / f"decided-{page}.svg"
        path.write_text(picture(ink), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
