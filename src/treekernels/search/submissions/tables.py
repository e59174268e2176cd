"""Pairs of submissions as a table for spreadsheets."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable

from treekernels.common.text import printable
from treekernels.io.files.atomic import write_lines
from treekernels.io.spreadsheets import cell_of
from treekernels.search.submissions.similarities import SubmissionPair

_COLUMNS = (
    *("first", "second", "similarity", "first_in_second", "second_in_first"),
    *("above_threshold", "earlier"),
)


def write_csv(
    path: str | os.PathLike[str], pairs: Iterable[SubmissionPair], threshold: float
) -> None:
    """Write a line for each pair."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for pair in pairs:
        writer.writerow(
            [
                cell_of(pair.first),
                cell_of(pair.second),
                *(
                    f"{x:.6f}"
                    for x in (pair.similarity, pair.first_in_second, pair.second_in_first)
                ),
                int(pair.similarity >= threshold),
                int(pair.earlier),
            ]
        )
    write_lines(path, printable(text.getvalue()).removesuffix("\n").split("\n"))
