"""Near-copies as a page: the two most similar pieces of each group side by side."""

from __future__ import annotations

import difflib
import keyword
import os
import re

from treekernels.common.text import count_noun
from treekernels.drawing.markup import markup
from treekernels.io.files.atomic import write_lines
from treekernels.search.duplicates.near_copies import Copies
from treekernels.search.duplicates.pieces import Piece

_NAME_OR_LITERAL = re.compile(r'"[^"]*"|\'[^\']*\'|\b\w+\b')
_KEPT = {  # words of languages, which are no names
    *keyword.kwlist,
    *("case", "catch", "const", "default", "do", "extends", "function", "implements", "let"),
    *("new", "null", "public", "private", "static", "switch", "this", "throw", "throws", "var"),
    *("boolean", "byte", "char", "double", "float", "int", "long", "short", "void"),
}
_MOST_GROUPS = 200
_MOST_LINES = 400
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem;
  color: #1a1a1a; background: #fff; }
h2 { font-size: 1.1rem; margin: 2rem 0 .3rem; }
ul { margin: .3rem 0; padding-left: 1.2rem; }
.both { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: .6rem; }
figure { margin: 0; border: 1px solid #bbb; border-radius: 4px; overflow: hidden; }
figcaption { font: .85rem ui-monospace, monospace; padding: .3rem .5rem; background: #eee;
  overflow-wrap: anywhere; }
pre { margin: 0; padding: .4rem 0; overflow-x: auto; font: .8rem/1.45 ui-monospace, monospace; }
pre span { display: block; padding: 0 .5rem; min-height: 1.45em; }
.shared { background: #dcefdc; }
@media (max-width: 50rem) { .both { grid-template-columns: 1fr; } }
@media (prefers-color-scheme: dark) {
  body { color: #e6e6e6; background: #161616; }
  figure { border-color: #555; } figcaption { background: #2a2a2a; }
  .shared { background: #1d3a22; }
}
"""


def write_page(
    path: str | os.PathLike[str],
    groups: list[Copies],
    *,
    trees: int,
    threshold: float,
    kernel: str,
    renamed: bool = False,
) -> None:
    """Write the page; all that comes from files is escaped, and nothing in it is a script.

    With `renamed`, lines are the same that differ in names and literals only.
    """
    title = f"Near-copies: {count_noun(len(groups), 'group')} in {count_noun(trees, 'tree')}"
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        '<head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{markup(title)}</title>",
        f"<style>{_STYLE}</style></head>",
        f"<body><h1>{markup(title)}</h1>",
        f"<p>Pieces whose similarity is at least {threshold:g} under {markup(kernel)}. Of each "
        "group the two that are most alike are shown; the lines that both have are marked"
        + (", whatever names and literals they hold.</p>" if renamed else ".</p>"),
    ]
    for number, group in enumerate(groups[:_MOST_GROUPS], start=1):
        parts += _group(number, group, renamed)
    if len(groups) > _MOST_GROUPS:
        parts.append(f"<p>{len(groups) - _MOST_GROUPS:,} more groups are not shown.</p>")
    write_lines(path, "\n".join([*parts, "</body></html>"]).splitlines())


def _group(number: int, group: Copies, renamed: bool) -> list[str]:
    pair = group.pairs[0]
    count = count_noun(len(group.pieces), "piece")
    parts = [f"<h2>{number}. {count}, similarity up to {pair.similarity:.3f}</h2>"]
    others = [piece for piece in group.pieces if piece not in (pair.first, pair.second)]
    if others:
        items = "".join(f"<li>{markup(_title(piece))}</li>" for piece in others[:50])
        more = f"<li>and {len(others) - 50:,} more</li>" if len(others) > 50 else ""
        parts.append(f"<p>Also:</p><ul>{items}{more}</ul>")
    sides = [piece.text().splitlines()[:_MOST_LINES] for piece in (pair.first, pair.second)]
    marks = _shared_lines(sides[0], sides[1], renamed)
    parts.append('<div class="both">')
    for piece, lines, marked in zip((pair.first, pair.second), sides, marks, strict=True):
        spans = []
        for place, line in enumerate(lines):
            style = ' class="shared"' if place in marked else ""
            spans.append(f"<span{style}>{markup(line.expandtabs(4))}</span>")
        # One after the other: a break between two of them would be an empty line.
        text = "".join(spans)
        caption = f"<figcaption>{markup(_title(piece))}</figcaption>"
        parts.append(f"<figure>{caption}<pre>{text}</pre></figure>")
    parts.append("</div>")
    return parts


def _shared_lines(first: list[str], second: list[str], renamed: bool) -> tuple[set[int], set[int]]:
    """Return which lines of either are, but for their indentation, lines of both, in order."""
    sides = [[line.strip() for line in side] for side in (first, second)]
    if renamed:
        sides = [[_without_names(line) for line in side] for side in sides]
    matcher = difflib.SequenceMatcher(None, sides[0], sides[1], autojunk=False)
    marked: tuple[set[int], set[int]] = (set(), set())
    for block in matcher.get_matching_blocks():
        marked[0].update(range(block.a, block.a + block.size))
        marked[1].update(range(block.b, block.b + block.size))
    return marked


def _without_names(line: str) -> str:
    """Return a line of code with one sign for each name and literal.

    >>> _without_names("return total(value, 'x') + 1")
    'return _(_, _) + _'
    """
    return _NAME_OR_LITERAL.sub(lambda word: word[0] if word[0] in _KEPT else "_", line)


def _title(piece: Piece) -> str:
    name = "" if piece.name is None else f" {piece.name}"
    return f"{piece}{name}"
