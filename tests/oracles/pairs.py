"""The tripartite kernel by enumeration: slow, obvious, to test the fast one against.

A sentence pair is a tuple of two trees, each a nested tuple as in `oracle`, whose labels may end in
a placeholder: ``"NP:1"``. `kernel` lists all pairs of fragments and compares them by name after
renaming; that is the definition. `inclusion_exclusion` follows the formula of the paper with C
found by trying everything, and `maximum` tries all correspondences. Exact for `int` and `Fraction`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from typing import TypeAlias

from oracles.kernels import Number, Tree, nodes, subset_features

SentencePair: TypeAlias = tuple[Tree, Tree]
Rule: TypeAlias = tuple[Tree, Tree]
Constraint: TypeAlias = frozenset[tuple[str, str]]


def split(label: str) -> tuple[str, str | None]:
    """Take a label apart into name and placeholder.

    >>> split("NP:1"), split("NP"), split(":"), split(":1")
    (('NP', '1'), ('NP', None), (':', None), (':1', None))
    """
    name, _, number = label.rpartition(":")
    return (name, number) if name and number.isdecimal() else (label, None)


def fragments(tree: Tree, rooted: bool = False) -> Counter[Tree]:
    """Return all subset trees and how often each occurs; `rooted` ones only, if asked."""
    result = subset_features(tree)
    if rooted:  # what the root adds to its children
        below: Counter[Tree] = Counter()
        for child in tree[1:]:
            below.update(fragments(child))
        return fragments(tree) - below
    return Counter({fragment: int(weight.side) for fragment, weight in result.items()})


def renamed(rule: Rule) -> Rule:
    """Number the placeholders of a rule by first appearance.

    >>> renamed((("S", ("NP:7",), ("VP:3",)), ("S", ("NP:3",))))
    (('S', ('NP:0',), ('VP:1',)), ('S', ('NP:1',)))
    """
    numbers: dict[str, int] = {}

    def rename(tree: Tree) -> Tree:
        name, placeholder = split(tree[0])
        if placeholder is not None:
            name = f"{name}:{numbers.setdefault(placeholder, len(numbers))}"
        return (name, *(rename(child) for child in tree[1:]))

    return rename(rule[0]), rename(rule[1])


def productions(tree: Tree) -> int:
    """Count the nodes with children."""
    return sum(len(node) > 1 for node in nodes(tree))


def rules(pair: SentencePair, rooted: bool = False) -> Counter[Rule]:
    """Return all rewrite rules of a pair, renamed, and how often each occurs."""
    result: Counter[Rule] = Counter()
    texts, hypotheses = (fragments(tree, rooted) for tree in pair)
    for text, times in texts.items():
        for hypothesis, more in hypotheses.items():
            result[renamed((text, hypothesis))] += times * more
    return result


def kernel(a: SentencePair, b: SentencePair, decay: Number = 1, *, rooted: bool = False) -> Number:
    """Sum over common rules: occurrences * occurrences * decay ** productions."""
    mine, theirs = rules(a, rooted), rules(b, rooted)
    return sum(
        times * theirs[rule] * decay ** (productions(rule[0]) + productions(rule[1]))
        for rule, times in mine.items()
        if rule in theirs
    )


def induced(a: Tree, b: Tree) -> Constraint | None:
    """Return the pairs of placeholders that make two fragments equal; None if nothing does."""
    if len(a) != len(b):
        return None
    (name, left), (other, right) = split(a[0]), split(b[0])
    if name != other or (left is None) != (right is None):
        return None
    result = set() if left is None or right is None else {(left, right)}
    for x, y in zip(a[1:], b[1:], strict=True):
        below = induced(x, y)
        if below is None:
            return None
        result |= below
    return frozenset(result) if is_one_to_one(result) else None


def is_one_to_one(pairs: set[tuple[str, str]] | Constraint) -> bool:
    """Whether no placeholder has two partners."""
    return len({x for x, _ in pairs}) == len(pairs) == len({y for _, y in pairs})


def common(a: Tree, b: Tree, decay: Number) -> dict[Constraint, Number]:
    """Return the weight of common fragments of two trees by the constraint that they induce."""
    by_shape: dict[Tree, list[tuple[Tree, int]]] = {}
    for fragment, times in fragments(b).items():
        by_shape.setdefault(shape(fragment), []).append((fragment, times))
    result: dict[Constraint, Number] = {}
    for x, times in fragments(a).items():
        for y, more in by_shape.get(shape(x), ()):
            c = induced(x, y)
            if c is not None:
                result[c] = result.get(c, 0) + times * more * decay ** productions(x)
    return result


def shape(tree: Tree) -> Tree:
    """Return a tree in which all placeholders look the same."""
    name, placeholder = split(tree[0])
    return (name if placeholder is None else f"{name}:", *(shape(child) for child in tree[1:]))


def agreeing(a: SentencePair, b: SentencePair, decay: Number = 1) -> Number:
    """K as the sum over constraints of texts and hypotheses that do not contradict each other."""
    texts, hypotheses = (common(x, y, decay) for x, y in zip(a, b, strict=True))
    return sum(
        weight * other
        for c, weight in texts.items()
        for d, other in hypotheses.items()
        if is_one_to_one(c | d)
    )


def restricted(a: Tree, b: Tree, c: Constraint, decay: Number) -> Number:
    """K_S: the subset-tree kernel where placeholders match only if their pair is in c."""
    return sum(weight for induced, weight in common(a, b, decay).items() if induced <= c)


def alternatives(a: SentencePair, b: SentencePair) -> set[Constraint]:
    """C: the largest constraints that a common rule induces."""
    texts, hypotheses = (common(x, y, 1) for x, y in zip(a, b, strict=True))
    result = {c | d for c in texts for d in hypotheses if is_one_to_one(c | d)}
    return {c for c in result if not any(c < other for other in result)}


def multiplicities(alternatives: set[Constraint]) -> dict[Constraint, int]:
    """N(c) for C*: the alternatives, all their intersections, and the empty constraint."""
    closed = {*alternatives, frozenset()}
    while not closed >= (more := {c & d for c in closed for d in closed}):
        closed |= more
    counts: dict[Constraint, int] = {}
    for c in sorted(closed, key=len, reverse=True):
        counts[c] = 1 - sum(n for other, n in counts.items() if c < other)
    return counts


def inclusion_exclusion(a: SentencePair, b: SentencePair, decay: Number = 1) -> Number:
    """K by the formula of the paper."""
    return sum(
        n * restricted(a[0], b[0], c, decay) * restricted(a[1], b[1], c, decay)
        for c, n in multiplicities(alternatives(a, b)).items()
    )


def maximum(a: SentencePair, b: SentencePair, decay: Number = 1) -> Number:
    """K_max: the best of all one-to-one correspondences of placeholders."""
    return max(
        restricted(a[0], b[0], c, decay) * restricted(a[1], b[1], c, decay)
        for c in correspondences(placeholders(a), placeholders(b))
    )


def placeholders(pair: SentencePair) -> list[str]:
    """Return the placeholders of a pair, each once."""
    result = [split(node[0])[1] for tree in pair for node in nodes(tree)]
    return sorted({placeholder for placeholder in result if placeholder is not None})


def correspondences(left: list[str], right: list[str]) -> Iterator[Constraint]:
    """Return all ways to assign each of the fewer placeholders one of the others."""
    if len(left) > len(right):
        for c in correspondences(right, left):
            yield frozenset((x, y) for y, x in c)
    else:
        for chosen in permutations(right, len(left)):
            yield frozenset(zip(left, chosen, strict=True))
