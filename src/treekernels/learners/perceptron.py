"""TreePerceptron: the kernel perceptron on a weighted forest."""

from __future__ import annotations

from treekernels import _native
from treekernels.learners.online.learner import OnlineLearner

__all__ = ["TreePerceptron"]


class TreePerceptron(OnlineLearner):
    """The perceptron, voted, averaged or plain, for two or more classes.

    The model is one DAG of the distinct subtrees of all examples that changed it, with a weight for
    each subtree and class (Da San Martino et al. 2019): adding an example costs its size, and a
    score costs no more for many examples that share their subtrees than for one.

    Parameters
    ----------
    kernel : Kernel, str or None, default="auto"
        The kernel, or an expression such as ``"sst(0.3)"`` that describes one. With "auto" or None,
        `fit` chooses it as in `TreeSVC`. Tree kernels, linear
        kernels and their weighted sums are learned without comparing examples; other kernels keep
        their support examples.
    epochs : int, default=5
        How many times `fit` goes through the examples. `partial_fit` goes through them once.
    average : {"mean", "vote", None}, default="mean"
        Take the mean of all models that there were on the way, each for as long as it lasted
        ("mean"); let them vote ("vote"); or take the last one. The mean is as accurate as the votes
        (F1 0.842 and 0.843 on arguments of verbs), is one small model that can be merged and
        explained, and predicts many times faster: voting needs the kernel of an example with every
        support example.
    shuffle : bool, default=True
        Take the examples in random order in `fit`; those of a class often come together.
    random_state : int, RandomState or None
        Determines that order.
    solver : {"forest", "standard"}, default="forest"
        "standard" keeps support trees one by one and compares each example with all of them: the
        baseline of the paper, and far slower. It also steps in where the trees are so large that
        their kernel values are numbers only once they are normalised.
    class_weight : dict or "balanced", optional
        Factors for the weights of the examples of each class, as in scikit-learn; "balanced" makes
        up for their numbers, in `fit` only. An example of weight w changes the model by w times as
        much. Time, over which models are averaged, goes on by one whatever an example weighs.
    checkpoint : path, optional
        A file in which `fit` saves its state now and then, and from which it resumes. It is removed
        at the end.
    n_jobs : int, optional
        Threads for learning and prediction; -1 for all cores.
    verbose : bool, default=False
        Show a progress bar with loss, updates, model size and speed.

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
