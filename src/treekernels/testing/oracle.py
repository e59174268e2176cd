"""Slow, obvious reference implementations of the tree kernels, to test the fast ones against.

Every kernel is here twice, in ways that share no formula. `kernel` lists the fragments of both
trees one by one and takes the dot product; that is the definition, and it is exponential: for trees
of ten nodes. `recursive` follows the recursion over pairs of nodes; that is good for some thousand
nodes. Both are exact when the parameters are `int` or `Fraction`. Not for use outside tests, and
independent of the rest of the package, so that an error there cannot hide here.

A tree is a nested tuple `(label, child, child, ...)`. A leaf is `(label,)`, or, below another node,
a bare string. All weights default to 1 (`leaf_weight` to 0): then a kernel counts fragments.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any, NamedTuple, TypeAlias

Number: TypeAlias = int | float | Fraction
Tree: TypeAlias = tuple[Any, ...]
Fragment: TypeAlias = Tree
Similarity: TypeAlias = Callable[[str, str], Number]


class Weight(NamedTuple):
    """The weight of a fragment: two trees share `side` of one * `side` of the other * `shared`.

    The usual feature weight would be `side * sqrt(shared)`; keeping the two apart avoids the root,
    and with it every rounding. `side` sums over the fragment's occurrences in a tree; `shared`
    depends on the fragment alone.
    """

    side: Number
    shared: Number


Features: TypeAlias = dict[Fragment, Weight]


def parse(text: str) -> Tree:
    """Read a tree in Penn brackets.

    A label is any run of characters other than white space and brackets; there are no escapes.

    >>> parse("(S (NP Mary) (VP sleeps))")
    ('S', ('NP', ('Mary',)), ('VP', ('sleeps',)))
    """
    tokens = re.findall(r"[()]|[^\s()]+", text, re.ASCII)
    unfinished: list[list[Any]] = [[]]
    for previous, token in zip(["", *tokens], tokens, strict=False):
        if token == "(":
            unfinished.append([])
        elif token == ")":
            _close(unfinished, text)
        else:
            unfinished[-1].append(token if previous == "(" else (token,))
    (found, *still_open) = unfinished
    if still_open or len(found) != 1 or tokens[0] != "(":
        raise ValueError(f"Not one tree in balanced brackets: {text!r}.")
    tree: Tree = found[0]
    return tree


def _close(unfinished: list[list[Any]], text: str) -> None:
    node = unfinished.pop()
    if not unfinished or not node or not isinstance(node[0], str):
        raise ValueError(f"A closing bracket too many, or a bracket without a label: {text!r}.")
    unfinished[-1].append(tuple(node))


def to_brackets(tree: Tree) -> str:
    """Write a tree in Penn brackets, leaves bare unless they are the whole tree.

    >>> to_brackets(("S", ("NP", "Mary"), ("VP", ("sleeps",))))
    '(S (NP Mary) (VP sleeps))'
    """
    texts: list[str] = []
    for node in nodes(tree):
        if not re.fullmatch(r"[^\s()]+", node[0], re.ASCII):
            raise ValueError(f"The label {node[0]!r} cannot be written in brackets.")
        children = _take_last(texts, len(node) - 1)
        texts.append(f"({' '.join([node[0], *children])})" if children else node[0])
    return texts[0] if texts[0].startswith("(") else f"({texts[0]})"


def nodes(tree: Tree | str) -> list[Tree]:
    """All nodes, each as the tree below it, children before parents: the last is the tree itself.

    Bare strings become `(label,)`. There is no recursion here, so a tree may be of any depth.

    >>> nodes(("NP", "the", ("N", "dog")))
    [('the',), ('dog',), ('N', ('dog',)), ('NP', ('the',), ('N', ('dog',)))]
    """
    parents_first: list[Tree] = []
    waiting: list[Tree | str] = [tree]
    while waiting:
        node = waiting.pop()
        parents_first.append((node,) if isinstance(node, str) else node)
        waiting.extend(parents_first[-1][1:])
    finished: list[Tree] = []
    found: list[Tree] = []
    for node in reversed(parents_first):
        found.append((node[0], *_take_last(finished, len(node) - 1)))
        finished.append(found[-1])
    return found


def _take_last(items: list[Any], count: int) -> list[Any]:
    """Remove and return the last items: of a list of finished subtrees, a node's children."""
    start = len(items) - count
    taken = items[start:]
    del items[start:]
    return taken


