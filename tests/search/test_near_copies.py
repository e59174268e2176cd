"""Near-copies among pieces of files."""

from __future__ import annotations

import treekernels as tk
from treekernels.search.duplicates.near_copies import near_copies
from treekernels.search.duplicates.pieces import Piece, Pieces


def test_the_most_similar_pair_comes_first() -> None:
    trees = tk.Forest(["(A (B b) (C c))", "(A (B b) (C d))", "(A (B b) (C c))", "(X y)"])
    pieces = [Piece("a.txt", line, line) for line in range(1, 5)]
    (copies,) = near_copies(Pieces(trees, pieces), tk.SubsetTreeKernel(), 0.1)
    similarities = [pair.similarity for pair in copies.pairs]
    assert similarities == sorted(similarities, reverse=True)
    assert [(str(pair.first), str(pair.second)) for pair in copies.pairs[:1]] == [
        ("a.txt:1", "a.txt:3")
    ]
    assert similarities[0] > similarities[1]
