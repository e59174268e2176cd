"""Forest: a corpus of trees, kept as one DAG of their distinct subtrees.

A forest is a sequence that scikit-learn can slice. Slices share the DAG. Text and Python objects
become trees here; files are the business of `treekernels.io.readers`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.wording import count_noun
from treekernels.data.empty_tree import EMPTY, MISSING
from treekernels.data.from_objects import is_nothing, postorder
from treekernels.data.tree import Tree, brackets_of
from treekernels.errors import DataError, ParseError

__all__ = ["Forest", "as_forest"]

Roots = NDArray[np.uint32]

_EXTENDING = threading.Lock()
_MOST_SHOWN = 20
_SHOWN_OF_MANY = 5


class Forest:
    """A sequence of trees, interned into one DAG of distinct subtrees.

    Make one with `from_brackets`, `from_trees`, or `treekernels.read` for files. Indexing with an
    integer gives a `Tree`; slices, lists of integers, integer arrays and boolean arrays give a
    forest that shares the DAG.

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

    __slots__ = ("_buffer", "_dag", "_roots")

    _dag: _native.Dag
    _buffer: Roots  # the roots, and room for more behind them
    _roots: Roots  # replaced in one step, so that others may read meanwhile

    def __init__(self, trees: Iterable[Any] = ()) -> None:
        other = as_forest(trees)
        self._set(other.dag, other.roots)

    @classmethod
    def from_roots(cls, dag: _native.Dag, roots: Roots) -> Forest:
        """Make a forest from the inside: a DAG of the native core, and the numbers of its roots."""
        forest = cls.__new__(cls)
        forest._set(dag, roots)
        return forest

    def _set(self, dag: _native.Dag, roots: Roots) -> None:
        self._dag = dag
        self._buffer = self._roots = roots

    @property
    def dag(self) -> _native.Dag:
        """The DAG of the native core, for the rooms of this library; others may share it."""
        return self._dag

    @property
    def roots(self) -> Roots:
        """Where the trees are in `dag`: the number of each root."""
        return self._roots

    @classmethod
    def from_brackets(cls, texts: Iterable[str]) -> Forest:
        r"""Make a forest from texts in Penn bracket notation, one tree each.

        A leaf may stand bare or in brackets of its own: ``(N Mary)`` is ``(N (Mary))``. Labels end
        at white space or a bracket; ``\xHH`` stands for such a character inside a label.

        Raises
        ------
        ParseError
            With tree and column, when a text is not a tree. Nothing is kept then.

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
        _refuse_single(texts)
        texts = list(texts)
        for number, text in enumerate(texts, start=1):
            if not isinstance(text, str):
                _refuse_nothing(text, number)
                raise DataError(f"tree {number} is not a text but of type {type(text).__name__}")
        return cls.from_roots(*_parsed(texts))

    @classmethod
    def from_trees(cls, trees: Iterable[Any]) -> Forest:
        """Make a forest from Python objects, one tree each.

        A tree is a nested tuple or list ``(label, child, child, ...)`` whose leaves are bare labels
        or ``(label,)``; an NLTK tree, or any sequence of children with a method or attribute
        ``label``; or a `Tree`.

        Examples
        --------
        >>> import treekernels as tk
        >>> tk.Forest.from_trees([("S", ("NP", "Mary"), ("VP", "sleeps"))]).to_brackets()
        ['(S (NP Mary) (VP sleeps))']
        """
        _refuse_single(trees)
        trees = list(trees)
        for number, tree in enumerate(trees, start=1):
            if isinstance(tree, str):
                raise DataError(
                    f"tree {number} is a text: use from_brackets, or a tuple ('label',) for a leaf"
                )
            _refuse_nothing(tree, number)
        if trees and all(isinstance(tree, Tree) for tree in trees):
            return cls.concatenate(
                [cls.from_roots(tree.dag, np.array([tree.node], np.uint32)) for tree in trees]
            )
        dag = _native.Dag()
        labels, arities = postorder(trees)
        return cls.from_roots(dag, dag.add_postorder(labels, arities))

    @classmethod
    def concatenate(cls, forests: Iterable[Any]) -> Forest:
        """Put forests one after the other. Forests that share a DAG go on sharing it."""
        forests = [as_forest(forest) for forest in forests]
        if not forests:
            return cls.from_roots(_native.Dag(), np.empty(0, np.uint32))
        dag = forests[0].dag
        if all(forest.dag is dag for forest in forests):
            return cls.from_roots(dag, np.concatenate([forest.roots for forest in forests]))
        dag = _native.Dag()
        by_dag: dict[int, list[int]] = {}
        for place, forest in enumerate(forests):
            by_dag.setdefault(id(forest.dag), []).append(place)
        parts: list[Roots] = [np.empty(0, np.uint32)] * len(forests)
        for places in by_dag.values():
            roots = [forests[place].roots for place in places]
            new_roots = dag.import_nodes(forests[places[0]].dag, np.concatenate(roots))
            ends = np.cumsum([len(part) for part in roots])
            for place, part in zip(places, np.split(new_roots, ends[:-1]), strict=True):
                parts[place] = part
        return cls.from_roots(dag, np.concatenate(parts))

    def extend(self, trees: Iterable[Any]) -> None:
        """Add trees at the end, in time linear in their size.

        They go into the DAG of this forest. Forests that share it keep their trees. If one of the
        new trees is bad, none is added.
        """
        forest = as_forest(trees)
        roots = forest.roots
        if forest.dag is not self._dag:
            roots = self._dag.import_nodes(forest.dag, roots)
        with _EXTENDING:
            before = self._roots
            count = len(before) + len(roots)
            if count > len(self._buffer) or not self._buffer.flags.owndata:
                # Doubled, so that adding one tree after the other takes linear time. Slices keep
                # the old array.
                buffer = np.empty(max(2 * len(self._buffer), count, 16), np.uint32)
                buffer[: len(before)] = before
                self._buffer = buffer
            self._buffer[len(before) : count] = roots
            self._roots = self._buffer[:count]

    def to_brackets(self) -> list[str]:
        """Return all trees in Penn bracket notation."""
        return [brackets_of(self._dag, root) for root in self.roots.tolist()]

    @property
    def shape(self) -> tuple[int]:
        """``(number of trees,)``, as of an array."""
        return (len(self.roots),)

    @property
    def is_empty(self) -> NDArray[np.bool_]:
        """Which trees are not there: ``(-EMPTY-)`` and ``(-MISSING-)``. Kernels give 0 for them.

        Examples
        --------
        >>> import treekernels as tk
        >>> tk.Forest(["(A b)", "(-EMPTY-)", "(-MISSING-)"]).is_empty.tolist()
        [False, True, True]
        """
        return self._are_leaves(EMPTY) | self._are_leaves(MISSING)

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Which trees are ``(-MISSING-)``: parts that an example of a file does not have."""
        return self._are_leaves(MISSING)

    def _are_leaves(self, label: str) -> NDArray[np.bool_]:
        node = self._dag.find_leaf(label)
        return np.zeros(len(self), bool) if node is None else self.roots == node

    @property
    def sizes(self) -> NDArray[np.uint64]:
        """The number of nodes of each tree; 2**64 - 1 also where there are more."""
        return self._dag.sizes(self.roots)[0]

    @property
    def depths(self) -> NDArray[np.uint64]:
        """The number of nodes on the longest way down each tree."""
        return self._dag.sizes(self.roots)[1]

    @property
    def n_nodes(self) -> int:
        """The number of nodes of all trees."""
        sizes = self.sizes
        if len(sizes) * int(sizes.max(initial=0)) < 2**64:
            return int(sizes.sum())
        return sum(sizes.tolist())

    @property
    def n_subtrees(self) -> int:
        """The number of distinct subtrees of all trees."""
        return self._dag.census(self.roots)[0]

    @property
    def n_labels(self) -> int:
        """The number of distinct labels."""
        return self._dag.census(self.roots)[1]

    @property
    def n_productions(self) -> int:
        """The number of distinct productions: a label with the labels of the children."""
        return self._dag.census(self.roots)[2]

    def __len__(self) -> int:
        return len(self.roots)

    def __iter__(self) -> Iterator[Tree]:
        return (Tree(self._dag, int(root)) for root in self.roots)

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
            return Tree(self._dag, int(roots))
        if np.ndim(roots) != 1:
            raise IndexError("a forest has one dimension")
        return Forest.from_roots(self._dag, np.ascontiguousarray(roots))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Forest):
            return NotImplemented
        if len(self) != len(other):
            return False
        both = Forest.concatenate([self, other])
        return bool(np.array_equal(both.roots[: len(self)], both.roots[len(self) :]))

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Make an object array of trees, for code that wants an array at any price."""
        array = np.empty(len(self), dtype=object)
        array[:] = list(self)
        return array if dtype is None else array.astype(dtype)

    def __repr__(self) -> str:
        subtrees, labels, _ = self._dag.census(self.roots)
        counts = (
            count_noun(len(self), "tree"),
            count_noun(self.n_nodes, "node"),
            count_noun(subtrees, "distinct subtree"),
            count_noun(labels, "label"),
        )
        return f"<Forest: {', '.join(counts)}>"

    def __str__(self) -> str:
        """Return the trees, one a line, of many only the first; `to_brackets` gives them all."""
        if len(self) <= _MOST_SHOWN:
            return "\n".join(self.to_brackets())
        first = self[:_SHOWN_OF_MANY].to_brackets()
        return "\n".join([*first, f"… and {len(self) - len(first):,} more"])

    def _repr_html_(self) -> str:
        from treekernels.drawing.notebook import html_of_forest

        return html_of_forest(self)

    def __getstate__(self) -> tuple[Any, ...]:
        return tuple(self._dag.export_arrays(self.roots))

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        *arrays, roots = state
        dag = _native.Dag.from_arrays(*arrays)
        if roots.dtype != np.uint32 or roots.ndim != 1 or (roots >= len(dag)).any():
            raise ValueError("not a forest: a root is not among its subtrees")
        self._set(dag, roots)


def _renew_lock() -> None:
    """Make a new lock in a forked process: who held the old one is not there."""
    global _EXTENDING
    _EXTENDING = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def parse_into(
    dag: _native.Dag,
    texts: list[str],
    *,
    source: str | None = None,
    locate: Callable[[int], tuple[int, int]] | None = None,
) -> Roots:
    """Intern texts and return their roots; raise a `ParseError` that says where one is bad.

    Parameters
    ----------
    source : str, optional
        The file that the texts come from.
    locate : callable, optional
        Returns for the number of a text its line, and how many characters stand before it there.
    """
    roots, failure = parse_until_bad(dag, texts)
    if failure is None:
        return roots
    index, before, reason = failure
    line, indent = locate(index) if locate is not None else (index + 1, 0)
    raise ParseError(reason, source=source, line=line, column=indent + before + 1)


def parse_until_bad(
    dag: _native.Dag, texts: list[str]
) -> tuple[Roots, tuple[int, int, str] | None]:
    """Intern texts up to the first bad one, and return their roots and what is bad.

    The latter is the number of the text, how many of its characters are good, and the reason.
    """
    try:
        roots, failure = dag.parse(texts)
    except UnicodeEncodeError as error:
        index = next(i for i, text in enumerate(texts) if text == error.object)
        reason = "a character that UTF-8 cannot encode (half of a surrogate pair)"
        return parse_until_bad(dag, texts[:index])[0], (index, error.start, reason)
    if failure is None:
        return roots, None
    index, offset, reason = failure
    return roots, (index, len(texts[index].encode()[:offset].decode()), reason)


def as_forest(trees: Any) -> Forest:
    """Return a forest of anything that can be one: a forest, texts or objects, one tree each."""
    if isinstance(trees, Forest):
        return trees
    _refuse_single(trees)
    if isinstance(trees, np.ndarray):
        if trees.ndim == 2 and trees.shape[1] == 1:
            trees = trees[:, 0]
        if trees.ndim != 1:
            raise DataError(f"an array of trees has one dimension, not {trees.ndim}")
        trees = trees.tolist()
    items = list(trees)
    texts = sum(isinstance(item, str) for item in items)
    if texts == len(items):
        return Forest.from_roots(*_parsed(items))
    if texts:
        place = next(i for i, item in enumerate(items) if not isinstance(item, str))
        _refuse_nothing(items[place], place + 1)
        raise DataError(
            f"tree {place + 1} is of type {type(items[place]).__name__}, but others are texts: "
            "give all trees in one form"
        )
    return Forest.from_trees(items)


def _parsed(texts: list[str]) -> tuple[_native.Dag, Roots]:
    """Return the DAG and the roots of items that are known to be texts: they are checked once."""
    dag = _native.Dag()
    return dag, parse_into(dag, texts)


def _refuse_nothing(tree: Any, number: int) -> None:
    if is_nothing(tree):
        raise DataError(
            f"tree {number} is missing ({tree}): leave the example out, or write '(-MISSING-)' for "
            "a part that it does not have, for which kernels give 0"
        )


def _refuse_single(trees: Any) -> None:
    if isinstance(trees, str | bytes):
        raise DataError("a single text is not a list of trees: write [text]")
    if isinstance(trees, Tree) or (hasattr(trees, "label") and isinstance(trees, Sequence)):
        raise DataError("a single tree is not a list of trees: write [tree]")
    if isinstance(trees, Mapping) or hasattr(trees, "columns"):
        raise DataError("trees were expected, and this has columns: give the one with the trees")
    if not isinstance(trees, Iterable):
        raise DataError(f"a list of trees was expected, and not a {type(trees).__name__}")
