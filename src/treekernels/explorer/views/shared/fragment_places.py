"""Which trees of a corpus have a fragment, found in the DAG of their distinct subtrees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import DataError
from treekernels.explanation.matching import Positions, is_name
from treekernels.explanation.searches.subtree_arrays import SubtreeArrays

Mask = NDArray[np.bool_]


class CorpusSubtrees(SubtreeArrays):
    """The distinct subtrees of a corpus, each looked at once however many trees have it.

    Examples
    --------
    >>> import treekernels as tk
    >>> forest = tk.Forest(["(S (A a) (B b))", "(S (A a) (C c))", "(T (S (A d) (B b)))"])
    >>> subtrees = CorpusSubtrees(forest)
    >>> subtrees.rows_with(tk.Forest(["(S A B)"])[0]).tolist()
    [0, 2]
    >>> subtrees.rows_with(tk.Forest(["(S A)"])[0], partial=True).tolist()
    [0, 1, 2]
    """

    def __init__(self, forest: Forest) -> None:
        super().__init__(_native.Subtrees.below(forest.dag, forest.roots, forest.dag))
        self.dag = forest.dag
        self.roots = self.native.roots

    def rows_with(
        self, fragment: Tree, *, partial: bool = False, kind: str | None = None
    ) -> NDArray[np.intp]:
        """Return the numbers of the trees that have a fragment.

        A leaf of the fragment is any node with its label, but a fragment that is nothing else is a
        word. Of a `partial` tree, children may have been left out. Features have a `kind`.
        """
        if kind in ("gram", "window"):
            raise DataError(
                "the examples that have a pq-gram cannot be listed here: the prediction of an "
                "example shows which of its grams count"
            )
        if kind == "siblings":
            begins = np.flatnonzero(self._siblings(fragment))
        else:
            begins = np.flatnonzero(self.begins(fragment, partial=partial, kind=kind))
        if not len(begins):
            return np.empty(0, np.intp)
        return np.flatnonzero(self.above(begins)[self.roots])

    def _siblings(self, fragment: Tree) -> Mask:
        """Return which subtrees have a label, and two children side by side with others."""
        labels = [fragment.label, *(child.label for child in fragment.children)]
        if len(labels) != 3:
            raise DataError("this link names no fragment")
        parent, left, right = (
            self.labels == _native.label_number(self.dag, label) for label in labels
        )
        owners = np.repeat(np.arange(len(self)), np.diff(self.child_offsets))
        pairs = left[self.children[:-1]] & right[self.children[1:]] & (owners[:-1] == owners[1:])
        here = np.zeros(len(self), bool)
        here[owners[:-1][pairs]] = True
        here &= parent
        return here

    def _names_only(self) -> Mask:
        """Return which subtrees have nothing below them but a name, which outlines leave out."""
        single = np.flatnonzero(np.diff(self.child_offsets) == 1)
        below = self.children[self.child_offsets[single]]
        labels = self.labels[below]
        known = np.unique(labels[~self.has_children[below]])
        texts = _native.label_texts(self.dag, known.astype(np.int64))
        names = known[[is_name(text) for text in texts]]
        found = np.zeros(len(self), bool)
        found[single[~self.has_children[below] & np.isin(labels, names)]] = True
        return found

    def begins(self, fragment: Tree, *, partial: bool = False, kind: str | None = None) -> Mask:
        """Return at which subtrees a fragment begins; a subtree or outline is all below it."""
        ends = ~self.has_children
        if kind == "outline":
            ends |= self._names_only()
        nodes = Positions(fragment)
        fits: list[Mask] = [np.empty(0, bool)] * len(nodes.labels)
        for node in reversed(range(len(nodes.labels))):  # children come after their parents
            number = _native.label_number(self.dag, nodes.labels[node])
            here = self.labels == number
            children = nodes.children[node]
            if children:
                below = [fits[child] for child in children]
                within = self._in_order if partial else self._exactly
                here = within(here & ~ends, below)
            elif kind in ("subtree", "outline"):
                here = here & ends
            fits[node] = here
        if len(nodes.labels) == 1 and not partial:
            fits[0] = fits[0] & ~self.has_children
        return fits[0]

    def _exactly(self, here: Mask, below: list[Mask]) -> Mask:
        """Keep the subtrees whose children fit one by one."""
        fits = np.zeros(len(self), bool)
        candidates = np.flatnonzero(here & (np.diff(self.child_offsets) == len(below)))
        first = self.child_offsets[candidates]
        fitting = np.ones(len(candidates), bool)
        for place, wanted in enumerate(below):
            fitting &= wanted[self.children[first + place]]
        fits[candidates[fitting]] = True
        return fits

    def _in_order(self, here: Mask, below: list[Mask]) -> Mask:
        """Keep the subtrees that have fitting children in this order, with any between them."""
        fits = np.zeros(len(self), bool)
        candidates = np.flatnonzero(here & self.has_children)
        place = self.child_offsets[candidates].copy()
        end = self.child_offsets[candidates + 1]
        count = len(self.children)
        for wanted in below:
            # From each place on, the next child that fits; behind the last there is none.
            there = np.where(wanted[self.children], np.arange(count), count)
            following = np.append(np.minimum.accumulate(there[::-1])[::-1], count)
            place = following[np.minimum(place, count)] + 1
        fits[candidates[place <= end]] = True
        return fits
