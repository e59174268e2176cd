"""Search among trees: the ones most like another, near-copies, and groups."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

# Imported when they are first used: an index alone starts without scikit-learn.
_MODULES = {
    "ApproximateSearch": "approximate_search",
    **dict.fromkeys(("DistanceIndex", "DistancePair", "Neighbor"), "distance_index"),
    **dict.fromkeys(("Duplicates", "Hits", "Results"), "index.results"),
    **dict.fromkeys(
        ("CourseComparison", "SubmissionPair", "compare_submissions"), "submissions.comparison"
    ),
    "TreeIndex": "tree_index",
    "TreeNeighbors": "tree_neighbors",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'treekernels.search' has no attribute {name!r}")
    return getattr(importlib.import_module(f"treekernels.search.{_MODULES[name]}"), name)
