"""Groups of submissions that are alike among each other."""

from __future__ import annotations

import numpy as np

from treekernels.common.arrays import Array


def groups_of(similarities: Array, threshold: float) -> list[list[int]]:
    """Return groups whose members are alike on average, the largest first.

    Two groups become one while the mean similarity between their members is at least the
    threshold, so that a chain of pairs does not join what has nothing in common.

    Examples
    --------
    >>> groups_of(np.array([[1, 0.9, 0.1], [0.9, 1, 0.7], [0.1, 0.7, 1]]), 0.6)
    [[0, 1]]
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial.distance import squareform

    linked = csr_array(similarities >= threshold)
    _, component = connected_components(linked, directed=False)
    groups = []
    for number in np.flatnonzero(np.bincount(component) > 1):
        members = np.flatnonzero(component == number)
        distances = 1 - similarities[np.ix_(members, members)]
        np.fill_diagonal(distances, 0)
        tree = linkage(squareform(distances, checks=False).clip(0), "average")
        labels = fcluster(tree, 1 - threshold + 1e-12, "distance")
        for label in np.unique(labels):
            group = members[labels == label]
            if len(group) > 1:
                groups.append(group.tolist())
    return sorted(groups, key=lambda group: (-len(group), group))
