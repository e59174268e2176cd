"""Near-copies as lines for people who read a terminal or the log of a build."""

from __future__ import annotations

from treekernels.common.text import count_noun
from treekernels.drawing.markup import visible_text
from treekernels.search.duplicates.reports.differences import differing_lines
from treekernels.search.duplicates.reports.report import Report, range_of

_MOST_SHOWN = 20
_MOST_DIFFERENT = 4


def lines_of(report: Report) -> list[str]:
    """Return the lines."""
    lines = [report.summary()]
    for number, group in enumerate(report.groups[:_MOST_SHOWN], start=1):
        similarity = range_of((group.least_similar, group.most_similar))
        spare = count_noun(group.spare_lines, "line")
        lines.append(f"{number}. similarity {similarity}, {spare} could go")
        for piece in group.pieces[:_MOST_SHOWN]:
            name = "".join(f"  {text}" for text in (piece.name, piece.sentence) if text is not None)
            new = "  (new)" if group.new is not None and piece in group.new else ""
            lines.append(f"   {visible_text(f'{piece}{name}')}{new}")
        if len(group.pieces) > _MOST_SHOWN:
            lines.append(f"   and {len(group.pieces) - _MOST_SHOWN:,} more")
        different = differing_lines(group, report.renamed)
        lines += [f"      {visible_text(line)[:100]}" for line in different[:_MOST_DIFFERENT]]
        if len(different) > _MOST_DIFFERENT:
            lines.append(f"      and {len(different) - _MOST_DIFFERENT:,} more lines differ")
    if len(report.groups) > _MOST_SHOWN:
        lines.append(f"... and {len(report.groups) - _MOST_SHOWN:,} more groups; --json has all")
    return lines
