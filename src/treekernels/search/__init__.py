"""Search among trees: the ones most like another, near-copies, and groups."""

from treekernels.search.approximate import ApproximateSearch
from treekernels.search.neighbors import TreeNeighbors
from treekernels.search.results import Duplicates, Hits, Results
from treekernels.search.tree_index import TreeIndex

__all__ = ["ApproximateSearch", "Duplicates", "Hits", "Results", "TreeIndex", "TreeNeighbors"]
