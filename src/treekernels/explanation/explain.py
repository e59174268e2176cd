"""explain: the fragments that decide.

A model of a tree kernel is a weight for each fragment of the trees it was trained on; one of the
tripartite kernel, a weight for each rewrite rule of the sentence pairs. There are too many to list,
but those with the largest weights can be found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.data.columns import forest_of, pairs_of
from treekernels.data.forest import Forest, as_forest
from treekernels.data.pairs import Pair, Pairs
from treekernels.data.tree import Tree
from treekernels.drawing.notebook import html_of_fragments
from treekernels.errors import DataError, ParameterError
from treekernels.explanation.fragments import Arrays, Found, best_subset_trees, best_subtrees
from treekernels.explanation.partial_fragments import best_partial_trees
from treekernels.explanation.rewrite_rules import best_rules
from treekernels.learners.summand_models import WeightedExamples, normalizing_factors

__all__ = ["Fragment", "Fragments", "explain"]

Weights = NDArray[np.float64]


@dataclass(frozen=True)
class Fragment:
    """A fragment and what it weighs.

    Attributes
    ----------
    fragment : Tree or Pair
        Where it was cut there is a leaf. A rewrite rule is a pair of fragments whose labels may end
        in variables: ``NP:X``.
    weight : float
        In the model, or what it adds to the score of the explained tree.
    class_ : object
        The class that it speaks for; None for regression.
    size : int
        Its productions; of a partial tree, its nodes.
    trees : int or None
        How many support trees or pairs have it; None if the model does not keep them.
    on : object
        The column of the kernel, if it has one.
    partial : bool
        Whether it is a partial tree: children of its nodes may have been left out.
    """

    fragment: Tree | Pair
    weight: float
    class_: Any
    size: int
    trees: int | None
    on: Any = None
    partial: bool = False

    @property
    def text(self) -> str:
        """The fragment in brackets, a rule as ``text -> hypothesis``."""
        return (
            " -> ".join(map(str, self.fragment))
            if isinstance(self.fragment, Pair)
            else str(self.fragment)
        )


class Fragments(list[Fragment]):
    """A list of fragments that prints as a table, and is drawn in a notebook."""

    def __str__(self) -> str:
        """Return a line for each."""
        lines = []
        for one in self:
            trees = "" if one.trees is None else f"{one.trees:6,} trees"
            name = "" if one.class_ is None else f"{one.class_!s:10.10} "
            lines.append(f"{name}{one.weight:+10.4f} {trees}  {one.text}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self) if self else "[]"

    def _repr_html_(self) -> str:
        return html_of_fragments(self)


def explain(model: Any, *, tree: Any = None, top: int = 20, class_: Any = None) -> Fragments:
    """List the fragments with the largest weights in a model, or in one of its predictions.

    Parameters
    ----------
    model : fitted learner
        With a subset-tree, subtree, partial-tree or tripartite kernel, or a sum that has some: each
        is explained on its own.
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
        ``decay ** (size / 2)``, or what the decays of the partial-tree kernel make of it. For a
        tree it is multiplied with what the tree has of it, so that the weights of all fragments
        add up to the score (without the intercept).

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
        raise ParameterError(f"top must be at least 1, not {top}")
    example = None if tree is None else _examples(model, tree)
    if class_ is None and example is not None and hasattr(model, "classes_"):
        class_ = model.predict(example)[0]
    found = Fragments()
    parts = model.weighted_examples()
    if not parts:
        raise DataError(
            "the model has no subset-tree, subtree, partial-tree or tripartite kernel: only their "
            "fragments can be listed"
        )
    for weighted in parts:
        view = _view(model, weighted, example)
        for name, sign, column in _directions(model, class_):
            found += view.best(name, sign, column, top)
    return found


def _examples(model: Any, tree: Any) -> Any:
    """Make a batch of one example."""
    if isinstance(tree, Pair):
        return Pairs([tree.text], [tree.hypothesis])
    if isinstance(tree, str | Tree | tuple):
        return as_forest([tree])
    if isinstance(tree, dict):
        return {name: [value] for name, value in tree.items()}
    if hasattr(tree, "label"):
        return as_forest([tree])
    return tree if len(tree) == 1 else tree[:1]


