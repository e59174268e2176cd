"""Near-copies as Markdown, for a comment on a pull request."""

from __future__ import annotations

import re

from treekernels.common.text import count_noun
from treekernels.drawing.markup import visible_text
from treekernels.search.duplicates.reports.differences import differing_lines
from treekernels.search.duplicates.reports.report import Report, named_piece, range_of

_MOST_GROUPS = 20
_MOST_PIECES = 10
_MOST_DIFFERENT = 12
_MOST_CHARACTERS = 60_000  # a comment on GitHub has 65,536 at most
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~@-])")


def lines_of(report: Report) -> list[str]:
    """Return the lines, as many as fit into a comment."""
    lines = ["### Near-copies", "", _text(report.summary())]
    left = len(report.groups)
    for number in range(1, min(left, _MOST_GROUPS) + 1):
        block = _group(report, number)
        if sum(map(len, lines)) + sum(map(len, block)) > _MOST_CHARACTERS:
            break
        lines += block
        left -= 1
    return [*lines, "", f"{count_noun(left, 'more group')} not shown."] if left > 0 else lines


def _group(report: Report, number: int) -> list[str]:
    group = report.groups[number - 1]
    similarity = range_of((group.least_similar, group.most_similar))
    lines = [
        "",
        f"**{number}.** {count_noun(len(group.pieces), 'copy', 'copies')}, "
        f"{count_noun(group.spare_lines, 'line')} could go, similarity {similarity}",
        "",
    ]
    for piece in group.pieces[:_MOST_PIECES]:
        new = " (new)" if group.new is not None and piece in group.new else ""
        lines.append(f"- {_text(named_piece(report, piece))}{new}")
    if len(group.pieces) > _MOST_PIECES:
        lines.append(f"- and {len(group.pieces) - _MOST_PIECES:,} more")
    different = [visible_text(line)[:200] for line in differing_lines(group, report.renamed)]
    if different:
        shown = different[:_MOST_DIFFERENT]
        longest = max(map(len, re.findall(r"`+", " ".join(shown))), default=0)
        fence = "`" * max(3, longest + 1)
        more = len(different) - len(shown)
        rest = [f"  and {more:,} more lines"] if more else []
        lines += ["", "<details><summary>Lines that differ</summary>", ""]
        lines += [f"{fence}diff", *shown, *rest, fence, "", "</details>"]
    return lines


def _text(text: str) -> str:
    """Return a text that stays as it is in Markdown."""
    return _SPECIAL.sub(r"\\\1", visible_text(text))
