"""Report: what was found, for all forms in which it can be written."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from treekernels.common.text import count_noun, printable
from treekernels.search.duplicates.near_copies import Copies
from treekernels.search.duplicates.pieces import Piece

FORMS = ("text", "json", "html", "markdown", "sarif", "github", "gitlab")


@dataclass(frozen=True)
class Report:
    """What was found.

    Attributes
    ----------
    groups : list of Copies
    trees : int
        How many pieces were compared.
    threshold : float
    kernel : str
    renamed : bool
        Whether names and literals did not count.
    known : int or None
        How many groups are left out since they were known, or have not changed; None if nobody
        asked.
    base : path
        The folder that names of files are relative to.
    """

    groups: list[Copies]
    trees: int
    threshold: float = 0.9
    kernel: str = ""
    renamed: bool = False
    known: int | None = None
    base: Path = Path()

    @property
    def spare_lines(self) -> int:
        """How many lines could go."""
        return sum(group.spare_lines for group in self.groups)

    def summary(self) -> str:
        """Return a sentence or two."""
        new = "" if self.known is None else "new "
        rest = (
            f" {count_noun(self.known, 'group was', 'groups were')} there before."
            if self.known
            else ""
        )
        trees = count_noun(self.trees, "tree")
        if not self.groups:
            return f"No {new}near-copies among {trees}.{rest}"
        groups = count_noun(len(self.groups), f"{new}group")
        copies = len({piece for group in self.groups for piece in group.pieces})
        lines = count_noun(self.spare_lines, "line")
        return f"{groups} of near-copies: {copies:,} of {trees}; {lines} could go.{rest}"

    def name(self, piece: Piece) -> str:
        """Return the file of a piece as a code host knows it: with slashes, from the base."""
        absolute = Path(os.path.abspath(piece.file))
        try:
            return absolute.relative_to(os.path.abspath(self.base)).as_posix()
        except ValueError:
            return absolute.as_posix()

    def uri(self, piece: Piece) -> str:
        """Return the same as a relative or absolute URI."""
        name = self.name(piece)
        return Path(name).as_uri() if Path(name).is_absolute() else quote(os.fsencode(name))

    def results(self) -> Iterator[tuple[Copies, Piece, list[Piece]]]:
        """Yield each copy that is to be reported, with its group and the others in it."""
        for group in self.groups:
            for piece in group.pieces:
                if group.new is None or piece in group.new:
                    yield group, piece, [other for other in group.pieces if other != piece]


def lines_of(report: Report, form: str) -> list[str]:
    """Return a report in one of the `FORMS`."""
    module = importlib.import_module(f"treekernels.search.duplicates.reports.{form}")
    function: Callable[[Report], list[str]] = module.lines_of
    return [printable(line) for line in function(report)]


def range_of(values: tuple[float, float]) -> str:
    """Return the similarities of a group as people read them."""
    least, most = values
    return f"{most:.3f}" if least == most else f"{least:.3f} to {most:.3f}"


def sentence_of(report: Report, group: Copies, others: list[Piece]) -> str:
    """Return what there is to say of one copy."""
    named = [f"{named_piece(report, piece)}" for piece in others[:5]]
    more = f" and {len(others) - 5:,} more" if len(others) > 5 else ""
    similarity = range_of((group.least_similar, group.most_similar))
    return f"Nearly the same as {', '.join(named)}{more} (similarity {similarity})."


def named_piece(report: Report, piece: Piece) -> str:
    """Return the place of a piece, and its name if it has one."""
    lines = str(piece.first_line)
    if piece.last_line != piece.first_line:
        lines += f"-{piece.last_line}"
    name = "" if piece.name is None else f" {piece.name}"
    return f"{report.name(piece)}:{lines}{name}"
