"""Machine: support vector machines without a Gram matrix where the kernel allows it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treekernels import _native
from treekernels.common.native_errors import translate_native_errors
from treekernels.common.progress import Progress, describe, progress_bar
from treekernels.errors import KernelOverflowError
from treekernels.io.container import read_container, write_container
from treekernels.kernels import Kernel
from treekernels.kernels.base import thread_count
from treekernels.learners.base import Learner, Matrix
from treekernels.learners.examples import Examples
from treekernels.learners.model import Model
from treekernels.learners.model_owner import reads_model

__all__ = ["Machine", "Solver", "weighted"]

Solver = Literal["auto", "forest", "gram"]

_EPOCHS_BETWEEN_CHECKPOINTS = 10
_SMALLER = 0.6
_MOST_UNCHECKED = 8
# Epochs after which few examples are left to scikit-learn's solver, whose steps change two
# coefficients at a time: it is slower on most problems, but not on small ill-conditioned ones.
_PATIENCE = 300
_FEW = 2000
_COURSE = ("n_iter_", "objective_", "gap_")  # attributes that tell how the solver got on


class Machine(Learner):
    """A support vector machine for one or more columns of targets."""

    C: float
    solver: Solver
    tol: float
    max_iter: int
    fit_intercept: bool
    cache_size: float
    random_state: Any
    checkpoint: Any

    def _solve(
        self, examples: Examples, target: Matrix, bound: Matrix, *, epsilon: float | None
    ) -> bool:
        """Find coefficients for targets of one column each; regression if there is an epsilon.

        Gives whether it got to the end. If it was interrupted, what it has found so far is there.
        """
        if not self.C > 0:
            raise ValueError(f"C must be above 0, not {self.C}")
        if not self.tol > 0 or self.max_iter < 1:
            raise ValueError("tol must be above 0, and max_iter at least 1")
        if not (np.isfinite(bound).all() and (bound >= 0).all() and bound.any()):
            raise ValueError("C and weights must be finite numbers from 0 up, and not all 0")
        kernel = self.kernel_
        self._forget_course()
        self.solver_ = self._chosen(kernel)
        solution, whole = None, True
        if self.solver_ == "forest":
            descent = _Descent(self, kernel, examples, target, bound, epsilon)
            try:
                solution = descent.run()
                whole = not descent.interrupted
            except (KernelOverflowError, _TooSlow):
                if self.solver != "auto":
                    raise
                self._forget_course()
                self.solver_ = "gram"
        if self.verbose:
            print(f"{type(self).__name__}: solved with solver={self.solver_!r}")
        if solution is None:
            solution = _by_gram(self, kernel, examples, target, bound, epsilon)
            if self.checkpoint is not None:
                Path(self.checkpoint).unlink(missing_ok=True)
        beta, self.intercept_ = solution
        self.support_ = np.flatnonzero(beta.any(axis=1))
        self.dual_coef_ = beta[self.support_]
        self._support = examples.take(self.support_)
        self._model = Model(kernel, target.shape[1], one_by_one=self.solver_ == "gram")
        self._model.add(self._support, self.dual_coef_)
        return whole

    def _forget_course(self) -> None:
        for name in _COURSE:
            if hasattr(self, name):
                delattr(self, name)

    def _chosen(self, kernel: Kernel) -> Literal["forest", "gram"]:
        if self.solver not in ("auto", "forest", "gram"):
            raise ValueError(f"solver must be 'auto', 'forest' or 'gram', not {self.solver!r}")
        if self.solver == "gram":
            return "gram"
        whole = [term.kernel for term in kernel.summands() if term.kernel.needs_gram]
        if whole and self.solver == "forest":
            raise ValueError(f"solver='forest' cannot take {whole[0]!r} apart: use solver='gram'")
        return "gram" if whole else "forest"

    @property
    @reads_model
    def support_examples_(self) -> Any:
        """The support trees, or all columns of the support examples."""
        check_is_fitted(self)
        return self._support.X

    def _machine_state(self) -> dict[str, Any]:
        check_is_fitted(self)
        return {
            "support": self.support_,
            "dual_coef": self.dual_coef_,
            "intercept": self.intercept_,
            "solver": self.solver_,
            "course": {name: value for name, value in vars(self).items() if name in _COURSE},
            "examples": dict(self._support.columns),
            "model": self._model.state(),
        }

    def _restore_machine(self, state: dict[str, Any], columns: int) -> None:
        self.support_ = np.asarray(state["support"], np.intp)
        self.dual_coef_ = np.asarray(state["dual_coef"], np.float64)
        self.intercept_ = np.asarray(state["intercept"], np.float64)
        self.solver_ = state["solver"]
        for name, value in state["course"].items():
            if name in _COURSE:
                setattr(self, name, value)
        self._support = Examples.restored(state["examples"], self.kernel_)
        shape = (len(self._support), columns)
        if self.dual_coef_.shape != shape or self.intercept_.shape != (columns,):
            raise ValueError("the coefficients do not fit the support examples")
        self._model = Model(self.kernel_, columns, one_by_one=self.solver_ == "gram")
        self._model.restore(state["model"])


def weighted(bound: Matrix, sample_weight: Any) -> Matrix:
    """Multiply the bounds of examples by their weights, if there are any."""
    if sample_weight is None:
        return bound
    weights = np.asarray(sample_weight, np.float64)
    if weights.shape != bound.shape:
        raise ValueError(
            f"sample_weight must have one number for each of {len(bound)} examples, "
            f"not the shape {weights.shape}"
        )
    return bound * weights


class _TooSlow(Exception):
    """Coordinate descent gets nowhere."""


class _Descent:
    """Dual coordinate descent: epochs until the duality gap is small."""

    def __init__(
        self,
        machine: Machine,
        kernel: Kernel,
        examples: Examples,
        target: Matrix,
        bound: Matrix,
        epsilon: float | None,
    ) -> None:
        self.machine = machine
        self.examples = examples
        self.target = np.array(target, np.float64)  # a copy, since a data frame's is read-only
        self.bound = np.ascontiguousarray(bound, np.float64)
        self.epsilon = epsilon
        self.kernel = kernel
        self.bytes = int(machine.cache_size * 2**20)
        self.seed = int(check_random_state(machine.random_state).randint(2**31))
        self.matrix: NDArray[np.float32] | None = None
        self.interrupted = False

    def run(self) -> tuple[Matrix, Matrix]:
        machine = self.machine
        title = type(machine).__name__
        with (
            translate_native_errors(),
            progress_bar(title, verbose=bool(machine.verbose)) as bar,
        ):
            self.svm = self._solver()
            self._resume()
            try:
                self._descend(bar)
            except KeyboardInterrupt:  # wherever it comes, what was learned so far is kept
                self.interrupted = True
                self._converged()
        machine.n_iter_ = int(self.svm.epochs)
        if machine.checkpoint is not None and not self.interrupted:
            Path(machine.checkpoint).unlink(missing_ok=True)
        return self.svm.beta().reshape(self.target.shape), self.bias

    def _descend(self, bar: Progress | None) -> None:
        machine = self.machine
        first, checked = np.inf, self.svm.epochs - 1
        for epoch in range(self.svm.epochs, machine.max_iter):
            progress = None if bar is None else _epoch_progress(bar, epoch, machine.max_iter)
            violation = self.svm.epoch(progress)
            describe(bar, f"violation {violation:.2g}, {self.svm.active:,} active")
            # A look at all examples, also at those left out by now, is due when steps have
            # become clearly smaller than just after the last one.
            if epoch == checked + 1:
                first = violation
            small = violation <= _SMALLER * first and epoch > checked + 1
            if small or epoch == checked + _MOST_UNCHECKED or epoch + 1 == machine.max_iter:
                checked = epoch
                if self._converged():
                    return
            if epoch + 1 >= _PATIENCE and self._replaceable():
                raise _TooSlow
            due = (epoch + 1) % _EPOCHS_BETWEEN_CHECKPOINTS == 0
            if due and machine.checkpoint is not None:
                self._save_checkpoint()
                checked = epoch  # as it is for a run that is resumed
        if not hasattr(self, "bias"):  # resumed where there was nothing left to do
            self._converged()
        self._warn()

    def _replaceable(self) -> bool:
        """Whether scikit-learn may be asked instead."""
        machine = self.machine
        few = self.matrix is not None and len(self.examples) <= _FEW
        return machine.solver == "auto" and machine.fit_intercept and few

    def _solver(self) -> _native.Svm:
        return _native.Svm(
            self._summands(),
            self.target,
            self.bound,
            self.epsilon is not None,
            self.epsilon or 0.0,
            bool(self.machine.fit_intercept),
            self.seed,
        )

    def _summands(self) -> list[_native.Summand]:
        count = len(self.examples)
        if 4 * count * count <= self.bytes:  # few enough for all pairs to be kept
            if self.matrix is None:
                jobs = thread_count(self.machine.n_jobs)
                self.matrix = self.kernel(self.examples.X, dtype=np.float32, n_jobs=jobs)
            return [_native.FloatMatrixSummand(self.matrix, np.zeros(self.target.shape))]
        columns = self.target.shape[1]
        return [
            term.kernel.native_summand(self.examples.X, term.weight, columns, self.bytes // 3)
            for term in self.kernel.summands()
        ]

    def _converged(self) -> bool:
        primal, dual, imbalance, self.bias = np.array(self.svm.gaps()).T
        machine = self.machine
        machine.objective_ = float(primal.sum())
        machine.gap_ = float((primal - dual + imbalance).sum())
        return bool(machine.gap_ <= machine.tol * max(machine.objective_, 1e-300))

    def _warn(self) -> None:
        import warnings

        from sklearn.exceptions import ConvergenceWarning

        machine = self.machine
        warnings.warn(
            f"{type(machine).__name__} stopped after max_iter={machine.max_iter} epochs with a "
            f"duality gap of {machine.gap_:.3g} (objective {machine.objective_:.3g}): "
            "use a larger max_iter or tol, a smaller C, or solver='gram'",
            ConvergenceWarning,
            stacklevel=2,
        )

    def _key(self) -> str:
        parameters = self.machine.get_params(deep=False)
        for name in ("checkpoint", "n_jobs", "verbose", "max_iter", "tol"):
            parameters.pop(name)
        digest = hashlib.sha256(repr(sorted(parameters.items())).encode())
        digest.update(self.bound.tobytes())
        digest.update(self.examples.digest(self.target).encode())
        return digest.hexdigest()

    def _resume(self) -> None:
        path = self.machine.checkpoint
        if path is None or not Path(path).exists():
            return
        kind, state = read_container(path)
        if kind != "svm checkpoint" or state["key"] != self._key():
            raise ValueError(
                f"the checkpoint {path} is of another problem: give another file, or remove it"
            )
        self.seed = int(state["seed"])
        self.svm = self._solver()
        self.svm.resume(state["beta"], state["multipliers"], int(state["epochs"]))

    def _save_checkpoint(self) -> None:
        """Save, and go on from what was saved, as a resumed run does."""
        state: dict[str, Any] = {
            "key": self._key(),
            "seed": self.seed,
            "beta": self.svm.beta().reshape(self.target.shape),
            "multipliers": self.svm.multipliers(),
            "epochs": int(self.svm.epochs),
        }
        write_container(self.machine.checkpoint, "svm checkpoint", state)
        self.svm = self._solver()
        self.svm.resume(state["beta"], state["multipliers"], state["epochs"])


def _by_gram(
    machine: Machine,
    kernel: Kernel,
    examples: Examples,
    target: Matrix,
    bound: Matrix,
    epsilon: float | None,
) -> tuple[Matrix, Matrix]:
    """Solve with scikit-learn's machine on the Gram matrix, one column after the other."""
    from sklearn.svm import SVC, SVR

    if not machine.fit_intercept:
        raise ValueError("solver='gram' always has an intercept: use fit_intercept=True")
    # Examples without weight are left out here: scikit-learn would lose count of the others.
    used = np.flatnonzero(bound)
    gram = kernel(examples.take(used).X, n_jobs=thread_count(machine.n_jobs))
    beta = np.zeros(target.shape)
    bias = np.zeros(target.shape[1])
    common = {"kernel": "precomputed", "cache_size": machine.cache_size}
    machine.n_iter_ = 0
    for column, wanted in enumerate(target[used].T):
        if epsilon is None:
            one = SVC(C=1.0, tol=machine.tol, **common)
            one.fit(gram, wanted > 0, sample_weight=bound[used])
        else:
            one = SVR(C=1.0, epsilon=epsilon, tol=machine.tol, **common)
            one.fit(gram, wanted, sample_weight=bound[used])
        beta[used[one.support_], column] = one.dual_coef_[0]
        bias[column] = one.intercept_[0]
        machine.n_iter_ += int(np.sum(one.n_iter_))
    return beta, bias


def _epoch_progress(bar: Progress, epoch: int, epochs: int) -> Progress:
    units = 1_000_000

    def advance(done: int, total: int) -> None:
        bar(int(units * (epoch + done / max(1, total))), units * epochs)

    return advance
