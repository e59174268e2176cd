"""Tree surgery: what you can do to trees before a kernel compares them.

Every function takes a `Tree` or a `Forest`, leaves it as it is, and returns a new one of the same
kind. If an operation does the same to a subtree wherever it stands, it is done only once for each
distinct subtree.
"""

from treekernels.data.outline import Outline
from treekernels.structures.binary import binarize, unbinarize
from treekernels.structures.enclosing import (
    enclosing,
    mark,
    path_enclosed_tree,
    predicate_argument_tree,
)
from treekernels.structures.labels import lowercase_leaves, map_labels, map_leaves
from treekernels.structures.lexicalize import lexicalize
from treekernels.structures.penn import strip_function_tags, strip_traces
from treekernels.structures.prune import prune_depth, prune_labels, splice_labels
from treekernels.structures.words import mark_words

__all__ = [
    "Outline",
    "binarize",
    "enclosing",
    "lexicalize",
    "lowercase_leaves",
    "map_labels",
    "map_leaves",
    "mark",
    "mark_words",
    "path_enclosed_tree",
    "predicate_argument_tree",
    "prune_depth",
    "prune_labels",
    "splice_labels",
    "strip_function_tags",
    "strip_traces",
    "unbinarize",
]
