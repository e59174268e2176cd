"""What a search finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from treekernels.drawing.notebook import html_of_table
from treekernels.search.index.ids import Ids
from treekernels.search.index.origins import described

__all__ = ["Duplicates", "Hit", "Hits", "SimilarPair", "Results"]

_MOST_ROWS = 30  # in a notebook


class Hit(NamedTuple):
    """A tree that was found, and how similar it is."""

    id: Any
    similarity: float


class SimilarPair(NamedTuple):
    """Two trees that are alike; the first was added before the second."""

    first: Any
    second: Any
    similarity: float


@dataclass(frozen=True, eq=False, repr=False)
class Hits(Sequence[Hit]):
    """What was found for one query: the most similar first, equal ones in order of insertion.

    Attributes
    ----------
    items : array of int
        The trees, as numbers in order of insertion.
    similarities : array of float
    """

    _ids: Ids
    items: NDArray[np.uint32]
    similarities: NDArray[np.float64]

    @property
    def ids(self) -> list[Any]:
        """The ids of the trees."""
        return [self._ids[int(item)] for item in self.items]

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, place: int) -> Hit: ...
    @overload
    def __getitem__(self, place: slice) -> Hits: ...
    def __getitem__(self, place: Any) -> Hit | Hits:
        if isinstance(place, slice):
            return Hits(self._ids, self.items[place], self.similarities[place])
        return Hit(self._ids[int(self.items[place])], float(self.similarities[place]))

    def __repr__(self) -> str:
        first = ", ".join(f"{id_!r}: {value:.4g}" for id_, value in self[:5])
        more = f", and {len(self) - 5:,} more" if len(self) > 5 else ""
        return f"<Hits: {first}{more}>" if self else "<Hits: none>"

    def _repr_html_(self) -> str:
        items, values = self.items[:_MOST_ROWS].tolist(), self.similarities.tolist()
        headings, rows = _described(self._ids, items)
        rows = [[*row, f"{value:.4g}"] for row, value in zip(rows, values, strict=False)]
        return html_of_table([*headings, "similarity"], rows, len(self) - len(rows))


@dataclass(frozen=True, eq=False, repr=False)
class Results(Sequence[Hits]):
    """What was found for each of some queries.

    Attributes
    ----------
    offsets : array of int
        Where the hits of each query begin in the other arrays, and where the last ones end.
    items : array of int
        The trees, as numbers in order of insertion.
    similarities : array of float
    """

    _ids: Ids
    offsets: NDArray[np.uint64]
    items: NDArray[np.uint32]
    similarities: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, place: int) -> Hits: ...
    @overload
    def __getitem__(self, place: slice) -> list[Hits]: ...
    def __getitem__(self, place: Any) -> Hits | list[Hits]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        part = slice(int(self.offsets[number]), int(self.offsets[number + 1]))
        return Hits(self._ids, self.items[part], self.similarities[part])

    def __repr__(self) -> str:
        return f"<Results: {len(self.items):,} hits of {len(self):,} queries>"


@dataclass(frozen=True, eq=False, repr=False)
class Duplicates(Sequence[SimilarPair]):
    """All pairs of trees that are similar enough, and the groups that they make.

    Attributes
    ----------
    first, second : arrays of int
        The trees of each pair, as numbers in order of insertion.
    similarities : array of float
    """

    ids: Ids
    first: NDArray[np.uint32]
    second: NDArray[np.uint32]
    similarities: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.first)

    @overload
    def __getitem__(self, place: int) -> SimilarPair: ...
    @overload
    def __getitem__(self, place: slice) -> Duplicates: ...
    def __getitem__(self, place: Any) -> SimilarPair | Duplicates:
        if isinstance(place, slice):
            return self.chosen(place)
        first, second = int(self.first[place]), int(self.second[place])
        return SimilarPair(self.ids[first], self.ids[second], float(self.similarities[place]))

    def chosen(self, which: slice | NDArray[np.bool_]) -> Duplicates:
        """Return some of the pairs."""
        return Duplicates(self.ids, self.first[which], self.second[which], self.similarities[which])

    @property
    def groups(self) -> list[list[Any]]:
        """The ids of trees that are joined by pairs, in order of insertion; largest group first."""
        return [[self.ids[item] for item in group] for group in self.item_groups()]

    def item_groups(self) -> list[list[int]]:
        """Return the groups as numbers in order of insertion."""
        if not len(self):
            return []
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        members, places = np.unique(np.concatenate([self.first, self.second]), return_inverse=True)
        edges = (np.ones(len(self), np.int8), (places[: len(self)], places[len(self) :]))
        graph = coo_matrix(edges, shape=(len(members),) * 2)
        count, component = connected_components(graph, directed=False)
        order = np.argsort(component, kind="stable")
        bounds = np.searchsorted(component[order], np.arange(1, count))
        groups = [part.tolist() for part in np.split(members[order], bounds)]
        return sorted(groups, key=lambda group: (-len(group), group[0]))

    def __repr__(self) -> str:
        return f"<Duplicates: {len(self):,} pairs>"

    def _repr_html_(self) -> str:
        """Return the most similar pairs as a table."""
        best = np.argsort(-self.similarities, kind="stable")[:_MOST_ROWS]
        headings, rows = _described(self.ids, [*self.first[best], *self.second[best]])
        values = self.similarities[best].tolist()
        pairs = zip(rows[: len(best)], rows[len(best) :], values, strict=True)
        sides = [[f"{side} {name}" for name in headings] for side in ("first", "second")]
        return html_of_table(
            [*sides[0], *sides[1], "similarity"],
            [[*one, *other, f"{value:.4g}"] for one, other, value in pairs],
            len(self) - len(best),
        )


def _described(ids: Ids, items: Sequence[int]) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows of a table of trees, with what is known of them beside their ids."""
    return described([ids[int(item)] for item in items], [ids.origin(int(item)) for item in items])
