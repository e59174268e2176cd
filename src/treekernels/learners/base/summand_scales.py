"""How large the summands of a kernel are, beside each other.

Where one is many orders larger than another, the smaller one has hardly any say, and plain
coordinate descent takes very long.
"""

from __future__ import annotations

import numpy as np

from treekernels.common.user_warnings import warn_user
from treekernels.data.examples import Examples
from treekernels.errors import TreeKernelsError
from treekernels.kernels import Kernel
from treekernels.kernels.base.kernel import Summand
from treekernels.kernels.base.small_values import warn_of_small_values
from treekernels.kernels.base.tree_kernel import TreeKernel

_LOOKED_AT = 1000  # examples, spread over all
_FAR = 1e4  # times as large as the smallest
_WORTH_A_LOOK = 48  # fewer examples are learned from faster than looked at


def relative_scales(kernel: Kernel, examples: Examples) -> list[float]:
    """Return the mean of K(x, x) of each summand, as multiples of the smallest one.

    Constants, and summands that are 0 everywhere, are not what others are measured by. All are 1
    where there is nothing to compare.
    """
    terms = kernel.summands()
    ones = [1.0] * len(terms)
    if len(terms) < 2:
        return ones
    rows = np.unique(np.linspace(0, len(examples) - 1, _LOOKED_AT).astype(np.intp))
    some = examples if len(rows) == len(examples) else examples.take(rows)
    try:
        means = [float(np.mean(term.weight * term.kernel.self_values(some))) for term in terms]
    except TreeKernelsError:  # learning will say what is wrong
        return ones
    measures = [means[place] for place in _compared(terms, means)]
    return [mean / min(measures) for mean in means] if measures else ones


def warn_of_small_summands(whole: Kernel, examples: Examples) -> None:
    """Warn if the trees have too little in common at the decay of a summand."""
    if len(examples) < _WORTH_A_LOOK:
        return
    for term in whole.summands():
        kernel = term.kernel
        if isinstance(kernel, TreeKernel) and kernel.normalize:
            warn_of_small_values(kernel, examples.trees(kernel.on))


def warn_of_scales(kernel: Kernel, scales: list[float]) -> None:
    """Warn if a summand is many orders larger than another one, and say what to do about it."""
    terms = kernel.summands()
    compared = _compared(terms, scales)
    if not compared:
        return
    largest = max(compared, key=scales.__getitem__)
    smallest = min(compared, key=scales.__getitem__)
    ratio = scales[largest] / scales[smallest]
    if ratio < _FAR:
        return
    kind = terms[largest].kernel
    remedy = "scale it, for instance with scikit-learn's StandardScaler"
    if kind.takes != "vectors":
        remedy = "use normalize=True"
    warn_user(
        f"{_name(terms[largest])} is {ratio:,.0f} times as large as {_name(terms[smallest])}, "
        f"which has hardly any say beside it: {remedy}, or give it a weight such as "
        f"{10.0 ** -round(np.log10(ratio)):g} * {type(kind).__name__}(...)",
    )


def _compared(terms: list[Summand], scales: list[float]) -> list[int]:
    """Return which summands are compared: neither constants nor those that are 0 everywhere."""
    return [
        place
        for place, (term, scale) in enumerate(zip(terms, scales, strict=True))
        if term.kernel.takes is not None and 0 < scale < np.inf
    ]


def _name(term: Summand) -> str:
    return repr(term.kernel) if term.weight == 1 else f"{term.weight:g} * {term.kernel!r}"
