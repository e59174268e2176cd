"""Near-copies as a page: the two most similar pieces of each group side by side."""

from __future__ import annotations

from treekernels.common.text import count_noun
from treekernels.drawing.markup import markup
from treekernels.search.duplicates.near_copies import Copies
from treekernels.search.duplicates.pieces import Piece
from treekernels.search.duplicates.reports.differences import shared_lines
from treekernels.search.duplicates.reports.report import Report, range_of

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


def lines_of(report: Report) -> list[str]:
    """Return the lines; all that comes from files is escaped, and nothing in it is a script.

    If names and literals do not count, lines are the same that differ in them only.
    """
    groups = report.groups
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        '<head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{markup(report.summary())}</title>",
        f"<style>{_STYLE}</style></head>",
        f"<body><h1>Near-copies</h1><p>{markup(report.summary())}</p>",
        f"<p>Pieces whose similarity is at least {report.threshold:g} under "
        f"{markup(report.kernel)}. The groups of which the most lines could go stand first. Of "
        "each group the two that are most alike are shown; the lines that both have are marked"
        + (", whatever names and literals they hold.</p>" if report.renamed else ".</p>"),
    ]
    for number, group in enumerate(groups[:_MOST_GROUPS], start=1):
        parts += _group(number, group, report.renamed)
    if len(groups) > _MOST_GROUPS:
        parts.append(f"<p>{len(groups) - _MOST_GROUPS:,} more groups are not shown.</p>")
    return "\n".join([*parts, "</body></html>"]).splitlines()


def _group(number: int, group: Copies, renamed: bool) -> list[str]:
    pair = group.pairs[0]
    count = count_noun(len(group.pieces), "piece")
    similarity = range_of((group.least_similar, group.most_similar))
    spare = count_noun(group.spare_lines, "line")
    parts = [f"<h2>{number}. {count}, {spare} could go, similarity {similarity}</h2>"]
    others = [piece for piece in group.pieces if piece not in (pair.first, pair.second)]
    if others:
        items = "".join(f"<li>{markup(_title(piece))}</li>" for piece in others[:50])
        more = f"<li>and {len(others) - 50:,} more</li>" if len(others) > 50 else ""
        parts.append(f"<p>Also:</p><ul>{items}{more}</ul>")
    sides = [piece.text().splitlines()[:_MOST_LINES] for piece in (pair.first, pair.second)]
    marks = shared_lines(sides[0], sides[1], renamed)
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


def _title(piece: Piece) -> str:
    name = "" if piece.name is None else f" {piece.name}"
    return f"{piece}{name}"
