"""Near-copies as SARIF 2.1.0, the format in which code hosts take what a tool has found."""

from __future__ import annotations

import json
import os
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from treekernels.common.version import __version__
from treekernels.io.files.atomic import write_lines
from treekernels.search.duplicates.near_copies import Copies
from treekernels.search.duplicates.pieces import Piece

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def write_sarif(path: str | os.PathLike[str], groups: list[Copies]) -> None:
    """Write one result for each group: its first piece, and where the others are."""
    rule = {
        "id": "near-copy",
        "name": "NearCopy",
        "shortDescription": {"text": "Code that is nearly the same as other code."},
    }
    driver = {"name": "treekernels", "version": __version__, "rules": [rule]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(group) for group in groups],
    }
    content = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    write_lines(path, json.dumps(content, indent=1).splitlines())


def _result(group: Copies) -> dict[str, Any]:
    first, *others = group.pieces
    most = group.pairs[0].similarity
    names = ", ".join(str(piece) for piece in others[:5])
    more = f" and {len(others) - 5} more" if len(others) > 5 else ""
    return {
        "ruleId": "near-copy",
        "level": "warning",
        "message": {"text": f"Nearly the same as {names}{more} (similarity up to {most:.3f})."},
        "locations": [{"physicalLocation": _place(first)}],
        "relatedLocations": [
            {"id": number, "physicalLocation": _place(piece), "message": {"text": "a near-copy"}}
            for number, piece in enumerate(others, start=1)
        ],
        "properties": {"similarity": most},
    }


def _place(piece: Piece) -> dict[str, Any]:
    path = PurePath(piece.file)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    region = {"startLine": piece.first_line, "endLine": piece.last_line}
    return {"artifactLocation": {"uri": uri}, "region": region}
