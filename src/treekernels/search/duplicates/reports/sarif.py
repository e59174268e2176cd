"""Near-copies as SARIF 2.1.0, the format in which code hosts take what a tool has found.

Every copy is a result, with the others of its group as related places. Names of files are relative
to the root of the sources, and fingerprints do not depend on lines, so that a host knows a copy
again when the code above it has changed.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

from treekernels.common.version import __version__
from treekernels.search.duplicates.pieces import Piece
from treekernels.search.duplicates.reports.report import Report, named_piece, sentence_of

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_MOST_RELATED = 100


def lines_of(report: Report) -> list[str]:
    """Return the lines."""
    rule = {
        "id": "near-copy",
        "name": "NearCopy",
        "shortDescription": {"text": "Code that is nearly the same as other code."},
        "fullDescription": {
            "text": "The syntax trees of these pieces of code have nearly all in common. Where "
            "they should stay alike, one of them can serve for all; where one was changed, "
            "perhaps the others should have been, too."
        },
        "helpUri": "https://treekernels.readthedocs.io/en/latest/build.html",
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["maintainability", "duplication"]},
    }
    driver = {
        "name": "treekernels",
        "version": __version__,
        "informationUri": "https://treekernels.readthedocs.io",
        "rules": [rule],
    }
    seen: Counter[str] = Counter()
    root = Path(os.path.abspath(report.base)).as_uri()
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": root if root.endswith("/") else f"{root}/"}},
        "results": [_result(report, *found, seen) for found in report.results()],
    }
    content = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(content, indent=1).splitlines()


def _result(
    report: Report, group: Any, piece: Piece, others: list[Piece], seen: Counter[str]
) -> dict[str, Any]:
    print_ = group.fingerprints.get(piece, "")
    seen[print_] += 1
    result = {
        "ruleId": "near-copy",
        "ruleIndex": 0,
        "level": "warning",
        "message": {"text": sentence_of(report, group, others)},
        "locations": [_place(report, piece)],
        "relatedLocations": [
            {"id": number, **_place(report, other), "message": {"text": "a near-copy"}}
            for number, other in enumerate(others[:_MOST_RELATED], start=1)
        ],
        "partialFingerprints": {"treekernelsTree/v1": f"{print_}:{seen[print_]}"},
        "properties": {
            "similarity": group.most_similar,
            "spareLines": group.spare_lines,
        },
    }
    return result if group.new is None else {**result, "baselineState": "new"}


def _place(report: Report, piece: Piece) -> dict[str, Any]:
    uri = report.uri(piece)
    relative = {} if uri.startswith("file:") else {"uriBaseId": _ROOT}
    place: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": uri, **relative},
            "region": {"startLine": piece.first_line, "endLine": piece.last_line},
        }
    }
    if piece.name is not None:
        name = {"name": piece.name, "fullyQualifiedName": named_piece(report, piece)}
        place["logicalLocations"] = [name]
    return place
