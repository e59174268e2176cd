"""Kernel: what all kernels have in common, and how they combine.

A kernel is a small object of parameters. Called with examples it gives a Gram matrix. Underneath,
it prepares a `KernelMatrix`, of which any rows can be asked for, so that a matrix larger than
memory can be made in blocks.

Public methods take X in any form, check the parameters, and make `Examples` of X. All other methods
get `Examples`, and rely on parameters that have been checked.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from treekernels import _native
from treekernels.common.arrays import Array, Floats
from treekernels.common.checks import Rule, check_parameters, rules
from treekernels.common.cores import usable_cores
from treekernels.common.progress import Progress, progress_bar
from treekernels.data.columns import On, Takes
from treekernels.data.examples import Examples
from treekernels.errors import ParameterError
from treekernels.io.files.npy import row_blocks, write_npy
from treekernels.kernels.base.matrices import (
    KernelMatrix,
    Run,
    gradient_for,
    matrix_dtype,
    matrix_for,
)
from treekernels.kernels.base.parameters import Parameters
from treekernels.kernels.base.tuning import Tunable

__all__ = ["Kernel"]


Operator: TypeAlias = Literal["+", "*", "**"]
FragmentKind: TypeAlias = Literal[
    "subtrees",
    "subset trees",
    "partial trees",
    "elastic trees",
    "paths",
    "features",
    "rewrite rules",
]

# What each operator makes of two kernels, or of a kernel and a number. The algebra is built on
# kernels, so that this file cannot know it: it makes itself known here.
OPERATORS: dict[Operator, Callable[[Any, Any], Kernel]] = {}
_MAX_THREADS = 1024  # no machine has use for more, and a number from a file may be any


@dataclass(frozen=True)
class Summand:
    """``weight * kernel``, one term of a sum."""

    kernel: Kernel
    weight: float


class Kernel(Parameters, Tunable, ABC):
    """A kernel on examples of any kind.

    ``kernel(X)`` is the Gram matrix of X, ``kernel(X, Y)`` that between X and Y, ``kernel.diag(X)``
    the diagonal alone. ``+``, ``*``, ``**`` combine kernels with each other and with numbers.

    Kernels satisfy the protocol of `sklearn.gaussian_process.kernels` for structured input: they
    can be given to ``SVC(kernel=...)`` and ``GaussianProcessClassifier(kernel=...)``. A Gaussian
    process tunes the parameters in `tuned` by their gradient.

    Parameters
    ----------
    n_jobs : int, optional
        The number of threads; -1 uses all cores.
    verbose : bool, default=False
        Whether to show a progress bar.
    """

    n_jobs: int | None = None
    verbose: bool = False

    on: Any = None
    """The column of X that the kernel looks at; None for X as a whole."""

    takes: Takes | None = "objects"
    """What it looks at there; None for nothing."""

    large_trees_need_decay = False
    """Whether trees have so many more fragments than nodes that a large decay lets them rule."""

    parameter_rules: Mapping[str, Rule] = rules()
    """What each parameter may be."""

    def check_parameters(self) -> None:
        """Raise a `ParameterError` if a parameter is not what it may be, here or in an operand."""
        check_parameters(self, self.parameter_rules)
        for operand in self.operands():
            operand.check_parameters()

    @abstractmethod
    def matrix_of(self, X: Examples, Y: Examples | None, run: Run) -> KernelMatrix:
        """Return the matrix between X and Y (X itself if None), ready to be computed."""

    @abstractmethod
    def self_values(self, X: Examples) -> Floats:
        """Return ``kernel(x, x)`` for each example, without the matrix."""

    def prepare(self, X: Any, Y: Any = None, run: Run | None = None) -> KernelMatrix:
        """Return the matrix between X and Y (X itself if None), ready to be computed."""
        self.check_parameters()
        others = None if Y is None else self.examples(Y)
        return self.matrix_of(self.examples(X), others, run or Run())

    def diag(self, X: Any) -> Floats:
        """Return ``kernel(x, x)`` for each example, without the matrix."""
        self.check_parameters()
        return self.self_values(self.examples(X))

    def examples(self, X: Any) -> Examples:
        """Return what the kernel looks at of X, made ready; `Examples` are that already."""
        return X if isinstance(X, Examples) else Examples.of(X, self.inputs())

    def inputs(self) -> list[tuple[On, Takes]]:
        """Return the columns that the kernel looks at, and as what; those of all its operands."""
        if self.operands():
            return [column for leaf in self.leaves() for column in leaf.inputs()]
        return [] if self.takes is None else [(self.on, self.takes)]

    # What learners and explanations ask a kernel. A kernel that answers nothing of its own is
    # learned with through Gram matrices.

    def operands(self) -> tuple[Kernel, ...]:
        """Return the kernels that this one is made of: none, unless it is a combination."""
        names = self.operand_names
        return tuple(getattr(self, name) for name in names) if names else ()

    def leaves(self) -> Iterator[Kernel]:
        """Yield the kernels at the bottom of a combination, from left to right."""
        pending: list[Kernel] = [self]
        while pending:
            kernel = pending.pop()
            operands = kernel.operands()
            pending.extend(reversed(operands))
            if not operands:
                yield kernel

    def expand(self) -> list[tuple[float, Kernel]] | None:
        """Return factors and kernels whose weighted sum this one is, or None if it is no sum."""
        return None

    def summands(self) -> list[Summand]:
        """Return the kernel as a weighted sum, nested sums and constant factors taken apart."""
        summands: list[Summand] = []
        pending: list[tuple[float, Kernel]] = [(1.0, self)]
        while pending:
            weight, kernel = pending.pop()
            terms = kernel.expand()
            if terms is None:
                summands.append(Summand(kernel, weight))
            else:
                pending.extend((weight * factor, term) for factor, term in reversed(terms))
        return summands

    @property
    def learned_as(self) -> Literal["forest", "weights", "parts", "support"]:
        """What a model keeps: weighted subtrees, weights of features or of parts, or examples."""
        return "support"

    @property
    def needs_fit(self) -> bool:
        """Whether the kernel has weights that are yet to be learned from trees."""
        return any(leaf.needs_fit for leaf in self.leaves() if leaf is not self)

    def fitted_on(self, X: Any) -> Kernel:
        """Return the kernel with weights that are learned from X, or itself if it has none.

        Learners do this when they are fitted.

        Examples
        --------
        >>> import treekernels as tk
        >>> trees = ["(S (A a) (B b))", "(S (A a) (B c))"]
        >>> tk.SubsetTreeKernel(weights="idf").fitted_on(trees)
        SubsetTreeKernel(weights=InverseDocumentFrequency(<4 productions of 2 trees>))
        """
        if not self.needs_fit:
            return self
        examples = self.examples(X)
        return self._with_operands(lambda operand: operand.fitted_on(examples))

    def remembering(self) -> Kernel:
        """Return the kernel for a learner: a copy that keeps from call to call what is costly.

        It is a copy in any case, so that a model keeps its kernel when you change yours.
        """
        return self._with_operands(lambda operand: operand.remembering())

    def _with_operands(self, change: Callable[[Kernel], Kernel]) -> Kernel:
        """Return a copy, in which each parameter that is a kernel is changed."""
        parameters = self.get_params(deep=False).items()
        return self.with_params(**{n: change(v) for n, v in parameters if isinstance(v, Kernel)})

    @property
    def needs_gram(self) -> bool:
        """Whether a support vector machine needs the Gram matrix; if not, `native_summand` does."""
        return True

    def native_summand(
        self, X: Examples, weight: float, n_outputs: int, memory: int
    ) -> _native.Summand:
        """Return what the native solver needs of the examples: a summand of its kernel.

        Parameters
        ----------
        X : Examples
        weight : float
            The weight of the kernel in a sum.
        n_outputs : int
            How many scores an example gets: one for each class, or a single one.
        memory : int
            Bytes for what is kept instead of computed again.
        """
        raise ParameterError(f"{type(self).__name__} is learned with through its Gram matrix")

    @property
    def compares(self) -> Literal["productions", "labels"] | None:
        """What two subtrees must have in common to be compared at length; None if they never are.

        Learners estimate from it how long they will take.
        """
        return None

    @property
    def fragments(self) -> FragmentKind | None:
        """What `treekernels.explain` lists for a model of the kernel; None if there is nothing."""
        return None

    def __call__(
        self,
        X: Any,
        Y: Any = None,
        eval_gradient: bool = False,
        *,
        out: Array | str | os.PathLike[str] | None = None,
        dtype: DTypeLike | None = None,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> Any:
        """Return the Gram matrix.

        Parameters
        ----------
        X, Y : sequences of examples
            Without Y, or with the same object, the matrix is symmetric and costs half as much.
        eval_gradient : bool
            Also return the gradient by the logarithms of the hyperparameters, `theta`.
        out : array of shape (len(X), len(Y)), or path, optional
            Where to put the matrix: an array, or the name of a ``.npy`` file to be written. A file
            or a `numpy.memmap` is filled from top to bottom, so that it may be larger than memory;
            its values may differ in the last bit. The room on the disk is taken first.
        dtype : float32 or float64, optional
            The type of a new matrix; float64 by default.
        n_jobs : int, optional
            How many threads to use, -1 for all cores; overrides the kernel's own. The result has
            the same bits for any number.
        progress : callable, optional
            Called now and then with the units of work done and in all.

        Returns
        -------
        array of shape (len(X), len(Y))
            `out` if it was an array, the file opened for reading if it was a path.
        gradient : array of shape (len(X), len(X), n_dims)
            Only if `eval_gradient`.
        """
        if Y is X:
            Y = None
        if eval_gradient and Y is not None:
            raise ParameterError(
                "the gradient is that of examples with themselves: call kernel(X, "
                "eval_gradient=True), without Y"
            )
        with progress_bar(type(self).__name__, verbose=self.verbose, callback=progress) as bar:
            whole = Run(thread_count(self.n_jobs if n_jobs is None else n_jobs), bar)
            run = whole.part(0, 2) if eval_gradient else whole
            self.check_parameters()
            examples = self.examples(X)
            matrix = self.matrix_of(examples, None if Y is None else self.examples(Y), run)
            gradient = gradient_for(matrix.shape, self.n_dims) if eval_gradient else None
            if out is not None and isinstance(out, str | os.PathLike | np.memmap):
                out = _fill_file(matrix, out, dtype, run)
            else:
                out = matrix_for(matrix.shape, out, dtype)
                matrix.fill(out, run)
            if gradient is not None:
                self.fill_gradient(examples, gradient, whole.part(1, 2))
                return out, gradient
        if Y is None:
            self.look_at_values(examples, out)
        return out

    def fill_gradient(self, X: Examples, out: Array, run: Run) -> None:
        """Compute the derivatives of ``kernel(X)`` by `theta` into `out`.

        A kernel that has something in `tuned` or `operand_names` says here how; it is asked for
        nothing if all of that is fixed.
        """
        if out.shape[2]:
            raise ParameterError(f"{type(self).__name__} has no gradient")

    def look_at_values(self, X: Examples, values: Array) -> None:
        """Warn if the values of a symmetric matrix are of little use, and there is a remedy."""

    def blocks(
        self,
        X: Any,
        Y: Any = None,
        *,
        rows: int | None = None,
        dtype: DTypeLike | None = None,
        n_jobs: int | None = None,
    ) -> Iterator[tuple[slice, Array]]:
        """Yield the Gram matrix some rows at a time.

        Parameters
        ----------
        rows : int, optional
            The number of rows in each block; by default, as many as fit into 64 MB.

        Yields
        ------
        slice, array
            Which rows, and their values.

        Examples
        --------
        >>> import treekernels as tk
        >>> trees = ["(A b)", "(A c)", "(A (B b) c)"]
        >>> for where, block in tk.SubsetTreeKernel().blocks(trees, rows=2):
        ...     print(where.start, where.stop, block.shape)
        0 2 (2, 3)
        2 3 (1, 3)
        """
        run = Run(thread_count(self.n_jobs if n_jobs is None else n_jobs))
        matrix = self.prepare(X, None if Y is X else Y, run)
        for first, last in row_blocks(matrix.shape[0], 8 * matrix.shape[1], rows):
            block = matrix_for((last - first, matrix.shape[1]), None, dtype)
            matrix.fill_rows(first, last, block, run)
            yield slice(first, last), block

    def __add__(self, other: Any) -> Kernel:
        return OPERATORS["+"](self, other)

    def __radd__(self, other: Any) -> Kernel:
        return OPERATORS["+"](other, self)

    def __mul__(self, other: Any) -> Kernel:
        return OPERATORS["*"](self, other)

    def __rmul__(self, other: Any) -> Kernel:
        return OPERATORS["*"](other, self)

    def __pow__(self, exponent: float) -> Kernel:
        return OPERATORS["**"](self, exponent)


def _fill_file(
    matrix: KernelMatrix, out: str | os.PathLike[str] | Array, dtype: DTypeLike | None, run: Run
) -> Array:
    """Compute a matrix from top to bottom into a file, new or mapped."""
    bounds = row_blocks(matrix.shape[0], 8 * matrix.shape[1])

    def fill_rows(first: int, last: int, rows: Array) -> None:
        part = run.part(bounds.index((first, last)), len(bounds))
        matrix.fill_rows(first, last, rows, part)

    if isinstance(out, str | os.PathLike):
        return write_npy(out, matrix.shape, matrix_dtype(dtype), bounds, fill_rows)
    out = matrix_for(matrix.shape, out, dtype)
    for first, last in bounds:
        fill_rows(first, last, out[first:last])
    return out


def check_n_jobs(name: str, value: Any) -> int:
    """Return the threads that a parameter asks for: the rule of `thread_count`."""
    return thread_count(value)


def thread_count(n_jobs: int | None) -> int:
    """Return the threads that `n_jobs` asks for: None is 1, -1 is all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer):
        raise ParameterError(f"n_jobs must be an integer or None, not {n_jobs!r}")
    if n_jobs == 0:
        raise ParameterError("n_jobs = 0 has no meaning; use 1 for one thread, -1 for all cores")
    if n_jobs > 0:
        return min(int(n_jobs), _MAX_THREADS)
    return max(1, usable_cores() + 1 + n_jobs)
