"""Tree surgery against obvious, slow versions on nested tuples, and on trees of any size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from bombs import doubled
from helpers import nested_of, tree_of, up_to_a_million
from treekernels import structures
from treekernels.testing.strategies import forests, trees

Nested = tuple[Any, ...]
EMPTY = ("-EMPTY-",)
PENN = ("S", "NP-SBJ-1", "NP=2", "-NONE-", "ADVP|PRT", "-LRB-", "x-y", "*-1")


def numbered(nested: Nested) -> Iterator[Nested]:
    """Return the nodes, parents before children."""
    yield nested
    for child in nested[1:]:
        yield from numbered(child)


def same_on_all(
    forest: list[Nested], change: Callable[..., Any], slow: Callable[[Nested], Nested]
) -> None:
    """Check a change of trees one by one, and of the forest of all of them."""
    expected = [slow(nested) for nested in forest]
    assert [nested_of(change(tree_of(nested))) for nested in forest] == expected
    whole = tk.Forest.from_trees(forest)
    before = whole.to_brackets()
    assert [nested_of(tree) for tree in change(whole)] == expected
    assert whole.to_brackets() == before


# Labels


@given(forests())
def test_map_labels(forest: list[Nested]) -> None:
    def slow(tree: Nested, leaves: bool, inner: bool) -> Nested:
        wanted = inner if tree[1:] else leaves
        label = tree[0] * 2 if wanted else tree[0]
        return (label, *(slow(child, leaves, inner) for child in tree[1:]))

    same_on_all(
        forest,
        lambda t: structures.map_labels(t, lambda label: label * 2),
        lambda t: slow(t, False, True),
    )
    same_on_all(
        forest,
        lambda t: structures.map_leaves(t, {"A": "AA", "B": "BB", "x": "xx", "?": ""}),
        lambda t: slow(t, True, False),
    )
    same_on_all(
        forest,
        lambda t: structures.map_labels(t, lambda label: label * 2, on="all"),
        lambda t: slow(t, True, True),
    )


@pytest.mark.parametrize("bad", ["", "a\0", 3, None, "\ud800"])
def test_bad_labels(bad: Any) -> None:
    with pytest.raises(ValueError, match="the label 'b' cannot become"):
        structures.map_leaves(tree_of(("A", "b")), lambda label: bad)


# Dropping and splicing


def dropped(tree: Nested, labels: set[str], emptied: bool) -> list[Nested]:
    if tree[0] in labels:
        return []
    below = [part for child in tree[1:] for part in dropped(child, labels, emptied)]
    return [] if tree[1:] and not below and emptied else [(tree[0], *below)]


@given(forests(), st.sets(st.sampled_from("ABx")), st.booleans())
def test_prune_labels(forest: list[Nested], labels: set[str], emptied: bool) -> None:
    same_on_all(
        forest,
        lambda t: structures.prune_labels(t, labels, drop_emptied=emptied),
        lambda t: next(iter(dropped(t, labels, emptied)), EMPTY),
    )


def spliced(tree: Nested, labels: set[str]) -> list[Nested]:
    below = [part for child in tree[1:] for part in spliced(child, labels)]
    return below if tree[1:] and tree[0] in labels else [(tree[0], *below)]


@given(forests(), st.sets(st.sampled_from("ABx")))
def test_splice_labels(forest: list[Nested], labels: set[str]) -> None:
    def slow(tree: Nested) -> Nested:
        parts = spliced(tree, labels)
        return parts[0] if len(parts) == 1 else (tree[0], *parts)

    same_on_all(forest, lambda t: structures.splice_labels(t, labels), slow)


def test_ways_to_name_labels() -> None:
    tree = tree_of(("A", ("B", "x"), ("C", "B")))
    assert structures.prune_labels(tree, "B").to_brackets() == "(-EMPTY-)"
    assert structures.prune_labels(tree, ["B"], on="inner").to_brackets() == "(A (C B))"
    assert structures.prune_labels(tree, lambda label: label == "B", on="leaves") == tree_of(
        ("A", ("B", "x"))
    )
    with pytest.raises(ValueError, match="may be 'all', 'inner' or 'leaves'"):
        structures.prune_labels(tree, "B", on="words")  # type: ignore[arg-type]


# Depth


def cut(tree: Nested, depth: int) -> Nested:
    return (tree[0], *(cut(child, depth - 1) for child in tree[1:] if depth > 1))


@given(forests(), st.integers(1, 13))
def test_prune_depth(forest: list[Nested], depth: int) -> None:
    same_on_all(forest, lambda t: structures.prune_depth(t, depth), lambda t: cut(t, depth))


def test_wrong_depth() -> None:
    with pytest.raises(ValueError, match="depth is 0"):
        structures.prune_depth(tree_of(("A", "b")), 0)
    assert structures.prune_depth(tree_of(("A", "b")), 10**30) == tree_of(("A", "b"))


# Penn Treebank


@given(forests(labels=PENN))
def test_function_tags(forest: list[Nested]) -> None:
    plain = {"NP-SBJ-1": "NP", "NP=2": "NP", "ADVP|PRT": "ADVP", "x-y": "x", "*-1": "*"}

    def slow(tree: Nested) -> Nested:
        label = plain.get(tree[0], tree[0]) if tree[1:] else tree[0]
        return (label, *map(slow, tree[1:]))

    same_on_all(forest, structures.strip_function_tags, slow)


@given(forests(labels=PENN))
def test_traces(forest: list[Nested]) -> None:
    def slow(tree: Nested) -> list[Nested]:
        if not tree[1:]:
            return [tree]
        below = [part for child in tree[1:] for part in slow(child)]
        return [] if tree[0] == "-NONE-" or not below else [(tree[0], *below)]

    same_on_all(forest, structures.strip_traces, lambda t: next(iter(slow(t)), EMPTY))


# Binary trees


def binarized(tree: Nested, right: bool, horizontal: int | None) -> Nested:
    label, *below = tree
    children = [binarized(child, right, horizontal) for child in below]

    def chain(first: int, last: int) -> Nested:
        """Return one node for some of the children."""
        if last - first == 1:
            return children[first]
        names = [child[0] for child in below[first:last]]
        if horizontal is not None:
            names = names[:horizontal] if right else names[max(0, len(names) - horizontal) :]
        between = f"{label}|<{'-'.join(names)}>"
        if right:
            return (between, children[first], chain(first + 1, last))
        return (between, chain(first, last - 1), children[last - 1])

    if len(children) < 3:
        return (label, *children)
    if right:
        return (label, children[0], chain(1, len(children)))
    return (label, chain(0, len(children) - 1), children[-1])


@given(forests(), st.sampled_from(["left", "right"]), st.none() | st.integers(0, 4))
def test_binarize(forest: list[Nested], direction: Any, horizontal: int | None) -> None:
    def change(t: Any) -> Any:
        return structures.binarize(t, direction, horizontal)

    same_on_all(forest, change, lambda t: binarized(t, direction == "right", horizontal))
    same_on_all(forest, lambda t: structures.unbinarize(change(t)), lambda t: t)


def test_binarized_labels_name_the_nearest_children() -> None:
    """Few random trees have a node with so many children of so many labels."""
    wide = tree_of(("A", *"abcde"))
    left, right = (structures.binarize(wide, way, 2) for way in ("left", "right"))  # type: ignore[arg-type]
    assert left.to_brackets() == "(A (A|<c-d> (A|<b-c> (A|<a-b> a b) c) d) e)"
    assert right.to_brackets() == "(A a (A|<b-c> b (A|<c-d> c (A|<d-e> d e))))"
    for direction in ("left", "right"):
        for horizontal in (None, 0, 1, 2, 3, 4, 5):
            made = structures.binarize(wide, direction, horizontal)  # type: ignore[arg-type]
            expected = binarized(("A", *((x,) for x in "abcde")), direction == "right", horizontal)
            assert nested_of(made) == expected


@given(trees(), st.sampled_from(["left", "right"]), st.integers(1, 4))
def test_binarize_as_nltk_does(nested: Nested, direction: Any, horizontal: int) -> None:
    nltk = pytest.importorskip("nltk")

    def words_apart(tree: Nested) -> Nested:  # NLTK cannot binarise nodes with several words
        return (tree[0], *map(words_apart, tree[1:])) if tree[1:] else ("TAG", tree)

    tree = tree_of(words_apart(nested))
    other = nltk.Tree.fromstring(tree.to_brackets())
    other.chomsky_normal_form(factor=direction, horzMarkov=horizontal)
    assert structures.binarize(tree, direction, horizontal) == tk.Forest([other])[0]


def test_binarize_refuses_what_it_could_not_undo() -> None:
    with pytest.raises(ValueError, match=r"'A\|<B>' looks like"):
        structures.binarize(tree_of(("A|<B>", "x")))
    word = tree_of(("A", "a|<b>", "c", "d"))
    assert structures.unbinarize(structures.binarize(word)) == word
    with pytest.raises(ValueError, match="direction is 'up'"):
        structures.binarize(word, "up")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="horizontal is -1"):
        structures.binarize(word, horizontal=-1)


# Heads


@given(forests(), st.sampled_from(["word", "tag"]))
def test_lexicalize(forest: list[Nested], by: Any) -> None:
    def head(label: str, children: Any) -> int:
        return (len(label) + len(children) + children.count("A")) % len(children)

    def slow(tree: Nested) -> tuple[Nested, str, str]:
        """Return the new tree, its head word, and the tag of that."""
        if not tree[1:]:
            return tree, tree[0], tree[0]
        below = [slow(child) for child in tree[1:]]
        place = head(tree[0], [child[0] for child in tree[1:]])
        _, word, tag = below[place]
        if not tree[1 + place][1:]:
            tag = tree[0]
        preterminal = all(not child[1:] for child in tree[1:])
        label = tree[0] if preterminal else f"{tree[0]}/{word if by == 'word' else tag}"
        return (label, *(new for new, _, _ in below)), word, tag

    def change(t: Any) -> Any:
        return structures.lexicalize(t, head, by=by, separator="/")

    same_on_all(forest, change, lambda t: slow(t)[0])


def test_wrong_heads() -> None:
    tree = tree_of(("A", ("B", "b"), ("C", "c")))
    with pytest.raises(ValueError, match=r"child 5 of A -> B C, which has the children 0 to 1"):
        structures.lexicalize(tree, lambda label, children: 5 if label == "A" else 0)
    with pytest.raises(ValueError, match="by is 'x'"):
        structures.lexicalize(tree, by="x")  # type: ignore[arg-type]


# Outlines


@given(trees())
def test_outline(nested: Nested) -> None:
    tree = tree_of(nested)
    outline = structures.Outline(tree)
    nodes = list(numbered(nested))
    assert len(outline) == len(nodes)
    assert outline.labels == [node[0] for node in nodes]
    words = [number for number, node in enumerate(nodes) if not node[1:]]
    assert outline.leaves.tolist() == words
    inner = [n for n, node in enumerate(nodes) if node[1:] and not any(c[1:] for c in node[1:])]
    assert outline.preterminals.tolist() == inner
    for number, node in enumerate(nodes):
        stop = number + len(list(numbered(node)))
        assert outline.stops[number] == stop
        below = [place for place, word in enumerate(words) if number <= word < stop]
        assert (outline.begins[number], outline.ends[number]) == (below[0], below[-1] + 1)
        assert [nodes[child] for child in outline.children(number)] == list(node[1:])
        assert all(outline.parents[child] == number for child in outline.children(number))
        assert outline.at(outline.position(number)) == number
        span = (below[0], below[-1] + 1)
        same = [n for n in range(len(nodes)) if (outline.begins[n], outline.ends[n]) == span]
        assert outline.node(span) == same[0]
        assert outline.node(span, highest=False) == same[-1]
        assert outline.nodes(span) == [same[0]]
    assert outline.parents[0] == -1


def test_spans_of_several_constituents() -> None:
    tree = tk.Forest(["(S (NP (D a) (N b)) (VP (V c) (NP (N d))))"])[0]
    outline = structures.Outline(tree)
    assert [outline.labels[node] for node in outline.nodes((1, 4))] == ["N", "VP"]
    with pytest.raises(ValueError, match="no node has exactly the words 1 to 2"):
        outline.node((1, 3))
    for wrong in ((0, 0), (-1, 2), (2, 1), (0, 5)):
        with pytest.raises(ValueError, match="the tree has 4"):
            outline.node(wrong)
    with pytest.raises(TypeError, match="a Tree was expected, not str"):
        structures.Outline("(A b)")  # type: ignore[arg-type]


# Parts around nodes


def enclosed(nested: Nested, chosen: set[int], keep: str) -> Nested:
    """Try every node as the ancestor, and decide of every node below whether it is kept."""
    outline = structures.Outline(tree_of(nested))
    subtree = [set(range(n, outline.stops[n])) for n in range(len(outline))]
    top = max(number for number in range(len(outline)) if chosen <= subtree[number])
    whole = set().union(*(subtree[node] for node in chosen))
    begin = min(outline.begins[node] for node in chosen)
    end = max(outline.ends[node] for node in chosen)

    def kept(number: int) -> bool:
        if keep == "paths":
            return number in whole or bool(subtree[number] & chosen)
        words = range(outline.begins[number], outline.ends[number])
        return keep == "all" or any(begin <= word < end for word in words)

    def build(number: int) -> Nested:
        return (outline.labels[number], *map(build, filter(kept, outline.children(number))))

    return build(top)


@st.composite
def choices(draw: st.DrawFn) -> tuple[Nested, set[int]]:
    nested = draw(trees())
    numbers = st.integers(0, len(list(numbered(nested))) - 1)
    return nested, draw(st.sets(numbers, min_size=1, max_size=4))


@given(st.lists(choices(), max_size=5), st.sampled_from(["paths", "between", "all"]))
def test_enclosing(chosen: list[tuple[Nested, set[int]]], keep: Any) -> None:
    expected = [enclosed(nested, nodes, keep) for nested, nodes in chosen]
    forest = tk.Forest.from_trees([nested for nested, _ in chosen])
    nodes = [sorted(nodes, reverse=True) for _, nodes in chosen]
    assert [nested_of(t) for t in structures.enclosing(forest, nodes, keep=keep)] == expected
    one_by_one = [
        structures.enclosing(tree, list(numbers), keep=keep)
        for tree, numbers in zip(forest, nodes, strict=True)
    ]
    assert [nested_of(tree) for tree in one_by_one] == expected
    order = [place for place in range(len(chosen)) for _ in range(2)]
    twice = structures.enclosing(forest, [nodes[place] for place in order], of=order, keep=keep)
    assert [nested_of(tree) for tree in twice] == [expected[place] for place in order]


@given(trees(), st.data(), st.sampled_from(["paths", "between", "all"]))
def test_enclosing_spans(nested: Nested, data: st.DataObject, keep: Any) -> None:
    tree = tree_of(nested)
    leaves = structures.Outline(tree).leaves
    ends = st.integers(1, len(leaves))
    span = ends.flatmap(lambda end: st.tuples(st.integers(0, end - 1), st.just(end)))
    spans = data.draw(st.lists(span, min_size=1, max_size=3))
    words = {int(leaves[word]) for begin, end in spans for word in range(begin, end)}
    got = structures.enclosing(tree, spans=spans, keep=keep)
    assert nested_of(got) == enclosed(nested, words, keep)
    assert structures.enclosing(tk.Forest([tree]), spans=[spans], keep=keep)[0] == got


@given(st.lists(choices(), max_size=5))
def test_mark(chosen: list[tuple[Nested, set[int]]]) -> None:
    def slow(tree: Nested, nodes: set[int], numbers: Iterator[int]) -> Nested:
        suffix = "-B" if next(numbers) in nodes else ""
        return (tree[0] + suffix, *(slow(child, nodes, numbers) for child in tree[1:]))

    expected = [slow(nested, nodes, iter(range(100))) for nested, nodes in chosen]
    forest = tk.Forest.from_trees([nested for nested, _ in chosen])
    got = structures.mark(forest, [list(nodes) for _, nodes in chosen])
    assert [nested_of(tree) for tree in got] == expected
    assert structures.mark(forest, [[]] * len(forest)) == forest


def test_named_structures() -> None:
    text = "(S (NP (N Mary)) (VP (V sold) (NP (D a) (N car)) (ADVP (R today))))"
    forest = tk.Forest([text, text])
    paf = structures.predicate_argument_tree(forest, [5, 5], [7, 1])
    assert paf[0].to_brackets() == "(VP (V sold) (NP (D a) (N car)))"
    assert paf[1].to_brackets() == "(S (NP (N Mary)) (VP (V sold)))"
    pet = structures.path_enclosed_tree(forest, [(0, 1), (1, 2)], [(2, 3), (3, 4)])
    assert pet.to_brackets() == [
        "(S (NP (N Mary)) (VP (V sold) (NP (D a))))",
        "(VP (V sold) (NP (D a) (N car)))",
    ]
    marked = structures.mark(forest, np.array([7, 1]), suffix="-ARG")
    paf = structures.predicate_argument_tree(marked, [5, 5], [7, 1])
    assert paf[1].to_brackets() == "(S (NP-ARG (N Mary)) (VP (V sold)))"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t, f: structures.enclosing(t), "either nodes or spans"),
        (lambda t, f: structures.enclosing(t, [0], spans=[(0, 1)]), "either nodes or spans"),
        (lambda t, f: structures.enclosing(t, [9]), "there is no node 9 in a tree of 5"),
        (lambda t, f: structures.enclosing(t, [-1]), "numbers from 0"),
        (lambda t, f: structures.enclosing(t, [0.5]), "numbers from 0"),
        (lambda t, f: structures.enclosing(t, [2**40]), "there is no node"),
        (lambda t, f: structures.enclosing(t, []), "choice 0 has no nodes"),
        (lambda t, f: structures.enclosing(t, spans=[(1, 1)]), r"\(1, 1\) is not a span"),
        (lambda t, f: structures.enclosing(t, spans=[(1, 9)]), "no word 2 in a tree of 2"),
        (lambda t, f: structures.enclosing(t, [0], keep="x"), "keep is 'x'"),
        (lambda t, f: structures.enclosing(t, [0], of=[0]), "for a forest"),
        (lambda t, f: structures.enclosing(f, [[0]]), "2 trees, but nodes of 1"),
        (lambda t, f: structures.enclosing(f, [[0]], of=[2]), "places of trees from 0 to 1"),
        (lambda t, f: structures.enclosing(f, [[0]], of=[0, 1]), "of names 2 trees"),
        (lambda t, f: structures.mark(t, 9), "there is no node 9"),
        (lambda t, f: structures.mark("(A b)", 0), "a Tree or a Forest was expected, not str"),
        (lambda t, f: structures.strip_traces(["(A b)"]), r"treekernels.Forest\(trees\)"),
    ],
)
def test_wrong_choices(call: Callable[..., Any], message: str) -> None:
    forest = tk.Forest(["(A (B b) (C c))", "(A b)"])
    with pytest.raises((ValueError, TypeError), match=message):
        call(forest[0], forest)


# Sizes


def chain(length: int, label: str = "A") -> tk.Tree:
    return tk.Forest([f"({label}" * (length - 1) + " x" + ")" * (length - 1)])[0]


@up_to_a_million
def test_a_million_deep(count: int) -> None:
    deep = chain(count)
    assert (deep.depth, deep.size) == (count, count)
    assert structures.map_labels(deep, str.lower).depth == count
    assert structures.splice_labels(deep, "A").to_brackets() == "(x)"
    assert structures.prune_labels(deep, "x").to_brackets() == "(-EMPTY-)"
    assert structures.prune_depth(deep, count // 2).depth == count // 2
    assert structures.binarize(deep) == structures.unbinarize(deep) == deep
    assert structures.lexicalize(deep, lambda label, children: 0).children[0].label == "A-x"
    outline = structures.Outline(deep)
    assert outline.node((0, 1), highest=False) == count - 1
    assert structures.enclosing(deep, [10, count - 1]).depth == count - 10
    assert structures.mark(deep, count - 1).leaves() == ["x-B"]


@up_to_a_million
def test_a_million_children(count: int) -> None:
    wide = tree_of(("A", *["x", "y"] * (count // 2)))
    for direction in ("left", "right"):
        binary = structures.binarize(wide, direction)  # type: ignore[arg-type]
        assert binary.depth == count
        assert structures.unbinarize(binary) == wide
    assert structures.prune_labels(wide, "x").size == count // 2 + 1
    assert structures.enclosing(wide, spans=[(3, 4), (5, 6)], keep="between").size == 4
    assert structures.mark(wide, 7).children[6].label == "x-B"


def test_a_tree_too_large_to_number() -> None:
    tree = doubled(40, "A")[0]
    assert tree.size > 2**40
    with pytest.raises(MemoryError, match="too many nodes to be numbered"):
        structures.Outline(tree)
    with pytest.raises(MemoryError, match="too many nodes to be numbered"):
        structures.enclosing(tree, [0])
    assert structures.map_labels(tree, {"A": "B"}).size == tree.size
    with pytest.raises(MemoryError, match="more children than fit"):
        structures.splice_labels(tree, "A")
