"""Slow, obvious reference implementations of the tree kernels, to test the fast ones against.

Every kernel is here twice, in ways that share no formula. `kernel` lists the fragments of both
trees one by one and takes the dot product; that is the definition, and it is exponential: for trees
of ten nodes. `recursive` follows the recursion over pairs of nodes; that is good for some thousand
nodes. Both are exact when the parameters are `int` or `Fraction`. They use nothing of the package,
so that an error there cannot hide here.

A tree is a nested tuple `(label, child, child, ...)`. A leaf is `(label,)`, or, below another node,
a bare string. All weights default to 1 (`leaf_weight` to 0): then a kernel counts fragments.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise, product
from typing import Any, NamedTuple, TypeAlias

from oracles.recursions import normalized, recursive
from oracles.trees import Number, Tree, check_gaps, nodes, parse, to_brackets

__all__ = [
    "Features",
    "Fragment",
    "Number",
    "Tree",
    "Weight",
    "dot",
    "bag_features",
    "elastic_features",
    "gram_features",
    "kernel",
    "nodes",
    "normalized",
    "ordered_features",
    "parse",
    "partial_features",
    "recursive",
    "subpath_features",
    "subset_features",
    "subtree_features",
    "to_brackets",
]

Fragment: TypeAlias = Tree
ProductionNumber: TypeAlias = "Number | Callable[[tuple[str, ...]], Number]"


class Weight(NamedTuple):
    """The weight of a fragment: two trees share `side` of one * `side` of the other * `shared`.

    The usual feature weight would be `side * sqrt(shared)`; keeping the two apart avoids the root,
    and with it every rounding. `side` sums over the fragment's occurrences in a tree; `shared`
    depends on the fragment alone.
    """

    side: Number
    shared: Number


Features: TypeAlias = dict[Fragment, Weight]


def subtree_features(
    tree: Tree,
    decay: ProductionNumber = 1,
    leaf_weight: Number = 0,
    *,
    weight: ProductionNumber = 1,
    counts: str = "linear",
) -> Features:
    """ST: every internal node with all below it, weighed decay (lambda) ** internal nodes.

    Decay and weight may be functions of a production, given by its labels.
    """
    result = dict(_counted_subtrees(tree, counts))
    return _weigh_productions(result, decay, leaf_weight, weight)


def subset_features(
    tree: Tree,
    decay: ProductionNumber = 1,
    leaf_weight: Number = 0,
    *,
    weight: ProductionNumber = 1,
    counts: str = "linear",
    cut_root: Number = 1,
) -> Features:
    """SST: every connected set of whole productions, weighed decay (lambda) ** productions.

    A child that was cut looks like a leaf in the fragment, which is what makes a leaf of one tree
    and an internal node of the other stand in the same production. Each cut brings `cut_root`, the
    root of sigma, on its own side.
    """
    result: dict[Fragment, Number] = {}
    for node, count in _counted_subtrees(tree, counts):
        for fragment, side in _subset_fragments(node, cut_root) or [(node, 1)]:
            result[fragment] = result.get(fragment, 0) + side * count
    return _weigh_productions(result, decay, leaf_weight, weight)


def _counted_subtrees(tree: Tree, counts: str) -> list[tuple[Tree, Number]]:
    """The distinct subtrees of a tree, and how much it counts that they occur so often."""
    damping: dict[str, Callable[[int], Number]] = {
        "linear": lambda n: n,
        "log": lambda n: 1 + math.log(n),
        "binary": lambda n: 1,
    }
    return [(node, damping[counts](n)) for node, n in Counter(nodes(tree)).items()]


def _subset_fragments(node: Tree, cut_root: Number) -> list[tuple[Fragment, Number]]:
    """The subset trees rooted at a node; none at a leaf. Each child is cut, or has one itself."""
    if _is_leaf(node):
        return []
    choices = [
        [((child[0],), 1 if _is_leaf(child) else cut_root), *_subset_fragments(child, cut_root)]
        for child in node[1:]
    ]
    return [
        ((node[0], *(part for part, _ in chosen)), math.prod(side for _, side in chosen))
        for chosen in product(*choices)
    ]


def _weigh_productions(
    found: Mapping[Fragment, Number],
    decay: ProductionNumber,
    leaf_weight: Number,
    weight: ProductionNumber,
) -> Features:
    """Add the shared weights. A fragment of one node can only be a leaf, of the bag of words."""
    features = {}
    for fragment, count in found.items():
        productions = [
            tuple(part[0] for part in (node, *node[1:]))
            for node in nodes(fragment)
            if not _is_leaf(node)
        ]
        shared = leaf_weight
        if productions:
            shared = math.prod(_number(decay, p) * _number(weight, p) ** 2 for p in productions)
        if shared:
            features[fragment] = Weight(count, shared)
    return features


def _number(given: ProductionNumber, production: tuple[str, ...]) -> Number:
    return given(production) if callable(given) else given


def partial_features(
    tree: Tree,
    decay: Number = 1,
    vertical_decay: ProductionNumber = 1,
    gaps: str = "skipped",
    *,
    weight: ProductionNumber = 1,
    counts: str = "linear",
) -> Features:
    """PTK: every connected part of the tree; children may be left out.

    In C = mu * (lambda^2 + sum of D_p), a node of the fragment brings vertical_decay (mu) once, and
    a node without children in the fragment brings decay (lambda) squared, be it a leaf of the tree
    or not: these are shared. Gaps differ between the occurrences of a fragment, and bring lambda on
    their own side only. The vertical decay and the weight may be functions of a label.
    """
    result: dict[Fragment, Number] = {}
    for node, count in _counted_subtrees(tree, counts):
        for fragment, side in _embeddings(node, _only_itself, _gap_weight(decay, gaps)):
            result[fragment] = result.get(fragment, 0) + side * count
    return {
        fragment: Weight(
            side,
            _node_weight(fragment, 1, decay**2)
            * math.prod(
                _number(vertical_decay, (node[0],)) * _number(weight, (node[0],)) ** 2
                for node in nodes(fragment)
            ),
        )
        for fragment, side in result.items()
    }


def elastic_features(tree: Tree, decay: Number = 1) -> Features:
    """ET: fragments that keep order and ancestry but may skip levels; each node brings `decay`.

    The children of a node in the fragment come from different children of it in the tree: each is
    one of these or a descendant of it.
    """
    vectors = _sum_embeddings(tree, nodes, _no_gap_weight)
    return {
        fragment: Weight(side, _node_weight(fragment, decay)) for fragment, side in vectors.items()
    }


def ordered_features(tree: Tree, decay: Number = 1) -> Features:
    """Kashima and Koyanagi's plain kernel: as elastic, without skipping levels."""
    vectors = _sum_embeddings(tree, _only_itself, _no_gap_weight)
    return {
        fragment: Weight(side, _node_weight(fragment, decay)) for fragment, side in vectors.items()
    }


