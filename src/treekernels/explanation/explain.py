"""explain: the fragments that decide.

A model of a tree kernel is a weight for each fragment of the trees it was trained on; one of the
tripartite kernel, a weight for each rewrite rule of the sentence pairs. There are too many to list,
but those with the largest weights can be found.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import Any

from treekernels.common.checks import check_integer
from treekernels.data.columns import forest_of
from treekernels.data.forest import as_forest
from treekernels.data.pairs import Pair, Pairs
from treekernels.data.table import Table
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParameterError
from treekernels.explanation.explained_model import ExplainedModel, explained_model
from treekernels.explanation.explained_summand import Direction, ExplainedSummand, has_fragments
from treekernels.explanation.fragment import Fragment, Fragments

__all__ = ["explain"]


def explain(model: Any, *, tree: Any = None, top: int = 20, class_: Any = None) -> Fragments:
    """Return the fragments with the largest weights in a model, or in one of its predictions.

    Parameters
    ----------
    model : fitted learner
        With a kernel of trees or sentence pairs, or a sum that has some: each summand is explained
        on its own. It may be a `TreeSVC`, `TreeSVR`, `TreePerceptron` or `TreePassiveAggressive`,
        scikit-learn's ``SVC`` (of two classes) or ``SVR`` with a kernel of this library, or a
        pipeline or search that ends in one of these. Of a voted perceptron, the last model is
        explained.
    tree : tree or example, optional
        Explain the prediction for this one: the fragments that speak for the class, and, with
        negative weights, those that speak against it. Where examples have several columns, give a
        dict of them, or a table of one row.
    top : int, default=20
        How many fragments to list for each class, kernel and direction.
    class_ : label or list of labels, optional
        By default every class, or the predicted one if a tree is given.

    Returns
    -------
    Fragments
        By class, the largest weights first. A fragment's weight is exact: the sum of the
        coefficients of all support trees, times how often they have it, times
        ``decay ** (size / 2)``, or what the decays of the partial-tree kernel make of it, or the
        root of what a counted feature brings to the kernel with its weight and kind. A word,
        which counts where the kernel has a `leaf_weight`, has the root of that instead. For a tree
        the weight is multiplied with what the tree has of the fragment, so that the weights of all
        fragments add up to the score (without the intercept). Of the elastic kernel only fragments
        of up to three nodes are searched for, since there are far too many others.

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(T (A a) (B b))", "(T (A d) (B c))"]
    >>> machine = tk.TreeSVC(C=10, random_state=0).fit(trees, ["s", "s", "t", "t"])
    >>> for item in tk.explain(machine, top=2, class_="s"):
    ...     print(item.fragment, "in", item.trees, "trees")
    (S A B) in 2 trees
    (S (A a) B) in 2 trees
    """
    top = check_integer("top", top, 1)
    explained = explained_model(model)
    example = None
    if tree is not None:
        example = explained.prepare(_batch_of(tree))
        if class_ is None and explained.classes is not None:
            class_ = explained.predict(example)[0]
    summands = _explained_summands(explained, example)
    directions = _directions(explained.classes, class_)
    columns = [summand.kernel.on for summand in summands]
    columns = [tuple(on) if isinstance(on, list) else on for on in columns]
    trees = {
        summand.kernel.on: forest_of(example, summand.kernel.on)[0]
        for summand in summands
        if example is not None and summand.kernel.takes == "trees"
    }
    fragments = Fragments(trees=trees, columns=list(dict.fromkeys(columns)))
    for summand in summands:
        fragments += summand.best(directions, top)
    return fragments


class RankedFragments:
    """What `explain` lists, one fragment after the other, for those who may want to read on.

    Examples
    --------
    >>> import treekernels as tk
    >>> from treekernels.explanation.explain import RankedFragments
    >>> trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(T (A a) (B b))", "(T (A d) (B c))"]
    >>> machine = tk.TreeSVC(C=10, random_state=0).fit(trees, ["s", "s", "t", "t"])
    >>> ranked = RankedFragments(machine)
    >>> print(next(ranked.of("s")).fragment, next(ranked.of("t", ["d"])).fragment)
    (S A B) (A d)
    """

    def __init__(self, model: Any) -> None:
        self.model = explained_model(model)
        self._summands = _explained_summands(self.model, None)

    def of(self, class_: Any, texts: Sequence[str] = ()) -> Iterator[Fragment]:
        """Yield the fragments that speak for a class (None for regression), the heaviest first.

        Only those that have a label with each of the texts in it.
        """
        for direction in _directions(self.model.classes, class_):
            streams = [summand.ranked(direction, texts) for summand in self._summands]
            yield from heapq.merge(*streams, key=lambda fragment: -fragment.weight)


def _explained_summands(explained: ExplainedModel, example: Any) -> list[ExplainedSummand]:
    summands = [
        ExplainedSummand(weighted, explained.support, example)
        for weighted in explained.summands
        if has_fragments(weighted)
    ]
    if not summands:
        raise DataError(
            "the model has no kernel of trees or sentence pairs in a sum of its own: only the "
            "fragments of these can be listed"
        )
    return summands


def _batch_of(tree: Any) -> Any:
    """Make a batch of one example."""
    if isinstance(tree, Pair):
        return Pairs([tree.text], [tree.hypothesis])
    if isinstance(tree, str | Tree | tuple):
        return as_forest([tree])
    if isinstance(tree, dict) and not isinstance(tree, Table):
        return {name: [value] for name, value in tree.items()}
    if hasattr(tree, "label"):
        return as_forest([tree])
    return tree if len(tree) == 1 else tree[:1]


def _directions(classes: Any, class_: Any) -> list[Direction]:
    """Return where each class lies: in a column of the scores, above or below zero."""
    if classes is None:
        return [Direction(None, 0, 1.0)]
    places = list(range(len(classes)))
    if class_ is not None:
        wanted = class_ if isinstance(class_, list) else [class_]
        for name in wanted:
            if not any(name == known for known in classes):
                raise ParameterError(f"the model has no class {name!r}; it has {classes.tolist()}")
        places = [place for place in places if any(classes[place] == name for name in wanted)]
    if len(classes) == 2:
        return [Direction(classes[place], 0, 1.0 if place == 1 else -1.0) for place in places]
    return [Direction(classes[place], place, 1.0) for place in places]
