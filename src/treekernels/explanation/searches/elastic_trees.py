"""The elastic trees of a model with the largest weights: parts that keep order but may skip levels.

There are very many: a large tree has more of them than can be counted. What people can read are
small ones, so that only those of a few nodes are searched for; among these the result is exact.
"""

from __future__ import annotations

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Floats
from treekernels.data.forest import Forest
from treekernels.errors import DataError
from treekernels.explanation.searches.grown_fragments import (
    Candidates,
    Embeddings,
    GrownFragment,
    GrownFragmentSearch,
    children_of,
)
from treekernels.explanation.searches.subtree_arrays import (
    ExplainedTree,
    ModelSubtrees,
    SubtreeArrays,
)
from treekernels.kernels.similarity.labels import labels_of, similar_pairs

MOST_NODES = 3  # of a fragment
_MOST_CANDIDATES = 20_000_000


class ElasticTreeSearch(GrownFragmentSearch):
    """Elastic trees, or with ``elastic=False`` ordered ones, of at most `MOST_NODES` nodes.

    Where labels are similar, the weight of a fragment is what the model makes of it: all that is
    similar to it counts, as far as it is.
    """

    def prepare(self) -> None:
        model, explained = self.model, self.explained
        self.node_factor = float(np.sqrt(self.kernel.decay))
        subtrees = Forest.from_roots(model.dag, np.arange(len(model), dtype=np.uint32))
        labels = labels_of(subtrees) + ([] if explained is None else labels_of(explained.tree))
        table = {(a, b): value for a, b, value in similar_pairs(self.kernel.similarity, labels)}
        if table and explained is not None:
            _number_new_labels(explained, model, {label for pair in table for label in pair})
        self.similar = _similar_labels(table, model)
        widest = max(
            (sum(match for _, match in matches) for matches in self.similar.values()), default=1.0
        )
        peaks = [model.native.label_peaks() * max(widest, 1.0)]
        if explained is not None:
            peaks.append(explained.native.label_peaks())
        self.ways = [np.maximum(1.0, self.node_factor * peak) for peak in peaks]

    def candidates(self, subtrees: SubtreeArrays, side: Embeddings) -> Candidates:
        children = children_of(subtrees, *side.open_[-1])
        return _with_descendants(subtrees, children) if self.kernel.elastic else children

    def may_grow(self, fragment: GrownFragment) -> bool:
        return fragment.size < MOST_NODES

    def left(self, place: int, fragment: GrownFragment) -> Floats:
        further: Floats = self.ways[place][fragment.sides[place].begins]
        return further ** (MOST_NODES - fragment.size)


def _with_descendants(subtrees: SubtreeArrays, children: Candidates) -> Candidates:
    """Return candidates with all that is below them."""
    levels = [children]
    total = 0
    while len(levels[-1].nodes):
        above = levels[-1]
        total += len(above.nodes)
        if total > _MOST_CANDIDATES:
            raise DataError("the trees are too large to list the elastic fragments of the model")
        below = children_of(subtrees, above.nodes, subtrees.child_offsets[above.nodes])
        levels.append(Candidates(above.rows[below.rows], above.places[below.rows], below.nodes))
    rows, places, nodes = (
        np.concatenate(parts)
        for parts in zip(*((c.rows, c.places, c.nodes) for c in levels), strict=True)
    )
    return Candidates(rows, places, nodes)


def _similar_labels(
    table: dict[tuple[str, str], float], model: ModelSubtrees
) -> dict[int, list[tuple[int, float]]]:
    """Return for each label of the table those of the model that match it, and how well."""
    if not table:
        return {}
    both_ways = {**table, **{(b, a): match for (a, b), match in table.items()}}
    texts = {label for pair in both_ways for label in pair}
    similar: dict[int, list[tuple[int, float]]] = {}
    for text in sorted(texts):
        matches = {text: 1.0}
        matches.update({b: match for (a, b), match in both_ways.items() if a == text})
        similar[model.number_of(text)] = [
            (model.number_of(other), match) for other, match in matches.items() if match > 0
        ]
    return similar


def _number_new_labels(explained: ExplainedTree, model: ModelSubtrees, texts: set[str]) -> None:
    """Number those of the listed labels that the model does not have."""
    unknown = np.flatnonzero(explained.labels < 0)
    if not len(unknown):
        return
    tree = explained.tree
    numbers = _native.Subtrees.below(tree.dag, tree.roots, tree.dag).labels[unknown]
    labels = explained.labels.copy()
    for place, text in zip(unknown.tolist(), _native.label_texts(tree.dag, numbers), strict=True):
        if text in texts:
            labels[place] = model.number_of(text)
    explained.labels = labels
