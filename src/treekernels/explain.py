"""explain: the fragments that decide.

A model of the subset-tree or subtree kernel is a weight for each fragment of the trees it was
trained on. There are too many to list, but those with the largest weights can be found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.forest import Forest, as_forest
from treekernels.fragments import Arrays, Found, best_subset_trees, best_subtrees
from treekernels.kernels import SubsetTreeKernel, SubtreeKernel
from treekernels.kernels.columns import forest_of
from treekernels.tree import Tree

__all__ = ["Fragment", "Fragments", "explain"]

Weights = NDArray[np.float64]


@dataclass(frozen=True)
class Fragment:
    """A fragment and what it weighs.

    Attributes
    ----------
    fragment : Tree
        Where it was cut there is a leaf.
    weight : float
        In the model, or what it adds to the score of the explained tree.
    class_ : object
        The class that it speaks for; None for regression.
    size : int
        Its productions.
    trees : int or None
        How many support trees have it; None if the model does not keep them.
    on : object
        The column of the kernel, if it has one.
    """

    fragment: Tree
    weight: float
    class_: Any
    size: int
    trees: int | None
    on: Any = None


class Fragments(list[Fragment]):
    """A list of fragments that prints as a table, and is drawn in a notebook."""

    def __str__(self) -> str:
        lines = []
        for one in self:
            trees = "" if one.trees is None else f"{one.trees:6,} trees"
            name = "" if one.class_ is None else f"{one.class_!s:10.10} "
            lines.append(f"{name}{one.weight:+10.4f} {trees}  {one.fragment}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self) if self else "[]"

    def _repr_html_(self) -> str:
        from treekernels.drawing.notebook import html_of_fragments

        return html_of_fragments(self)


def explain(model: Any, *, tree: Any = None, top: int = 20, class_: Any = None) -> Fragments:
    """List the fragments with the largest weights in a model, or in one of its predictions.

    Parameters
    ----------
    model : fitted learner
        With a subset-tree or subtree kernel, or a sum that has some: each is explained on its own.
        Of a voted perceptron, its last model.
    tree : tree or example, optional
        Explain the prediction for this one: the fragments that speak for the class, and, with
        negative weights, those that speak against it.
    top : int, default=20
        How many for each class, kernel and direction.
    class_ : label, optional
        By default every class, or the predicted one if a tree is given.

    Returns
    -------
    Fragments
        By class, the largest weights first. A fragment's weight is exact: the sum of the
        coefficients of all support trees, times how often they have it, times
        ``decay ** (size / 2)``; for a tree it is multiplied with what the tree has of it, so that
        the weights of all fragments add up to the score (without the intercept).

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(T (A a) (B b))", "(T (A d) (B c))"]
    >>> machine = tk.TreeSVC(C=10, random_state=0).fit(trees, ["s", "s", "t", "t"])
    >>> for one in tk.explain(machine, top=2, class_="s"):
    ...     print(one.fragment, "in", one.trees, "trees")
    (S A B) in 2 trees
    (S (A a) B) in 2 trees
    """
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    if top < 1:
        raise ValueError(f"top must be at least 1, not {top}")
    example = None if tree is None else _examples(model, tree)
    if class_ is None and example is not None and hasattr(model, "classes_"):
        class_ = model.predict(example)[0]
    found = Fragments()
    sides = [side for side in model._model.sides if _tree_kernel(side.term.kernel)]
    if not sides:
        raise ValueError(
            "the model has no subset-tree or subtree kernel: only their fragments can be listed"
        )
    for side in sides:
        view = _View(model, side, example)
        for name, sign, column in _directions(model, class_):
            found += view.best(name, sign, column, top)
    return found


def _tree_kernel(kernel: Any) -> bool:
    return isinstance(kernel, SubsetTreeKernel | SubtreeKernel)


def _examples(model: Any, tree: Any) -> Any:
    """Make a batch of one example."""
    if isinstance(tree, str | Tree | tuple):
        return as_forest([tree])
    if isinstance(tree, dict):
        return {name: [value] for name, value in tree.items()}
    if hasattr(tree, "label"):
        return as_forest([tree])
    return tree if len(tree) == 1 else tree[:1]


def _directions(model: Any, class_: Any) -> Iterator[tuple[Any, float, int]]:
    """Give for each class its name, and the column of its scores with a sign."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        yield None, 1.0, 0
        return
    chosen = [place for place, name in enumerate(classes) if class_ is None or name == class_]
    if not chosen:
        raise ValueError(f"the model has no class {class_!r}; it has {list(classes)}")
    for place in chosen:
        if len(classes) == 2:
            yield classes[place], 1.0 if place == 1 else -1.0, 0
        else:
            yield classes[place], 1.0, place


