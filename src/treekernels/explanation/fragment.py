"""Fragment and Fragments: what an explanation consists of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treekernels.data.pairs import Pair
from treekernels.data.tree import Tree
from treekernels.drawing.notebook import html_of_fragments

__all__ = ["Fragment", "Fragments"]


@dataclass(frozen=True)
class Fragment:
    """A fragment and what it weighs.

    Attributes
    ----------
    fragment : Tree or Pair
        Where it was cut there is a leaf. A rewrite rule is a pair of fragments whose labels may end
        in variables: ``NP:X``.
    weight : float
        In the model, or what it adds to the score of the explained tree.
    class_ : object
        The class that it speaks for; None for regression.
    size : int
        Its productions; of a partial tree, its nodes.
    trees : int or None
        How many support trees or pairs have it; None if the model does not keep them.
    on : object
        The column of the kernel, if it has one.
    partial : bool
        Whether it is a partial tree: children of its nodes may have been left out.
    """

    fragment: Tree | Pair
    weight: float
    class_: Any
    size: int
    trees: int | None
    on: Any = None
    partial: bool = False

    @property
    def text(self) -> str:
        """The fragment in brackets, a rule as ``text -> hypothesis``."""
        return (
            " -> ".join(map(str, self.fragment))
            if isinstance(self.fragment, Pair)
            else str(self.fragment)
        )


class Fragments(list[Fragment]):
    """A list of fragments that prints as a table, and is drawn in a notebook."""

    def __str__(self) -> str:
        """Return a line for each."""
        lines = []
        for fragment in self:
            trees = "" if fragment.trees is None else f"{fragment.trees:6,} trees"
            name = "" if fragment.class_ is None else f"{fragment.class_!s:10.10} "
            lines.append(f"{name}{fragment.weight:+10.4f} {trees}  {fragment.text}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self) if self else "[]"

    def _repr_html_(self) -> str:
        return html_of_fragments(self)
