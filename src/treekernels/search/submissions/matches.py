"""What two submissions share: the largest subtrees that stand in both, and where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.arrays import Indices
from treekernels.data.forest import Forest
from treekernels.search.submissions.course import Submission

SMALLEST_PART = 4
"""Nodes of a subtree that may be part of a passage."""

SMALLEST = 10
"""Nodes of a passage: shorter ones stand everywhere."""


@dataclass(frozen=True)
class Place:
    """A piece of a file: its number in the submission, and the bytes of it."""

    file: int
    begin: int
    end: int


@dataclass(frozen=True)
class Passage:
    """A piece of the first submission that stands in the second one as well.

    Attributes
    ----------
    first, second : Place
    nodes : int
        How many nodes the two have in common there.
    """

    first: Place
    second: Place
    nodes: int


class Located:
    """The nodes of a submission by number, with parents before children, and where they are."""

    def __init__(self, forest: Forest, number: int, submission: Submission) -> None:
        nodes, parents, stops, _, _ = _native.outline(forest.dag, int(forest.roots[number]))
        self.nodes: Indices = nodes.astype(np.int64)
        self.parents: Indices = parents.astype(np.int64)
        self.stops: Indices = stops.astype(np.int64)
        starts = [1]
        while starts[-1] < len(self.nodes):
            starts.append(int(self.stops[starts[-1]]))
        self.starts = np.array(starts[:-1], np.int64)
        self.submission = submission

    @property
    def sizes(self) -> Indices:
        """The nodes of each subtree."""
        return self.stops - np.arange(len(self.nodes))

    def has_places(self, node: int) -> bool:
        """Whether it is known where a node stands in its file."""
        return len(self.submission.files[self.file_of(node)].spans) > 0

    def file_of(self, node: int) -> int:
        """Return the number of the file that a node is in."""
        return int(np.searchsorted(self.starts, node, side="right")) - 1

    def place(self, first: int, last: int) -> Place:
        """Return the place of two nodes of a file and of all between them."""
        file = self.file_of(first)
        spans = self.submission.files[file].spans
        start = self.starts[file]
        return Place(file, int(spans[first - start, 0]), int(spans[last - start, 1]))


@dataclass
class _Run:
    """Neighbours that stand side by side in both: the first and the last of them."""

    first: tuple[int, int]
    last: tuple[int, int]
    nodes: int


def shared_passages(a: Located, b: Located, ignored: NDArray[np.int64]) -> list[Passage]:
    """List what stands in both, in the order of the first; each node is in one passage at most.

    The largest subtree that both have is matched first, then the next largest that is not in it,
    and so on. Neighbours in both are one passage. Subtrees that are `ignored` are passed over, but
    may lie inside larger ones.
    """
    matched = _matched_subtrees(a, b, ignored)
    passages = []
    for run in _runs(a, b, matched):
        if run.nodes >= SMALLEST and a.has_places(run.first[0]) and b.has_places(run.first[1]):
            one = a.place(run.first[0], run.last[0])
            passages.append(Passage(one, b.place(run.first[1], run.last[1]), run.nodes))
    return passages


def _matched_subtrees(a: Located, b: Located, ignored: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return pairs of nodes with equal subtrees that overlap no other such pair."""
    wanted = [_candidates(side, ignored) for side in (a, b)]
    shared = np.intersect1d(a.nodes[wanted[0]], b.nodes[wanted[1]])
    places = [
        _places_by_node(side.nodes, where, shared)
        for side, where in zip((a, b), wanted, strict=True)
    ]
    sizes = a.sizes
    order = sorted(shared.tolist(), key=lambda node: (-sizes[places[0][node][0]], node))
    taken = [np.zeros(len(side.nodes), bool) for side in (a, b)]
    pairs = []
    for node in order:
        free = [
            [place for place in known[node] if not used[place]]
            for known, used in zip(places, taken, strict=True)
        ]
        for one, other in zip(*free):  # noqa: B905 - one side may have it more often
            taken[0][one : a.stops[one]] = True
            taken[1][other : b.stops[other]] = True
            pairs.append((one, other))
    return sorted(pairs)


def _candidates(side: Located, ignored: NDArray[np.int64]) -> Indices:
    """Return the nodes that may be matched: not files as a whole, for they must be shown."""
    large = (side.sizes >= SMALLEST_PART) & ~np.isin(side.nodes, ignored)
    large[0] = False
    return np.flatnonzero(large)


def _places_by_node(nodes: Indices, where: Indices, shared: Iterable[int]) -> dict[int, list[int]]:
    places: dict[int, list[int]] = {int(node): [] for node in shared}
    for place in where[np.isin(nodes[where], np.fromiter(places, np.int64))].tolist():
        places[int(nodes[place])].append(place)
    return places


def _runs(a: Located, b: Located, pairs: list[tuple[int, int]]) -> list[_Run]:
    """Join pairs that follow each other below the same parents on both sides."""
    runs: list[_Run] = []
    for one, other in pairs:
        nodes = int(a.stops[one]) - one
        if runs:
            last_one, last_other = runs[-1].last
            if (
                (int(a.stops[last_one]), int(b.stops[last_other])) == (one, other)
                and a.parents[last_one] == a.parents[one] > 0
                and b.parents[last_other] == b.parents[other] > 0
            ):
                runs[-1].last = one, other
                runs[-1].nodes += nodes
                continue
        runs.append(_Run((one, other), (one, other), nodes))
    return runs


def ignored_places(a: Located, ignored: NDArray[np.int64]) -> list[Place]:
    """Return where the largest subtrees are that count nothing."""
    found = np.isin(a.nodes, ignored) & (a.sizes >= SMALLEST)
    inside = np.zeros(len(found), bool)
    inside[1:] = found[a.parents[1:]]
    for node in np.flatnonzero(inside):  # what is below a node inside is inside as well
        inside[node : a.stops[node]] = True
    tops = np.flatnonzero(found & ~inside)
    return [a.place(int(top), int(top)) for top in tops if a.has_places(int(top))]
