"""SupportVectorMachine: what `TreeSVC` and `TreeSVR` have in common.

`descent` and `gram_solver` solve the problem; here is chosen between them, and a model made of the
solution.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from treekernels.common.arrays import Array, Floats
from treekernels.common.checks import check_flag, check_number, choice, integer, number, rules
from treekernels.common.memory import free_memory
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.common.random_states import check_random_state
from treekernels.data.examples import Examples
from treekernels.errors import DataError, KernelOverflowError, ParameterError
from treekernels.kernels import Kernel
from treekernels.kernels.base.kernel import thread_count
from treekernels.learners.base.callbacks import fit_task
from treekernels.learners.base.checkpoints import Checkpoint, parameter_digest
from treekernels.learners.base.comparison import Contest
from treekernels.learners.base.example_weights import check_bounds, check_sample_weight
from treekernels.learners.base.learner import Learner
from treekernels.learners.base.selection import Selection
from treekernels.learners.base.summand_scales import warn_of_scales, warn_of_small_summands
from treekernels.learners.models.model import Model
from treekernels.learners.models.model_owner import reads_model
from treekernels.learners.svm.cost_estimate import CostEstimate, estimate_cost
from treekernels.learners.svm.descent import DualDescent, SlowDescent, describe_choice
from treekernels.learners.svm.dual_problem import DualProblem, Solution, SolverOptions
from treekernels.learners.svm.gram_solver import solve_by_gram

Solver = Literal["auto", "forest", "gram"]

_COURSE = ("n_iter_", "objective_", "gap_")  # attributes that say how the solver got on
_MUCH_TIME = 5.0  # seconds
_LARGE_MATRIX = 1024.0  # megabytes, for 16,384 examples
# Parameters that may differ when a checkpoint is gone on with.
_FREE_TO_CHANGE = ("checkpoint", "n_jobs", "verbose", "max_iter", "tol", "probability")


class Outputs(NamedTuple):
    """What a machine is to learn."""

    target: Floats  # of shape (examples, outputs), like the weights
    weights: Floats
    epsilon: float | None  # the error that a regression does not mind; None for classification
    attributes: dict[str, Any]  # what else the fitted machine has


def _check_penalty(name: str, value: Any) -> Any:
    """Return C: a positive number, or "auto"."""
    if isinstance(value, str) and value == "auto":
        return value
    if isinstance(value, str):
        raise ParameterError(f"{name} must be a number above 0 or 'auto', not {value!r}")
    return check_number(name, value, above=0)


@parameter_class
class SupportVectorMachine(Learner):
    """A support vector machine for one or more outputs.

    Parameters
    ----------
    solver : {"auto", "forest", "gram"}, default="auto"
        "forest" is the descent, which needs no Gram matrix. It takes tree kernels, mapping, linear
        and polynomial kernels, and weighted sums of these. "gram" takes any kernel: it makes the
        Gram matrix, if that fits into memory, and hands it to scikit-learn.
        "auto" chooses "forest" where it can, and changes to "gram" if the descent has not finished
        after 300 epochs on at most 2,000 examples. For partial and elastic trees it lets the
        descent make a Gram matrix of up to 1 GB, or an eighth of the free memory if that is less,
        because they are far faster with it. `verbose` shows which one was chosen.
    tol : float, default=1e-3
        Stop when the duality gap, over all outputs, has fallen to this fraction of the objective.
    max_iter : int, default=10000
        The largest number of epochs.
    fit_intercept : bool, default=True
        Whether to learn an intercept.
    cache_size : float, default=128
        Megabytes for comparisons that are kept so that they need not be made again: all of them, at
        4 bytes each, if they fit, or else those that are needed most often.
    """

    kernel: Kernel | str | None = "auto"
    _: KW_ONLY
    C: float | Literal["auto"] = 1.0
    solver: Solver = "auto"
    tol: float = 1e-3
    max_iter: int = 10_000
    fit_intercept: bool = True
    cache_size: float = 128
    random_state: Any = None
    checkpoint: Any = None
    n_jobs: int | None = None
    verbose: bool = False

    parameter_rules = rules(
        C=_check_penalty,
        solver=choice("auto", "forest", "gram"),
        tol=number(above=0),
        max_iter=integer(1),
        fit_intercept=check_flag,
        cache_size=number(above=0),
        **Learner.parameter_rules,
    )

    _sometimes_fitted = _COURSE

    def _fit(
        self,
        X: Any,
        y: Array,
        sample_weight: Any,
        outputs: Callable[[], Outputs],
        contest: Callable[[], Contest],
        calibrate: Callable[[Selection | None], Any] | None = None,
    ) -> None:
        """Find the support examples, and become a machine of them.

        Parameters
        ----------
        outputs : callable
            Says what is to be learned, once X is known to fit y.
        contest : callable
            Says how kernels are compared, if the kernel is to be chosen.
        calibrate : callable, optional
            Returns ``calibration_``, once the machine is found, given how its kernel was chosen.
        """
        examples, columns = self._learned_from(X, y)
        target, weights, epsilon, attributes = outputs()
        if sample_weight is not None:
            weights = weights * check_sample_weight(sample_weight, len(weights))[:, None]
        kernel, about_kernel = self._kernel_fitted_on(examples, contest)
        bound = self._penalty(kernel, examples) * weights
        problem = DualProblem(kernel, examples, target, bound, epsilon, bool(self.fit_intercept))
        checkpoint = self._open_checkpoint(kernel, examples, target, bound)
        with fit_task(self, X, y, sample_weight):
            fitted, interrupted = self._solve(problem, checkpoint)
            if calibrate is not None and not interrupted:
                try:
                    attributes["calibration_"] = calibrate(about_kernel["selection_"])
                except KeyboardInterrupt:  # the machine itself is there, and is kept
                    interrupted = True
            fitted |= {"input_columns_": columns, **about_kernel}
            self._adopt({**fitted, **attributes})
        if interrupted:
            raise KeyboardInterrupt
        if checkpoint is not None:
            checkpoint.remove()

    def _penalty(self, kernel: Kernel, examples: Examples) -> float:
        """Return C as a number. That of SVM-light, "auto", is one over the mean of K(x, x)."""
        if self.C != "auto":
            return float(self.C)
        return self._penalty_for(float(np.mean(kernel.self_values(examples))))

    def _penalty_for(self, mean: float) -> float:
        """Return C as a number, for examples whose K(x, x) has this mean."""
        if self.C != "auto":
            return float(self.C)
        if not 0 < mean < np.inf:
            raise DataError(f"C='auto' is one over the mean of K(x, x), which is {mean:g} here")
        return 1 / mean

    def _open_checkpoint(
        self, kernel: Kernel, examples: Examples, target: Floats, bound: Floats
    ) -> Checkpoint | None:
        """Return the checkpoint of a problem, whose file is looked at before all else."""
        if self.checkpoint is None:
            return None
        parameters = self.get_params()
        for name in _FREE_TO_CHANGE:
            parameters.pop(name, None)
        if self._is_automatic():
            parameters["kernel"] = kernel
        data = hashlib.sha256(bound.tobytes())
        data.update(examples.digest(target).encode())
        name = type(self).__name__
        checkpoint = Checkpoint(
            self.checkpoint, name, parameter_digest(parameters), data.hexdigest()
        )
        checkpoint.read()
        return checkpoint

    def _solve(
        self, problem: DualProblem, checkpoint: Checkpoint | None
    ) -> tuple[dict[str, Any], bool]:
        """Return the attributes of the fitted learner, and whether Ctrl-C was pressed.

        If it was, they are what has been found by then. The learner itself is not changed.
        """
        if not check_bounds(problem.bound).any():
            raise DataError("all weights of the examples are zero: there is nothing to learn from")
        cost = estimate_cost(problem.kernel, problem.examples)
        options = SolverOptions(
            title=type(self).__name__,
            tol=self.tol,
            max_iter=self.max_iter,
            cache_size=self.cache_size,
            matrix_size=self._matrix_size(cost),
            seed=int(check_random_state(self.random_state).randint(2**31)),
            n_jobs=thread_count(self.n_jobs),
            verbose=bool(self.verbose),
        )
        problem = replace(problem, kernel=problem.kernel.remembering())
        warn_of_scales(problem.kernel, problem.scales)
        warn_of_small_summands(problem.kernel, problem.examples)
        solver = self._choose_solver(problem.kernel)
        if options.verbose:
            print(f"{options.title}: {describe_choice(solver, cost, options)}")
        solution: Solution | None = None
        if solver == "forest":
            replaceable = self.solver == "auto" and problem.fit_intercept
            descent = DualDescent(problem, options, checkpoint, replaceable=replaceable)
            try:
                solution = descent.solve()
            except (KernelOverflowError, SlowDescent):
                if self.solver != "auto":
                    raise
                solver = "gram"
                if options.verbose:
                    print(f"{options.title}: that would take too long; solver='gram' goes on")
        if solution is None:
            solution = solve_by_gram(problem, options)
        support = np.flatnonzero(solution.coefficients.any(axis=1))
        examples = problem.examples.take(support)
        coefficients = solution.coefficients[support]
        model = Model(problem.kernel, problem.target.shape[1], one_by_one=solver == "gram")
        try:
            model.add(examples, coefficients)
        except KernelOverflowError:
            if self.solver != "auto" or solver == "gram" or solution.weights:
                raise
            # The values of large trees are numbers once they are normalised, and not before.
            solver = "gram"
            model = Model(problem.kernel, problem.target.shape[1], one_by_one=True)
            model.add(examples, coefficients)
        model.set_feature_weights(solution.weights)
        model.prepare()
        fitted = {
            "solver_": solver,
            "support_": support,
            "dual_coef_": coefficients,
            "intercept_": solution.intercept,
            **solution.course,
            "_support": examples,
            "_model": model,
        }
        return fitted, solution.interrupted

    def _choose_solver(self, kernel: Kernel) -> Literal["forest", "gram"]:
        if self.solver == "gram":
            return "gram"
        inseparable = [term.kernel for term in kernel.summands() if term.kernel.needs_gram]
        if inseparable and self.solver == "forest":
            raise ParameterError(
                f"solver='forest' cannot take {inseparable[0]!r} apart: use solver='gram'"
            )
        return "gram" if inseparable else "forest"

    def _matrix_size(self, cost: CostEstimate) -> float:
        """Return up to how many megabytes the descent keeps all pairs of examples.

        More than `cache_size` only where the user leaves the choice to us, memory is plenty, and
        the estimates say that it saves much time, as it does for partial and elastic trees.
        """
        saved = cost.seconds_without - cost.seconds_with_matrix
        much = saved > _MUCH_TIME and cost.seconds_without > 5 * cost.seconds_with_matrix
        if self.solver != "auto" or not much:
            return self.cache_size
        free = free_memory()
        plenty = _LARGE_MATRIX if free is None else min(_LARGE_MATRIX, free / 8 / 2**20)
        return max(self.cache_size, plenty)

    @property
    @reads_model
    def support_examples_(self) -> Any:
        """The support trees, or all columns of the support examples."""
        self._check_fitted()
        return self._support.X

    _merged_names = (*Learner._merged_names, "intercept_", "_support")

    def _merged(self, other: Any, theirs: Model, learned: dict[str, Any]) -> dict[str, Any]:
        return {
            **super()._merged(other, theirs, learned),
            "intercept_": self.intercept_ + learned["intercept_"],
            "_support": Examples.concatenate([self._support, learned["_support"]]),
        }

    def _machine_state(self) -> dict[str, Any]:
        self._check_fitted()
        return {
            "support": self.support_,
            "dual_coef": self.dual_coef_,
            "intercept": self.intercept_,
            "solver": self.solver_,
            "course": {name: value for name, value in vars(self).items() if name in _COURSE},
            "examples": dict(self._support.columns),
            "model": self._model.state(),
            **self._kernel_state(),
        }

    def _restore_machine(self, state: dict[str, Any], n_outputs: int) -> None:
        self._check_parameters()
        self._restore_kernel(state)
        self.support_ = np.asarray(state["support"], np.intp)
        self.dual_coef_ = np.asarray(state["dual_coef"], np.float64)
        self.intercept_ = np.asarray(state["intercept"], np.float64)
        self.solver_ = state["solver"]
        for name, value in state["course"].items():
            if name in _COURSE:
                setattr(self, name, value)
        kernel = self.kernel_.remembering()
        self._support = Examples.restored(state["examples"], kernel.inputs())
        shape = (len(self._support), n_outputs)
        if self.dual_coef_.shape != shape or self.intercept_.shape != (n_outputs,):
            raise ValueError("the coefficients do not fit the support examples")
        self._model = Model(kernel, n_outputs, one_by_one=self.solver_ == "gram")
        self._model.restore(state["model"])
