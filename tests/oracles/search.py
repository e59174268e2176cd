"""A slow, obvious index of trees, to test the fast one against: it compares with every tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["SlowIndex"]


class SlowIndex:
    """A list of trees with ids.

    Parameters
    ----------
    similarity : callable
        The similarity of two trees.
    """

    def __init__(self, similarity: Callable[[Any, Any], float]) -> None:
        self.similarity = similarity
        self.entries: list[tuple[Any, Any]] = []

    def add(self, id: Any, tree: Any) -> None:
        """Add a tree."""
        self.entries.append((id, tree))

    def remove(self, id: Any) -> None:
        """Remove a tree."""
        self.entries = [entry for entry in self.entries if entry[0] != id]

    def row(self, query: Any) -> list[tuple[Any, float]]:
        """Return the ids and similarities of all trees, in order of insertion."""
        return [(id, self.similarity(query, tree)) for id, tree in self.entries]

    def search(self, query: Any, k: int) -> list[tuple[Any, float]]:
        """Return the best k; sorting is stable, so that equal ones stay in order of insertion."""
        return sorted(self.row(query), key=lambda hit: -hit[1])[:k]

    def within(self, query: Any, threshold: float) -> list[tuple[Any, float]]:
        """Return all that are similar enough."""
        return [hit for hit in self.search(query, len(self.entries)) if hit[1] >= threshold]

    def pairs(self, threshold: float) -> list[tuple[Any, Any, float]]:
        """Return all pairs of trees that are similar enough."""
        result = []
        for place, (first, tree) in enumerate(self.entries):
            for second, other in self.entries[place + 1 :]:
                if (value := self.similarity(tree, other)) >= threshold:
                    result.append((first, second, value))
        return result

    def groups(self, threshold: float) -> list[set[Any]]:
        """Return the ids that pairs join, as sets."""
        groups: list[set[Any]] = []
        for first, second, _ in self.pairs(threshold):
            joined = {first, second}
            apart = []
            for group in groups:
                if group & joined:
                    joined |= group
                else:
                    apart.append(group)
            groups = [*apart, joined]
        return groups
