"""Pairs: sentence pairs, such as a text and a hypothesis, linked by placeholders.

A pair is two trees whose nodes may carry placeholders, written as suffixes of their labels:
``NP:1`` is the label NP with placeholder 1, and equal numbers in the text and in the hypothesis
mark nodes that are linked. `treekernels.anchor` makes such pairs from plain trees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.arrays import Array, Places, object_array
from treekernels.common.text import count_noun
from treekernels.data.forest import Forest, Roots, as_forest
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParameterError

__all__ = ["Pair", "Pairs"]

_PLAIN = ("text", "hypothesis")
_ANCHORED = ("anchored_text", "anchored_hypothesis")


class Pair(NamedTuple):
    """One sentence pair."""

    text: Tree
    hypothesis: Tree


class Pairs:
    """A sequence of sentence pairs whose nodes may carry placeholders.

    Indexing with an integer returns a `Pair`, a slice or an array returns some of the pairs, and a
    name returns the trees of one side, so that you can use pairs with ordinary tree kernels, too:
    ``SubsetTreeKernel(on="text") + SubsetTreeKernel(on="hypothesis")``. The names "text" and
    "hypothesis" stand for the trees *without* their placeholders, "anchored_text" and
    "anchored_hypothesis" for the trees with them. To an ordinary kernel ``NP:1`` and ``NP:2`` are
    different labels; `TripartiteKernel` knows that the numbers are only names.

    Parameters
    ----------
    texts, hypotheses : sequences of trees
        The trees of the two sides, in any form that `Forest` takes, and as many of one as of the
        other. If a label ends in a colon and digits, it carries a placeholder, unless the colon is
        its first character.

    Examples
    --------
    >>> import treekernels as tk
    >>> pairs = tk.Pairs(
    ...     ["(S (NP:1 (NNS:1 farmers)) (VP (VB feed) (NP:2 (NNS:2 cows))))"],
    ...     ["(S (NP:2 (NNS:2 cows)) (VP (VB eat)))"],
    ... )
    >>> pairs
    <Pairs: 1 pair, 17 nodes, at most 2 placeholders>
    >>> print(pairs[0].hypothesis)
    (S (NP:2 (NNS:2 cows)) (VP (VB eat)))
    >>> pairs["hypothesis"].to_brackets()
    ['(S (NP (NNS cows)) (VP (VB eat)))']
    >>> pairs["anchored_hypothesis"].to_brackets()
    ['(S (NP:2 (NNS:2 cows)) (VP (VB eat)))']
    """

    def __init__(self, texts: Iterable[Any] = (), hypotheses: Iterable[Any] = ()) -> None:
        first, second = as_forest(texts), as_forest(hypotheses)
        if len(first) != len(second):
            raise DataError(f"there are {len(first)} texts, but {len(second)} hypotheses")
        both = Forest.concatenate([first, second])
        self._set(both.dag, both.roots[: len(first)], both.roots[len(first) :])

    @classmethod
    def from_roots(cls, dag: _native.Dag, texts: Roots, hypotheses: Roots) -> Pairs:
        """Make pairs of a DAG of the native core and the numbers of the roots of both sides."""
        pairs = cls.__new__(cls)
        pairs._set(dag, texts, hypotheses)
        return pairs

    def _set(self, dag: _native.Dag, texts: Roots, hypotheses: Roots) -> None:
        self.dag = dag  # of the native core, for use inside this library, like the roots in it
        self.text_roots = np.ascontiguousarray(texts)
        self.hypothesis_roots = np.ascontiguousarray(hypotheses)

    @classmethod
    def concatenate(cls, parts: Iterable[Pairs]) -> Pairs:
        """Join several sequences of pairs into one. What they share stays shared."""
        parts = list(parts)
        forests = [part.texts for part in parts] + [part.hypotheses for part in parts]
        both = Forest.concatenate(forests)
        half = len(both) // 2
        return cls.from_roots(both.dag, both.roots[:half], both.roots[half:])

    @property
    def texts(self) -> Forest:
        """The first trees, with their placeholders."""
        return Forest.from_roots(self.dag, self.text_roots)

    @property
    def hypotheses(self) -> Forest:
        """The second trees, with their placeholders."""
        return Forest.from_roots(self.dag, self.hypothesis_roots)

    @property
    def columns(self) -> list[str]:
        """The names of the sides, first without placeholders and then with them."""
        return [*_PLAIN, *_ANCHORED]

    @property
    def shape(self) -> tuple[int]:
        """The number of pairs, in a tuple of one, as an array has it."""
        return (len(self),)

    @cached_property
    def _placeholders(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        return _native.placeholders(self.dag, self.text_roots, self.hypothesis_roots)

    @property
    def n_placeholders(self) -> Places:
        """How many different placeholders each pair has."""
        offsets = self._placeholders[0].astype(np.intp)
        return offsets[1:] - offsets[:-1]

    def limited(self, most: int) -> Pairs:
        """Return the same pairs with no more than some number of placeholders each.

        Those with the lowest numbers are kept.

        Examples
        --------
        >>> import treekernels as tk
        >>> pairs = tk.Pairs(["(A:7 (B:2 b) (B:3 b))"], ["(A:3 (B:7 b))"])
        >>> pairs.limited(2).texts.to_brackets()
        ['(A (B:2 b) (B:3 b))']
        """
        if not isinstance(most, int | np.integer) or most < 0:
            raise ParameterError(f"the number of placeholders must be 0 or more, not {most!r}")
        offsets, numbers = self._placeholders
        starts = offsets[:-1].astype(np.intp)
        counts = self.n_placeholders
        # The largest number that each pair keeps, None for none.
        highest = numbers[np.minimum(starts + most, starts + counts) - 1] if len(numbers) else None
        dag = _native.Dag()
        texts, hypotheses = np.empty_like(self.text_roots), np.empty_like(self.hypothesis_roots)
        is_bare = (counts == 0) | (most == 0)
        groups: dict[int | None, list[int]] = {}
        for place in range(len(self)):
            key = None if is_bare[place] or highest is None else int(highest[place])
            groups.setdefault(key, []).append(place)
        for up_to, places in groups.items():
            roots = np.concatenate([self.text_roots[places], self.hypothesis_roots[places]])
            new_roots = _native.import_with_placeholders(dag, self.dag, roots, up_to)
            texts[places], hypotheses[places] = new_roots[: len(places)], new_roots[len(places) :]
        return Pairs.from_roots(dag, texts, hypotheses)

    def plain(self) -> Pairs:
        """Return the same pairs without placeholders."""
        return self.limited(0)

    @cached_property
    def _plain(self) -> Pairs:
        return self.plain()

    def __len__(self) -> int:
        return len(self.text_roots)

    def __iter__(self) -> Iterator[Pair]:
        return map(Pair, self.texts, self.hypotheses)

    @overload
    def __getitem__(self, key: int | np.integer[Any]) -> Pair: ...
    @overload
    def __getitem__(self, key: str) -> Forest: ...
    @overload
    def __getitem__(self, key: Any) -> Pairs: ...
    def __getitem__(self, key: Any) -> Pair | Forest | Pairs:
        if isinstance(key, str):
            if key in _PLAIN:
                return self._plain.texts if key == "text" else self._plain.hypotheses
            if key in _ANCHORED:
                return self.texts if key == "anchored_text" else self.hypotheses
            listed = ", ".join(map(repr, self.columns))
            raise KeyError(f"pairs have no column {key!r}; they have {listed}")
        texts, hypotheses = self.texts[key], self.hypotheses[key]
        if isinstance(texts, Tree):
            return Pair(texts, hypotheses)
        return Pairs.from_roots(self.dag, texts.roots, hypotheses.roots)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pairs):
            return NotImplemented
        return self.texts == other.texts and self.hypotheses == other.hypotheses

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Make an object array of pairs, for code that wants an array at any price."""
        return object_array(list(self), dtype)

    def __repr__(self) -> str:
        pairs = count_noun(len(self), "pair")
        nodes = self.texts.n_nodes + self.hypotheses.n_nodes
        try:
            placeholders = count_noun(int(self.n_placeholders.max(initial=0)), "placeholder")
        except ValueError as error:  # kernels will say so, too
            return f"<Pairs: {pairs}, {nodes:,} nodes; {error}>"
        return f"<Pairs: {pairs}, {nodes:,} nodes, at most {placeholders}>"

    def __getstate__(self) -> tuple[Any, ...]:
        roots = np.concatenate([self.text_roots, self.hypothesis_roots])
        return tuple(self.dag.export_arrays(roots))

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        both = Forest.__new__(Forest)
        both.__setstate__(state)
        if len(both) % 2:
            raise ValueError("not pairs: the number of trees is odd")
        half = len(both) // 2
        self._set(both.dag, both.roots[:half], both.roots[half:])


def as_pairs(values: Any) -> Pairs:
    """Return pairs for anything that can be some: pairs, or a sequence of (text, hypothesis)."""
    if isinstance(values, Pairs):
        return values
    if isinstance(values, str | bytes):
        raise DataError("a single text is not a list of sentence pairs")
    items = list(values)
    for number, item in enumerate(items, start=1):
        if not isinstance(item, tuple | list | np.ndarray) or len(item) != 2:
            raise DataError(f"pair {number} is not a (text, hypothesis)")
    return Pairs([text for text, _ in items], [hypothesis for _, hypothesis in items])
