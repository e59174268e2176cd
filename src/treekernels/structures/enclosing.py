"""The part of a tree around two or more of its nodes, or around spans of words; marks on nodes.

These structures are used in semantic role labelling and relation extraction. Nodes are numbered,
parents before children and from left to right; `Outline` helps you to find the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.data.forest import Roots
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParameterError
from treekernels.structures.change import Trees, apply_change, roots_of

__all__ = ["enclosing", "mark", "path_enclosed_tree", "predicate_argument_tree"]

Spans: TypeAlias = Sequence[tuple[int, int]]
_Choices: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint32]]


def enclosing(
    trees: Trees,
    nodes: Any = None,
    *,
    spans: Any = None,
    keep: Literal["paths", "between", "all"] = "paths",
    of: Any = None,
) -> Trees:
    """Return the smallest subtree that encloses some nodes or spans of words.

    It starts at their lowest common ancestor.

    Parameters
    ----------
    trees : Tree or Forest
    nodes : sequence of int
        The numbers of the nodes. For a forest, give a sequence of such sequences, one for each
        tree.
    spans : sequence of (begin, end)
        Spans of words instead of nodes. Words are counted from 0, and `end` is not included. For a
        forest, give one such sequence for each tree.
    keep : {"paths", "between", "all"}
        What is kept below the common ancestor: the paths to the nodes, with everything below the
        nodes (predicate-argument features); everything from the first of their words to the last
        (the path-enclosed tree); or everything (the minimum complete tree).
    of : sequence of int, optional
        For a forest, the number of the tree that each choice of nodes is about. By default, the
        first choice is about the first tree, and so on. It is fastest if the choices for one tree
        stand side by side.

    Examples
    --------
    >>> import treekernels as tk
    >>> tree = tk.Forest(["(S (NP (D the) (N dog)) (VP (V saw) (NP (D a) (N cat)) (ADV now)))"])[0]
    >>> saw, cat = tk.structures.Outline(tree).nodes_labelled("saw", "cat")
    >>> print(tk.structures.enclosing(tree, [saw, cat]))
    (VP (V saw) (NP (N cat)))
    >>> print(tk.structures.enclosing(tree, spans=[(1, 2), (3, 4)], keep="between"))
    (S (NP (N dog)) (VP (V saw) (NP (D a))))
    >>> forest = tk.Forest([tree])
    >>> print(tk.structures.enclosing(forest, spans=[[(0, 2)], [(3, 5)]], of=[0, 0]))
    (NP (D the) (N dog))
    (NP (D a) (N cat))
    """
    if (nodes is None) == (spans is None):
        raise ParameterError("give either nodes or spans")
    if keep not in ("paths", "between", "all"):
        raise ParameterError(f"keep is {keep!r}, and may be 'paths', 'between' or 'all'")
    roots_of(trees)  # raises an error for anything else
    by_words = nodes is None
    if isinstance(trees, Tree):
        if of is not None:
            raise ParameterError("of=... is for a forest, and this is a single tree")
        nodes, spans = (nodes if by_words else [nodes]), ([spans] if by_words else spans)
    if by_words:
        nodes = [_words_of_spans(choice) for choice in spans]
    places, offsets, numbers = _flatten_choices(trees, nodes, of)
    if len(offsets) > 1 and (np.diff(offsets) == 0).any():
        raise DataError(f"choice {int(np.argmin(np.diff(offsets)))} has no nodes to enclose")
    native_keep = getattr(_native.Keep, keep)

    def change(dag: _native.Dag, roots: Roots) -> tuple[_native.Dag, Roots]:
        return _native.enclose(dag, roots, places, offsets, numbers, by_words, native_keep)

    return apply_change(trees, change)


def predicate_argument_tree(trees: Trees, predicate: Any, argument: Any) -> Trees:
    """Return the predicate-argument feature tree (PAF) of Moschitti (2004).

    It has the paths from the lowest common ancestor to the pre-terminal of the predicate, with its
    word, and to the argument node, with everything below it. For a forest, give sequences of nodes.

    Examples
    --------
    >>> import treekernels as tk
    >>> tree = tk.Forest(["(S (NP (N Mary)) (VP (V sold) (NP (D a) (N car)) (ADVP (R today))))"])[0]
    >>> outline = tk.structures.Outline(tree)
    >>> predicate, argument = outline.nodes_labelled("V")[0], outline.node((2, 4))
    >>> print(tk.structures.predicate_argument_tree(tree, predicate, argument))
    (VP (V sold) (NP (D a) (N car)))
    """
    if isinstance(trees, Tree):
        return enclosing(trees, [predicate, argument])
    return enclosing(trees, np.column_stack([predicate, argument]))


def path_enclosed_tree(trees: Trees, first: Any, second: Any) -> Trees:
    """Return the path-enclosed tree (PET) of two spans of words, of Zhang et al. (2006).

    It has everything from the first of their words to the last, below their lowest common ancestor.
    For a forest, give sequences of spans.

    Examples
    --------
    >>> import treekernels as tk
    >>> tree = tk.Forest(["(S (NP (N Mary)) (VP (V sold) (NP (D a) (N car)) (ADVP (R today))))"])[0]
    >>> print(tk.structures.path_enclosed_tree(tree, (0, 1), (3, 4)))
    (S (NP (N Mary)) (VP (V sold) (NP (D a) (N car))))
    """
    if isinstance(trees, Tree):
        return enclosing(trees, spans=[first, second], keep="between")
    return enclosing(trees, spans=list(zip(first, second, strict=True)), keep="between")


def mark(trees: Trees, nodes: Any, suffix: str = "-B") -> Trees:
    """Return trees with a suffix added to the labels of some nodes, whose numbers stay the same.

    Parameters
    ----------
    trees : Tree or Forest
    nodes : int or sequence of int
        The nodes to mark. For a forest, give a sequence of these, one for each tree.
    suffix : str

    Examples
    --------
    >>> import treekernels as tk
    >>> tree = tk.Forest(["(S (NP (N Mary)) (VP (V sleeps)))"])[0]
    >>> print(tk.structures.mark(tree, 1))
    (S (NP-B (N Mary)) (VP (V sleeps)))
    """
    roots_of(trees)  # raises an error for anything else
    choices = [nodes] if isinstance(trees, Tree) else nodes
    choices = [[choice] if isinstance(choice, int | np.integer) else choice for choice in choices]
    places, offsets, numbers = _flatten_choices(trees, choices, None)

    def change(dag: _native.Dag, roots: Roots) -> tuple[_native.Dag, Roots]:
        return _native.mark(dag, roots, places, offsets, numbers, False, suffix)

    return apply_change(trees, change)


def _words_of_spans(spans: Spans) -> list[int]:
    """Return the words of spans."""
    words: list[int] = []
    for begin, end in spans:
        if not 0 <= begin < end:
            raise DataError(f"({begin}, {end}) is not a span: it is (first, one after the last)")
        words.extend(range(begin, end))
    return words


def _flatten_choices(trees: Any, nodes: Any, of: Any) -> _Choices:
    """Return the places of the trees of choices, and offsets and numbers of their nodes."""
    count = len(roots_of(trees)[1])
    if of is None and len(nodes) != count:
        raise DataError(f"there are {count} trees, but nodes of {len(nodes)}: say with of= whose")
    places = np.arange(count) if of is None else np.asarray(of)
    if len(places) != len(nodes):
        raise DataError(f"of names {len(places)} trees, but there are nodes of {len(nodes)}")
    is_integer = places.dtype.kind in "iu"
    if places.size and not (is_integer and 0 <= places.min() <= places.max() < count):
        raise DataError(f"of must give places of trees from 0 to {count - 1}")
    lengths = np.fromiter((len(choice) for choice in nodes), np.uint64, len(nodes))
    offsets = np.concatenate([np.zeros(1, np.uint64), np.cumsum(lengths, dtype=np.uint64)])
    if isinstance(nodes, np.ndarray) and nodes.dtype != object:
        numbers = nodes.reshape(-1)
    else:
        numbers = np.array(list(chain.from_iterable(nodes)))
    if numbers.size and (numbers.dtype.kind not in "iu" or numbers.min() < 0):
        raise DataError("nodes are numbers from 0, which is the root")
    if numbers.size and numbers.max() > 0xFFFFFFFE:
        raise DataError(f"there is no node {numbers.max()}")
    return places.astype(np.uint32), offsets, numbers.astype(np.uint32)
