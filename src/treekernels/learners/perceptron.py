"""TreePerceptron: the kernel perceptron on a weighted forest."""

from __future__ import annotations

from treekernels import _native
from treekernels.common.parameter_class import parameter_class
from treekernels.learners.online.learner import OnlineLearner

__all__ = ["TreePerceptron"]


@parameter_class
class TreePerceptron(OnlineLearner):
    """The perceptron, voted, averaged or plain, for two or more classes.

    The model is one DAG of the distinct subtrees of all examples that changed it, with a weight for
    each subtree and class (Da San Martino et al. 2019): adding an example costs its size, and a
    score costs no more for many examples that share their subtrees than for one.

    Attributes
    ----------
    classes_ : array
        The classes, sorted.
    t_ : int
        How many examples were seen.
    n_updates_ : int
        How many of them changed the model.
    loss_ : float
        How many mistakes were made.
    solver_ : str
        The solver that was used.

    Notes
    -----
    A class k has the score ``f_k(x) = sum_i alpha_ik K(x_i, x)``. If the right class of an example
    does not have the largest score, its alpha grows by 1 and that of the class with the largest
    falls by 1; two classes share one score, whose sign is the class. Votes and means of the models
    on the way are from [1]_, trees in the perceptron from [2]_, and the model as one DAG from [3]_.

    References
    ----------
    .. [1] Y. Freund and R. E. Schapire, "Large Margin Classification Using the Perceptron
       Algorithm", Machine Learning 37(3), 1999.
    .. [2] M. Collins and N. Duffy, "New Ranking Algorithms for Parsing and Tagging: Kernels over
       Discrete Structures, and the Voted Perceptron", ACL 2002.
    .. [3] G. Da San Martino, A. Sperduti, F. Aiolli and A. Moschitti, "Efficient Online Learning
       for Mapping Kernels on Linguistic Structures", AAAI 2019.

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(S (A a) (B b))", "(S (A a) (C c))", "(T (A a) (B b))", "(T (C c) (A a))"]
    >>> learner = tk.TreePerceptron(random_state=0).fit(trees, ["s", "s", "t", "t"])
    >>> learner.predict(["(S (A x) (B b))", "(T (C x) (A a))"]).tolist()
    ['s', 't']
    """

    def _rule(self) -> tuple[_native.Rule, float]:
        return _native.Rule.perceptron, 1.0