def subtree_features(tree: Tree, decay: Number = 1, leaf_weight: Number = 0) -> Features:
    """ST: every internal node with all below it, weighed decay (lambda) ** internal nodes."""
    return _weigh_productions(Counter(nodes(tree)), decay, leaf_weight)


def subset_features(tree: Tree, decay: Number = 1, leaf_weight: Number = 0) -> Features:
    """SST: every connected set of whole productions, weighed decay (lambda) ** productions.

    A child that was cut looks like a leaf in the fragment, which is what makes a leaf of one tree
    and an internal node of the other stand in the same production.
    """
    found: Counter[Fragment] = Counter()
    for node in nodes(tree):
        found.update(_subset_fragments(node) or [node])
    return _weigh_productions(found, decay, leaf_weight)


def _subset_fragments(node: Tree) -> list[Fragment]:
    """The subset trees rooted at a node; none at a leaf. Each child is cut, or has one itself."""
    if _is_leaf(node):
        return []
    choices = [[(child[0],), *_subset_fragments(child)] for child in node[1:]]
    return [(node[0], *chosen) for chosen in product(*choices)]


def _weigh_productions(found: Counter[Fragment], decay: Number, leaf_weight: Number) -> Features:
    """Add the shared weights. A fragment of one node can only be a leaf, of the bag of words."""
    features = {}
    for fragment, count in found.items():
        productions = sum(not _is_leaf(node) for node in nodes(fragment))
        shared = decay**productions if productions else leaf_weight
        if shared:
            features[fragment] = Weight(count, shared)
    return features


def partial_features(
    tree: Tree, decay: Number = 1, vertical_decay: Number = 1, gaps: str = "skipped"
) -> Features:
    """PTK: every connected part of the tree; children may be left out.

    In C = mu * (lambda^2 + sum of D_p), a node of the fragment brings vertical_decay (mu) once, and
    a node without children in the fragment brings decay (lambda) squared, be it a leaf of the tree
    or not: these are shared. Gaps differ between the occurrences of a fragment, and bring lambda on
    their own side only.
    """
    found = _sum_embeddings(tree, _only_itself, _gap_weight(decay, gaps))
    return {
        fragment: Weight(side, _node_weight(fragment, vertical_decay, decay**2))
        for fragment, side in found.items()
    }


def elastic_features(tree: Tree, decay: Number = 1) -> Features:
    """ET: fragments that keep order and ancestry but may skip levels; each node brings `decay`.

    The children of a node in the fragment come from different children of it in the tree: each is
    one of these or a descendant of it.
    """
    found = _sum_embeddings(tree, nodes, _no_gap_weight)
    return {
        fragment: Weight(side, _node_weight(fragment, decay)) for fragment, side in found.items()
    }


def ordered_features(tree: Tree, decay: Number = 1) -> Features:
    """Kashima and Koyanagi's plain kernel: as elastic, without skipping levels."""
    found = _sum_embeddings(tree, _only_itself, _no_gap_weight)
    return {
        fragment: Weight(side, _node_weight(fragment, decay)) for fragment, side in found.items()
    }


def subpath_features(tree: Tree, decay: Number = 1, max_length: int | None = None) -> Features:
    """Every path down from a node, the node alone included, weighed decay ** labels."""
    found: Counter[Fragment] = Counter()
    for node in nodes(tree):
        open_: list[tuple[Tree, Fragment]] = [(node, (node[0],))]
        while open_:
            end, path = open_.pop()
            found[path] += 1
            if max_length is None or len(path) < max_length:
                open_.extend((child, (*path, child[0])) for child in end[1:])
    return {path: Weight(count, decay ** len(path)) for path, count in found.items()}


Reach: TypeAlias = Callable[[Tree], Iterable[Tree]]
GapWeight: TypeAlias = Callable[[Sequence[int]], Number]