def subpath_features(tree: Tree, decay: Number = 1, max_length: int | None = None) -> Features:
    """Every path down from a node, the node alone included, weighed decay ** labels."""
    result: Counter[Fragment] = Counter()
    for node in nodes(tree):
        open_: list[tuple[Tree, Fragment]] = [(node, (node[0],))]
        while open_:
            end, path = open_.pop()
            result[path] += 1
            if max_length is None or len(path) < max_length:
                open_.extend((child, (*path, child[0])) for child in end[1:])
    return {path: Weight(count, decay ** len(path)) for path, count in result.items()}


def gram_features(tree: Tree, p: int = 2, q: int = 3, *, ordered: bool = True) -> Features:
    """Every node with p - 1 above it, and each q of its children in a row; "" where there is none.

    Unless they are ordered, the children stand in a ring by their labels, and a row begins at each.
    Labels are never empty, so that no label is taken for a blank.
    """
    result: Counter[Fragment] = Counter()
    open_: list[tuple[Tree, tuple[str, ...]]] = [(tree, ("",) * (p - 1))]
    while open_:
        (label, *children), above = open_.pop()
        stem = (*above, label)
        blanks = [""] * (q - 1)
        row = [*blanks, *(child[0] for child in children), *blanks] if children else [""] * q
        starts = range(len(row) - q + 1)
        if not ordered:
            ring = sorted(child[0] for child in children)
            ring += [""] * (q - len(ring))
            row = ring * 2
            starts = range(max(1, len(children)))
        for start in starts:
            result[(*stem, *row[start : start + q])] += 1
        open_.extend((child, stem[1:]) for child in children)
    return {gram: Weight(count, 1) for gram, count in result.items()}


