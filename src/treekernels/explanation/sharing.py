"""The largest fragments that two trees share, node by node: for pictures and comparisons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from treekernels.data.tree import Tree
from treekernels.errors import DataError
from treekernels.explanation.matching import Positions
from treekernels.explanation.subtrees import built_tree

__all__ = ["SharedFragment", "shared_fragments"]

MOST_PAIRS = 300_000


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


def shared_fragments(
    a: Tree, b: Tree, decay: float = 0.4, leaf_weight: float = 0.0
) -> list[SharedFragment]:
    """List the largest fragments that two trees share, by what they add to the kernel.

    Where two nodes have the same production a common fragment begins, which goes on as long as the
    productions below agree. Every pair of such nodes is in exactly one that is not part of
    another, so that the weights add up to the value of the subset-tree kernel. With a `leaf_weight`
    words count as well: those in a fragment add to its weight, and any other is a fragment of its
    own, without productions.

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
            own = decay
            for pair in below:
                own *= 1 + value[pair]
            value[node, other] = own
            total[node, other] = (
                own + sum(total[pair] for pair in below) + leaf_weight * len(leaves)
            )
            inside.update(below, leaves)
    total.update((pair, leaf_weight) for pair in word_pairs)
    grouped: dict[Tree, SharedFragment] = {}
    for top in sorted((value.keys() | word_pairs) - inside):
        tree, size, places = _shared_at(top, first, second, value)
        one = grouped.setdefault(tree, SharedFragment(tree, 0.0, size, []))
        one.weight += total[top]
        one.places.append(places)
    return sorted(grouped.values(), key=lambda one: -one.weight)


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
