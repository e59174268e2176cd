"""Search among trees: the ones most like another, near-copies, and groups."""

from treekernels.search.approximate_search import ApproximateSearch
from treekernels.search.distance_index import DistanceIndex, DistancePair, Neighbor
from treekernels.search.index.results import Duplicates, Hits, Results
from treekernels.search.submissions.comparison import (
    CourseComparison,
    SubmissionPair,
    compare_submissions,
)
from treekernels.search.tree_index import TreeIndex
from treekernels.search.tree_neighbors import TreeNeighbors

__all__ = [
    "ApproximateSearch",
    "CourseComparison",
    "DistanceIndex",
    "DistancePair",
    "Duplicates",
    "Hits",
    "Neighbor",
    "Results",
    "SubmissionPair",
    "TreeIndex",
    "TreeNeighbors",
    "compare_submissions",
]
