"""TreeKernel: what the tree kernels have in common, between parameters and native core."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Literal, TypeAlias

from treekernels import _native
from treekernels.common.arrays import Array, Floats
from treekernels.common.checks import check_flag, choice, rules
from treekernels.common.native_errors import translate_native_errors
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest
from treekernels.kernels.base.kernel import Kernel, thread_count
from treekernels.kernels.base.matrices import (
    KernelMatrix,
    MissingMatrix,
    NativeMatrix,
    Run,
    missing_summand,
)
from treekernels.kernels.base.small_values import warn_of_small_values
from treekernels.kernels.base.tuning import bounds_rule
from treekernels.kernels.weights.productions import (
    FactorLookup,
    Kind,
    Weights,
    check_decays,
    check_weights,
    fitted_weights,
    needs_fit,
)

Algorithm = Literal["corpus", "ftk", "qtk"]
Counts = Literal["linear", "log", "binary"]
NativeKernel: TypeAlias = (
    _native.SubtreeKernel
    | _native.SubsetKernel
    | _native.PartialKernel
    | _native.ElasticKernel
    | _native.FeatureKernel
)

COUNTS = {name: _native.CountDamping[name] for name in ("linear", "log", "binary")}
_ALGORITHMS = {name: _native.Algorithm[name] for name in ("corpus", "ftk", "qtk")}


class TreeKernel(Kernel):
    """A kernel that sums a function of node pairs over two trees, computed by the native core.

    Parameters
    ----------
    normalize : bool, default=True
        Whether to divide by ``sqrt(K(x, x) K(y, y))``, so that K(x, x) is 1.
    on : str, optional
        The column of X that holds the trees, if X has columns.
    algorithm : {"corpus", "ftk", "qtk"}, default="corpus"
        How the values are computed: for all trees together, or pair by pair from merged lists of
        productions ("ftk", Moschitti 2006) or from all pairs of nodes ("qtk"). The values are the
        same.
    """

    decay: Any
    normalize: bool
    algorithm: Algorithm
    counts: Counts = "linear"

    takes = "trees"
    large_trees_need_decay = True
    parameter_rules = rules(
        normalize=check_flag,
        algorithm=choice(*_ALGORITHMS),
    )

    @abstractmethod
    def native_kernel(self) -> NativeKernel:
        """Return the kernel of the native core, for parameters that have been checked."""

    def native_kernel_for(self, *forests: Forest) -> NativeKernel:
        """Return it for some trees, whose labels may decide which of them match."""
        return self.native_kernel()

    @property
    def learned_as(self) -> Literal["forest", "support"]:
        return "support" if self.needs_gram else "forest"

    @property
    def needs_gram(self) -> bool:
        return self.algorithm != "corpus" or not _native.has_weighted_forest(self.native_kernel())

    def native_summand(
        self, X: Examples, weight: float, n_outputs: int, memory: int
    ) -> _native.Summand:
        trees = X.trees(self.on)
        summand = _native.RespondingSummand(
            trees.dag,
            trees.roots,
            self.native_kernel_for(trees),
            normalize=bool(self.normalize),
            weight=weight,
            bytes=memory,
        )
        return missing_summand(summand, trees.is_empty)

    def matrix_of(self, X: Examples, Y: Examples | None, run: Run) -> KernelMatrix:
        rows = X.trees(self.on)
        others = rows if Y is None else Y.trees(self.on)
        matrix = NativeMatrix(self._native_gram(rows, others, run, symmetric=Y is None))
        if rows.has_empty() or (Y is not None and others.has_empty()):
            return MissingMatrix(matrix, rows.is_empty, others.is_empty)
        return matrix

    def look_at_values(self, X: Examples, values: Array) -> None:
        if self.normalize:
            warn_of_small_values(self, X.trees(self.on), values)

    def self_values(self, X: Examples) -> Floats:
        trees = X.trees(self.on)
        run = Run(thread_count(self.n_jobs))
        matrix = self._native_gram(trees, trees, run, symmetric=True, diagonal_only=True)
        with translate_native_errors():
            values = matrix.diagonal()
        if trees.has_empty():
            values[trees.is_empty] = 0.0
        return values

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
    """A tree kernel whose productions or labels have weights, and whose counts may be damped.

    Parameters
    ----------
    counts : {"linear", "log", "binary"}, default="linear"
        How much it counts that a subtree occurs n times in one tree: n, ``1 + log(n)``, or 1.
    weights : "idf", InverseDocumentFrequency or dict, optional
        What productions weigh; a fragment weighs the product, in both trees. "idf" is learned from
        the trees that a learner is fitted on, or by ``kernel.fitted_on(trees)``. A dict gives
        weights by production, as ``"NP -> D N"`` or ``("NP", "D", "N")``, or by label; what is not
        listed weighs 1, or what the dict has for None.
    decay_bounds : pair of float or "fixed", default=(1e-3, 1.0)
        Where a Gaussian process may look for a better decay.
    """

    weights: Weights
    tuned: tuple[str, ...] = ("decay",)
    counts: Counts

    weighs: ClassVar[Kind] = "productions"
    """What the weights are of."""

    parameter_rules = rules(
        decay=check_decays,
        weights=check_weights,
        counts=choice(*COUNTS),
        decay_bounds=bounds_rule(1.0),
        **TreeKernel.parameter_rules,
    )

    def fill_gradient(self, X: Examples, out: Array, run: Run) -> None:
        trees = X.trees(self.on)
        names: list[tuple[str, object]] = [
            (free.parameter, key) for free in self.free_parameters() for key in free.keys
        ]
        if not names:
            return
        kernel = self.native_kernel_for(trees)
        with translate_native_errors():
            _native.fill_gradient(
                trees.dag,
                trees.roots,
                kernel,
                names,
                bool(self.normalize),
                out,
                run.n_jobs,
                run.progress,
            )
        empty = trees.is_empty
        out[empty] = 0.0
        out[:, empty] = 0.0

    @property
    def needs_fit(self) -> bool:
        return needs_fit(self.weights)

    def fitted_on(self, X: Any) -> Kernel:
        if not self.needs_fit:
            return self
        self.check_parameters()
        trees = self.examples(X).trees(self.on)
        weights = fitted_weights(self.weights, self.weighs, trees, None)
        return self.with_params(weights=weights)

    def factor_lookup(self) -> FactorLookup:
        """Return a function of a production that says what it brings to a fragment."""
        return FactorLookup(self.weights, self.decay)
