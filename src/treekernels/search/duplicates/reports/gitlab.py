"""Near-copies as a Code Climate report, which GitLab shows beside the lines of a merge request."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

from treekernels.search.duplicates.reports.report import Report, sentence_of


def lines_of(report: Report) -> list[str]:
    """Return the lines."""
    seen: Counter[str] = Counter()
    issues = []
    for group, piece, others in report.results():
        name = report.name(piece)
        what = f"{name} {group.fingerprints.get(piece, piece.name)}"
        seen[what] += 1
        fingerprint = hashlib.sha256(
            f"{what} {seen[what]}".encode("utf-8", "surrogatepass")
        ).hexdigest()[:32]
        issues.append(
            {
                "type": "issue",
                "check_name": "near-copy",
                "description": sentence_of(report, group, others),
                "categories": ["Duplication"],
                "severity": "minor",
                "fingerprint": fingerprint,
                "location": {
                    "path": name,
                    "lines": {"begin": piece.first_line, "end": piece.last_line},
                },
                "other_locations": [
                    {
                        "path": report.name(other),
                        "lines": {"begin": other.first_line, "end": other.last_line},
                    }
                    for other in others
                ],
            }
        )
    return json.dumps(issues, indent=1).splitlines()
