"""Bad input: raised at once, or skipped and listed."""

from __future__ import annotations

import warnings

from treekernels.errors import ParseError

__all__ = ["Problems", "SkippedWarning"]

_SHOWN = 5


class SkippedWarning(UserWarning):
    """Parts of a file were skipped because they were bad.

    Attributes
    ----------
    problems : list of ParseError
        What was wrong, and where.
    """

    def __init__(self, problems: list[ParseError]) -> None:
        self.problems = problems
        count = "1 bad line was" if len(problems) == 1 else f"{len(problems):,} bad lines were"
        shown = [str(problem) for problem in problems[:_SHOWN]]
        if len(problems) > _SHOWN:
            shown.append("...")
        super().__init__("\n  ".join([f"{count} skipped:", *shown]))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.problems,)


class Problems:
    """Where readers report bad input, one `ParseError` for each part that cannot be used."""

    def __init__(self, skip: bool = False) -> None:
        self.skip = skip
        self.found: list[ParseError] = []

    def report(self, error: ParseError) -> None:
        """Raise an error, or keep it in the list if bad input is to be skipped."""
        if not self.skip:
            raise error
        self.found.append(error)

    def warn(self, stacklevel: int) -> None:
        """Warn of what was skipped, if anything was."""
        if self.found:
            warnings.warn(SkippedWarning(self.found), stacklevel=stacklevel + 1)