def bag_features(
    tree: Tree,
    subtrees: Number = 1,
    productions: Number = 1,
    siblings: Number = 1,
    leaves: Number = 1,
    outlines: Number = 0,
) -> Features:
    """Whole subtrees, productions, parents with two children side by side, leaves, and outlines."""
    result: Counter[Fragment] = Counter()
    for node in nodes(tree):
        label, *children = node
        below = [child[0] for child in children]
        if not children:
            result["leaf", label] += 1
            continue
        result["subtree", node] += 1
        if len(shown := _without_names(node)) > 1:
            result["outline", shown] += 1
        result[("production", label, *below)] += 1
        for pair in pairwise(below):
            result[("siblings", label, *pair)] += 1
    kinds = {"leaf": leaves, "subtree": subtrees, "production": productions, "siblings": siblings}
    kinds["outline"] = outlines
    return {feature: Weight(count, kinds[feature[0]]) for feature, count in result.items()}


def _without_names(node: Tree) -> Tree:
    label, *children = node
    letters = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if len(children) == 1 and len(children[0]) == 1:
        first, *rest = children[0][0]
        if (first in letters or first > "\x7f") and all(
            c in letters or c in "0123456789" or c > "\x7f" for c in rest
        ):
            return (label,)
    return (label, *map(_without_names, children))


Reach: TypeAlias = Callable[[Tree], Iterable[Tree]]
GapWeight: TypeAlias = Callable[[Sequence[int]], Number]


def _sum_embeddings(tree: Tree, reach: Reach, gap_weight: GapWeight) -> dict[Fragment, Number]:
    result: dict[Fragment, Number] = {}
    for node in nodes(tree):
        for fragment, side in _embeddings(node, reach, gap_weight):
            result[fragment] = result.get(fragment, 0) + side
    return result


def _embeddings(node: Tree, reach: Reach, gap_weight: GapWeight) -> list[tuple[Fragment, Number]]:
    """Each way to lay a fragment's root on this node, with the weight of the gaps.

    Some of the children are picked, and below each one of the nodes within its reach.
    """
    label, *children = node
    below = [
        [item for target in reach(child) for item in _embeddings(target, reach, gap_weight)]
        for child in children
    ]
    embeddings = []
    for positions in _subsequences(len(children)):
        for chosen in product(*(below[position] for position in positions)):
            fragment = (label, *(part for part, _ in chosen))
            side = gap_weight(positions) * math.prod(side for _, side in chosen)
            embeddings.append((fragment, side))
    return embeddings


def _subsequences(length: int) -> Iterator[tuple[int, ...]]:
    for size in range(length + 1):
        yield from combinations(range(length), size)


def _only_itself(node: Tree) -> list[Tree]:
    return [node]


def _no_gap_weight(positions: Sequence[int]) -> Number:
    return 1


def _gap_weight(decay: Number, gaps: str) -> GapWeight:
    """Decay (lambda) to the positions left out between picked children, or to all they span."""
    check_gaps(gaps)

    def weight(positions: Sequence[int]) -> Number:
        span = positions[-1] - positions[0] + 1 if positions else 0
        result: Number = decay ** (span if gaps == "span" else span - len(positions))
        return result

    return weight


def _node_weight(fragment: Fragment, each: Number, leaf: Number = 1) -> Number:
    leaves = sum(_is_leaf(node) for node in nodes(fragment))
    weight: Number = each ** len(nodes(fragment)) * leaf**leaves
    return weight


def _is_leaf(node: Tree) -> bool:
    return len(node) == 1


def dot(one: Mapping[Fragment, Weight], two: Mapping[Fragment, Weight]) -> Number:
    """The kernel of two trees from their features."""
    shared_fragments = one.keys() & two.keys()
    return sum(one[key].side * two[key].side * one[key].shared for key in shared_fragments)


_FEATURES: dict[str, Callable[..., Features]] = {
    "subtree": subtree_features,
    "subset": subset_features,
    "partial": partial_features,
    "elastic": elastic_features,
    "ordered": ordered_features,
    "subpath": subpath_features,
    "gram": gram_features,
    "bag": bag_features,
}


def kernel(name: str, a: Tree, b: Tree, **parameters: Any) -> Number:
    """K(a, b) as the dot product of the enumerated fragments: for small trees.

    Parameters
    ----------
    name : {"subtree", "subset", "partial", "elastic", "ordered", "subpath", "gram", "bag"}
    a, b : nested tuples
    **parameters
        `decay` for all; `leaf_weight` for subtree and subset; `cut_root` for subset;
        `vertical_decay` and `gaps` (either "skipped" or "span") for partial; `max_length` for
        subpath.

    Examples
    --------
    >>> from fractions import Fraction
    >>> a, b = parse("(A (B b) (C c))"), parse("(A (B b) (C d))")
    >>> kernel("subset", a, b, decay=Fraction(2, 5))
    Fraction(24, 25)
    """
    features = _FEATURES[name]
    return dot(features(a, **parameters), features(b, **parameters))