def _sum_embeddings(tree: Tree, reach: Reach, gap_weight: GapWeight) -> dict[Fragment, Number]:
    found: dict[Fragment, Number] = {}
    for node in nodes(tree):
        for fragment, side in _embeddings(node, reach, gap_weight):
            found[fragment] = found.get(fragment, 0) + side
    return found


def _embeddings(node: Tree, reach: Reach, gap_weight: GapWeight) -> list[tuple[Fragment, Number]]:
    """Each way to lay a fragment's root on this node, with the weight of the gaps.

    Some of the children are picked, and below each one of the nodes within its reach.
    """
    label, *children = node
    below = [
        [found for target in reach(child) for found in _embeddings(target, reach, gap_weight)]
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
    _check_gaps(gaps)

    def weight(positions: Sequence[int]) -> Number:
        span = positions[-1] - positions[0] + 1 if positions else 0
        result: Number = decay ** (span if gaps == "span" else span - len(positions))
        return result

    return weight


def _check_gaps(gaps: str) -> None:
    if gaps not in ("skipped", "span"):
        raise ValueError(f"gaps must be 'skipped' or 'span', not {gaps!r}.")


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
}


def kernel(name: str, a: Tree, b: Tree, **parameters: Any) -> Number:
    """K(a, b) as the dot product of the enumerated fragments: for small trees.

    Parameters
    ----------
    name : {"subtree", "subset", "partial", "elastic", "ordered", "subpath"}
    a, b : nested tuples
    **parameters
        `decay` for all; `leaf_weight` for subtree and subset; `vertical_decay` and `gaps` (either
        "skipped" or "span") for partial; `max_length` for subpath.

    Examples
    --------
    >>> a, b = parse("(A (B b) (C c))"), parse("(A (B b) (C d))")
    >>> kernel("subset", a, b, decay=Fraction(2, 5))
    Fraction(24, 25)
    """
    features = _FEATURES[name]
    return dot(features(a, **parameters), features(b, **parameters))


class _Numbered(NamedTuple):
    """A tree by numbers, children first: those compare at any depth, nested tuples do not."""

    labels: list[str]
    children: list[list[int]]

    def is_leaf(self, node: int) -> bool:
        return not self.children[node]

    def productions(self) -> list[tuple[str, ...] | None]:
        """Label and children's labels per node, None for a leaf."""
        return [
            (label, *(self.labels[child] for child in children)) if children else None
            for label, children in zip(self.labels, self.children, strict=True)
        ]


def _numbered(tree: Tree) -> _Numbered:
    numbered = _Numbered([], [])
    finished: list[int] = []
    for number, node in enumerate(nodes(tree)):
        numbered.labels.append(node[0])
        numbered.children.append(_take_last(finished, len(node) - 1))
        finished.append(number)
    return numbered


Local: TypeAlias = list[dict[int, Number]]
"""C per node of the first tree and node of the second; where there is no entry, C is 0."""


def _recursive_subtree(a: Tree, b: Tree, decay: Number = 1, leaf_weight: Number = 0) -> Number:
    """C = lambda * prod_j C(child_j, child_j), where the factor of a pair of leaves is 1."""
    one, two = _numbered(a), _numbered(b)

    def below(local: Local, x: int, y: int) -> Number:
        if one.is_leaf(x) and two.is_leaf(y):
            return 1
        return local[x].get(y, 0)

    return _over_productions(one, two, decay, below) + leaf_weight * _equal_leaves(one, two)


def _recursive_subset(a: Tree, b: Tree, decay: Number = 1, leaf_weight: Number = 0) -> Number:
    """C = lambda * prod_j (1 + C(child_j, child_j)), with C = 0 where either is a leaf."""
    one, two = _numbered(a), _numbered(b)

    def below(local: Local, x: int, y: int) -> Number:
        return 1 + local[x].get(y, 0)

    return _over_productions(one, two, decay, below) + leaf_weight * _equal_leaves(one, two)


def _over_productions(
    one: _Numbered, two: _Numbered, decay: Number, below: Callable[[Local, int, int], Number]
) -> Number:
    local: Local = [{} for _ in one.labels]
    for x, y in _equal_pairs(one.productions(), two.productions()):
        children = zip(one.children[x], two.children[y], strict=True)
        value = decay * math.prod(below(local, i, j) for i, j in children)
        if value:
            local[x][y] = value
    return _total(local)


