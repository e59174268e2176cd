"""Bad input: raised at once, or skipped and listed."""

from __future__ import annotations

from treekernels.common.text import count_noun
from treekernels.common.user_warnings import warn_user
from treekernels.errors import ParseError

__all__ = ["Problems", "SkippedWarning"]

_MAX_LISTED = 5


class SkippedWarning(UserWarning):
    """Warns that parts of a file were left out because they could not be read.

    Attributes
    ----------
    problems : list of ParseError
        For each of these parts, what was wrong and where it stands.
    """

    def __init__(self, problems: list[ParseError]) -> None:
        self.problems = problems
        count = count_noun(len(problems), "bad line was", "bad lines were")
        lines = [f"{count} skipped:", *map(str, problems[:_MAX_LISTED])]
        if len(problems) > _MAX_LISTED:
            lines.append("...")
        super().__init__("\n  ".join(lines))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.problems,)


class Problems:
    """Where readers report bad input, one `ParseError` for each part that cannot be used."""

    def __init__(self, skip: bool = False) -> None:
        self.skip = skip
        self.errors: list[ParseError] = []

    def report(self, error: ParseError) -> None:
        """Raise an error, or keep it in the list if bad input is to be skipped."""
        if not self.skip:
            raise error
        self.errors.append(error)

    def warn(self) -> None:
        """Warn of what was skipped, if anything was."""
        if self.errors:
            warn_user(SkippedWarning(self.errors))
