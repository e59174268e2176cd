"""edit_script: what has to be changed to make one tree of another."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from treekernels import _native
from treekernels.common.native_errors import translate_native_errors
from treekernels.common.text import count_noun
from treekernels.data.forest import Forest, as_forest
from treekernels.data.tree import Tree
from treekernels.distance.edit_distance import EditDistance, memory
from treekernels.drawing import svg_of_several
from treekernels.drawing.markup import markup
from treekernels.drawing.svg import Link

__all__ = ["EditScript", "EditStep", "edit_script"]

_LISTED = 12  # steps, where a script is printed


class EditStep(NamedTuple):
    """One edit.

    Attributes
    ----------
    edit : {"delete", "rename", "insert"}
    label : str or None
        The label of the node in the first tree; None for one that is inserted.
    new_label : str or None
        Its label in the second tree; None for one that is deleted.
    place : int or None
        The number of the node in the first tree, parents before children and from left to right.
    new_place : int or None
        Its number in the second tree.
    """

    edit: Literal["delete", "rename", "insert"]
    label: str | None
    new_label: str | None
    place: int | None
    new_place: int | None

    def __str__(self) -> str:
        if self.edit == "rename":
            return f"rename {self.label!r} to {self.new_label!r}"
        label = self.label if self.edit == "delete" else self.new_label
        return f"{self.edit} {label!r}"


@dataclass(frozen=True, eq=False, repr=False)
class EditScript:
    """What `edit_script` returns: it prints as text, and is drawn in a notebook.

    Attributes
    ----------
    trees : tuple of Tree
        The two trees.
    distance : float
        What all edits cost together.
    mapping : array of int of shape (pairs, 2)
        Which node of the first tree becomes which of the second. Nodes are numbered with parents
        before children and from left to right, the root as 0.
    steps : list of EditStep
        Nodes that are deleted, renamed and inserted, in this order.
    """

    trees: tuple[Tree, Tree]
    distance: float
    mapping: np.ndarray[Any, np.dtype[np.uint32]]
    steps: list[EditStep]

    def to_json(self) -> str:
        """Return the distance, the mapping and the steps as text in JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the trees, the distance, the mapping and the steps as plain data."""
        return {
            "trees": [tree.to_brackets() for tree in self.trees],
            "distance": self.distance,
            "mapping": self.mapping.tolist(),
            "steps": [step._asdict() for step in self.steps],
        }

    def to_svg(
        self, *, background: bool = False, max_nodes: int = 120, stacked: bool = False
    ) -> str:
        """Return both trees, with what is edited coloured and renamed nodes joined by curves.

        Parameters
        ----------
        background : bool, default=False
            Bring a background, white or dark as the reader likes it: for a file of its own.
        max_nodes : int, default=120
            How many nodes are drawn at most; of a larger tree you see only a part.
        stacked : bool, default=False
            Draw the second tree below the first, which suits wide trees.
        """
        old: dict[int, Any] = {}
        new: dict[int, Any] = {}
        links = []
        for step in self.steps:
            if step.place is not None:
                old[step.place] = step.edit
            if step.new_place is not None:
                new[step.new_place] = step.edit
            if step.place is not None and step.new_place is not None:
                links.append(Link(step.place, step.new_place, step.edit))
        return svg_of_several(
            self.trees,
            [old, new],
            background=background,
            links=links,
            max_nodes=max_nodes,
            stacked=stacked,
            title=str(self).partition("\n")[0],
        )

    def _repr_html_(self) -> str:
        first = markup(str(self).partition("\n")[0])
        return f'<p>{first}</p><div style="overflow-x:auto">{self.to_svg()}</div>'

    def __str__(self) -> str:
        edits = count_noun(len(self.steps), "edit") if self.steps else "nothing to change"
        lines = [f"distance {cost_text(self.distance)}: {edits}"]
        lines += [f"  {step}" for step in self.steps[:_LISTED]]
        more = len(self.steps) - _LISTED
        return "\n".join([*lines, *([f"  and {more:,} more"] if more > 0 else [])])

    def __repr__(self) -> str:
        return f"<EditScript: {str(self).partition(chr(10))[0]}>"


def cost_text(cost: float) -> str:
    """Return what edits cost as text, whole numbers with all of their digits.

    Examples
    --------
    >>> cost_text(1234567.0), cost_text(2 / 3)
    ('1234567', '0.666667')
    """
    return f"{cost:.0f}" if cost == int(cost) else f"{cost:g}"


def edit_script(a: Any, b: Any, **costs: Any) -> EditScript:
    """Return what has to be changed to make one tree of another, at the least cost.

    Parameters
    ----------
    a, b : tree
        A text in brackets, a `Tree`, or what else `Forest` takes.
    **costs
        The parameters of `EditDistance`, such as ``rename=0.5``.

    Returns
    -------
    EditScript
        If several scripts cost the same, one of them.

    Examples
    --------
    >>> import treekernels as tk
    >>> script = tk.edit_script("(S (NP we) (VP run))", "(S (NP they) (VP (V run)))")
    >>> print(script)
    distance 2: 2 edits
      rename 'we' to 'they'
      insert 'V'
    >>> script.mapping.tolist()  # all nodes of the first tree are still there
    [[0, 0], [1, 1], [2, 2], [3, 3], [4, 5]]
    """
    distance = EditDistance(**costs)
    forests = distance.trees(as_forest([a])), distance.trees(as_forest([b]))
    both = Forest.concatenate(forests)
    native = distance.native_costs(both)
    with translate_native_errors():
        old, new = _native.edit_mapping(both.dag, both.roots[:1], both.roots[1:], native, memory())
    labels = [[node.label for node in tree.preorder()] for tree in both]
    kept, made = dict(zip(old.tolist(), new.tolist(), strict=True)), set(new.tolist())
    steps = [
        EditStep("delete", label, None, place, None)
        for place, label in enumerate(labels[0])
        if place not in kept
    ]
    steps += [
        EditStep("rename", labels[0][place], labels[1][other], place, other)
        for place, other in kept.items()
        if labels[0][place] != labels[1][other]
    ]
    steps += [
        EditStep("insert", None, label, None, place)
        for place, label in enumerate(labels[1])
        if place not in made
    ]
    value = distance(both[:1], both[1:], paired=True)[0]
    return EditScript((both[0], both[1]), float(value), np.stack([old, new], axis=1), steps)
