"""Whether a kernel finds too little in common because its decay is too large for the trees.

The number of fragments of a tree grows exponentially with its size, and at a large decay the large
ones, which no other tree has, rule K(x, x): then each tree is like itself and like nothing else.
"""

from __future__ import annotations

import warnings

import numpy as np

from treekernels.common.arrays import Array
from treekernels.data.forest import Forest
from treekernels.errors import SmallValuesWarning, TreeKernelsError
from treekernels.kernels.base.kernel import Kernel
from treekernels.kernels.base.matrices import Run

_SAMPLE = 64  # trees to try a smaller decay on
_SMALL = 0.05  # that decay
_LOOKED_AT = 64  # rows of a matrix
# A mean below the first is too little if it is so many times as large at the small decay. Of many
# trees, means tell more: samples of parsed sentences are up to 2.2 times as large there, which
# helps nobody; functions of programs 2.4 times and more, which decides.
_LITTLE, _TIMES = 0.1, 2.3
_NOTHING, _TIMES_OF_NOTHING = 0.01, 30.0  # of few trees


def hint_of_small_values(kernel: Kernel, trees: Forest) -> str | None:
    """Return a sentence if trees share too little at the decay of a kernel, and else would not.

    Parameters
    ----------
    kernel : tree kernel
        With the weights that it needs.
    trees : Forest
        A few of them are looked at, spread over all.

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = tk.Forest(["(S " + f"(A (B b) (C {n})) " * 40 + ")" for n in range(4)])
    >>> print(hint_of_small_values(tk.SubsetTreeKernel(0.1), trees))
    None
    >>> print(hint_of_small_values(tk.SubsetTreeKernel(1.0), trees)[:55])
    these trees have too little in common at a decay of 1:
    """
    decays = _large_decays(kernel)
    if not decays or len(trees) < 2:
        return None
    rows = np.unique(np.linspace(0, len(trees) - 1, _SAMPLE).astype(np.intp))
    some = trees[rows]
    many = len(rows) == _SAMPLE
    little, times = (_LITTLE, _TIMES) if many else (_NOTHING, _TIMES_OF_NOTHING)
    normalized = kernel.with_params(normalize=True, on=None)
    try:
        now = _mean_value(normalized, some)
        if now >= little:
            return None
        then = _mean_value(normalized.with_params(**dict.fromkeys(decays, _SMALL)), some)
    except TreeKernelsError:  # the call that computes the values will say what is wrong
        return None
    if then < times * now or then < _NOTHING:
        return None
    weighted = "" if "weights" not in vars(kernel) else ", or weights='idf' and counts='log'"
    return (
        f"these trees have too little in common at a decay of {max(decays.values()):g}: the mean "
        f"value is {now:.2g}, since fragments that only one tree has outweigh all others; at "
        f"{_SMALL:g} it is {then:.2g}. Use a smaller decay, such as 0.1{weighted}"
    )


def warn_of_small_values(kernel: Kernel, trees: Forest, values: Array | None = None) -> None:
    """Warn if there is a hint.

    Parameters
    ----------
    values : array, optional
        Those of the kernel, if they are known: then most often one look is enough.
    """
    if values is not None and not _is_small(values):
        return
    hint = hint_of_small_values(kernel, trees)
    if hint is not None:
        warnings.warn(hint, SmallValuesWarning, stacklevel=4)


def _is_small(values: Array) -> bool:
    """Whether some rows of a symmetric matrix have little beside the diagonal."""
    if len(values) < 2:
        return False
    rows = np.unique(np.linspace(0, len(values) - 1, _LOOKED_AT).astype(np.intp))
    total = float(values[rows].sum() - values[rows, rows].sum())
    return total < _LITTLE * len(rows) * (len(values) - 1)


def _mean_value(kernel: Kernel, trees: Forest) -> float:
    """Return the mean of the values of different trees."""
    count = len(trees)
    values = np.empty((count, count))
    kernel.prepare(trees).fill(values, Run())
    return float(values.sum() - np.trace(values)) / (count * (count - 1))


def _large_decays(kernel: Kernel) -> dict[str, float]:
    """Return the decays of a kernel that may be too large; none if they go by label."""
    if not kernel.large_trees_need_decay:
        return {}
    parameters = kernel.get_params(deep=False)
    names = ("decay", "vertical_decay")
    decays = {str(name): parameters[name] for name in names if name in parameters}
    if not decays or any(not isinstance(value, int | float) for value in decays.values()):
        return {}
    return decays if max(decays.values()) > _SMALL else {}
