"""Groups in which everything is like everything else.

Pairs that are joined one after the other make chains, whose ends may share nothing. Here two groups
become one only if all their members are similar enough to each other (complete linkage), and the
most similar ones join first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["linked_groups"]


def linked_groups(
    first: Sequence[int] | NDArray[np.intp],
    second: Sequence[int] | NDArray[np.intp],
    similarities: Sequence[float] | NDArray[np.float64],
) -> list[list[int]]:
    """Return groups of items by their pairs, each pair once, in which no pair is missing.

    An item that fits into no group, since those whom it is like are in groups with others whom it
    is not like, makes a group with the one that it is most like. So every item of a pair is in a
    group, and it may be in several.

    Examples
    --------
    >>> linked_groups([0, 0, 1, 3], [1, 2, 2, 4], [0.9, 0.9, 0.9, 0.8])
    [[0, 1, 2], [3, 4]]
    >>> linked_groups([0, 1, 2], [1, 2, 3], [0.9, 0.8, 0.9])  # a chain
    [[0, 1], [2, 3]]
    >>> linked_groups([0, 1], [1, 2], [0.9, 0.8])
    [[0, 1], [1, 2]]
    """
    order = np.lexsort((np.asarray(second), np.asarray(first), -np.asarray(similarities)))
    pairs = [(int(first[place]), int(second[place])) for place in order]
    members: dict[int, list[int]] = {}
    links: dict[int, dict[int, int]] = {}  # between groups: how many pairs join them
    group_of: dict[int, int] = {}
    for pair in pairs:
        for item, other in (pair, pair[::-1]):
            group_of[item] = item
            members[item] = [item]
            links.setdefault(item, {})[other] = 1
    for pair in pairs:
        one, other = sorted((group_of[item] for item in pair), key=lambda g: -len(links[g]))
        if one == other or links[one][other] < len(members[one]) * len(members[other]):
            continue
        for item in members[other]:
            group_of[item] = one
        members[one] += members.pop(other)
        for third, count in links.pop(other).items():
            del links[third][other]
            if third != one:
                links[one][third] = links[third][one] = links[one].get(third, 0) + count
    groups = [sorted(group) for group in members.values() if len(group) > 1]
    grouped = {item for group in groups for item in group}
    for pair in pairs:  # the most similar first
        if not grouped.issuperset(pair):
            groups.append(sorted(pair))
            grouped.update(pair)
    return sorted(groups)
