"""Whether a kernel finds next to nothing in common because its decay is too large for the trees.

The number of fragments of a tree grows exponentially with its size, and at a large decay the large
ones, which no other tree has, rule K(x, x): then each tree is like itself and like nothing else.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.data.forest import Forest
from treekernels.errors import SmallValuesWarning, TreeKernelsError
from treekernels.kernels.base import Run

__all__ = ["hint_of_small_values", "warn_of_small_values"]

_NOTHING = 0.01  # a mean below this is next to nothing
_FEW = 12  # trees to try a smaller decay on
_SMALL = 0.05  # that decay
_FAR = 30  # times as large the values have to be there
_LOOKED_AT = 64  # rows of a matrix


def hint_of_small_values(kernel: Any, trees: Forest) -> str | None:
    """Return a sentence if trees share next to nothing at the decay of a kernel, and else would.

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
    >>> print(hint_of_small_values(tk.SubsetTreeKernel(1.0), trees)[:58])
    these trees have next to nothing in common at a decay of 1
    """
    own = _decays(kernel)
    if own is None or len(trees) < 2:
        return None
    rows = np.unique(np.linspace(0, len(trees) - 1, _FEW).astype(np.intp))
    some = trees[rows]
    normalized = {**kernel.get_params(deep=False), "normalize": True, "on": None}
    smaller = dict.fromkeys(own, _SMALL)
    try:
        now = _mean(_matrix(type(kernel)(**normalized), some))
        if now >= _NOTHING:
            return None
        then = _mean(_matrix(type(kernel)(**{**normalized, **smaller}), some))
    except TreeKernelsError:  # whoever computes says what is wrong
        return None
    if then < _FAR * now or then < _NOTHING:
        return None
    weighted = "" if "weights" not in normalized else ", or weights='idf' and counts='log'"
    return (
        f"these trees have next to nothing in common at a decay of {max(own.values()):g}: the mean "
        f"value is {now:.2g}, since fragments that only one tree has outweigh all others; at "
        f"{_SMALL:g} it is {then:.2g}. Use a smaller decay, such as 0.1{weighted}"
    )


def warn_of_small_values(kernel: Any, trees: Forest, values: NDArray[Any] | None = None) -> None:
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


def _is_small(values: NDArray[Any]) -> bool:
    """Whether some rows of a symmetric matrix have next to nothing beside the diagonal."""
    if len(values) < 2:
        return False
    rows = np.unique(np.linspace(0, len(values) - 1, _LOOKED_AT).astype(np.intp))
    total = float(values[rows].sum() - values[rows, rows].sum())
    return total < _NOTHING * len(rows) * (len(values) - 1)


def _matrix(kernel: Any, trees: Forest) -> NDArray[np.float64]:
    matrix = kernel.prepare(trees)
    values = np.empty(matrix.shape)
    matrix.fill(values, Run())
    return values


def _mean(values: NDArray[Any]) -> float:
    """Return the mean beside the diagonal."""
    count = len(values)
    return float(values.sum() - np.trace(values)) / (count * (count - 1))


def _decays(kernel: Any) -> dict[str, float] | None:
    """Return the decays of a kernel that may be too large; none if they go by label."""
    parameters = kernel.get_params(deep=False)
    names = [name for name in ("decay", "vertical_decay") if name in parameters]
    values = {name: parameters[name] for name in names}
    if not names or any(not isinstance(value, int | float) for value in values.values()):
        return None
    return values if max(values.values()) > _SMALL else None
