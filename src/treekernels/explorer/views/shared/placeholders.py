"""Placeholders of sentence pairs: their colours, and the places of rewrite rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treekernels.data.pairs import Pair
from treekernels.data.tree import Tree
from treekernels.drawing.svg import Link, svg_of_several
from treekernels.explanation.matching import Positions

_LARGEST = 3_000  # nodes of a side in which rules are looked for


def split_label(label: str) -> tuple[str, str]:
    """Take a label apart into its name and its placeholder or variable, which may be none.

    >>> split_label("NP:1"), split_label("NP:X"), split_label("12:30pm"), split_label(":")
    (('NP', '1'), ('NP', 'X'), ('12:30pm', ''), (':', ''))
    """
    name, _, end = label.rpartition(":")
    is_variable = end[:1] in ("X", "Y", "Z") and (len(end) == 1 or end[1:].isdigit())
    if name and end.isascii() and (end.isdigit() or is_variable):
        return name, end
    return label, ""


def placeholder_groups(tree: Tree) -> dict[int, str]:
    """Return the positions of nodes with a placeholder, and which it is."""
    if tree.size > _LARGEST:
        return {}
    groups = {}
    for position, node in enumerate(tree.preorder()):
        name, end = split_label(node.label)
        if name != node.label and end.isdigit():
            groups[position] = f"placeholder {end}"
    return groups


def pair_picture(trees: Sequence[Tree], *, max_nodes: int) -> str:
    """Return a picture of both sides; a placeholder has one colour, and joins them."""
    first, second = (placeholder_groups(tree) for tree in trees)
    tops = [
        {group: position for position, group in reversed(side.items())} for side in (first, second)
    ]
    links = [
        Link(place, tops[1][group], group) for group, place in tops[0].items() if group in tops[1]
    ]
    return svg_of_several(
        trees,
        [first, second],
        max_nodes=max_nodes,
        links=links,
        stacked=True,
        title="A text and a hypothesis, with placeholders coloured",
    )


def rule_places(rule: Pair, pair: Pair) -> tuple[list[int], list[int]] | None:
    """Return the positions of a rewrite rule in the trees of a pair, where it is first found.

    Each variable stands for one placeholder, and no two for the same.

    Examples
    --------
    >>> import treekernels as tk
    >>> rule = tk.Pairs(["(VP V NP:X)"], ["(S NP:X VP)"])[0]
    >>> pair = tk.Pairs(["(S (NP a) (VP (V b) (NP:3 c)))"], ["(S (NP:3 c) (VP d))"])[0]
    >>> rule_places(rule, pair)
    ([3, 4, 6], [0, 1, 3])
    """
    if max(side.size for side in pair) > _LARGEST:
        return None
    left, right = Positions(rule.text), Positions(rule.hypothesis)
    text, hypothesis = Positions(pair.text), Positions(pair.hypothesis)
    for first, bound in _matches(left, text, {}):
        for second, _ in _matches(right, hypothesis, bound):
            return first, second
    return None


def _matches(
    small: Positions, large: Positions, bound: dict[str, str]
) -> Iterator[tuple[list[int], dict[str, str]]]:
    """Yield where a side of a rule is, and what its variables stand for there."""
    for start, children in enumerate(large.children):
        if not children:
            continue
        values = dict(bound)
        at = {0: start}
        for node, label in enumerate(small.labels):
            place = at[node]
            if not _fits(label, large.labels[place], values):
                break
            wanted = small.children[node]
            if wanted:
                if len(wanted) != len(large.children[place]):
                    break
                at.update(zip(wanted, large.children[place], strict=True))
        else:
            yield [at[node] for node in range(len(small.labels))], values


def _fits(label: str, in_tree: str, values: dict[str, str]) -> bool:
    """Whether a label of a rule fits one in a tree, given what variables stand for."""
    (name, variable), (tree_name, placeholder) = split_label(label), split_label(in_tree)
    if variable and not variable.isdigit():
        if name != tree_name or not placeholder.isdigit():
            return False
        if variable in values:
            return values[variable] == placeholder
        if placeholder in values.values():
            return False
        values[variable] = placeholder
        return True
    return label == in_tree