def _equal_pairs(one: Sequence[Any], two: Sequence[Any]) -> Iterator[tuple[int, int]]:
    """Places of equal keys, children first; None equals nothing."""
    places: dict[Any, list[int]] = {}
    for y, key in enumerate(two):
        places.setdefault(key, []).append(y)
    for x, key in enumerate(one):
        if key is not None:
            yield from ((x, y) for y in places.get(key, []))


def _equal_leaves(one: _Numbered, two: _Numbered) -> int:
    in_one, in_two = (
        Counter(label for label, below in zip(*tree, strict=True) if not below)
        for tree in (one, two)
    )
    return sum(count * in_two[label] for label, count in in_one.items())


def _total(local: Local) -> Number:
    return sum(sum(row.values()) for row in local)


def _equality(one: str, two: str) -> int:
    return int(one == two)


def _similar_pairs(
    one: _Numbered, two: _Numbered, similarity: Similarity
) -> Iterator[tuple[int, int, Number]]:
    remembered = cache(similarity)
    for x, label in enumerate(one.labels):
        for y, other in enumerate(two.labels):
            similar = remembered(label, other)
            if similar:
                yield x, y, similar


def _recursive_partial(
    a: Tree,
    b: Tree,
    decay: Number = 1,
    vertical_decay: Number = 1,
    gaps: str = "skipped",
    similarity: Similarity = _equality,
) -> Number:
    """C = mu * (lambda^2 + sum over p of D_p); there is no D_p when either node is a leaf.

    A span is the skipped positions and the p picked ones, so `span` is `skipped` with each picked
    pair times lambda^2.
    """
    _check_gaps(gaps)
    one, two = _numbered(a), _numbered(b)
    local: Local = [{} for _ in one.labels]
    alone = decay**2
    picked = alone if gaps == "span" else 1
    for x, y, similar in _similar_pairs(one, two, similarity):
        values = [[local[i].get(j, 0) * picked for j in two.children[y]] for i in one.children[x]]
        local[x][y] = similar * vertical_decay * (alone + _gapped_matches(values, decay))
    return _total(local)


def _gapped_matches(values: Sequence[Sequence[Number]], decay: Number) -> Number:
    """The sum over p >= 1 of D_p, by a table over both child sequences.

    A pair of subsequences that ends in (i, j) is that pair on its own, or follows one that ended
    before i and before j: `before[j]` sums the latter, each with decay to the rows and columns
    between.
    """
    total: Number = 0
    before: list[Number] = [0] * (len(values[0]) + 1 if values else 0)
    for row in values:
        after: list[Number] = [0]
        in_row: Number = 0
        for j, value in enumerate(row):
            ending = value * (1 + before[j]) if value else 0
            total += ending
            in_row = decay * in_row + ending
            after.append(decay * before[j + 1] + in_row)
        before = after
    return total


def _recursive_ordered(
    a: Tree, b: Tree, decay: Number = 1, similarity: Similarity = _equality
) -> Number:
    """C = decay * similarity * S, with S over the C of children."""
    one, two = _numbered(a), _numbered(b)
    local: Local = [{} for _ in one.labels]
    for x, y, similar in _similar_pairs(one, two, similarity):
        values = [[local[i].get(j, 0) for j in two.children[y]] for i in one.children[x]]
        local[x][y] = decay * similar * _ordered_matches(values)
    return _total(local)


def _recursive_elastic(
    a: Tree, b: Tree, decay: Number = 1, similarity: Similarity = _equality
) -> Number:
    """C = decay * similarity * S, with S over A of children: C summed over them and all below.

    A is summed in two steps, first down the first tree (`column`), then down the second (`both`).
    Rows of children are dropped once their parent has its own: the tables would fill the memory.
    """
    one, two = _numbered(a), _numbered(b)
    remembered = cache(similarity)
    column: dict[int, list[Number]] = {}
    both: dict[int, list[Number]] = {}
    for x, label in enumerate(one.labels):
        children = one.children[x]
        column[x], both[x] = [], []
        for y, other in enumerate(two.labels):
            local: Number = decay * remembered(label, other)
            if local:
                values = [[both[i][j] for j in two.children[y]] for i in children]
                local *= _ordered_matches(values)
            column[x].append(local + sum(column[i][y] for i in children))
            both[x].append(column[x][y] + sum(both[x][j] for j in two.children[y]))
        for i in children:
            del column[i], both[i]
    return both[len(one.labels) - 1][-1]


