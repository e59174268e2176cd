"""DualDescent: support vector machines by dual coordinate descent on the native core.

The examples answer each other through the summands of the kernel, so that no Gram matrix is needed;
where one fits into the cache, it is made all the same, since that is faster.
"""

from __future__ import annotations

import warnings
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.native_errors import translate_native_errors
from treekernels.common.progress import Progress, describe, progress_bar
from treekernels.common.text import byte_count
from treekernels.kernels import Kernel
from treekernels.kernels.base.feature_rows import FeatureKernel
from treekernels.learners.base.checkpoints import Checkpoint
from treekernels.learners.svm.cost_estimate import CostEstimate
from treekernels.learners.svm.dominant_features import DominantFeatures
from treekernels.learners.svm.dual_problem import DualProblem, Solution, SolverOptions

_EPOCHS_BETWEEN_CHECKPOINTS = 10
_EPOCHS_BETWEEN_LOOKS = 32  # at all examples
_SMALLER = 0.6
_MOST_UNCHECKED = 8
# Epochs after which few examples are left to scikit-learn's solver, whose steps change two
# coefficients at a time: it is slower on most problems, but not on small ill-conditioned ones.
_PATIENCE = 300
_FEW = 2000
_DOMINANT = 100.0  # times as large as the smallest summand


def _keeps_matrix(count: int, options: SolverOptions) -> bool:
    """Whether all pairs of so many examples are kept."""
    return 4 * count**2 <= int(options.matrix_size * 2**20)


def describe_choice(solver: str, cost: CostEstimate, options: SolverOptions) -> str:
    """Say how a problem is solved, and why: what there is, and what it is expected to take."""
    if solver == "gram":
        size = byte_count(2 * cost.matrix_bytes)  # scikit-learn wants double precision
        return f"{cost}; solver='gram', with a matrix of {size}"
    way = "with a matrix of" if _keeps_matrix(cost.examples, options) else "without one of"
    return (
        f"{cost}; solver='forest', {way} {byte_count(cost.matrix_bytes)} "
        f"(room for {options.matrix_size:g} MB; estimated: {cost.describe_estimate()})"
    )


class SlowDescent(Exception):
    """Coordinate descent gets nowhere, and another solver may be asked."""


