"""containment: how much of one tree is in another."""

from __future__ import annotations

from typing import Any

from treekernels.common.arrays import Floats
from treekernels.errors import ParameterError
from treekernels.kernels.algebra import NormalizedKernel
from treekernels.kernels.base.kernel import Kernel

__all__ = ["containment"]


def containment(kernel: Kernel, Q: Any, X: Any, *, n_jobs: int | None = None) -> Floats:
    """Return ``K(q, x) / K(q, q)`` of the unnormalised kernel: how much of q there is in x.

    For "is this inside that": a small tree that stands in a large one has 1 or more there, while a
    normalised kernel would call them unlike. It is not symmetric, and so no kernel: it is for
    ranking and search, not for learning.

    Parameters
    ----------
    kernel : Kernel
        `normalize` does not matter. ``counts="binary"`` keeps values from growing with the number
        of times that x has what q has once.
    Q, X : sequences of examples
    n_jobs : int, optional
        Threads to use; -1 for all cores.

    Returns
    -------
    array of shape (len(Q), len(X))
        0 where K(q, q) is.

    Examples
    --------
    >>> import treekernels as tk
    >>> part, whole = "(NP (D the) (N dog))", "(S (NP (D the) (N dog)) (VP (V barks)))"
    >>> kernel = tk.SubsetTreeKernel()
    >>> tk.containment(kernel, [part], [whole, "(S (NP (D a) (N dog)) (VP (V barks)))"]).round(2)
    array([[1.  , 0.61]])
    >>> tk.containment(kernel, [whole], [part]).round(2), kernel([part], [whole]).round(2)
    (array([[0.43]]), array([[0.66]]))
    """
    plain = _unnormalized(kernel)
    queries = plain.examples(Q)
    values: Floats = plain(queries, X, n_jobs=n_jobs)
    norms = plain.diag(queries)
    positive = norms > 0
    values[~positive] = 0.0
    values[positive] /= norms[positive, None]
    return values


def _unnormalized(kernel: Kernel) -> Kernel:
    """Return a copy of a kernel in which no part is normalised."""
    if isinstance(kernel, NormalizedKernel):
        return _unnormalized(kernel.kernel)
    parameters = kernel.get_params(deep=False)
    if not kernel.operands():
        return kernel.with_params(**{name: False for name in parameters if name == "normalize"})
    if any(isinstance(operand, NormalizedKernel) for operand in kernel.operands()):
        raise ParameterError(
            "containment compares values as they are, and a part of the kernel is normalised: "
            "leave NormalizedKernel out"
        )
    return kernel.with_params(
        **{name: _unnormalized(parameters[name]) for name in kernel.operand_names}
    )