def _recursive_subpath(
    a: Tree, b: Tree, decay: Number = 1, max_length: int | None = None
) -> Number:
    """C = lambda * (1 + the sum of C over pairs of children), once for each length that is left."""
    one, two = _numbered(a), _numbered(b)
    longest = len(one.labels) if max_length is None else max_length
    total: Number = 0
    local: Local = [{} for _ in one.labels]
    for _ in range(longest):  # C of paths that have one label more than those before
        longer: Local = [{} for _ in one.labels]
        for x, y in _equal_pairs(one.labels, two.labels):
            below = sum(local[i].get(j, 0) for i in one.children[x] for j in two.children[y])
            longer[x][y] = decay * (1 + below)
        if _total(longer) == total:
            break
        local, total = longer, _total(longer)
    return total


def _ordered_matches(values: Sequence[Sequence[Number]]) -> Number:
    """S(last, last) from S(i,j) = S(i-1,j) + S(i,j-1) - S(i-1,j-1) + S(i-1,j-1) * value(i,j)."""
    if not values:
        return 1
    above: list[Number] = [1] * (len(values[0]) + 1)
    for row in values:
        current: list[Number] = [1]
        for j, value in enumerate(row):
            current.append(above[j + 1] + current[j] + above[j] * (value - 1))
        above = current
    return above[-1]


_RECURSIONS: dict[str, Callable[..., Number]] = {
    "subtree": _recursive_subtree,
    "subset": _recursive_subset,
    "partial": _recursive_partial,
    "elastic": _recursive_elastic,
    "ordered": _recursive_ordered,
    "subpath": _recursive_subpath,
}


def recursive(name: str, a: Tree, b: Tree, **parameters: Any) -> Number:
    """K(a, b) as the sum of C over pairs of nodes: for some thousand nodes, at any depth.

    Parameters
    ----------
    name : {"subtree", "subset", "partial", "elastic", "ordered", "subpath"}
    a, b : nested tuples
    **parameters
        As for `kernel`; partial, elastic and ordered also take `similarity`, a function of two
        labels that takes the place of their equality.

    Examples
    --------
    >>> a, b = parse("(A (B b) (C c))"), parse("(A (B b) (C d))")
    >>> recursive("subset", a, b, decay=Fraction(2, 5))
    Fraction(24, 25)
    >>> recursive("elastic", ("A", "b"), ("a", "B"), similarity=lambda x, y: int(x == y.swapcase()))
    3
    """
    return _RECURSIONS[name](a, b, **parameters)


def normalized(name: str, a: Tree, b: Tree, **parameters: Any) -> float:
    """K(a, b) / sqrt(K(a, a) K(b, b)) as a float, 0.0 for a tree of zero norm.

    Floats among the parameters, and from `similarity`, are taken at their exact value, and only the
    quotient is rounded: nothing overflows or vanishes, whatever the size of the kernel values.

    >>> normalized("subtree", ("N", "dog"), ("N", "cat"))
    0.0
    """
    exact = {key: _exact(value) for key, value in parameters.items()}
    joint, norm_a, norm_b = (
        Fraction(recursive(name, one, two, **exact)) for one, two in ((a, b), (a, a), (b, b))
    )
    if not norm_a or not norm_b:
        return 0.0
    size = _square_root(joint**2 / (norm_a * norm_b))
    return -size if joint < 0 else size


def _exact(parameter: Any) -> Any:
    if callable(parameter):
        return lambda one, two: Fraction(parameter(one, two))
    return Fraction(parameter) if isinstance(parameter, float) else parameter


def _square_root(value: Fraction) -> float:
    """The root as a float, of a value that may itself be too small or too large for one."""
    shift = 128 + value.denominator.bit_length() - value.numerator.bit_length()
    shift += shift % 2
    scaled = value * Fraction(2) ** shift
    return math.ldexp(math.isqrt(math.floor(scaled)), -shift // 2)
