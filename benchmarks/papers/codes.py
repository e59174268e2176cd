"""The seven features of `features.py` as numbers, for millions of examples, and their polynomials.

`boundary_codes` gives what `features.boundary_features` gives, but looks at each distinct subtree
once. `Monomials` writes the polynomial kernel of degree 3 out: seven features make 63 products of
one, two or three of them, and a linear kernel on those has the same values.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np
from features import Features
from scipy.sparse import csr_matrix

import treekernels as tk
from treekernels.linguistics.heads import collins_head
from treekernels.linguistics.roles import governing_category

NAMES = ("phrase", "path", "predicate", "head", "governing", "position", "voice")
# (1 + s)^3 = 1 + 7 s + 12 (s choose 2) + 6 (s choose 3) for s features in common.
SHARES = {1: 7.0, 2: 12.0, 3: 6.0}


def encode(described: Sequence[Features]) -> np.ndarray:
    """Return a row of seven numbers for each example; equal values have equal numbers."""
    columns = ([features[name] for features in described] for name in NAMES)
    return np.column_stack([np.unique(column, return_inverse=True)[1] for column in columns])


def one_hot(codes: np.ndarray) -> csr_matrix:
    """Return one 0/1 column for each value of each feature."""
    offsets = np.concatenate([[0], np.cumsum(codes.max(axis=0) + 1)])
    return _rows(codes + offsets[:-1], np.ones(codes.shape[1]), int(offsets[-1]))


class Monomials:
    """All products of up to three features, as the columns of sparse matrices.

    Parameters
    ----------
    codes : array of shape (examples, features)

    Examples
    --------
    >>> codes = np.array([[0, 0, 0], [0, 1, 0], [1, 1, 1]])
    >>> rows = Monomials(codes)(np.arange(3))
    >>> (64 * rows @ rows.T).toarray().round(9)
    array([[64., 27.,  1.],
           [27., 64.,  8.],
           [ 1.,  8., 64.]])
    """

    def __init__(self, codes: np.ndarray) -> None:
        count, features = codes.shape
        chosen = [c for size in SHARES for c in combinations(range(features), size)]
        whole = (1 + features) ** 3
        self.values = np.sqrt(np.array([1.0] + [SHARES[len(c)] for c in chosen]) / whole)
        self.ids = np.zeros((count, 1 + len(chosen)), np.int32)
        self.width = 1
        for place, columns in enumerate(chosen, start=1):
            key = np.zeros(count, np.int64)
            for column in columns:
                key = key * (int(codes[:, column].max()) + 1) + codes[:, column]
            distinct, inverse = np.unique(key, return_inverse=True)
            self.ids[:, place] = self.width + inverse
            self.width += len(distinct)

    def __call__(self, places: np.ndarray) -> csr_matrix:
        """Return the rows of some examples."""
        return _rows(self.ids[places], self.values, self.width)


def boundary_codes(
    forest: tk.Forest, sentences: Sequence[str], passive: set[tuple[str, str]] | None
) -> np.ndarray:
    """Return the features of the candidates of a boundary file, in its order, as numbers.

    Without knowledge of auxiliaries (None) every participle counts as passive.
    """
    trees = _Trees(forest)
    numbers: list[dict[Hashable, int]] = [{} for _ in NAMES]
    known: dict[tuple[int, bool, bool], list[int]] = {}
    codes = np.empty((len(trees.roots), len(NAMES)), np.int64)
    before = ""
    for place, (root, sentence) in enumerate(zip(trees.roots, sentences, strict=True)):
        first = trees.predicate_is_first(root, before)
        before = trees.predicate_word(root, first)
        voice = passive is not None and (sentence, before) in passive
        row = known.get((root, first, voice))
        if row is None:
            values = [*trees.describe(root, first), voice or trees.is_participle(root, first)]
            if passive is not None:
                values[-1] = voice or trees.is_reduced(root, first)
            row = [
                own.setdefault(value, len(own)) for own, value in zip(numbers, values, strict=True)
            ]
            known[root, first, voice] = row
        codes[place] = row
    return codes


class _Trees:
    """The distinct subtrees of a forest of minimal trees of a predicate and a candidate."""

    def __init__(self, forest: tk.Forest) -> None:
        text, offsets, labels, begins, children, roots = forest.dag.export_arrays(forest.roots)
        names = [text[a:b].decode() for a, b in pairwise(offsets.tolist())]
        self.label = [names[label] for label in labels.tolist()]
        self.begins, self.children = begins.astype(np.int64).tolist(), children.tolist()
        self.roots: list[int] = roots.tolist()
        self.end = self._ends(begins.astype(np.int64), children.astype(np.int64)).tolist()
        self._paths: dict[int, tuple[str, ...]] = {}
        self._heads: dict[tuple[str, ...], int] = {}

    def _ends(self, begins: np.ndarray, children: np.ndarray) -> np.ndarray:
        """Return for each node the first below it that branches, or the pre-terminal."""
        counts = np.diff(begins)
        child = np.zeros(len(counts), np.int64)
        child[counts > 0] = children[begins[:-1][counts > 0]]
        passed = (counts == 1) & (counts[child] > 0)
        end = np.arange(len(counts))
        while (more := passed[end]).any():
            end[more] = child[end[more]]
        return end

    def below(self, node: int) -> list[int]:
        return self.children[self.begins[node] : self.begins[node + 1]]

    def is_preterminal(self, node: int) -> bool:
        below = self.below(node)
        return len(below) == 1 and not self.below(below[0])

    def predicate_is_first(self, root: int, before: str) -> bool:
        """Tell which child of the root leads to the predicate; see `features.boundary_places`.

        In trees by a parser it may have another tag than that of a verb.
        """
        words = [self.is_preterminal(end) for end in self.ends(root)]
        verbs = [
            word and self.label[end].startswith("VB")
            for word, end in zip(words, self.ends(root), strict=True)
        ]
        possible = verbs if any(verbs) else words
        if len(possible) != 2 or not any(possible):
            raise ValueError("not the minimal subtree of a predicate and another node")
        if all(possible):
            return not (
                self.predicate_word(root, False) == before != self.predicate_word(root, True)
            )
        return possible[0]

    def ends(self, root: int) -> list[int]:
        return [self.end[child] for child in self.below(root)]

    def predicate_word(self, root: int, first: bool) -> str:
        return self.label[self.below(self.ends(root)[0 if first else 1])[0]]

    def describe(self, root: int, first: bool) -> Iterator[Hashable]:
        """Return six features; the seventh, voice, is not all in the tree."""
        argument = self.ends(root)[1 if first else 0]
        rising, falling = self.above(root, first), self.above(root, not first)
        yield self.label[argument]
        yield (rising, falling)
        yield self.predicate_word(root, first).lower()
        yield self.head(argument).lower()
        yield governing_category(falling[::-1])
        yield first

    def is_participle(self, root: int, first: bool) -> bool:
        return self.above(root, first)[-1] == "VBN"

    def is_reduced(self, root: int, first: bool) -> bool:
        """Tell a participle that modifies a noun: a VP right below an NP."""
        return self.above(root, first)[-3:] == ("NP", "VP", "VBN")

    def above(self, root: int, first: bool) -> tuple[str, ...]:
        """Return the labels from the root down to the end of the chain below a child of it."""
        return (self.label[root], *self.path(self.below(root)[0 if first else 1]))

    def path(self, node: int) -> tuple[str, ...]:
        """Return the labels from a node down to the end of its chain."""
        known = self._paths.get(node)
        if known is None:
            labels = [self.label[node]]
            place = node
            while place != self.end[node]:
                place = self.below(place)[0]
                labels.append(self.label[place])
            known = self._paths[node] = tuple(labels)
        return known

    def head(self, node: int) -> str:
        """Return the word that is the head of a constituent."""
        while below := self.below(node):
            production = (self.label[node], *(self.label[child] for child in below))
            place = self._heads.get(production)
            if place is None:
                place = self._heads[production] = collins_head(production[0], production[1:])
            node = below[place]
        return self.label[node]


def _rows(ids: np.ndarray, values: np.ndarray, width: int) -> csr_matrix:
    count, each = ids.shape
    data = np.tile(values, count)
    return csr_matrix(
        (data, ids.ravel(), np.arange(0, count * each + 1, each)), shape=(count, width)
    )
