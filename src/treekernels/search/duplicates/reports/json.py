"""Near-copies as JSON: all groups with all pairs."""

from __future__ import annotations

import json

from treekernels.search.duplicates.reports.report import Report


def lines_of(report: Report) -> list[str]:
    """Return the lines."""
    content = {
        "trees": report.trees,
        "spare_lines": report.spare_lines,
        **({} if report.known is None else {"known_groups": report.known}),
        "groups": [group.as_data() for group in report.groups],
    }
    return json.dumps(content, indent=2, ensure_ascii=False).splitlines()
