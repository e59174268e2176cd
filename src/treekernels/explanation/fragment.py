"""Fragment and Fragments: what an explanation consists of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treekernels.common.text import printable
from treekernels.data.pairs import Pair
from treekernels.data.tree import Tree
from treekernels.drawing import coloured_text, text
from treekernels.drawing.notebook import html_of_fragments, html_of_tree
from treekernels.errors import DataError
from treekernels.explanation.matching import importance

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
        Its productions, none for a word; of a partial tree or a feature, its nodes.
    trees : int or None
        How many support trees or pairs have it; None if the model does not keep them.
    on : object
        The column of the kernel, if it has one.
    partial : bool
        Whether it is a partial tree: children of its nodes may have been left out.
    kind : {"production", "siblings", "subtree", "outline", "leaf", "gram"} or None
        What it is if the kernel counts features of several kinds, or grams. A production is a node
        with all its children, siblings are two children side by side below their parent, a subtree
        has all that is below it, and an outline all but the names. A gram has its base below its
        stem, and ``*`` where it goes beyond the tree.
    """

    fragment: Tree | Pair
    weight: float
    class_: Any
    size: int
    trees: int | None
    on: Any = None
    partial: bool = False
    kind: str | None = None

    @property
    def text(self) -> str:
        """The fragment in brackets, a rule as ``text -> hypothesis``; its kind comes first."""
        if isinstance(self.fragment, Pair):
            return " -> ".join(map(str, self.fragment))
        return f"{self.kind} {self.fragment}" if self.kind else str(self.fragment)


class Fragments(list[Fragment]):
    """A list of fragments that prints as a table, and is drawn in a notebook.

    Where one prediction was explained, its tree is drawn as well: below the table with the weights
    of the nodes beside their labels (in colours, if you let `rich.print` print it), or above it in
    a notebook. The weight of a fragment is shared evenly by its nodes.

    Parameters
    ----------
    fragments : iterable of Fragment, optional
    trees : dict of tree by column, optional
        The trees that were explained; the column is None for trees alone.
    columns : sequence, optional
        The columns that have fragments.
    """

    def __init__(
        self,
        fragments: Iterable[Fragment] = (),
        *,
        trees: Mapping[Any, Tree] | None = None,
        columns: Sequence[Any] = (),
    ) -> None:
        super().__init__(fragments)
        self.trees = dict(trees or {})
        self.columns = list(columns)

    @property
    def names_columns(self) -> bool:
        """Whether one has to say which column a fragment is of."""
        return len(self.columns) > 1

    def node_weights(self, column: Any = None) -> dict[int, float]:
        """Return the weights of the nodes of the explained tree by their positions in preorder.

        Each fragment that is listed gives its weight to its nodes, to all of them the same.
        """
        fragments = [item for item in self if item.on == column]
        return importance(fragments, self.trees[column]) if column in self.trees else {}

    def __str__(self) -> str:
        """Return a line for each, and the tree that was explained."""
        lines = []
        for fragment in self:
            trees = "" if fragment.trees is None else f"{fragment.trees:6,} tree"
            trees += "s" if fragment.trees not in (None, 1) else " " if trees else ""
            name = "" if fragment.class_ is None else f"{fragment.class_!s:10.10} "
            column = f"{fragment.on}: " if self.names_columns else ""
            lines.append(f"{name}{fragment.weight:+10.4f} {trees}  {column}{fragment.text}")
        for caption, tree, weights in self._pictures():
            lines += [caption, text(tree, weights)]
        return printable("\n".join(lines))

    def __repr__(self) -> str:
        return str(self) if self else "[]"

    def __rich__(self) -> Any:
        """Return the same for rich, in colours."""
        from rich.console import Group
        from rich.text import Text

        return Group(Text(str(Fragments(self, columns=self.columns))), *self.drawings())

    def drawings(self) -> list[Any]:
        """Return the explained trees in colours, each a text for rich to print."""
        drawn = []
        for caption, tree, weights in self._pictures():
            drawing = coloured_text(tree, weights)
            drawn.append(type(drawing)(f"{caption}\n") + drawing)
        return drawn

    def _repr_html_(self) -> str:
        pictures = [
            html_of_tree(tree, weights, caption=caption)
            for caption, tree, weights in self._pictures()
        ]
        return "".join([*pictures, html_of_fragments(self, with_columns=self.names_columns)])

    def _pictures(self) -> Iterator[tuple[str, Tree, dict[int, float]]]:
        """Yield what is drawn of each explained tree: a caption, the tree and its weights."""
        if len({fragment.class_ for fragment in self}) > 1:
            return  # what speaks for one class speaks against the others
        for column, tree in self.trees.items():
            try:
                weights = self.node_weights(column)
            except DataError:  # a tree that is too large to look at node by node
                continue
            if weights:
                where = f"column {column}" if self.names_columns else "tree"
                yield f"In the {where}:", tree, weights
