"""Where fragments are in a tree, and which two trees share.

For pictures: one tree or two, node by node. Kernels and learners have faster ways.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treekernels.data.pairs import Pair
from treekernels.data.tree import Tree
from treekernels.errors import DataError
from treekernels.explanation.subtrees import built_tree
from treekernels.structures.outline import Outline

if TYPE_CHECKING:
    from treekernels.explanation.fragment import Fragment

__all__ = ["SharedFragment", "importance", "occurrences", "shared_fragments"]

MOST_NODES = 100_000
MOST_PAIRS = 300_000


class _Positions:
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


def occurrences(fragment: Tree, tree: Tree) -> list[list[int]]:
    """Return for each place where a fragment is in a tree the positions of its nodes there.

    A leaf of the fragment is any node with its label, as in the subset-tree kernel.

    Examples
    --------
    >>> import treekernels as tk
    >>> fragment, tree = tk.Forest(["(NP D N)", "(S (NP (D a) (N b)) (NP (D c) (N d)))"])
    >>> occurrences(fragment, tree)
    [[1, 2, 4], [6, 7, 9]]
    """
    return _occurrences(_Positions(fragment), _Positions(tree))


def _occurrences(small: _Positions, large: _Positions) -> list[list[int]]:
    found = []
    for start, label in enumerate(large.labels):
        if label != small.labels[0]:
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


def _partial_occurrences(small: _Positions, large: _Positions) -> list[list[int]]:
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


def importance(fragments: Iterable[Fragment], tree: Tree) -> dict[int, float]:
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
    nodes = _Positions(tree)
    weights: dict[int, float] = defaultdict(float)
    for one in fragments:
        if isinstance(one.fragment, Pair):
            raise DataError("a rewrite rule is about two trees, not about one")
        find = _partial_occurrences if one.partial else _occurrences
        places = [node for place in find(_Positions(one.fragment), nodes) for node in place]
        for node in places:
            weights[node] += one.weight / len(places)
    return dict(weights)


@dataclass
class SharedFragment:
    """A fragment that two trees share and that cannot be larger where it is.

    Attributes
    ----------
    fragment : Tree
        Where it was cut there is a leaf.
    weight : float
        What it adds to the subset-tree kernel, with all the fragments inside it.
    size : int
        Its productions.
    places : list of pair of list of int
        The positions of its nodes in the first and in the second tree, wherever it is.
    """

    fragment: Tree
    weight: float
    size: int
    places: list[tuple[list[int], list[int]]]


def shared_fragments(a: Tree, b: Tree, decay: float = 0.4) -> list[SharedFragment]:
    """List the largest fragments that two trees share, by what they add to the kernel.

    Where two nodes have the same production a common fragment begins, which goes on as long as the
    productions below agree. Every pair of such nodes is in exactly one that is not part of
    another, so that the weights add up to the value of the subset-tree kernel.

    Raises
    ------
    ValueError
        If the trees are too large for this.

    Examples
    --------
    >>> import treekernels as tk
    >>> a, b = tk.Forest(["(S (NP (D the) (N dog)) (V ran))", "(S (NP (D a) (N dog)) (V ran))"])
    >>> found = shared_fragments(a, b)
    >>> [str(one.fragment) for one in found]
    ['(S (NP D (N dog)) (V ran))']
    >>> kernel = tk.SubsetTreeKernel(decay=0.4, normalize=False)
    >>> bool(abs(kernel([a], [b])[0, 0] - sum(one.weight for one in found)) < 1e-12)
    True
    """
    first, second = _Positions(a), _Positions(b)
    by_production: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for node, production in enumerate(second.productions):
        if production is not None:
            by_production[production].append(node)
    matches = [by_production.get(p, []) if p else [] for p in first.productions]
    if sum(map(len, matches)) > MOST_PAIRS:
        raise DataError("the trees have too much in common to list what they share")
    value: dict[tuple[int, int], float] = {}  # of the kernel, for the fragments that begin here
    total: dict[tuple[int, int], float] = {}  # the same for these nodes and all below
    inside: set[tuple[int, int]] = set()
    for node in reversed(range(len(matches))):
        for other in matches[node]:
            pairs = list(zip(first.children[node], second.children[other], strict=True))
            below = [pair for pair in pairs if pair in value]
            own = decay
            for pair in below:
                own *= 1 + value[pair]
            value[node, other] = own
            total[node, other] = own + sum(total[pair] for pair in below)
            inside.update(below)
    grouped: dict[Tree, SharedFragment] = {}
    for top in sorted(value.keys() - inside):
        tree, size, places = _shared_at(top, first, second, value)
        one = grouped.setdefault(tree, SharedFragment(tree, 0.0, size, []))
        one.weight += total[top]
        one.places.append(places)
    return sorted(grouped.values(), key=lambda one: -one.weight)


def _shared_at(
    top: tuple[int, int],
    first: _Positions,
    second: _Positions,
    matching: dict[tuple[int, int], float],
) -> tuple[Tree, int, tuple[list[int], list[int]]]:
    """Return the fragment that begins at two nodes, its productions, and where its nodes are."""
    steps: list[str | None] = []
    places: tuple[list[int], list[int]] = ([], [])
    size = 0
    open_: list[tuple[int, int] | None] = [top]
    while open_:
        pair = open_.pop()
        if pair is None:
            steps.append(None)
            continue
        node, other = pair
        places[0].append(node)
        places[1].append(other)
        steps.append(first.labels[node])
        open_.append(None)
        if pair in matching:
            size += 1
            below = zip(first.children[node], second.children[other], strict=True)
            open_.extend(reversed(list(below)))
    return built_tree(steps), size, places
