"""Trees with labels that are awkward to write, and trees as tuples."""

from __future__ import annotations

from hypothesis import strategies as st

from oracles import kernels as oracle
from treekernels.testing.strategies import trees

AWKWARD = [" ", "(", ")", "\\", "\\x28", "\\x5cx28", "\\x00", "\\x", "\n", "\r\n", "\x1c", "\u00a0"]
LABELS = st.sampled_from([*AWKWARD, "\u2028", "\ufeff", "é", "🌲", "-LRB-", "NP:1"]) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8
)
LABELLED_TREES = st.lists(LABELS, min_size=1, max_size=4).flatmap(lambda labels: trees(10, labels))


def depth(tree: oracle.Tree) -> int:
    return 1 + max(map(depth, tree[1:]), default=0)
