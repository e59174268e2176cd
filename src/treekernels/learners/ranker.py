"""TreeRanker: learns to rank trees from preferences within queries."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, Literal

import numpy as np

from treekernels.common.arrays import Floats, Places
from treekernels.common.checks import check_numbers, choice, integer, number, rules
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.common.progress import progress_bar
from treekernels.data.columns import column_names, column_of
from treekernels.data.examples import Examples
from treekernels.errors import DataError
from treekernels.kernels import Kernel
from treekernels.kernels.base.kernel import thread_count
from treekernels.kernels.base.matrices import Run
from treekernels.learners.base.comparison import compare_rankings
from treekernels.learners.base.labels import one_column
from treekernels.learners.base.learner import Learner
from treekernels.learners.models.model import Model
from treekernels.learners.models.model_owner import changes_model, reads_model
from treekernels.learners.svm.cutting_planes import CuttingPlanes, Preferences, Product
from treekernels.learners.svm.descent import GapProgress
from treekernels.metrics.ranking import groups_of, ndcg, rankings

__all__ = ["TreeRanker"]

_MOST_PAIRS = 50_000_000
_ROUGH, _FEW_STEPS = 0.05, 50  # tolerance and steps that suffice to compare kernels


@parameter_class
class TreeRanker(Learner):
    """A support vector machine that ranks: the better of two examples gets the larger score.

    It learns from preferences: of two examples of the same query, the one with the larger y should
    have a score that is larger by at least 1, and C is what it costs to miss that by 1. This is the
    ranking machine of Joachims (KDD 2002), with kernels. The difference of two trees is an example
    with one tree of weight 1 and one of weight -1, so that the model is a weighted forest like that
    of any learner here, with one weight for each tree that was learned from.

    Parameters
    ----------
    C : float, default=1.0
        What a preference that is missed by 1 costs.
    solver : {"auto", "forest", "gram"}, default="auto"
        "forest" asks a weighted forest for scores, and needs no Gram matrix; "gram" computes the
        matrix first. "auto" chooses "gram" if the matrix fits into `cache_size`.
    tol : float, default=1e-3
        Stop when the duality gap has fallen to this fraction of the objective.
    max_iter : int, default=1000
        The largest number of steps, in each of which all examples are scored once.
    cache_size : float, default=128
        Megabytes that a Gram matrix may take.

    Attributes
    ----------
    support_ : array of int
        The places of the training examples that have weight.
    dual_coef_ : array of shape (support examples, 1)
        Their weights.
    solver_ : str
        The solver that was used.
    n_pairs_ : int
        How many preferences there were.
    n_iter_ : int
        How many steps it took.
    objective_, gap_ : float
        The objective and the duality gap.

    See Also
    --------
    PreferenceKernel : learn from pairs that are given as such, as SVM-LIGHT-TK does.

    Notes
    -----
    With the sum over all preferences, i over j, of each query, the machine minimises [1]_::

        |w|^2 / 2 + C * sum_{i over j} max(0, 1 - (f(x_i) - f(x_j)))

    It does so by cutting planes [2]_, [3]_: each step scores all examples once and never lists
    pairs.

    References
    ----------
    .. [1] T. Joachims, "Optimizing Search Engines Using Clickthrough Data", KDD 2002.
    .. [2] T. Joachims, "Training Linear SVMs in Linear Time", KDD 2006.
    .. [3] V. Franc and S. Sonnenburg, "Optimized Cutting Plane Algorithm for Support Vector
       Machines", ICML 2008.

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(S (A a) (B b))", "(S (A a))", "(T (C c) (A a))", "(S (A d) (B b))", "(T (A d))"]
    >>> relevance, queries = [2, 1, 0, 1, 0], [1, 1, 1, 2, 2]
    >>> ranker = tk.TreeRanker().fit(trees, relevance, groups=queries)
    >>> better, worse = ranker.predict(["(S (A e) (B b))", "(T (A e))"])
    >>> bool(better > worse)
    True
    >>> ranker.score(trees, relevance, groups=queries)
    1.0
    """

    kernel: Kernel | str | None = "auto"
    _: KW_ONLY
    C: float = 1.0
    solver: Literal["auto", "forest", "gram"] = "auto"
    tol: float = 1e-3
    max_iter: int = 1000
    cache_size: float = 128
    n_jobs: int | None = None
    verbose: bool = False

    parameter_rules = rules(
        C=number(above=0),
        solver=choice("auto", "forest", "gram"),
        tol=number(above=0),
        max_iter=integer(1),
        cache_size=number(above=0),
        n_jobs=Learner.parameter_rules["n_jobs"],
        verbose=Learner.parameter_rules["verbose"],
    )

    @changes_model
    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> TreeRanker:
        """Learn from preferences.

        Parameters
        ----------
        X : sequence of examples
        y : sequence of float
            How good each example is. Only the order matters, and only within a query.
        groups : sequence, optional
            The query of each example. By default it is the column "qid" of X, if there is one, and
            otherwise all examples belong to one query.
        sample_weight : sequence of float, optional
            A preference costs C times the product of the weights of its two examples.

        Returns
        -------
        self

        Raises
        ------
        KeyboardInterrupt
            On Ctrl-C, after the best scores found so far have been kept.
        """
        self._check_parameters()
        values = check_numbers("y", one_column(y))
        examples, columns = self._learned_from(X, values)
        queries = _queries(X, groups, len(values))
        preferences = self._preferences(values, queries, sample_weight)
        contest = partial(compare_rankings, values, queries, self._weights_by_gram)
        kernel, about_kernel = self._kernel_fitted_on(examples, contest)
        kernel = kernel.remembering()
        solver = self._choose_solver(len(examples))
        with progress_bar(type(self).__name__, verbose=bool(self.verbose)) as bar:
            search = CuttingPlanes(preferences, self._product(kernel, examples, solver))
            interrupted = self._run(search, None if bar is None else GapProgress(bar, self.tol))
        if not interrupted and search.gap > self.tol * search.objective:
            self._warn(search)
        support = np.flatnonzero(search.best.weights)
        weights = search.best.weights[support][:, None]
        model = Model(kernel, 1)
        model.add(examples.take(support), weights)
        model.prepare()
        self._adopt(
            {
                "solver_": solver,
                "support_": support,
                "dual_coef_": weights,
                "n_pairs_": len(preferences.better),
                "n_iter_": search.steps,
                "objective_": search.objective,
                "gap_": search.gap,
                "input_columns_": columns,
                **about_kernel,
                "_model": model,
            }
        )
        if interrupted:
            raise KeyboardInterrupt
        return self

    def _weights_by_gram(self, gram: Floats, y: Floats, queries: Places) -> Floats:
        """Return the weights of examples of which the Gram matrix is known, to compare kernels."""
        search = CuttingPlanes(self._preferences(y, queries, None), lambda weights: gram @ weights)
        tol = max(self.tol, _ROUGH)
        while search.gap > tol * search.objective and search.steps < min(self.max_iter, _FEW_STEPS):
            search.step(tol)
        return search.best.weights

    def _run(self, search: CuttingPlanes, progress: GapProgress | None) -> bool:
        """Search until the gap is small, and return whether Ctrl-C came first.

        What was found until then is a model; before the first step there is none.
        """
        try:
            while search.gap > self.tol * search.objective and search.steps < self.max_iter:
                search.step(self.tol)
                if progress is not None:
                    progress.look(search.gap / max(search.objective, 1e-300), search.steps)
        except KeyboardInterrupt:
            if search.steps == 0:
                raise
            return True
        return False

    def _preferences(self, y: Floats, queries: Any, sample_weight: Any) -> Preferences:
        """List all pairs of a query whose y differ."""
        from treekernels.learners.base.example_weights import check_sample_weight

        better, worse, total = [], [], 0
        for rows in rankings(y, queries):
            grades = y[rows]
            total += len(rows) ** 2
            if total > _MOST_PAIRS:
                raise DataError(
                    f"the queries have more than {_MOST_PAIRS:,} pairs of examples: give smaller "
                    "queries, with groups="
                )
            above, below = np.nonzero(grades[:, None] > grades)
            better.append(rows[above])
            worse.append(rows[below])
        first, second = np.concatenate(better), np.concatenate(worse)
        costs = np.full(len(first), float(self.C))
        if sample_weight is not None:
            weights = check_sample_weight(sample_weight, len(y))
            costs *= weights[first] * weights[second]
        if not costs.any():
            raise DataError("there is nothing to prefer: no query has examples of different y")
        return Preferences(first, second, costs, len(y))

    def _choose_solver(self, count: int) -> Literal["forest", "gram"]:
        if self.solver == "auto":
            return "gram" if 8 * count**2 <= self.cache_size * 2**20 else "forest"
        return self.solver

    def _product(self, kernel: Kernel, examples: Examples, solver: str) -> Product:
        """Return what multiplies a vector with the Gram matrix of the examples."""
        run = Run(thread_count(self.n_jobs))
        if solver == "gram":
            gram: Floats = kernel(examples, n_jobs=run.n_jobs)
            return lambda weights: gram @ weights

        def score(weights: Floats) -> Floats:
            used = np.flatnonzero(weights)
            model = Model(kernel, 1)
            model.add(examples.take(used), weights[used][:, None])
            scores: Floats = model.score(examples, run)[:, 0]
            return scores

        return score

    def _warn(self, search: CuttingPlanes) -> None:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"TreeRanker stopped after max_iter={self.max_iter} steps with a duality gap of "
            f"{search.gap:.3g} (objective {search.objective:.3g}): use a larger max_iter or tol, "
            "or a smaller C",
            ConvergenceWarning,
            stacklevel=3,
        )

    @reads_model
    def predict(self, X: Any) -> Floats:
        """Return the score of each example: the larger, the better it is.

        Scores of one query can be compared with each other, and mean nothing by themselves.
        """
        scores: Floats = self._scores(X)[:, 0]
        return scores

    def decision_function(self, X: Any) -> Floats:
        """Return the same as `predict`."""
        return self.predict(X)

    def score(self, X: Any, y: Any, groups: Any = None) -> float:
        """Return the mean NDCG of the queries, for a y from 0 up."""
        values = check_numbers("y", one_column(y))
        return ndcg(values, self.predict(X), _queries(X, groups, len(values)))

    @reads_model
    def _state(self) -> dict[str, Any]:
        self._check_fitted()
        return {
            "support": self.support_,
            "dual_coef": self.dual_coef_,
            "solver": self.solver_,
            "pairs": self.n_pairs_,
            "course": [self.n_iter_, self.objective_, self.gap_],
            "model": self._model.state(),
            **self._kernel_state(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self._check_parameters()
        self._restore_kernel(state)
        self.support_ = np.asarray(state["support"], np.intp)
        self.dual_coef_ = np.asarray(state["dual_coef"], np.float64)
        if self.dual_coef_.shape != (len(self.support_), 1):
            raise ValueError("the coefficients do not fit the support examples")
        if state["solver"] not in ("forest", "gram"):
            raise ValueError("the solver is not one that there is")
        self.solver_ = state["solver"]
        self.n_pairs_ = int(state["pairs"])
        steps, objective, gap = state["course"]
        self.n_iter_, self.objective_, self.gap_ = int(steps), float(objective), float(gap)
        self._model = Model(self.kernel_.remembering(), 1)
        self._model.restore(state["model"])


def _queries(X: Any, groups: Any, count: int) -> Places:
    """Return the number of the query of each example: as given, or the column "qid" of X."""
    if groups is None and "qid" in (column_names(X) or ()):
        groups = column_of(X, "qid")
    return groups_of(groups, count)
