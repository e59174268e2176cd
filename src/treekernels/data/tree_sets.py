"""TreeSets: examples with any number of trees each, such as documents with their sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from treekernels.common.arrays import Array, Places, object_array
from treekernels.common.text import count_noun
from treekernels.data.forest import Forest, as_forest
from treekernels.data.from_objects import is_nothing
from treekernels.data.tree import Tree
from treekernels.errors import DataError, TreeKernelsError

__all__ = ["TreeSets"]


class TreeSets:
    """A sequence of sets of trees, each of any size, that scikit-learn can slice.

    All trees are in one forest, one set after the other. Indexing with a number returns one set
    as a `Forest`; a slice or an array returns some of the sets.

    Parameters
    ----------
    sets : sequence of sequences of trees
        Each is a `Forest`, or a list of whatever can be a tree.

    Examples
    --------
    >>> import treekernels as tk
    >>> documents = tk.TreeSets([["(S a)", "(S b)"], [], ["(S a)"]])
    >>> documents
    <TreeSets: 3 sets, 3 trees>
    >>> documents[0].to_brackets()
    ['(S a)', '(S b)']
    >>> documents[1:].sizes.tolist()
    [0, 1]
    """

    def __init__(self, sets: Iterable[Any] = ()) -> None:
        if isinstance(sets, Forest | Tree | str):
            raise DataError(
                "these are trees, and not sets of them: give a list of lists of trees, or use "
                "TreeSets.grouped, which makes sets of trees that have the same group"
            )
        parts = [_as_part(part, number) for number, part in enumerate(sets, start=1)]
        self._set(_joined(parts), np.cumsum([0, *map(len, parts)]))

    def _set(self, trees: Forest, offsets: Places) -> None:
        self.trees = trees
        self.offsets = offsets

    @classmethod
    def from_offsets(cls, trees: Forest, offsets: ArrayLike) -> TreeSets:
        """Make sets of a forest: set i has the trees from ``offsets[i]`` up to ``offsets[i + 1]``.

        Examples
        --------
        >>> import treekernels as tk
        >>> tk.TreeSets.from_offsets(tk.Forest(["(S a)", "(S b)", "(S c)"]), [0, 2, 2, 3]).sizes
        array([2, 0, 1])
        """
        bounds = np.asarray(offsets)
        if bounds.dtype.kind not in "iu" or bounds.ndim != 1 or not len(bounds):
            raise DataError("the offsets of sets are whole numbers, one more than there are sets")
        bounds = bounds.astype(np.intp)
        if bounds[0] != 0 or bounds[-1] != len(trees) or (np.diff(bounds) < 0).any():
            raise DataError(
                f"the offsets of sets begin with 0, never fall, and end with the number of trees, "
                f"which is {len(trees)}"
            )
        sets = cls.__new__(cls)
        sets._set(trees, bounds)
        return sets

    @classmethod
    def grouped(cls, trees: Any, groups: ArrayLike) -> tuple[TreeSets, Array]:
        """Make sets of the trees that have the same group, such as the name of their document.

        Parameters
        ----------
        trees : Forest or sequence of trees
        groups : array of shape (number of trees,)
            The group of each tree.

        Returns
        -------
        TreeSets, array
            The sets in the order in which their groups first occur, and these groups.

        Examples
        --------
        >>> import treekernels as tk
        >>> sets, names = tk.TreeSets.grouped(["(S a)", "(S b)", "(S c)"], ["x", "y", "x"])
        >>> sets.sizes.tolist(), names.tolist()
        ([2, 1], ['x', 'y'])
        """
        forest, names = as_forest(trees), np.asarray(groups)
        if names.shape != (len(forest),):
            raise DataError(f"there are {len(forest)} trees, and groups of shape {names.shape}")
        distinct, first, numbers = np.unique(names, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), np.intp)
        rank[order] = np.arange(len(order))
        places = rank[numbers]
        sizes = np.bincount(places, minlength=len(order))
        rows = np.argsort(places, kind="stable")
        return cls.from_offsets(forest[rows], _offsets(sizes)), distinct[order]

    @classmethod
    def from_columns(cls, columns: Sequence[Any]) -> TreeSets:
        """Make sets of several columns: that of an example has its trees of all columns.

        Trees that an example lacks, ``(-MISSING-)``, are left out.

        Examples
        --------
        >>> import treekernels as tk
        >>> tk.TreeSets.from_columns([["(S a)", "(S b)"], ["(S c)", "(-MISSING-)"]]).sizes
        array([2, 1])
        """
        forests = [as_forest(column) for column in columns]
        lengths = {len(forest) for forest in forests}
        if len(lengths) != 1:
            raise DataError("the columns that make sets of trees differ in length, or are none")
        (count,) = lengths
        every = Forest.concatenate(forests)
        there = ~every.is_missing.reshape(len(forests), count).T
        rows = np.arange(len(every)).reshape(len(forests), count).T[there]
        return cls.from_offsets(every[rows], _offsets(there.sum(axis=1)))

    @property
    def sizes(self) -> Places:
        """How many trees each set has."""
        sizes: Places = np.diff(self.offsets)
        return sizes

    @property
    def shape(self) -> tuple[int]:
        """The number of sets, in a tuple of one, as an array has it."""
        return (len(self),)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[Forest]:
        return (self[place] for place in range(len(self)))

    @overload
    def __getitem__(self, key: int | np.integer[Any]) -> Forest: ...
    @overload
    def __getitem__(self, key: Any) -> TreeSets: ...
    def __getitem__(self, key: Any) -> Forest | TreeSets:
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            key = key[0]  # scikit-learn asks for sets[indices, ...]
        if isinstance(key, list | range) and len(key) == 0:
            key = np.empty(0, np.intp)
        places = np.arange(len(self))[key]
        if np.ndim(places) == 0:
            return self.trees[self.offsets[places] : self.offsets[places + 1]]
        if np.ndim(places) != 1:
            raise IndexError("sets of trees have one dimension")
        sizes = self.sizes[places]
        offsets = _offsets(sizes)
        inside = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], sizes)
        rows = np.repeat(self.offsets[places], sizes) + inside
        return TreeSets.from_offsets(self.trees[rows], offsets)

    @classmethod
    def concatenate(cls, parts: Iterable[TreeSets]) -> TreeSets:
        """Join several sequences of sets into one."""
        parts = list(parts)
        sizes = np.concatenate([np.zeros(0, np.intp), *(part.sizes for part in parts)])
        trees = Forest.concatenate([part.trees for part in parts])
        return cls.from_offsets(trees, _offsets(sizes))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSets):
            return NotImplemented
        return np.array_equal(self.offsets, other.offsets) and self.trees == other.trees

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Make an array of forests, for code that turns everything into an array."""
        return object_array(list(self), dtype)

    def __repr__(self) -> str:
        counts = count_noun(len(self), "set"), count_noun(len(self.trees), "tree")
        return f"<TreeSets: {', '.join(counts)}>"


