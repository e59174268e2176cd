"""TreeKernel: what the tree kernels have in common, between parameters and native core."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.checks import check_flag, choice, rules
from treekernels.common.native_errors import translate_native_errors
from treekernels.data.columns import forest_of
from treekernels.data.forest import Forest
from treekernels.kernels.base.hyperparameters import bounds_rule, hyperparameters_of
from treekernels.kernels.base.kernel import Kernel, KernelMatrix, Run, thread_count
from treekernels.kernels.base.missing_parts import MissingMatrix, missing_summand
from treekernels.kernels.base.result_matrix import Array
from treekernels.kernels.base.small_values import warn_of_small_values
from treekernels.kernels.weights.productions import (
    FactorLookup,
    Kind,
    Weights,
    check_decays,
    check_weights,
    default_decay,
    factor_table,
    fitted_weights,
    needs_fit,
)

__all__ = ["Algorithm", "Counts", "TreeKernel", "WeightedTreeKernel"]

Algorithm = Literal["corpus", "ftk", "qtk"]
Counts = Literal["linear", "log", "binary"]
NativeKernel: TypeAlias = Any
"""One of the classes of `cpp/bind/kernels.cpp`."""

_COUNTS = {name: _native.CountDamping[name] for name in ("linear", "log", "binary")}
_ALGORITHMS = {name: _native.Algorithm[name] for name in ("corpus", "ftk", "qtk")}


class TreeKernel(Kernel):
    """A kernel that sums a function of node pairs over two trees, computed by the native core."""

    decay: Any
    normalize: bool
    algorithm: Algorithm
    counts: Counts = "linear"

    takes = "trees"
    # Whether trees have so many more fragments than nodes that a large decay lets them rule.
    large_trees_need_decay = True
    parameter_rules = rules(
        normalize=check_flag,
        algorithm=choice(*_ALGORITHMS),
    )

    @abstractmethod
    def native_kernel(self) -> NativeKernel:
        """Return the kernel of the native core, with the parameters of this one, checked."""

    def native_kernel_for(self, *forests: Forest) -> NativeKernel:
        """Return it for some trees, whose labels may decide which of them match."""
        return self.native_kernel()

    @property
    def learned_as(self) -> Literal["forest", "support"]:
        return "support" if self.needs_gram else "forest"

    @property
    def needs_gram(self) -> bool:
        return self.algorithm != "corpus" or not _native.has_weighted_forest(self.native_kernel())

    def native_summand(self, X: Any, weight: float, n_outputs: int, memory: int) -> _native.Summand:
        trees = forest_of(X, self.on)
        summand = _native.RespondingSummand(
            trees.dag,
            trees.roots,
            self.native_kernel_for(trees),
            normalize=bool(self.normalize),
            weight=weight,
            bytes=memory,
        )
        return missing_summand(summand, trees.is_empty)

    def prepare(self, X: Any, Y: Any = None, run: Run | None = None) -> KernelMatrix:
        run = run or Run()
        rows = forest_of(X, self.on)
        others = rows if Y is None else forest_of(Y, self.on)
        matrix: KernelMatrix = TreeKernelMatrix(
            self._native_gram(rows, others, run, symmetric=Y is None)
        )
        empty_rows, empty_others = rows.is_empty, others.is_empty
        if empty_rows.any() or empty_others.any():
            matrix = MissingMatrix(matrix, empty_rows, empty_others)
        return matrix

    def look_at_values(self, X: Any, values: Array) -> None:
        if self.normalize:
            warn_of_small_values(self, forest_of(X, self.on), values)

    def diag(self, X: Any) -> NDArray[np.float64]:
        forest = forest_of(X, self.on)
        run = Run(thread_count(self.n_jobs))
        matrix = self._native_gram(forest, forest, run, symmetric=True, diagonal_only=True)
        with translate_native_errors():
            result = matrix.diagonal()
        result[forest.is_empty] = 0.0
        return result

    def _native_gram(
        self,
        rows: Forest,
        others: Forest,
        run: Run,
        *,
        symmetric: bool,
        diagonal_only: bool = False,
    ) -> _native.Gram:
        kernel = self.native_kernel_for(*([others] if symmetric else [rows, others]))
        with translate_native_errors():
            return _native.Gram(
                others.dag,
                others.roots,
                None if symmetric else rows.dag,
                None if symmetric else rows.roots,
                kernel,
                _ALGORITHMS[self.algorithm],
                bool(self.normalize),
                diagonal_only,
                run.n_jobs,
            )


class WeightedTreeKernel(TreeKernel):
    """A tree kernel whose productions or labels have weights, and whose counts may be damped."""

    weights: Weights
    tuned: tuple[str, ...] = ("decay",)
    counts: Counts

    weighs: Kind = "productions"
    """What the weights are of."""

    parameter_rules = rules(
        decay=check_decays,
        weights=check_weights,
        counts=choice(*_COUNTS),
        decay_bounds=bounds_rule(1.0),
        **TreeKernel.parameter_rules,
    )

    def fill_gradient(self, X: Any, out: Array, run: Run) -> None:
        forest = forest_of(X, self.on)
        free = [one for one in hyperparameters_of(self) if not one.is_fixed]
        names: list[tuple[str, object]] = [(one.parameter, key) for one in free for key in one.keys]
        if not names:
            return
        kernel = self.native_kernel_for(forest)
        with translate_native_errors():
            _native.fill_gradient(
                forest.dag,
                forest.roots,
                kernel,
                names,
                bool(self.normalize),
                out,
                run.n_jobs,
                run.progress,
            )
        empty = forest.is_empty
        out[empty] = 0.0
        out[:, empty] = 0.0

    @property
    def needs_fit(self) -> bool:
        return needs_fit(self.weights)

    def fitted_on(self, X: Any) -> Kernel:
        if not self.needs_fit:
            return self
        self.check_parameters()
        weights = fitted_weights(self.weights, self.weighs, X, self.on)
        return type(self)(**{**self.get_params(deep=False), "weights": weights})

    def factor_lookup(self) -> FactorLookup:
        """Return a function of a production that says what it brings to a fragment."""
        return FactorLookup(self.weights, self.decay)

    def _decay(self) -> float:
        """Return the decay of what has none of its own."""
        return default_decay(self.decay)

    def _factors(self) -> Any:
        """Return what else each production or label has, for the native core."""
        return factor_table(self.weights, self.decay, self.weighs)

    def _damping(self) -> _native.CountDamping:
        return _COUNTS[self.counts]


class TreeKernelMatrix(KernelMatrix):
    """A matrix of the native core."""

    def __init__(self, native: _native.Gram | _native.PairsGram) -> None:
        self.native = native
        self.shape = native.shape

    def fill(self, out: Array, run: Run) -> None:
        with translate_native_errors():
            self.native.fill(out, run.n_jobs, run.progress)

    def fill_rows(self, first: int, last: int, out: Array, run: Run) -> None:
        with translate_native_errors():
            self.native.fill_rows(first, last, out, run.n_jobs, run.progress)
