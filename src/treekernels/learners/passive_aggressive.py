"""TreePassiveAggressive: on-line learning with a margin on a weighted forest."""

from __future__ import annotations

from typing import Literal

from treekernels import _native
from treekernels.common.checks import choice, number, rules
from treekernels.common.parameter_class import parameter_class
from treekernels.learners.online.learner import OnlineLearner

__all__ = ["TreePassiveAggressive"]


_RULES = {
    "hinge": _native.Rule.passive_aggressive,
    "squared_hinge": _native.Rule.passive_aggressive_squared,
}


@parameter_class
class TreePassiveAggressive(OnlineLearner):
    """The passive-aggressive learner of Crammer et al. (2006), for two or more classes.

    Each example that is not classified correctly with a margin of 1 changes the model: by just as
    much as that takes, but by no more than `C`.

    Parameters
    ----------
    C : float, default=1.0
        The largest step ("hinge"), or how soft it is ("squared_hinge").
    loss : {"hinge", "squared_hinge"}, default="hinge"
        PA-I or PA-II of the paper.
    class_weight : dict or "balanced", optional
        Factors for the weights of the examples of each class; "balanced" makes up for their
        numbers, in `fit` only. The C of an example is `C` times its weight: of two examples that
        are both wrong the heavier one may change the model by more, but neither by more than is
        needed for its margin. (scikit-learn multiplies the whole step, beyond the margin too.)

    Notes
    -----
    With f for the score of the right class minus that of its strongest rival, and loss for
    ``max(0, 1 - f)``, the example is added with the weight [1]_::

        min(C, loss / norm)          for "hinge", PA-I
        loss / (norm + 1 / (2 * C))  for "squared_hinge", PA-II

    where norm is ``K(x, x)`` for two classes, and twice that for more, since two classes change.

    References
    ----------
    .. [1] K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz and Y. Singer, "Online
       Passive-Aggressive Algorithms", Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(S (A a) (B b))", "(S (A a) (C c))", "(T (A a) (B b))", "(T (C c) (A a))"]
    >>> learner = tk.TreePassiveAggressive(random_state=0).fit(trees, ["s", "s", "t", "t"])
    >>> learner.predict(["(S (A x) (B b))", "(T (C x) (A a))"]).tolist()
    ['s', 't']
    """

    C: float = 1.0
    loss: Literal["hinge", "squared_hinge"] = "hinge"

    parameter_rules = rules(
        C=number(above=0), loss=choice(*_RULES), **OnlineLearner.parameter_rules
    )

    def _rule(self) -> tuple[_native.Rule, float]:
        return _RULES[self.loss], float(self.C)