def _directions(model: Any, class_: Any) -> Iterator[tuple[Any, float, int]]:
    """Return for each class its name, and the column of its scores with a sign."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        yield None, 1.0, 0
        return
    chosen = [place for place, name in enumerate(classes) if class_ is None or name == class_]
    if not chosen:
        raise ParameterError(f"the model has no class {class_!r}; it has {list(classes)}")
    for place in chosen:
        if len(classes) == 2:
            yield classes[place], 1.0 if place == 1 else -1.0, 0
        else:
            yield classes[place], 1.0, place


def _view(model: Any, weighted: WeightedExamples, example: Any) -> _TreeView | _PairsView:
    if weighted.summand.kernel.fragments == "rewrite rules":
        return _PairsView(weighted, example)
    return _TreeView(model, weighted, example)


class _TreeView:
    """One tree kernel of a model, as the arrays that the search needs."""

    def __init__(self, model: Any, weighted: WeightedExamples, example: Any) -> None:
        self.kernel: Any = weighted.summand.kernel
        kernel, weight = self.kernel, weighted.summand.weight
        forest, weights = weighted.examples, weighted.weights
        support = getattr(model, "support_examples_", None)
        counted = None if support is None else forest_of(support, kernel.on)
        tree = Forest([]) if example is None else forest_of(example, kernel.on)[:1]
        everything = Forest.concatenate([forest, tree, *([counted] if counted is not None else [])])
        self.arrays = Arrays(everything)
        roots = self.arrays.roots
        self.support_roots = None if counted is None else roots[len(forest) + len(tree) :]
        self.weights = np.zeros((len(self.arrays.label), weights.shape[1]))
        np.add.at(self.weights, roots[: len(forest)], weights)
        if not weighted.single_subtrees:
            self.arrays.spread(self.weights)
        self.counts = None
        if example is None:
            self.weights *= np.sqrt(weight)
        else:
            self.counts = np.zeros(len(self.arrays.label))
            self.counts[roots[len(forest)]] = 1
            self.arrays.spread(self.counts)
            self.weights *= weight * normalizing_factors(kernel, tree)[0]

    def best(self, name: Any, sign: float, column: int, top: int) -> Iterator[Fragment]:
        for direction in _both_ways(self.counts is not None):
            weights = direction * sign * self.weights[:, column]
            for one in islice(self._search(weights), top):
                trees = None
                if self.support_roots is not None:
                    trees = self.arrays.trees_with(one.matches, self.support_roots)
                yield Fragment(
                    one.tree,
                    direction * one.weight,
                    name,
                    one.size,
                    trees,
                    self.kernel.on,
                    self.kernel.fragments == "partial trees",
                )

    def _search(self, weights: Weights) -> Iterator[Found]:
        kernel = self.kernel
        if kernel.fragments == "partial trees":
            return best_partial_trees(self.arrays, weights, kernel, self.counts)
        search = best_subset_trees if kernel.fragments == "subset trees" else best_subtrees
        return search(self.arrays, weights, kernel.decay, self.counts)


class _PairsView:
    """The kernel of sentence pairs of a model."""

    def __init__(self, weighted: WeightedExamples, example: Any) -> None:
        self.kernel: Any = weighted.summand.kernel
        self.pairs = weighted.examples
        self.explained = None
        scale = np.sqrt(weighted.summand.weight)
        if example is not None:
            self.explained = pairs_of(example, self.kernel.on)[:1]
            factor = normalizing_factors(self.kernel, self.explained)[0]
            scale = weighted.summand.weight * factor
        self.weights = weighted.weights * scale

    def best(self, name: Any, sign: float, column: int, top: int) -> Iterator[Fragment]:
        for direction in _both_ways(self.explained is not None):
            weights = direction * sign * self.weights[:, column]
            found = best_rules(self.pairs, weights, self.kernel.decay, self.explained)
            for one in islice(found, top):
                weight = direction * one.weight
                yield Fragment(one.rule, weight, name, one.size, one.pairs, self.kernel.on)


def _both_ways(explained: bool) -> tuple[float, ...]:
    return (1.0, -1.0) if explained else (1.0,)
