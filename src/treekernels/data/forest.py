"""Forest: a corpus of trees, kept as one DAG of their distinct subtrees.

A forest is a sequence that scikit-learn can slice, and its slices share the DAG. Texts and Python
objects become trees here; files are read by `treekernels.io.readers`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias, get_args, overload

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.arrays import Array, Mask, object_array
from treekernels.common.text import count_noun
from treekernels.data.from_objects import postorder, refuse_nothing, refuse_single
from treekernels.data.parsing import Roots as Roots
from treekernels.data.parsing import parsed
from treekernels.data.tree import EMPTY, MISSING, Tree, brackets_of
from treekernels.errors import DataError, ParameterError

__all__ = ["Forest"]

Source: TypeAlias = Literal["code", "pages", "documents", "sentences"]
"""What trees may be of, if that is known."""

_SOURCES = get_args(Source)

_EXTENDING = threading.Lock()
_MOST_SHOWN = 20
_SHOWN_OF_MANY = 5


class Forest:
    """A sequence of trees in which equal subtrees are stored only once.

    You make a forest of texts with `from_brackets`, of Python objects with `from_trees`, and of
    files with `treekernels.read`. Indexing with an integer returns a `Tree`. A slice, a list of
    integers or an array of integers or booleans returns another forest, which shares its subtrees
    with this one, so that it costs next to nothing.

    Parameters
    ----------
    trees : iterable of trees
        Texts in brackets, or objects as in `from_trees`.
    source : {"code", "pages", "documents", "sentences"}, optional
        What the trees are of, by which ``kernel="auto"`` chooses. `treekernels.read` knows it for
        most formats; another forest keeps its own unless you name one.

    Examples
    --------
    >>> import treekernels as tk
    >>> forest = tk.Forest.from_brackets(["(S (NP (N Mary)) (VP (V sleeps)))", "(S (NP (N Mary)))"])
    >>> forest
    <Forest: 2 trees, 11 nodes, 8 distinct subtrees, 7 labels>
    >>> len(forest), str(forest[1])
    (2, '(S (NP (N Mary)))')
    >>> forest[[1, 0, 1]].to_brackets()[0]
    '(S (NP (N Mary)))'
    """

    __slots__ = ("_buffer", "dag", "roots", "source")

    dag: _native.Dag
    """The DAG of the native core, for use inside this library. Other forests may share it."""

    roots: Roots
    """The number that the root of each tree has in `dag`.

    It is replaced in one step when trees are added, so that others may read meanwhile.
    """

    source: Source | None
    """What the trees are of, or None if that is not known."""

    _buffer: Roots  # the roots, and room for more behind them

    def __new__(cls, trees: Iterable[Any] = (), *, source: Source | None = None) -> Forest:
        forest = super().__new__(cls)
        forest.source = source  # also where a forest is unpickled, or made of roots
        return forest

    def __init__(self, trees: Iterable[Any] = (), *, source: Source | None = None) -> None:
        if source is not None and source not in _SOURCES:
            raise ParameterError(f"source is {source!r}, and may be {', '.join(_SOURCES)} or None")
        other = as_forest(trees)
        self.dag = other.dag
        self.roots = self._buffer = other.roots
        self.source = other.source if source is None else source

    @classmethod
    def from_roots(cls, dag: _native.Dag, roots: Roots, *, source: Source | None = None) -> Forest:
        """Make a forest of a DAG of the native core and the numbers of its roots in that DAG."""
        forest = cls.__new__(cls, source=source)
        forest.dag = dag
        forest.roots = forest._buffer = roots
        return forest

    @classmethod
    def from_brackets(cls, texts: Iterable[str]) -> Forest:
        r"""Make a forest of texts in Penn bracket notation, each of which is one tree.

        You may write a leaf as it is or put it in brackets of its own: ``(N Mary)`` and
        ``(N (Mary))`` are the same tree. A label ends at white space or at a bracket. If a label
        contains one of these characters, write it as ``\xHH``, such as ``\x20`` for a space.

        Raises
        ------
        ParseError
            If a text is not a tree. The error says which text it is, and at which column.

        Examples
        --------
        >>> import treekernels as tk
        >>> tk.Forest.from_brackets(["(A (B b) c)"])[0].size
        4
        >>> tk.Forest.from_brackets(["(A b)", "(A (B b)"])
        Traceback (most recent call last):
            ...
        treekernels.errors.ParseError: tree 2, column 1: the bracket opened here is never closed
        """
        refuse_single(texts)
        texts = list(texts)
        for number, text in enumerate(texts, start=1):
            if not isinstance(text, str):
                refuse_nothing(text, number)
                raise DataError(f"tree {number} is not a text but of type {type(text).__name__}")
        return cls.from_roots(*parsed(texts))

    @classmethod
    def from_trees(cls, trees: Iterable[Any]) -> Forest:
        """Make a forest of Python objects, each of which is one tree.

        A tree can be a nested tuple or list ``(label, child, child, ...)``, in which a leaf is just
        its label or ``(label,)``. It can also be an NLTK tree, any other sequence of children that
        has a method or an attribute ``label``, or a `Tree` of this library.

        Examples
        --------
        >>> import treekernels as tk
        >>> tk.Forest.from_trees([("S", ("NP", "Mary"), ("VP", "sleeps"))]).to_brackets()
        ['(S (NP Mary) (VP sleeps))']
        """
        refuse_single(trees)
        trees = list(trees)
        for number, tree in enumerate(trees, start=1):
            if isinstance(tree, str):
                raise DataError(
                    f"tree {number} is a text: use from_brackets, or a tuple ('label',) for a leaf"
                )
            refuse_nothing(tree, number)
        if trees and all(isinstance(tree, Tree) for tree in trees):
            return cls.concatenate(
                [cls.from_roots(tree.dag, np.array([tree.node], np.uint32)) for tree in trees]
            )
        dag = _native.Dag()
        labels, arities = postorder(trees)
        return cls.from_roots(dag, dag.add_postorder(labels, arities))

    @classmethod
    def concatenate(cls, forests: Iterable[Any]) -> Forest:
        """Join several forests into one. If they share their DAG, the result shares it too.

        The result has the source that all forests have in which there are trees, or else none.
        """
        forests = [as_forest(forest) for forest in forests]
        if not forests:
            return cls.from_roots(_native.Dag(), np.empty(0, np.uint32))
        source = _common_source(forests)
        dag = forests[0].dag
        if all(forest.dag is dag for forest in forests):
            roots = np.concatenate([forest.roots for forest in forests])
            return cls.from_roots(dag, roots, source=source)
        dag = _native.Dag()
        by_dag: dict[int, list[int]] = {}
        for place, forest in enumerate(forests):
            by_dag.setdefault(id(forest.dag), []).append(place)
        parts: list[Roots] = [np.empty(0, np.uint32)] * len(forests)
        for places in by_dag.values():
            old_roots = [forests[place].roots for place in places]
            new_roots = dag.import_nodes(forests[places[0]].dag, np.concatenate(old_roots))
            ends = np.cumsum([len(part) for part in old_roots])
            for place, part in zip(places, np.split(new_roots, ends[:-1]), strict=True):
                parts[place] = part
        return cls.from_roots(dag, np.concatenate(parts), source=source)

    def extend(self, trees: Iterable[Any]) -> None:
        """Add trees at the end of this forest.

        The time that this takes depends on the size of the new trees alone. Slices of the forest
        keep the trees that they have. If one of the new trees cannot be read, none is added. Trees
        of another source leave the forest without one.
        """
        forest = as_forest(trees)
        roots = forest.roots
        if forest.dag is not self.dag:
            roots = self.dag.import_nodes(forest.dag, roots)
        with _EXTENDING:
            before = self.roots
            self.source = _common_source([self, forest])
            count = len(before) + len(roots)
            if count > len(self._buffer) or not self._buffer.flags.owndata:
                # Doubled, so that adding one tree after the other takes linear time. Slices keep
                # the old array.
                buffer = np.empty(max(2 * len(self._buffer), count, 16), np.uint32)
                buffer[: len(before)] = before
                self._buffer = buffer
            self._buffer[len(before) : count] = roots
            self.roots = self._buffer[:count]

    def to_brackets(self) -> list[str]:
        """Return all trees in Penn bracket notation."""
        return [brackets_of(self.dag, root) for root in self.roots.tolist()]

    @property
    def shape(self) -> tuple[int]:
        """The number of trees, in a tuple of one, as an array has it."""
        return (len(self.roots),)

    @property
    def is_empty(self) -> Mask:
        """Which of the trees are ``(-EMPTY-)`` or ``(-MISSING-)``; every kernel gives 0 for them.

        Examples
        --------
        >>> import treekernels as tk
        >>> tk.Forest(["(A b)", "(-EMPTY-)", "(-MISSING-)"]).is_empty.tolist()
        [False, True, True]
        """
        return self._are_leaves(EMPTY, MISSING)

    def has_empty(self) -> bool:
        """Return whether one of the trees is empty, which most often is known at a glance."""
        find = self.dag.find_leaf
        if find(EMPTY) is None and find(MISSING) is None:
            return False
        return bool(self.is_empty.any())

    @property
    def is_missing(self) -> Mask:
        """Which of the trees are ``(-MISSING-)``, which stands for a part that an example lacks."""
        return self._are_leaves(MISSING)

    def _are_leaves(self, *labels: str) -> Mask:
        roots = self.roots
        are_leaves = np.zeros(len(roots), bool)
        for label in labels:
            node = self.dag.find_leaf(label)
            if node is not None:
                are_leaves |= roots == node
        return are_leaves

    @property
    def sizes(self) -> NDArray[np.uint64]:
        """How many nodes each tree has; 2**64 - 1 stands for that number and for any larger one."""
        return self.dag.sizes(self.roots)[0]

    @property
    def depths(self) -> NDArray[np.uint64]:
        """How many nodes there are on the longest path from the root of each tree to a leaf."""
        return self.dag.sizes(self.roots)[1]

    @property
    def n_nodes(self) -> int:
        """How many nodes all trees have together."""
        sizes = self.sizes
        if len(sizes) * int(sizes.max(initial=0)) < 2**64:
            return int(sizes.sum())
        return sum(sizes.tolist())

    @property
    def n_subtrees(self) -> int:
        """How many different subtrees there are in all trees together."""
        return self.dag.census(self.roots)[0]

    @property
    def n_labels(self) -> int:
        """How many different labels there are."""
        return self.dag.census(self.roots)[1]

    @property
    def n_productions(self) -> int:
        """How many different productions there are: a label with the labels of its children."""
        return self.dag.census(self.roots)[2]

    def __len__(self) -> int:
        return len(self.roots)

    def __iter__(self) -> Iterator[Tree]:
        return (Tree(self.dag, int(root)) for root in self.roots)

    @overload
    def __getitem__(self, key: int | np.integer[Any]) -> Tree: ...
    @overload
    def __getitem__(self, key: Any) -> Forest: ...
    def __getitem__(self, key: Any) -> Tree | Forest:
        if isinstance(key, str):
            raise DataError(
                f"a Forest is trees alone and has no column {key!r}: files with labels give a "
                "Table, which has columns, and tk.Table({'tree': forest, ...}) makes one"
            )
        if isinstance(key, tuple):  # scikit-learn asks for forest[indices, ...]
            if len(key) == 2 and key[1] is Ellipsis:
                return self[key[0]]
            raise IndexError("a forest has one dimension")
        if isinstance(key, list | range) and len(key) == 0:
            key = np.empty(0, np.intp)
        roots = self.roots[key]
        if np.ndim(roots) == 0:
            return Tree(self.dag, int(roots))
        if np.ndim(roots) != 1:
            raise IndexError("a forest has one dimension")
        return Forest.from_roots(self.dag, np.ascontiguousarray(roots), source=self.source)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Forest):
            return NotImplemented
        if len(self) != len(other):
            return False
        both = Forest.concatenate([self, other])
        return bool(np.array_equal(both.roots[: len(self)], both.roots[len(self) :]))

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Make an array of trees as objects, for code that turns everything into an array."""
        return object_array(list(self), dtype)

    def __repr__(self) -> str:
        subtrees, labels, _ = self.dag.census(self.roots)
        counts = (
            count_noun(len(self), "tree"),
            count_noun(self.n_nodes, "node"),
            count_noun(subtrees, "distinct subtree"),
            count_noun(labels, "label"),
        )
        return f"<Forest: {', '.join(counts)}>"

    def __str__(self) -> str:
        """Return one line for each tree, or the first few of many; `to_brackets` has them all."""
        if len(self) <= _MOST_SHOWN:
            return "\n".join(self.to_brackets())
        first = self[:_SHOWN_OF_MANY].to_brackets()
        return "\n".join([*first, f"… and {len(self) - len(first):,} more"])

    def _repr_html_(self) -> str:
        from treekernels.drawing.notebook import html_of_forest

        return html_of_forest(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_source, (self.source,), self.__getstate__()

    def __getstate__(self) -> tuple[Any, ...]:
        return tuple(self.dag.export_arrays(self.roots))

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        *arrays, roots = state
        dag = _native.Dag.from_arrays(*arrays)
        if roots.dtype != np.uint32 or roots.ndim != 1 or (roots >= len(dag)).any():
            raise ValueError("not a forest: a root is not among its subtrees")
        self.dag = dag
        self.roots = self._buffer = roots


def _of_source(source: Source | None) -> Forest:
    """Return a forest that `__setstate__` will fill."""
    return Forest.__new__(Forest, source=source)


def _common_source(forests: list[Forest]) -> Source | None:
    """Return the source that all forests have in which there are trees, or else None."""
    sources = {forest.source for forest in forests if len(forest)}
    return sources.pop() if len(sources) == 1 else None


def _renew_lock() -> None:
    """Make a new lock in a forked process: who held the old one is not there."""
    global _EXTENDING
    _EXTENDING = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def as_forest(trees: Any) -> Forest:
    """Return a forest of whatever can be one: a forest, or a list of texts or other trees."""
    if isinstance(trees, Forest):
        return trees
    if type(trees) is not list:
        refuse_single(trees)
    if isinstance(trees, np.ndarray):
        if trees.ndim == 2 and trees.shape[1] == 1:
            trees = trees[:, 0]
        if trees.ndim != 1:
            raise DataError(f"an array of trees has one dimension, not {trees.ndim}")
        trees = trees.tolist()
    items = list(trees)
    texts = sum(isinstance(item, str) for item in items)
    if texts == len(items):
        return Forest.from_roots(*parsed(items))
    if texts:
        place = next(i for i, item in enumerate(items) if not isinstance(item, str))
        refuse_nothing(items[place], place + 1)
        raise DataError(
            f"tree {place + 1} is of type {type(items[place]).__name__}, but others are texts: "
            "give all trees in one form"
        )
    return Forest.from_trees(items)
