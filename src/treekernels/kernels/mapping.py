"""MappingKernel: a kernel on anything that has parts.

The general form of Shin and Kuboyama (2010), compacted as in Da San Martino et al. (2019).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.checks import check_callable, check_flag, optional, rules
from treekernels.data.columns import length, select
from treekernels.kernels.algebra import NormalizedKernel
from treekernels.kernels.base import Array, Kernel, KernelMatrix, Run

__all__ = ["MappingKernel"]


class MappingKernel(Kernel):
    """The sum of a local kernel over pairs of parts of two objects.

    ``K(x, y) = sum of local(p, q)`` over the parts p of x and q of y that count. Parts that are
    equivalent are kept once, with the number of times they occur, and the local kernel is
    called once for each pair of different parts, however many examples have them.

    Parameters
    ----------
    parts : callable
        ``parts(x)`` returns the parts of an example.
    local : callable
        ``local(p, q)``, a kernel on parts; symmetric.
    key : callable, optional
        ``key(p)`` is equal (and hashable) for parts that are equivalent: that have the same local
        kernel with every part. By default a part is its own key.
    group : callable, optional
        Only pairs with equal ``group(p)`` count. By default all pairs do.
    pairs : callable, optional
        Only pairs for which ``pairs(p, q)`` is true count. The kernel is positive semi-definite if
        the relation is symmetric and transitive.
    normalize : bool, default=False
        Divide by ``sqrt(K(x, x) K(y, y))``.
    on : str, optional
        The column of X to look at, when X has columns.

    Examples
    --------
    Words that agree up to case, longer ones counting more:

    >>> import treekernels as tk
    >>> kernel = tk.MappingKernel(
    ...     parts=str.split, local=lambda p, q: float(len(p)), key=str.lower, group=str.lower)
    >>> kernel(["a dog barks", "A dog"], ["the Dog barks"])
    array([[8.],
           [3.]])
    """

    def __init__(
        self,
        parts: Callable[[Any], Iterable[Any]],
        local: Callable[[Any, Any], float],
        *,
        key: Callable[[Any], Hashable] | None = None,
        group: Callable[[Any], Hashable] | None = None,
        pairs: Callable[[Any, Any], bool] | None = None,
        normalize: bool = False,
        on: Any = None,
    ) -> None:
        self.parts = parts
        self.local = local
        self.key = key
        self.group = group
        self.pairs = pairs
        self.normalize = normalize
        self.on = on

    parameter_rules = rules(
        parts=check_callable,
        local=check_callable,
        key=optional(check_callable),
        group=optional(check_callable),
        pairs=optional(check_callable),
        normalize=check_flag,
    )

    def prepare(self, X: Any, Y: Any = None, run: Run | None = None) -> KernelMatrix:
        self.check_parameters()
        if self.normalize:
            plain = MappingKernel(**{**self.get_params(deep=False), "normalize": False})
            return NormalizedKernel(plain).prepare(X, Y, run)
        table = _Parts(self)
        rows = table.count(select(X, self.on))
        others = rows if Y is None else table.count(select(Y, self.on))
        return _MappingMatrix(table, rows, others)

    def diag(self, X: Any) -> NDArray[np.float64]:
        self.check_parameters()
        table = _Parts(self)
        counts = table.count(select(X, self.on))
        norms = np.array([table.kernel_value(row, row) for row in counts], dtype=np.float64)
        return (norms > 0).astype(np.float64) if self.normalize else norms


class _Parts:
    """The different parts that have been seen, and their local kernel, computed once."""

    def __init__(self, kernel: MappingKernel) -> None:
        self.kernel = kernel
        self.numbers: dict[Hashable, int] = {}
        self.examples: list[Any] = []
        self.groups: list[Hashable] = []
        self.values: dict[tuple[int, int], float] = {}

    def count(self, objects: Any) -> list[dict[Hashable, dict[int, int]]]:
        """Return for each object its parts by group, each with the number of times it occurs."""
        if length(objects) == 0:
            return []
        return [self._count_parts(x) for x in objects]

    def _count_parts(self, x: Any) -> dict[Hashable, dict[int, int]]:
        key = self.kernel.key or (lambda part: part)
        group = self.kernel.group or (lambda part: None)
        counts: dict[Hashable, dict[int, int]] = {}
        for part in self.kernel.parts(x):
            identity = key(part)
            number = self.numbers.setdefault(identity, len(self.examples))
            if number == len(self.examples):
                self.examples.append(part)
                self.groups.append(group(part))
            of_group = counts.setdefault(self.groups[number], {})
            of_group[number] = of_group.get(number, 0) + 1
        return counts

    def local(self, a: int, b: int) -> float:
        """Return the local kernel of two parts, 0 if the pair does not count."""
        pair = (a, b) if a <= b else (b, a)
        value = self.values.get(pair)
        if value is None:
            p, q = self.examples[pair[0]], self.examples[pair[1]]
            counts = self.kernel.pairs is None or self.kernel.pairs(p, q)
            value = self.values[pair] = float(self.kernel.local(p, q)) if counts else 0.0
        return value

    def kernel_value(
        self, x: dict[Hashable, dict[int, int]], y: dict[Hashable, dict[int, int]]
    ) -> float:
        """Return the kernel of two objects, given their parts."""
        total = 0.0
        for group, counts_x in x.items():
            counts_y = y.get(group)
            if counts_y:
                for a, n in counts_x.items():
                    total += n * sum(m * self.local(a, b) for b, m in counts_y.items())
        return total


class _MappingMatrix(KernelMatrix):
    def __init__(self, table: _Parts, rows: list[Any], others: list[Any]) -> None:
        self.table = table
        self.rows = rows
        self.others = others
        self.shape = (len(rows), len(others))

    def fill(self, out: Array, run: Run) -> None:
        symmetric = self.rows is self.others
        for i, row in enumerate(self.rows):
            for j in range(i + 1 if symmetric else len(self.others)):
                out[i, j] = self.table.kernel_value(row, self.others[j])
                if symmetric:
                    out[j, i] = out[i, j]
            if run.progress is not None:
                run.progress(i + 1, len(self.rows))

    def fill_rows(self, first: int, last: int, out: Array, run: Run) -> None:
        for i in range(first, last):
            for j, other in enumerate(self.others):
                out[i - first, j] = self.table.kernel_value(self.rows[i], other)
