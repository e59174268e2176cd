"""Random sentence pairs for hypothesis: trees of which some nodes carry placeholders."""

from __future__ import annotations

from hypothesis import strategies as st

from oracles import kernels as oracle
from oracles.pairs import SentencePair
from treekernels.testing.strategies import LABELS, trees


@st.composite
def sentence_pairs(draw: st.DrawFn, max_nodes: int = 7) -> SentencePair:
    """Pairs of trees in which some nodes of either carry one of three placeholders."""
    numbers = st.sampled_from([None, 1, 2, 3])

    def anchored(tree: oracle.Tree) -> oracle.Tree:
        number = draw(numbers)
        label = tree[0] if number is None else f"{tree[0]}:{number}"
        return (label, *(anchored(child) for child in tree[1:]))

    return anchored(draw(trees(max_nodes, LABELS))), anchored(draw(trees(max_nodes, LABELS)))
