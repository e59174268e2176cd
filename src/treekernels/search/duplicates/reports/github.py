"""Near-copies as annotations, which GitHub shows beside the lines of a pull request."""

from __future__ import annotations

from treekernels.search.duplicates.reports.report import Report, sentence_of


def lines_of(report: Report) -> list[str]:
    """Return the lines; GitHub shows the first ten warnings of a step, so the summary is last."""
    lines = []
    for group, piece, others in report.results():
        place = f"file={_property(report.name(piece))},line={piece.first_line}"
        title = "Near-copy" if piece.name is None else f"Near-copy: {piece.name}"
        lines.append(
            f"::warning {place},endLine={piece.last_line},title={_property(title)}::"
            + _text(sentence_of(report, group, others))
        )
    return [*lines, f"::notice title=Near-copies::{_text(report.summary())}"]


def _text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
