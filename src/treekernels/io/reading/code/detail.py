"""How much of source code stands in its tree: which names, and whether literals.

People who copy code rename its variables and change its constants, but not the functions that it
calls from libraries. The readers of all languages take the same two options.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from treekernels.common.checks import check_choice, check_flag

Names = Literal["all", "foreign", "none"]


@dataclass(frozen=True)
class CodeDetail:
    """Which names and literals are leaves of a tree.

    Attributes
    ----------
    names : {"all", "foreign", "none"}
        "foreign" leaves out what the source declares itself: variables, parameters, functions and
        classes. The names that it uses from libraries stay.
    literals : bool
        Whether numbers and texts are leaves.
    declared : collection of str
        The names that the source declares.
    """

    names: Names = "all"
    literals: bool = True
    declared: Collection[str] = frozenset()

    def shows_name(self, name: str) -> bool:
        """Whether a name stands in the tree."""
        return self.names == "all" or (self.names == "foreign" and name not in self.declared)


def check_detail(names: str, literals: bool) -> CodeDetail:
    """Return the options of a reader, checked."""
    chosen = check_choice("names", names, {"all": "all", "foreign": "foreign", "none": "none"})
    return CodeDetail(chosen, check_flag("literals", literals))  # type: ignore[arg-type]
