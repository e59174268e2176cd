"""compare: how similar two trees are, and what they share."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from typing import Any

from treekernels.common.checks import check_flag
from treekernels.common.screen import new_table, plain
from treekernels.common.text import count_noun
from treekernels.data.forest import Forest, as_forest
from treekernels.data.tree import Tree
from treekernels.distance.script import EditScript, edit_script
from treekernels.drawing import svg_of_several, text
from treekernels.drawing.colours import GROUPS
from treekernels.drawing.notebook import html_of_table
from treekernels.drawing.svg import Link
from treekernels.errors import DataError, KernelOverflowError, ParameterError
from treekernels.explanation.matching import SharedFragment, largest_shared_fragments
from treekernels.kernels import Kernel, NormalizedKernel, SubsetTreeKernel
from treekernels.kernels.base.small_values import hint_of_small_values
from treekernels.kernels.expressions.parsing import as_kernel
from treekernels.kernels.weights.productions import default_decay

__all__ = ["Comparison", "Similarity", "compare"]

_KERNELS = {
    "sst": "parts made of whole productions",
    "sst(leaf_weight=1)": "the same, and words",
    "st": "subtrees",
    "ptk": "any connected parts",
    "elastic": "parts that may skip levels",
    "subpath": "paths down",
}
_LISTED = 10  # shared fragments, where a comparison is printed


@dataclass(frozen=True)
class Similarity:
    """How similar two trees are under one kernel.

    Attributes
    ----------
    name : str
        The kernel as it was given.
    kernel : Kernel
    counts : str
        What the kernel counts, in a few words; empty for a kernel of your own.
    value : float or None
        Without normalisation; None if it is too large for a number.
    normalized : float
        From 0, for trees that share nothing, to 1 for equal trees.
    """

    name: str
    kernel: Kernel
    counts: str
    value: float | None
    normalized: float

    def cells(self) -> list[str]:
        """Return the row of a table for people."""
        value = "too large" if self.value is None else f"{self.value:.6g}"
        return [self.name, self.counts, value, _ratio(self.normalized)]


@dataclass(eq=False, repr=False)
class Comparison:
    """What `compare` returns: it prints as a table, and is drawn in a notebook.

    Attributes
    ----------
    trees : tuple of Tree
        The two trees.
    similarities : list of Similarity
        One for each kernel.
    shared : list of SharedFragment
        The largest fragments that the trees share, the heaviest first; their weights add up to the
        value of the subset-tree kernel.
    note : str
        Why no fragments are listed, where the trees are too large for it, and what to do where
        values vanish because the decay is too large for the trees; otherwise empty.
    edits : EditScript or None
        What has to be changed to make the second tree of the first, if it was asked for.
    """

    trees: tuple[Tree, Tree]
    similarities: list[Similarity]
    shared: list[SharedFragment]
    note: str = ""
    edits: EditScript | None = None

    @property
    def similarity(self) -> float:
        """The normalised value of the first kernel: 1 for equal trees, 0 if nothing is shared."""
        return self.similarities[0].normalized

    def to_svg(
        self,
        *,
        background: bool = False,
        links: bool = False,
        max_nodes: int = 120,
        stacked: bool = False,
    ) -> str:
        """Return both trees side by side, with what they share coloured, or what is edited.

        A node has the colour of the heaviest shared fragment that it is part of, unless `compare`
        was asked for edits: then nodes are coloured that are deleted, renamed or inserted.

        Parameters
        ----------
        background : bool, default=False
            Bring a background, white or dark as the reader likes it: for a file of its own.
        links : bool, default=False
            Join nodes that match by curves, each to the one that it weighs most with.
        max_nodes : int, default=120
            How many nodes are drawn at most; of a larger tree you see only a part.
        stacked : bool, default=False
            Draw the second tree below the first, which suits wide trees.
        """
        if self.edits is not None:
            return self.edits.to_svg(background=background, max_nodes=max_nodes, stacked=stacked)
        colours: tuple[dict[int, object], dict[int, object]] = ({}, {})
        joined: list[Link] = []
        for number, fragment in enumerate(self.shared, start=1):
            name = f"shared fragment {number}" if number < len(GROUPS) else "other shared fragments"
            for places in fragment.places:
                for nodes in zip(*places, strict=True):
                    if links and not any(n in side for n, side in zip(nodes, colours, strict=True)):
                        joined.append(Link(*nodes, name))
                for side, nodes_here in zip(colours, places, strict=True):
                    for node in nodes_here:
                        side.setdefault(node, name)
        return svg_of_several(
            list(self.trees),
            colours,
            title="Two trees, with what they share coloured",
            background=background,
            max_nodes=max_nodes,
            links=joined,
            stacked=stacked,
        )

    def table(self) -> Any:
        """Return the similarities as a table of rich."""
        table = new_table("kernel", "what is shared", ">value", ">normalised")
        for row in self.similarities:
            table.add_row(*map(plain, row.cells()))
        return table

    def __rich__(self) -> Any:
        """Return all of it for rich to print."""
        from rich.console import Group

        parts: list[Any] = [
            f"{plain(_short(tree))}  ({count_noun(tree.size, 'node')})" for tree in self.trees
        ]
        parts.append(self.table())
        for number, fragment in enumerate(self.shared[:_LISTED], start=1):
            times = "" if len(fragment.places) == 1 else f", {len(fragment.places):,} times"
            size = count_noun(fragment.size, "production") if fragment.size else "a word"
            parts.append(f"[bold]{number}.[/bold] weight {fragment.weight:.4g}, {size}{times}")
            lines = text(fragment.fragment).splitlines()
            parts.append(plain("\n".join(f"   {line}" for line in lines)))
        if len(self.shared) > _LISTED:
            parts.append(f"... and {len(self.shared) - _LISTED:,} more shared fragments")
        if self.edits is not None:
            parts.append(plain(str(self.edits)))
        return Group(*parts)

    def __str__(self) -> str:
        from rich.console import Console

        page = StringIO()
        Console(file=page, width=120, highlight=False, color_system=None).print(self)
        return "\n".join(line.rstrip() for line in page.getvalue().splitlines())

    def __repr__(self) -> str:
        shared = count_noun(len(self.shared), "shared fragment")
        return f"<Comparison: similarity {self.similarity:.4f}, {shared}>"

    def _repr_html_(self) -> str:
        headings = ("kernel", "what is shared", "value", "normalised")
        table = html_of_table(headings, [row.cells() for row in self.similarities])
        return f'<div style="overflow-x:auto">{self.to_svg()}</div>{table}'


def compare(a: Any, b: Any, *, kernel: Any = None, edit: bool = False) -> Comparison:
    """Say how similar two trees are, and what they share.

    Parameters
    ----------
    a, b : tree
        A `Tree`, brackets, a nested tuple or an NLTK tree.
    kernel : Kernel, expression, or list of these, optional
        Under which kernels they are compared; by default under every tree kernel of the library,
        the subset-tree kernel first.
    edit : bool, default=False
        Whether to find out as well what has to be changed to make the second tree of the first, in
        `edits`; the picture shows that instead of what is shared. See `edit_script`.

    Returns
    -------
    Comparison
        With the values of the kernels in `similarities`, the normalised one of the first kernel in
        `similarity`, and the largest fragments that the trees share in `shared`. These are
        fragments of the first subset-tree kernel that is given, with its decay and leaf weight, or
        of the default one.

    See Also
    --------
    explain : which fragments decide in a model.

    Examples
    --------
    >>> import treekernels as tk
    >>> a = "(S (NP (D the) (N dog)) (V ran))"
    >>> b = "(S (NP (D a) (N dog)) (V ran))"
    >>> comparison = tk.compare(a, b, kernel="sst")
    >>> round(comparison.similarity, 4)
    0.7488
    >>> [str(item.fragment) for item in comparison.shared]
    ['(S (NP D (N dog)) (V ran))']
    """
    both = Forest.concatenate([as_forest([tree]) for tree in (a, b)])
    first, second = both
    chosen = list(_KERNELS) if kernel is None else kernel if isinstance(kernel, list) else [kernel]
    if not chosen:
        raise ParameterError("kernel is an empty list: give at least one kernel, or None for all")
    similarities = [_similarity(item, both) for item in chosen]
    counting = next((leaf for row in similarities for leaf in _subset_kernels(row.kernel)), None)
    counting = counting or SubsetTreeKernel()
    notes = []
    try:
        decay = default_decay(counting.decay)
        shared = largest_shared_fragments(first, second, decay, counting.leaf_weight)
    except DataError as error:
        shared = []
        notes.append(f"The shared fragments are not listed: {error}.")
    hint = hint_of_small_values(counting, both)
    if hint is not None:
        notes.append(f"With {counting!r}, {hint}.")
    edits = edit_script(first, second) if check_flag("edit", edit) else None
    return Comparison((first, second), similarities, shared, " ".join(notes), edits)


def _subset_kernels(kernel: Kernel) -> list[SubsetTreeKernel]:
    """Return those whose fragments weigh by a single decay."""
    return [
        leaf
        for leaf in kernel.leaves()
        if isinstance(leaf, SubsetTreeKernel)
        and isinstance(leaf.decay, float | int)
        and leaf.weights is None
        and leaf.counts == "linear"
    ]


def _similarity(given: Any, both: Forest) -> Similarity:
    """Return the values under a kernel, or what stands for one."""
    kernel = as_kernel(given)
    name = given if isinstance(given, str) else repr(kernel)
    try:
        value = float(_with(kernel, normalize=False)(both[:1], both[1:])[0, 0])
    except KernelOverflowError:
        value = None
    normal = kernel if hasattr(kernel, "normalize") else NormalizedKernel(kernel)
    normalized = float(_with(normal, normalize=True)(both[:1], both[1:])[0, 0])
    return Similarity(name, kernel, _KERNELS.get(name, ""), value, normalized)


def _with(kernel: Kernel, *, normalize: bool) -> Kernel:
    """Return a tree kernel with or without normalisation, and any other as it is."""
    return kernel.with_params(normalize=normalize) if hasattr(kernel, "normalize") else kernel


def _ratio(value: float) -> str:
    """Write a value from 0 to 1, small ones so that they differ from 0."""
    return f"{value:.4f}" if value == 0 or value >= 0.001 else f"{value:.1e}"


def _short(tree: Tree) -> str:
    brackets = tree.to_brackets()
    return brackets if len(brackets) <= 90 else f"{brackets[:87]}..."
