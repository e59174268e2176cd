"""The subtrees of a model and of a tree that is explained, by the same numbers.

A model is looked at where it is, in the DAG that it was learned in. The subtrees, productions and
labels of a tree are looked up there, and nothing is added to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.arrays import Floats, Indices, Mask
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree

_FIRST_NEW_LABEL = 1 << 32  # those of a DAG are below


class SubtreeArrays:
    """Distinct subtrees as arrays, children before parents; nothing of it is ever changed.

    Attributes
    ----------
    labels, productions : array
        The label and the production of each subtree, by their numbers in the model's DAG; -1 for
        none, or for one that is not there.
    child_offsets, children : array
        The children of subtree i are ``children[child_offsets[i] : child_offsets[i + 1]]``.
    has_children : array of bool
    """

    def __init__(self, native: _native.Subtrees) -> None:
        self.native = native
        self.labels: Indices = native.labels
        self.productions: Indices = native.productions
        self.child_offsets: Indices = native.child_offsets
        self.children: Indices = native.children
        self.has_children: Mask = np.diff(self.child_offsets) > 0

    def __len__(self) -> int:
        return len(self.labels)

    def above(self, places: Indices) -> Mask:
        """Return which subtrees are one of some, or have one of them below."""
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import breadth_first_order

        offsets, parents = self._parents
        # One more node, from which all of the places are reached, so that one walk is enough.
        count = len(self)
        bounds = np.append(offsets, offsets[-1] + len(places))
        ends = np.concatenate([parents, places])
        graph = csr_matrix((np.ones(len(ends)), ends, bounds), shape=(count + 1, count + 1))
        reached = np.zeros(count + 1, bool)
        reached[breadth_first_order(graph, count, return_predecessors=False)] = True
        return reached[:count]

    @cached_property
    def _parents(self) -> tuple[Indices, Indices]:
        """The parents of subtree i are ``parents[offsets[i] : offsets[i + 1]]``."""
        order = np.argsort(self.children, kind="stable")
        owners = np.repeat(np.arange(len(self)), np.diff(self.child_offsets))
        offsets = np.searchsorted(self.children[order], np.arange(len(self) + 1))
        return offsets, owners[order]


class ModelSubtrees(SubtreeArrays):
    """All subtrees of the DAG in which a model is; their numbers are those of the DAG."""

    def __init__(self, dag: _native.Dag) -> None:
        super().__init__(_native.Subtrees.of(dag))
        self.dag = dag
        self._labels: dict[int, str] = {}
        self._numbers: dict[str, int] = {}
        self._production_labels: dict[int, list[str]] = {}

    def weights_of(self, roots: NDArray[np.uint32], weights: Floats, *, single: bool) -> Floats:
        """Return the weights of all subtrees, one row each, where those of some roots are given.

        Unless the weights are `single`, all that is below a root has them too, as often as it is
        there.
        """
        every = np.zeros((len(self), weights.shape[1]))
        np.add.at(every, roots, weights)
        if not single:
            self.native.spread(every)
        return every

    def number_of(self, label: str) -> int:
        """Return the number of a label; one of its own if the DAG does not have it."""
        if label not in self._numbers:
            number = _native.label_number(self.dag, label)
            if number < 0:
                number = _FIRST_NEW_LABEL + len(self._numbers)
            self._numbers[label] = number
            self._labels[number] = label
        return self._numbers[label]

    def with_label_below(self, text: str) -> Mask:
        """Return which subtrees have a label with this text in it, in capitals or not."""
        numbers, names = self._label_names
        wanted = numbers[[text.lower() in name for name in names]]
        return self.above(np.flatnonzero(np.isin(self.labels, wanted)))

    @cached_property
    def _label_names(self) -> tuple[Indices, list[str]]:
        """All labels of the model, by number and in small letters."""
        numbers = np.unique(self.labels)
        return numbers, [name.lower() for name in _native.label_texts(self.dag, numbers)]

    def label(self, number: int) -> str:
        """Return the text of a label."""
        if number not in self._labels:
            (self._labels[number],) = _native.label_texts(self.dag, np.array([number]))
        return self._labels[number]

    def production(self, number: int) -> list[str]:
        """Return the labels of a production, that of the parent first."""
        if number not in self._production_labels:
            self._production_labels[number] = _native.production_labels(self.dag, number)
        return self._production_labels[number]

    def subtree(self, number: int) -> Tree:
        """Return a subtree, as a tree that does not hold on to the model."""
        dag = _native.Dag()
        (root,) = dag.import_nodes(self.dag, np.array([number], np.uint32))
        return Tree(dag, int(root))


class ExplainedTree(SubtreeArrays):
    """A tree, seen from a model.

    Attributes
    ----------
    numbers : array
        Of each subtree in the model's DAG; -1 where it has none.
    counts : array
        How often the tree has each subtree, or how much that counts.
    """

    def __init__(self, tree: Forest, model: ModelSubtrees, damping: str = "linear") -> None:
        super().__init__(_native.Subtrees.below(tree.dag, tree.roots, model.dag))
        self.tree = tree
        self.numbers: Indices = self.native.numbers
        counts = np.zeros((len(self), 1))
        counts[self.native.roots] = 1
        self.native.spread(counts)
        self.counts: Floats = _damped(counts[:, 0], damping)


def _damped(counts: Floats, damping: str) -> Floats:
    if damping == "log":
        return 1 + np.log(counts)
    return np.ones_like(counts) if damping == "binary" else counts


def trees_with(trees: Forest, subtree_sets: list[Indices], dag: _native.Dag) -> list[int]:
    """Return for each set of subtrees of a DAG how many of the trees have one of them."""
    below = _native.Subtrees.below(trees.dag, trees.roots, dag)
    offsets = np.cumsum([0, *map(len, subtree_sets)])
    members = np.concatenate([*subtree_sets, np.empty(0, np.int64)])
    counts: list[int] = below.count_roots_with(offsets, members).tolist()
    return counts


def built_tree(steps: Iterable[str | None]) -> Tree:
    """Return a tree from its nodes, depth first: a label opens one, None closes the last.

    Examples
    --------
    >>> str(built_tree(["A", "B", None, "C", None, None]))
    '(A B C)'
    """
    labels: list[str] = []  # in postorder, as the DAG wants them
    arities: list[int] = []
    open_: list[str] = []
    counts = [0]
    for label in steps:
        if label is not None:
            open_.append(label)
            counts.append(0)
        else:
            labels.append(open_.pop())
            arities.append(counts.pop())
            counts[-1] += 1
    dag = _native.Dag()
    (root,) = dag.add_postorder(labels, np.array(arities, np.uint32))
    return Tree(dag, int(root))