class DualDescent:
    """Epochs of coordinate descent until the duality gap is small.

    Parameters
    ----------
    problem : DualProblem
    options : SolverOptions
    checkpoint : Checkpoint, optional
        Where the state is saved now and then, and resumed from.
    replaceable : bool
        Whether to give up, by `SlowDescent`, on a small problem that takes many epochs.
    """

    def __init__(
        self,
        problem: DualProblem,
        options: SolverOptions,
        checkpoint: Checkpoint | None = None,
        *,
        replaceable: bool = False,
    ) -> None:
        self.problem = problem
        self.options = options
        self.checkpoint = checkpoint
        self.replaceable = replaceable
        self.target = np.array(problem.target, np.float64)  # a data frame's is read-only
        self.bound = np.ascontiguousarray(problem.bound, np.float64)
        self.bytes = int(options.cache_size * 2**20)
        self.seed = options.seed
        self.matrix: NDArray[np.float32] | None = None
        self.rest, self.dominant = self._take_apart()
        if self.dominant:  # which the other solver cannot do anything about
            self.replaceable = False

    def solve(self) -> Solution:
        """Return the solution, as far as it has got should Ctrl-C be pressed."""
        options = self.options
        interrupted = False
        with (
            translate_native_errors(),
            progress_bar(options.title, verbose=options.verbose) as bar,
        ):
            self.svm = self._native_solver()
            self._resume()
            try:
                self._descend(bar)
            except KeyboardInterrupt:  # wherever it comes, what was learned so far is kept
                interrupted = True
                self._converged()
        course = {"n_iter_": int(self.svm.epochs), "objective_": self.objective, "gap_": self.gap}
        coefficients = self.svm.beta().reshape(self.target.shape)
        weights = {place: features.weights for place, features in self.dominant.items()}
        return Solution(coefficients, self.intercept, course, interrupted, weights)

    def _descend(self, bar: Progress | None) -> None:
        max_iter = self.options.max_iter
        first, checked = np.inf, self.svm.epochs - 1
        looks = _Looks(self.svm.epochs)
        progress = None if bar is None else GapProgress(bar, self.options.tol)
        few = self.matrix is not None and len(self.problem.examples) <= _FEW
        dominant = list(self.dominant.values())
        for epoch in range(self.svm.epochs, max_iter):
            if progress is not None:
                progress.epochs = epoch
            violation = self.svm.epoch(progress)
            for features in dominant:
                if features.move(violation):
                    self.svm.wake_all()
            if bar is not None:
                describe(bar, f"violation {violation:.2g}, {self.svm.active:,} active")
            # A look at the gap is due when steps have become clearly smaller than just after the
            # last one.
            if epoch == checked + 1:
                first = violation
            small = violation <= _SMALLER * first and epoch > checked + 1
            small = small or self.svm.active == 0
            if small or epoch == checked + _MOST_UNCHECKED or epoch + 1 == max_iter:
                checked = epoch
                converged = self._converged(all_examples=False)
                if looks.due(self, epoch) or epoch + 1 == max_iter:
                    converged = self._converged()
                    looks.last = epoch
                if progress is not None:
                    progress.look(self.gap / max(self.objective, 1e-300), epoch + 1)
                if converged:
                    return
            if self.replaceable and few and epoch + 1 >= _PATIENCE:
                raise SlowDescent
            due = (epoch + 1) % _EPOCHS_BETWEEN_CHECKPOINTS == 0
            if due and self.checkpoint is not None:
                self._save(self.checkpoint)
                # This is also how a run that is resumed finds it.
                checked, looks = epoch, _Looks(epoch)
        if not hasattr(self, "intercept"):  # resumed where there was nothing left to do
            self._converged()
        self._warn()

    def _native_solver(self) -> _native.Svm:
        epsilon = self.problem.epsilon
        return _native.Svm(
            self._summands(),
            self.target,
            self.bound,
            epsilon is not None,
            epsilon or 0.0,
            self.problem.fit_intercept,
            self.seed,
            self.options.n_jobs,
        )

    def _take_apart(self) -> tuple[Kernel, dict[int, DominantFeatures]]:
        """Return the kernel without features that are far larger than the rest, and these.

        The features are by their place among the summands.
        """
        kernel, examples = self.problem.kernel, self.problem.examples
        terms, scales = kernel.summands(), self.problem.scales
        dominant = {}
        for place, (term, scale) in enumerate(zip(terms, scales, strict=True)):
            if isinstance(term.kernel, FeatureKernel) and scale >= _DOMINANT:
                rows = term.kernel.feature_rows(examples)
                dominant[place] = DominantFeatures(rows, term.weight, scale, self.target.shape[1])
        if dominant:
            rest = [term for place, term in enumerate(terms) if place not in dominant]
            kernel = reduce(add, (term.weight * term.kernel for term in rest))
        return kernel, dominant

    def _summands(self) -> list[_native.Summand]:
        kernel, examples = self.rest, self.problem.examples
        dominant = [features.summand() for features in self.dominant.values()]
        if _keeps_matrix(len(examples), self.options):
            if self.matrix is None:
                self.matrix = kernel(examples, dtype=np.float32, n_jobs=self.options.n_jobs)
            matrix = _native.FloatMatrixSummand(self.matrix, np.zeros(self.target.shape))
            return [matrix, *dominant]
        outputs = self.target.shape[1]
        others = [
            term.kernel.native_summand(examples, term.weight, outputs, self.bytes // 3)
            for term in kernel.summands()
        ]
        return [*others, *dominant]

    def _converged(self, *, all_examples: bool = True) -> bool:
        """Measure the duality gap, of all examples or of those that still change."""
        primal, dual, imbalance, self.intercept = np.array(self.svm.gaps(all_examples)).T
        for features in self.dominant.values():
            more_primal, more_dual = features.corrections()
            primal, dual = primal + more_primal, dual + more_dual
        self.objective = float(primal.sum())
        self.gap = float((primal - dual + imbalance).sum())
        return self._gap_within(self.options.tol)

    def _gap_within(self, part: float) -> bool:
        return bool(self.gap <= part * max(self.objective, 1e-300))

    def _warn(self) -> None:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"{self.options.title} stopped after max_iter={self.options.max_iter} epochs with a "
            f"duality gap of {self.gap:.3g} (objective {self.objective:.3g}): "
            "use a larger max_iter or tol, a smaller C, or solver='gram'",
            ConvergenceWarning,
            stacklevel=2,
        )

    def _resume(self) -> None:
        state = None if self.checkpoint is None else self.checkpoint.read()
        if state is not None:
            self.seed = int(state["seed"])
            self._go_on_from(state)

    def _save(self, checkpoint: Checkpoint) -> None:
        """Save, and go on from what was saved, as a resumed run does."""
        state: dict[str, Any] = {
            "seed": self.seed,
            "beta": self.svm.beta().reshape(self.target.shape),
            "multipliers": self.svm.multipliers(),
            "epochs": int(self.svm.epochs),
            "anchors": [features.anchor for features in self.dominant.values()],
        }
        checkpoint.write(state)
        self._go_on_from(state)

    def _go_on_from(self, state: dict[str, Any]) -> None:
        for features, anchor in zip(self.dominant.values(), state["anchors"], strict=True):
            features.anchor = anchor
        svm = self._native_solver()
        svm.resume(state["beta"], state["multipliers"], int(state["epochs"]))
        self.svm = svm