def as_tree_sets(sets: Any) -> TreeSets:
    """Return sets of trees of whatever can be some: sets, or a list of lists of trees."""
    return sets if isinstance(sets, TreeSets) else TreeSets(sets)


def _offsets(sizes: Array) -> Places:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)


def _as_part(part: Any, number: int) -> Any:
    """Return one set as a forest or a list, or raise a `DataError` if it is none."""
    if isinstance(part, Forest):
        return part
    if isinstance(part, str | Tree):
        what = "a text" if isinstance(part, str) else "a tree"
        raise DataError(f"set {number} is {what}: give a list of trees, [tree] for a single one")
    if is_nothing(part) or not hasattr(part, "__iter__"):
        raise DataError(f"set {number} is {part!r}: give a list of trees, [] for none")
    return list(part)


def _joined(parts: list[Any]) -> Forest:
    """Return the trees of all sets. Those of lists are read together, which is much faster."""
    if any(isinstance(part, Forest) for part in parts):
        return Forest.concatenate([_read(part, i) for i, part in enumerate(parts, start=1)])
    try:
        return as_forest([tree for part in parts for tree in part])
    except TreeKernelsError:
        for number, part in enumerate(parts, start=1):
            _read(part, number)
        raise


def _read(part: Any, number: int) -> Forest:
    try:
        return as_forest(part)
    except TreeKernelsError as error:
        raise DataError(f"set {number}: {error}") from error
