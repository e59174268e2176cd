"""Tree edit distances and edit scripts, written so that they are easy to believe.

`zhang_shasha` follows the paper of 1989 line by line, on nested tuples ``(label, child, ...)``.
`by_mappings` does not know it: it tries every mapping of nodes there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

Cost = Callable[[str], float]
Rename = Callable[[str, str], float]


def one(_: str) -> float:
    """Return what every label costs by default."""
    return 1.0


def differ(a: str, b: str) -> float:
    """Return 1 for different labels."""
    return float(a != b)


def _postorder(tree: Any) -> Iterator[tuple[str, int]]:
    """Yield the label of each node and the place of its first leaf, from 1."""
    place = 0

    def walk(node: Any) -> Iterator[tuple[str, int]]:
        nonlocal place
        first = 0
        for child in node[1:]:
            for label, leaf in walk(child):
                first = first or leaf
                yield label, leaf
        place += 1
        yield node[0], first or place

    yield from walk(tree)


def zhang_shasha(
    a: Any, b: Any, delete: Cost = one, insert: Cost = one, rename: Rename = differ
) -> float:
    """Return the distance of two trees."""
    one_, two = [("", 0), *_postorder(a)], [("", 0), *_postorder(b)]
    labels_a, left_a = zip(*one_, strict=True)
    labels_b, left_b = zip(*two, strict=True)
    tree: dict[tuple[int, int], float] = {}

    def keyroots(left: tuple[int, ...]) -> list[int]:
        return [k for k in range(1, len(left)) if left[k] not in left[k + 1 :]]

    for x in keyroots(left_a):
        for y in keyroots(left_b):
            forest: dict[tuple[int, int], float] = {}
            first_x, first_y = left_a[x] - 1, left_b[y] - 1
            forest[first_x, first_y] = 0.0
            for i in range(first_x + 1, x + 1):
                forest[i, first_y] = forest[i - 1, first_y] + delete(labels_a[i])
            for j in range(first_y + 1, y + 1):
                forest[first_x, j] = forest[first_x, j - 1] + insert(labels_b[j])
            for i in range(first_x + 1, x + 1):
                for j in range(first_y + 1, y + 1):
                    deleted = forest[i - 1, j] + delete(labels_a[i])
                    inserted = forest[i, j - 1] + insert(labels_b[j])
                    if left_a[i] == left_a[x] and left_b[j] == left_b[y]:
                        renamed = forest[i - 1, j - 1] + rename(labels_a[i], labels_b[j])
                        forest[i, j] = tree[i, j] = min(deleted, inserted, renamed)
                    else:
                        whole = forest[left_a[i] - 1, left_b[j] - 1] + tree[i, j]
                        forest[i, j] = min(deleted, inserted, whole)
    return tree[len(one_) - 1, len(two) - 1]


def _intervals(tree: Any) -> list[tuple[str, int, int]]:
    """Return the label of each node in preorder, its preorder and its postorder number."""
    nodes: list[Any] = []
    after = 0

    def walk(node: Any) -> None:
        nonlocal after
        place = len(nodes)
        nodes.append(None)
        for child in node[1:]:
            walk(child)
        nodes[place] = (node[0], place, after)
        after += 1

    walk(tree)
    return nodes


def is_mapping(a: Any, b: Any, pairs: list[tuple[int, int]]) -> bool:
    """Return whether pairs of preorder numbers keep ancestors and the order of siblings."""
    x, y = _intervals(a), _intervals(b)
    return len({p for p, _ in pairs}) == len({q for _, q in pairs}) == len(pairs) and all(
        (x[p][1] < x[r][1]) == (y[q][1] < y[s][1]) and (x[p][2] < x[r][2]) == (y[q][2] < y[s][2])
        for (p, q), (r, s) in combinations(pairs, 2)
    )


def mapping_cost(
    a: Any,
    b: Any,
    pairs: list[tuple[int, int]],
    delete: Cost = one,
    insert: Cost = one,
    rename: Rename = differ,
) -> float:
    """Return what a mapping costs."""
    x, y = _intervals(a), _intervals(b)
    kept, new = {p for p, _ in pairs}, {q for _, q in pairs}
    return (
        sum(rename(x[p][0], y[q][0]) for p, q in pairs)
        + sum(delete(label) for label, place, _ in x if place not in kept)
        + sum(insert(label) for label, place, _ in y if place not in new)
    )


def by_mappings(a: Any, b: Any, *costs: Any) -> float:
    """Return the least cost of any mapping, all of which are tried."""
    x, y = len(_intervals(a)), len(_intervals(b))
    every = [(p, q) for p in range(x) for q in range(y)]
    return min(
        mapping_cost(a, b, list(pairs), *costs)
        for size in range(min(x, y) + 1)
        for pairs in combinations(every, size)
        if is_mapping(a, b, list(pairs))
    )


def levenshtein(a: Any, b: Any) -> int:
    """Return how many tokens have to be inserted, deleted or replaced."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        before, row = row, [i]
        for j, y in enumerate(b, start=1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (x != y)))
    return row[-1]
