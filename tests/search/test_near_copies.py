"""Groups of near-copies, and values that depend on two trees alone."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from treekernels.search.duplicates.groups import linked_groups
from treekernels.search.duplicates.known import Baseline
from treekernels.search.duplicates.near_copies import AllCopies, fingerprints_of, near_copies
from treekernels.search.duplicates.pieces import Piece, Pieces
from treekernels.search.duplicates.similar_trees import SimilarTrees
from treekernels.testing.strategies import trees

PAIRS = st.dictionaries(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda p: p[0] < p[1]),
    st.sampled_from([0.8, 0.9, 1.0]),
    max_size=25,
)


def obvious_groups(pairs: dict[tuple[int, int], float]) -> list[list[int]]:
    """Join the groups of each pair, the most similar first, if all their members are alike."""
    groups = [{item} for item in sorted({item for pair in pairs for item in pair})]
    order = sorted(pairs, key=lambda pair: (-pairs[pair], pair))
    for pair in order:
        one, other = (next(g for g in groups if item in g) for item in pair)
        if one is not other and all(tuple(sorted((a, b))) in pairs for a in one for b in other):
            groups.remove(other)
            one |= other
    large = [group for group in groups if len(group) > 1]
    for pair in order:
        if any(all(item not in group for group in large) for item in pair):
            large.append(set(pair))
    return sorted(sorted(group) for group in large)


@given(PAIRS)
def test_groups(pairs: dict[tuple[int, int], float]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    groups = linked_groups(first, second, list(pairs.values()))
    assert groups == obvious_groups(pairs)
    assert {item for group in groups for item in group} == {*first, *second}
    assert all(pair in pairs for group in groups for pair in combinations(group, 2))


@given(st.lists(trees(), min_size=1, max_size=8), st.randoms())
def test_values_do_not_depend_on_other_trees(forest: list[object], random: object) -> None:
    """Whatever else is in the index, and in whatever order, each value has the same bits."""
    kernel = tk.SubsetTreeKernel(decay=0.3)
    all_trees = tk.Forest.from_trees(forest)
    places = np.unique(all_trees.roots, return_index=True)[1]
    distinct = all_trees[np.sort(places)]
    whole = SimilarTrees.of(distinct, kernel, 0.1)
    some = np.array([place for place in range(len(distinct)) if random.random() < 0.7], int)  # type: ignore[attr-defined]
    again = tk.Forest(distinct[some].to_brackets())
    part = SimilarTrees.of(again, kernel, 0.1)
    expected = {
        (a, b): value for a, b, value in zip(*whole, strict=True) if a in some and b in some
    }
    found = {(some[a], some[b]): value for a, b, value in zip(*part, strict=True)}
    assert found == expected


def pieces_of(*texts: str, files: list[str] | None = None, lines: int = 10) -> Pieces:
    names = files or [f"{place}.py" for place in range(len(texts))]
    return Pieces(tk.Forest(list(texts)), [Piece(name, 1, lines, f"f{name}") for name in names])


BASE = "(F (A a) (B b) (C c) (D d) (E e) (G g))"
NEAR = BASE.replace("a)", "x)")
OTHER = BASE.replace("g)", "y)")


def copies_of(pieces: Pieces, threshold: float = 0.7) -> AllCopies:
    return near_copies(pieces, tk.SubsetTreeKernel(decay=0.1), threshold)


def test_chains_are_no_groups() -> None:
    """The ends of a chain are less alike than the threshold."""
    found = copies_of(pieces_of(NEAR, BASE, OTHER), 0.8)
    assert [[piece.file for piece in group.pieces] for group in found.groups] == [
        ["0.py", "1.py"],
        ["1.py", "2.py"],
    ]


def test_pieces_within_pieces() -> None:
    """Parts of copies are no copies of their own, and a piece is no copy of what it lies in."""
    outer, inner = f"(O {BASE} (Z z))", BASE
    pieces = Pieces(
        tk.Forest([outer, inner, outer, inner]),
        [
            Piece("a.py", 1, 20, "o"),
            Piece("a.py", 5, 15, "i"),
            Piece("b.py", 1, 20, "o"),
            Piece("b.py", 5, 15, "i"),
        ],
    )
    (group,) = copies_of(pieces, 0.99).groups
    assert [piece.name for piece in group.pieces] == ["o", "o"]
    assert copies_of(Pieces(pieces.trees[[0, 1]], pieces.pieces[:2]), 0.3).groups == []


def known_to(pieces: Pieces) -> Baseline:
    return Baseline.of(pieces.pieces, fingerprints_of(pieces.trees), {})


def test_what_is_known_stays_known() -> None:
    baseline = known_to(pieces_of(BASE, NEAR))
    assert baseline.without_known(copies_of(pieces_of(BASE, NEAR))) == []
    moved = copies_of(pieces_of(NEAR, BASE, files=["moved.py", "0.py"], lines=12))
    assert baseline.without_known(moved) == []


def test_a_third_copy_is_new() -> None:
    baseline = known_to(pieces_of(BASE, BASE))
    for text in (BASE, NEAR):
        (group,) = baseline.without_known(copies_of(pieces_of(BASE, BASE, text)))
        assert {piece.file for piece in group.new or ()} == {"2.py"}
    edited = baseline.without_known(copies_of(pieces_of(BASE, NEAR)))
    assert {piece.file for piece in edited[0].new or ()} == {"1.py"}


def test_old_code_is_known_whatever_it_is_compared_by() -> None:
    """A pair rises above a threshold when weights change; neither of its pieces is new."""
    pieces = pieces_of(BASE, OTHER, NEAR)
    baseline = known_to(pieces)
    for threshold in (0.99, 0.8, 0.1):
        assert baseline.without_known(copies_of(pieces, threshold)) == []


def test_the_most_similar_pair_comes_first() -> None:
    trees = tk.Forest(["(A (B b) (C c))", "(A (B b) (C d))", "(A (B b) (C c))", "(X y)"])
    pieces = [Piece("a.txt", line, line) for line in range(1, 5)]
    found = near_copies(Pieces(trees, pieces), tk.SubsetTreeKernel(), 0.1)
    (copies,) = found.groups
    similarities = [pair.similarity for pair in copies.pairs]
    assert similarities == sorted(similarities, reverse=True)
    assert [(str(pair.first), str(pair.second)) for pair in copies.pairs[:1]] == [
        ("a.txt:1", "a.txt:3")
    ]
    assert similarities[0] > similarities[1]


def test_results_are_tables_in_a_notebook() -> None:
    index = tk.TreeIndex(tk.SubsetTreeKernel())
    index.add([BASE, NEAR, BASE], ids=["<b>one</b>", "two", "three"])
    pairs = index.duplicates(0.1)._repr_html_()
    assert pairs.index("three") < pairs.index("two")  # the most similar first
    assert "&lt;b&gt;one" in pairs
    hits = index.search([BASE], k=3)[0]._repr_html_()
    assert hits.count("<tr>") == 4
