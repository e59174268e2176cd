"""WeightedForest: a weighted sum of examples to score against, for learners of your own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treekernels.common.arrays import Floats
from treekernels.common.checks import check_integer, check_number
from treekernels.common.progress import progress_bar
from treekernels.errors import DataError
from treekernels.kernels import Kernel
from treekernels.kernels.base.kernel import thread_count
from treekernels.kernels.base.matrices import Run
from treekernels.kernels.expressions.parsing import as_kernel
from treekernels.learners.models.model import Model
from treekernels.learners.models.model_owner import ModelOwner, reads_model

__all__ = ["WeightedForest"]


class WeightedForest(ModelOwner):
    """What every learner here learns: sums of weighted examples, seen through a kernel.

    After ``add(X, alpha)``, ``score(Z)`` is ``kernel(Z, X) @ alpha``, without the Gram matrix. The
    model of a tree kernel is the DAG of the distinct subtrees added so far with one weight for
    each column, so that a score costs what the distinct subtrees do, however many examples were
    added; with elastic edges it has a weight for each distinct tree. A `LinearKernel` keeps one
    weight for each feature, and a `MappingKernel` one for each class of parts. Any other kernel, or
    summand of a sum, keeps the examples added, and compares with each.

    Parameters
    ----------
    kernel : Kernel or str, optional
        A kernel, or an expression such as ``"sst(0.3)"``; by default ``SubsetTreeKernel()``.
    columns : int, default=1
        How many sums are kept side by side, for example one for each class. They share the work.
    n_jobs : int, optional
        Threads for scoring; -1 for all cores. The scores do not depend on it.
    verbose : bool, default=False
        Show a progress bar.

    See Also
    --------
    TreePerceptron, TreeSVC : learners that choose the coefficients.

    Notes
    -----
    For a tree kernel that is a sum of ``C(u, v)`` over pairs of nodes [1]_::

        score(x) = sum_{u in x} sum_v C(u, v) * f_v,    f_v = sum_i alpha_i * (how often x_i has v)

    where v goes through the distinct subtrees of all examples that were added.

    References
    ----------
    .. [1] G. Da San Martino, A. Sperduti, F. Aiolli and A. Moschitti, "Efficient Online Learning
       for Mapping Kernels on Linguistic Structures", AAAI 2019.

    Examples
    --------
    >>> import treekernels as tk
    >>> model = tk.WeightedForest(tk.SubsetTreeKernel(decay=0.5))
    >>> model.add(["(S (NP we) (VP run))", "(S (NP they) (VP run))"], [1.0, -0.5])
    >>> model.score(["(S (NP we) (VP sit))"]).round(3).tolist()
    [0.471]
    >>> len(model)
    5
    """

    def __init__(
        self,
        kernel: Kernel | str | None = None,
        columns: int = 1,
        *,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        columns = check_integer("columns", columns, 1)
        self.n_jobs = n_jobs
        self.verbose = verbose
        self._model = Model(as_kernel(kernel).remembering(), columns)

    @property
    def kernel(self) -> Kernel:
        """The kernel, which what was added cannot be without."""
        return self._model.kernel

    @property
    def columns(self) -> int:
        """How many sums are kept."""
        return self._model.n_outputs

    def get_params(self, deep: bool = False) -> dict[str, Any]:
        """Return the arguments that make an empty one of the same kind."""
        return {
            "kernel": self.kernel,
            "columns": self.columns,
            "n_jobs": self.n_jobs,
            "verbose": self.verbose,
        }

    def __repr__(self) -> str:
        return f"WeightedForest({self.kernel!r}, columns={self.columns})"

    def add(self, X: Any, alpha: ArrayLike) -> None:
        """Add examples with their coefficients: all of them or, should one be unfit, none.

        Parameters
        ----------
        X : trees, or columns of trees and vectors
        alpha : array of shape (n_examples,) or (n_examples, columns)
        """
        examples = self.kernel.examples(X)
        alphas = np.array(alpha, np.float64, ndmin=1)
        if alphas.ndim == 1 and self.columns == 1:
            alphas = alphas[:, np.newaxis]
        if alphas.shape != (len(examples), self.columns):
            raise DataError(
                f"alpha has the shape {np.shape(alpha)}, and there are {len(examples)} examples "
                f"and columns={self.columns}"
            )
        if not np.isfinite(alphas).all():
            raise DataError("alpha contains NaN or infinity")
        with self._lock.writing():
            self._model.add(examples, alphas)

    def score(self, X: Any) -> Floats:
        """Return ``kernel(X, everything added) @ alpha``; nothing is changed by it.

        Returns
        -------
        array of shape (n_examples,), or (n_examples, columns) if there are several
        """
        with progress_bar(type(self).__name__, verbose=bool(self.verbose)) as progress:
            run = Run(thread_count(self.n_jobs), progress)
            examples = self.kernel.examples(X)
            with self._lock.reading():
                scores = self._model.score(examples, run)
        return scores[:, 0] if self.columns == 1 else scores

    def merge(self, other: WeightedForest, scale: float = 1.0) -> None:
        """Add another one of the same kernel and columns, as if all had been added to this one.

        Parameters
        ----------
        other : WeightedForest
            It stays as it is.
        scale : float, default=1.0
            What its coefficients are multiplied with.
        """
        if not isinstance(other, WeightedForest):
            raise DataError(f"a WeightedForest can be merged, not an object of {type(other)}")
        factor = check_number("scale", scale)
        theirs, _ = other.copy_learned()
        with self._lock.writing():
            self._model.merge(theirs, factor)

    @reads_model
    def __len__(self) -> int:
        """The number of distinct subtrees, single leaves aside, and of what other kernels keep."""
        return self._model.size

    def __bool__(self) -> bool:
        return True

    @reads_model
    def _state(self) -> dict[str, Any]:
        return {"model": self._model.state()}

    def _restore(self, state: dict[str, Any]) -> None:
        self._model.restore(state["model"])
