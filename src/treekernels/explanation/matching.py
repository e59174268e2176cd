"""Where fragments are in a tree, and the largest that two trees share, node by node.

This is for pictures and comparisons of one or two trees. Kernels and learners have faster ways.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from treekernels.data.outline import Outline
from treekernels.data.pairs import Pair
from treekernels.data.tree import Tree
from treekernels.drawing.drawable import WeightedFragment
from treekernels.errors import DataError
from treekernels.explanation.searches.subtree_arrays import built_tree

MOST_NODES = 100_000
MOST_PAIRS = 300_000  # of nodes that two trees share


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
        self._list_productions()

    def _list_productions(self) -> None:
        self.productions = [
            (label, *(self.labels[child] for child in below)) if below else None
            for label, below in zip(self.labels, self.children, strict=True)
        ]

    def without_names(self) -> Positions:
        """Return the same nodes, but those with nothing below them but a name are leaves.

        The names are in no node's children then.
        """
        other = copy(self)
        other.children = [
            []
            if len(below) == 1 and not self.children[below[0]] and is_name(self.labels[below[0]])
            else below
            for below in self.children
        ]
        other._list_productions()
        return other


_NAME = re.compile(r"[A-Za-z_\x80-\U0010ffff][0-9A-Za-z_\x80-\U0010ffff]*")


def is_name(label: str) -> bool:
    """Whether a label is what `TreeFeaturesKernel` leaves out of its outlines, if it stands alone.

    >>> is_name("total_2"), is_name("2"), is_name("%d")
    (True, False, False)
    """
    return _NAME.fullmatch(label) is not None


def occurrences(
    fragment: Tree, tree: Tree, *, partial: bool = False, kind: str | None = None
) -> list[list[int]]:
    """Return for each place where a fragment is in a tree the positions of its nodes there.

    A leaf of the fragment is any node with its label, as in the subset-tree kernel; a fragment that
    is nothing but a leaf is a word, and is found at leaves alone. Of a `partial` tree, children may
    have been left out. Features are found by their `kind`; a gram has no nodes beyond the tree.

    Examples
    --------
    >>> import treekernels as tk
    >>> fragment, tree = tk.Forest(["(NP D N)", "(S (NP (D a) (N b)) (NP (D c) (N d)))"])
    >>> occurrences(fragment, tree)
    [[1, 2, 4], [6, 7, 9]]
    """
    return _places(Positions(fragment), Positions(tree), partial, kind)


def _places(small: Positions, large: Positions, partial: bool, kind: str | None) -> list[list[int]]:
    if kind == "siblings":
        return _sibling_occurrences(small, large)
    if kind in ("gram", "window"):
        return _gram_occurrences(small, large, ordered=kind == "gram")
    if kind == "outline":
        large = large.without_names()
    places = (_partial_occurrences if partial else _occurrences)(small, large)
    if kind not in ("subtree", "outline"):
        return places
    # All that is below belongs to it: where it has a leaf the tree has one.
    leaves = [node for node, below in enumerate(small.children) if not below]
    return [place for place in places if not any(large.children[place[node]] for node in leaves)]


def _sibling_occurrences(small: Positions, large: Positions) -> list[list[int]]:
    top, *wanted = small.labels
    return [
        [node, *pair]
        for node, below in enumerate(large.children)
        if large.labels[node] == top
        for pair in pairwise(below)
        if [large.labels[child] for child in pair] == wanted
    ]


def _gram_occurrences(small: Positions, large: Positions, ordered: bool) -> list[list[int]]:
    """Return where grams are: stem and base, but for what is beyond the tree.

    Unordered children stand in a ring, sorted by their labels.
    """
    stem = [node for node, below in enumerate(small.children) if below]
    names = [small.labels[node] for node in stem]
    base = [small.labels[child] for child in small.children[stem[-1]]]
    parents: dict[int | None, int] = {
        child: node for node, below in enumerate(large.children) for child in below
    }
    places = []
    for node, below in enumerate(large.children):
        above: list[int | None] = [node]
        while len(above) < len(stem):
            above.append(parents.get(above[-1]))
        if [_label(large, member) for member in reversed(above)] != names:
            continue
        blanks: list[int | None] = [None] * (len(base) - 1)
        row = [*blanks, *below, *blanks] if below else [None] * len(base)
        if below and not ordered:
            ring: list[int | None] = [*sorted(below, key=lambda child: large.labels[child])]
            ring += blanks[len(ring) - 1 :]
            row = [*ring, *ring[: min(len(below), len(base)) - 1]]
        for first in range(len(row) - len(base) + 1):
            window = row[first : first + len(base)]
            if [_label(large, member) for member in window] == base:
                places.append(
                    [member for member in (*reversed(above), *window) if member is not None]
                )
    return places


def _label(nodes: Positions, node: int | None) -> str:
    return "*" if node is None else nodes.labels[node]


def _occurrences(small: Positions, large: Positions) -> list[list[int]]:
    places = []
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
            places.append([at[node] for node in range(len(small.labels))])
    return places


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
    places = []
    for start in sorted(fits[0]):
        at: list[set[int]] = [set() for _ in small.labels]
        at[0].add(start)
        for node, wanted in enumerate(small.children):
            for place in at[node]:
                below = large.children[place]
                first, last = _ways(wanted, below, fits)
                for child, low, high in zip(wanted, first, last, strict=True):
                    at[child].update(x for x in below[low : high + 1] if x in fits[child])
        places.append(sorted(set().union(*at)))
    return places


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
    """Return the weight of each node: its share in the weights of the fragments that contain it.

    The weight of a fragment is divided evenly among the nodes of all its occurrences, so that the
    weights of the nodes add up to those of the fragments.
    """
    nodes = Positions(tree)
    weights: dict[int, float] = defaultdict(float)
    for item in fragments:
        if isinstance(item.fragment, Pair):
            raise DataError("a rewrite rule is about two trees, not about one")
        spots = _places(Positions(item.fragment), nodes, item.partial, item.kind)
        places = [node for place in spots for node in place]
        for node in places:
            weights[node] += item.weight / len(places)
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


def largest_shared_fragments(
    a: Tree, b: Tree, decay: float = 0.4, leaf_weight: float = 0.0
) -> list[SharedFragment]:
    """List the largest fragments that two trees share, by what they add to the kernel.

    Where two nodes have the same production a common fragment begins, which goes on as long as the
    productions below agree. Every pair of such nodes is in exactly one that is not part of
    another, so that the weights add up to the value of the subset-tree kernel. With a `leaf_weight`
    words count as well: those in a fragment add to its weight, and any other is a fragment of its
    own, without productions.

    Examples
    --------
    >>> import treekernels as tk
    >>> a, b = tk.Forest(["(S (NP (D the) (N dog)) (V ran))", "(S (NP (D a) (N dog)) (V ran))"])
    >>> shared = largest_shared_fragments(a, b)
    >>> [str(item.fragment) for item in shared]
    ['(S (NP D (N dog)) (V ran))']
    >>> kernel = tk.SubsetTreeKernel(decay=0.4, normalize=False)
    >>> bool(abs(kernel([a], [b])[0, 0] - sum(item.weight for item in shared)) < 1e-12)
    True
    """
    first, second = Positions(a), Positions(b)
    matches = _matches(first.productions, second.productions)
    words = _matches(_leaf_labels(first), _leaf_labels(second)) if leaf_weight else []
    if sum(map(len, matches)) + sum(map(len, words)) > MOST_PAIRS:
        raise DataError("the trees have too much in common to list what they share")
    word_pairs = {(node, other) for node, others in enumerate(words) for other in others}
    value: dict[tuple[int, int], float] = {}  # of the kernel, for the fragments that begin here
    total: dict[tuple[int, int], float] = {}  # the same for these nodes and all below
    inside: set[tuple[int, int]] = set()
    for node in reversed(range(len(matches))):
        for other in matches[node]:
            pairs = list(zip(first.children[node], second.children[other], strict=True))
            below = [pair for pair in pairs if pair in value]
            leaves = [pair for pair in pairs if pair in word_pairs]
            value[node, other] = decay * prod(1 + value[pair] for pair in below)
            total[node, other] = (
                value[node, other] + sum(total[pair] for pair in below) + leaf_weight * len(leaves)
            )
            inside.update(below, leaves)
    total.update((pair, leaf_weight) for pair in word_pairs)
    grouped: dict[Tree, SharedFragment] = {}
    for top in sorted((value.keys() | word_pairs) - inside):
        tree, size, places = _shared_at(top, first, second, value)
        fragment = grouped.setdefault(tree, SharedFragment(tree, 0.0, size, []))
        fragment.weight += total[top]
        fragment.places.append(places)
    return sorted(grouped.values(), key=lambda fragment: -fragment.weight)


def _matches(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[list[int]]:
    """Return for each place of the first list where the second has the same; None is no match."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, item in enumerate(second):
        if item is not None:
            places[item].append(place)
    return [places.get(item, []) for item in first]


def _leaf_labels(nodes: Positions) -> list[str | None]:
    """Return the label of each leaf, None for other nodes."""
    pairs = zip(nodes.labels, nodes.children, strict=True)
    return [None if children else label for label, children in pairs]


def _shared_at(
    top: tuple[int, int],
    first: Positions,
    second: Positions,
    matching: Mapping[tuple[int, int], float],
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
