"""RankedFragments: the fragments of a model one by one, for those who do not know how many."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import Any

from treekernels.errors import DataError
from treekernels.explanation.explain import directions_of
from treekernels.explanation.explained_model import explained_model
from treekernels.explanation.fragment import Fragment
from treekernels.explanation.summands import explanation_of, has_fragments

__all__ = ["RankedFragments"]


class RankedFragments:
    """What `explain` lists, as far as one likes to read on.

    Parameters
    ----------
    model : fitted learner
        As for `explain`.

    Examples
    --------
    >>> import treekernels as tk
    >>> from treekernels.explanation.ranked_fragments import RankedFragments
    >>> trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(T (A a) (B b))", "(T (A d) (B c))"]
    >>> machine = tk.TreeSVC(C=10, random_state=0).fit(trees, ["s", "s", "t", "t"])
    >>> ranked = RankedFragments(machine)
    >>> print(next(ranked.of("s")).fragment, next(ranked.of("t", ["d"])).fragment)
    (S A B) (A d)
    """

    def __init__(self, model: Any) -> None:
        self.model = explained_model(model)
        summands = [one for one in self.model.summands if has_fragments(one)]
        if not summands:
            raise DataError(
                "the model has no kernel of trees or sentence pairs in a sum of its own: only the "
                "fragments of these can be listed"
            )
        self._explanations = [explanation_of(one, None, None) for one in summands]

    def of(self, class_: Any, texts: Sequence[str] = ()) -> Iterator[Fragment]:
        """Yield the fragments that speak for a class, the heaviest first.

        Parameters
        ----------
        class_ : label
            None for regression.
        texts : sequence of str
            Only fragments that have a label with each of these texts in it.
        """
        for direction in directions_of(self.model.classes, class_):
            found = [one.ranked(direction, texts) for one in self._explanations]
            yield from heapq.merge(*found, key=lambda one: -one.weight)