class _View:
    """One kernel of a model, as the arrays that the search needs."""

    def __init__(self, model: Any, side: Any, example: Any) -> None:
        self.kernel = side.term.kernel
        forest, weights = node_weights(model, side)
        support = getattr(model, "_support", None)
        counted = None if support is None else forest_of(support.X, self.kernel.on)
        tree = Forest([]) if example is None else forest_of(example, self.kernel.on)[:1]
        everything = Forest.concatenate([forest, tree, *([counted] if counted is not None else [])])
        self.arrays = Arrays(everything)
        roots = self.arrays.roots
        self.support_roots = None if counted is None else roots[len(forest) + len(tree) :]
        self.weights = np.zeros((len(self.arrays.label), weights.shape[1]))
        self.weights[roots[: len(forest)]] = weights
        scale = side.term.weight
        self.counts = None
        if example is None:
            self.weights *= np.sqrt(scale)
        else:
            self.counts = self._counts(int(roots[len(forest)]))
            if self.kernel.normalize:
                norm = _unnormalized(self.kernel).diag(tree)[0]
                scale = scale / np.sqrt(norm) if norm > 0 else 0.0
            self.weights *= scale

    def _counts(self, root: int) -> Weights:
        arrays = self.arrays
        counts = np.zeros(len(arrays.label))
        counts[root] = 1
        for node in range(root, -1, -1):  # parents have larger numbers
            if counts[node]:
                children = arrays.children[arrays.first[node] : arrays.first[node + 1]]
                np.add.at(counts, children, counts[node])
        return counts

    def best(self, name: Any, sign: float, column: int, top: int) -> list[Fragment]:
        search: Callable[..., Iterator[Found]] = (
            best_subset_trees if isinstance(self.kernel, SubsetTreeKernel) else best_subtrees
        )
        found = []
        for direction in (1.0,) if self.counts is None else (1.0, -1.0):
            weights = direction * sign * self.weights[:, column]
            for one in islice(search(self.arrays, weights, self.kernel.decay, self.counts), top):
                trees = None
                if self.support_roots is not None:
                    trees = self.arrays.trees_with(one.matches, self.support_roots)
                weight = direction * one.weight
                found.append(Fragment(one.tree, weight, name, one.size, trees, self.kernel.on))
        return found


def node_weights(model: Any, side: Any) -> tuple[Forest, Weights]:
    """Give the distinct subtrees of a side of a model, and their weights in each column."""
    from treekernels.learners.model import ForestSide

    columns = model._model.columns
    if not isinstance(side, ForestSide):  # it keeps support trees: make a forest of them
        kept = side
        side = ForestSide(kept.term, columns)
        if kept.size:
            side.add(*kept.joined())
    state = side.state()
    nodes = state["nodes"]
    weights = state["weights"].reshape(len(nodes), columns)
    if getattr(model, "average", None) == "mean":
        half = columns // 2
        weights = weights[:, :half] - weights[:, half:] / max(1, model.t_)
    return state["dag"][nodes.astype(np.intp)], weights


def _unnormalized(kernel: Any) -> Any:
    from sklearn.base import clone

    return clone(kernel).set_params(normalize=False, on=None)