class _Looks:
    """When to look at all examples, also at those left out by now: that takes time.

    It is due when the gap of the others seems small: ten times the tolerance for the first time, to
    find mistakes early, and then the tolerance itself; when the last look was long ago; and when
    none of the others is left.
    """

    def __init__(self, epoch: int) -> None:
        self.last = epoch
        self.been_near = False

    def due(self, descent: DualDescent, epoch: int) -> bool:
        tol = descent.options.tol
        near = descent._gap_within(10 * tol) and not self.been_near
        self.been_near = self.been_near or near
        late = epoch - self.last >= _EPOCHS_BETWEEN_LOOKS or descent.svm.active == 0
        return near or late or descent._gap_within(tol)


class GapProgress:
    """How far a descent has got: by the duality gap, whose logarithm falls about evenly.

    Between two looks at the gap it is taken to go on as it did, and it never goes back.

    Parameters
    ----------
    bar : callable
        Called with the work done and in all.
    tol : float
        The part of the objective that the gap is to become.

    Examples
    --------
    >>> progress = GapProgress(lambda done, total: print(f"{done / total:.0%}"), 1e-3)
    >>> progress.look(1.0, epochs=1)
    0%
    >>> progress.look(0.1, epochs=2)
    33%
    >>> progress(1, 2)
    50%
    """

    units = 1_000_000

    def __init__(self, bar: Progress, tol: float) -> None:
        self.bar = bar
        self.tol = tol
        self.first: float | None = None
        self.share = 0.0  # at the last look
        self.rate = 0.0  # what an epoch has added to it
        self.looked = 0
        self.epochs = 0  # that are done
        self.shown = 0.0

    def look(self, gap: float, epochs: int) -> None:
        """Take note of the gap, as part of the objective, after so many epochs."""
        gap = max(gap, self.tol)
        if self.first is None:
            self.first = gap
        whole = np.log(max(self.first, self.tol) / self.tol)
        share = 1.0 if whole <= 0 else float(np.log(self.first / gap) / whole)
        self.rate = max(0.0, (share - self.share) / max(1, epochs - self.looked))
        self.share, self.looked, self.epochs = share, epochs, epochs
        self(0, 1)

    def __call__(self, done: int, total: int) -> None:
        ahead = self.epochs - self.looked + done / max(1, total)
        expected = min(self.share + self.rate * ahead, max(self.share, 0.99))
        self.shown = max(self.shown, expected)
        self.bar(int(self.units * self.shown), self.units)
