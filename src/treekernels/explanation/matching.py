"""Where fragments are in a tree.

For pictures: one tree, node by node. Kernels and learners have faster ways.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from treekernels.data.pairs import Pair
from treekernels.data.tree import Tree
from treekernels.drawing.drawable import WeightedFragment
from treekernels.errors import DataError
from treekernels.structures.outline import Outline

__all__ = ["Positions", "importance", "occurrences"]

MOST_NODES = 100_000


class Positions:
    """The nodes of a tree by position, with the production of each, or None for a leaf."""

    def __init__(self, tree: Tree) -> None:
        if tree.size > MOST_NODES:
            raise DataError(f"the tree has more than {MOST_NODES:,} nodes: too many to look at")
        outline = Outline(tree)
        self.labels = outline.labels
        self.children: list[list[int]] = [[] for _ in outline.labels]
        for node, parent in enumerate(outline.parents.tolist()):
            if parent >= 0:
                self.children[parent].append(node)
        self.productions = [
            (label, *(self.labels[child] for child in below)) if below else None
            for label, below in zip(self.labels, self.children, strict=True)
        ]


def occurrences(fragment: Tree, tree: Tree, *, partial: bool = False) -> list[list[int]]:
    """Return for each place where a fragment is in a tree the positions of its nodes there.

    A leaf of the fragment is any node with its label, as in the subset-tree kernel; a fragment that
    is nothing but a leaf is a word, and is found at leaves alone. Of a `partial` tree, children may
    have been left out.

    Examples
    --------
    >>> import treekernels as tk
    >>> fragment, tree = tk.Forest(["(NP D N)", "(S (NP (D a) (N b)) (NP (D c) (N d)))"])
    >>> occurrences(fragment, tree)
    [[1, 2, 4], [6, 7, 9]]
    """
    find = _partial_occurrences if partial else _occurrences
    return find(Positions(fragment), Positions(tree))


def _occurrences(small: Positions, large: Positions) -> list[list[int]]:
    found = []
    is_word = len(small.labels) == 1
    for start, label in enumerate(large.labels):
        if label != small.labels[0] or (is_word and large.children[start]):
            continue
        at: dict[int, int] = {0: start}
        for node, production in enumerate(small.productions):
            if production is None:
                continue
            if production != large.productions[at[node]]:
                break
            at.update(zip(small.children[node], large.children[at[node]], strict=True))
        else:
            found.append([at[node] for node in range(len(small.labels))])
    return found


def _partial_occurrences(small: Positions, large: Positions) -> list[list[int]]:
    """List for each place where a partial tree is in a tree the nodes of all its embeddings there.

    Children come after their parents, so that those of a node are known when it is reached from
    the end.
    """
    fits: list[set[int]] = [set() for _ in small.labels]  # by node of the fragment: where it is
    for node in reversed(range(len(small.labels))):
        wanted = small.children[node]
        for place, label in enumerate(large.labels):
            if label != small.labels[node]:
                continue
            first, _ = _ways(wanted, large.children[place], fits)
            if len(first) == len(wanted):
                fits[node].add(place)
    found = []
    for start in sorted(fits[0]):
        at: list[set[int]] = [set() for _ in small.labels]
        at[0].add(start)
        for node, wanted in enumerate(small.children):
            for place in at[node]:
                below = large.children[place]
                first, last = _ways(wanted, below, fits)
                for child, low, high in zip(wanted, first, last, strict=True):
                    at[child].update(x for x in below[low : high + 1] if x in fits[child])
        found.append(sorted(set().union(*at)))
    return found


def _ways(wanted: list[int], below: list[int], fits: list[set[int]]) -> tuple[list[int], list[int]]:
    """Return the first and the last place among children where each of those wanted in turn can be.

    The first list is shorter if they are not all there.
    """
    first: list[int] = []
    place = 0
    for child in wanted:
        while place < len(below) and below[place] not in fits[child]:
            place += 1
        if place == len(below):
            return first, []
        first.append(place)
        place += 1
    last: list[int] = []
    place = len(below) - 1
    for child in reversed(wanted):
        while below[place] not in fits[child]:
            place -= 1
        last.append(place)
        place -= 1
    return first, last[::-1]


def importance(fragments: Iterable[WeightedFragment], tree: Tree) -> dict[int, float]:
    """Return the weight of each node: its part in those of the fragments that have it.

    The weight of a fragment is divided evenly among the nodes of all its occurrences, so that the
    weights of the nodes add up to those of the fragments.

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(T (A a) (B b))", "(T (A d) (B c))"]
    >>> machine = tk.TreeSVC(C=10, random_state=0).fit(trees, ["s", "s", "t", "t"])
    >>> tree = tk.Forest(["(S (A x) (B y))"])[0]
    >>> weights = importance(tk.explain(machine, tree=tree, class_="s"), tree)
    >>> sorted(weights) # S, A, B
    [0, 1, 3]
    """
    nodes = Positions(tree)
    weights: dict[int, float] = defaultdict(float)
    for one in fragments:
        if isinstance(one.fragment, Pair):
            raise DataError("a rewrite rule is about two trees, not about one")
        find = _partial_occurrences if one.partial else _occurrences
        places = [node for place in find(Positions(one.fragment), nodes) for node in place]
        for node in places:
            weights[node] += one.weight / len(places)
    return dict(weights)
