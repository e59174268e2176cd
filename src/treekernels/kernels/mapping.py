"""MappingKernel: a kernel on anything that has parts.

The general form of Shin and Kuboyama (2010), compacted as in Da San Martino et al. (2019).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Array, Floats
from treekernels.common.checks import check_callable, check_flag, optional, rules
from treekernels.common.parameter_class import KW_ONLY, field, parameter_class
from treekernels.data.columns import On
from treekernels.data.examples import Examples
from treekernels.errors import ParameterError
from treekernels.kernels.base.feature_rows import FeatureRows
from treekernels.kernels.base.kernel import Kernel
from treekernels.kernels.base.matrices import (
    KernelMatrix,
    NormalizedMatrix,
    Run,
    inverse_root,
    refuse_overflow,
)
from treekernels.kernels.parts.classes import PartClasses, PartFunctions, PartRows, blocks
from treekernels.kernels.parts.features import part_features
from treekernels.kernels.parts.recursive import RecursiveLocal
from treekernels.kernels.parts.validity import check_classes, equivalent_classes

__all__ = ["MappingKernel"]


@parameter_class
class MappingKernel(Kernel):
    """The sum of a local kernel over pairs of parts of two objects.

    ``K(x, y)`` is the sum of ``local(key(p), key(q))`` over the pairs of parts p of x and q of y
    that count, which are those of equal group for which `pairs` is true.

    Two parts belong to the same class if neither the local kernel nor the choice of pairs can tell
    them apart: if they have the same `key`, the same `group` and, if there are `pairs`, the same
    `pairs_key`. An example is then a list of how often it has each class. The local kernel is
    called only once for each pair of classes, however many examples have them, in one call of the
    kernel or in the whole life of a learner; for the first hundred pairs it is called with the two
    exchanged as well, to see that it is symmetric. A learner keeps one weight for each class, and
    not the examples.

    Parameters
    ----------
    parts : callable
        ``parts(x)`` returns the parts of an example.
    local : callable
        A kernel on what `key` returns: a symmetric function of two keys, with finite values. If it
        is `recursive`, it gets a third argument, with which it asks for values of smaller keys.
    key : callable, optional
        ``key(p)`` is what the local kernel sees of a part. It must be hashable. By default it is
        the part itself.
    group : callable, optional
        Only pairs with equal ``group(p)`` count, which must be hashable. By default all pairs do.
    pairs : callable, optional
        Only pairs for which ``pairs(pairs_key(p), pairs_key(q))`` is true count. The function must
        be symmetric, which is checked for all pairs that are needed. The kernel is positive
        semi-definite if it is transitive too, which `check_mapping` checks.
    pairs_key : callable, optional
        What `pairs` sees of a part. It must be hashable. By default it is the part itself, so that
        different parts belong to different classes. If your function leaves out what `pairs` does
        not look at, there are fewer classes.
    recursive : bool, default=False
        Whether `local` is defined by its own values: it is called as ``local(p, q, smaller)``, and
        ``smaller(a, b)`` is the local kernel of two other keys, computed once however many parts
        contain them. Parts may be of any depth.
    normalize : bool, default=False
        Whether to divide by ``sqrt(K(x, x) K(y, y))``, so that K(x, x) is 1.
    on : str, optional
        The column of X that the kernel looks at, if X has columns.

    Notes
    -----
    With M for the pairs of parts that count [1]_::

        K(x, y) = sum_{(p, q) in M} local(key(p), key(q))

    K is positive semi-definite for every positive semi-definite local kernel if, and only if, M is
    symmetric and transitive. That learners keep one weight for each class of parts is from [2]_.

    References
    ----------
    .. [1] K. Shin and T. Kuboyama, "A Generalization of Haussler's Convolution Kernel: Mapping
       Kernel and Its Application to Tree Kernels", Journal of Computer Science and Technology
       25(5), 2010.
    .. [2] G. Da San Martino, A. Sperduti, F. Aiolli and A. Moschitti, "Efficient Online Learning
       for Mapping Kernels on Linguistic Structures", AAAI 2019.

    Examples
    --------
    Here words match if they agree up to case, and longer words count more:

    >>> import treekernels as tk
    >>> kernel = tk.MappingKernel(
    ...     parts=str.split, local=lambda p, q: float(len(p)), key=str.lower, group=str.lower)
    >>> kernel(["a dog barks", "A dog"], ["the Dog barks"])
    array([[8.],
           [3.]])

    Here letters match if they are at the same place, and all vowels match each other:

    >>> kernel = tk.MappingKernel(
    ...     parts=lambda word: list(enumerate(word)),
    ...     local=lambda p, q: float(p == q),
    ...     key=lambda part: "a" if part[1] in "aeiou" else part[1],
    ...     group=lambda part: part[0])
    >>> kernel(["aab"], ["aab", "oab", "baa"])
    array([[3., 3., 1.]])

    Here words match as far as they begin with the same letters, once for every suffix:

    >>> def prefix(p, q, smaller):
    ...     return 1.0 + smaller(p[1:], q[1:]) if p and q and p[0] == q[0] else 0.0
    >>> kernel = tk.MappingKernel(
    ...     parts=lambda word: [word[i:] for i in range(len(word))], local=prefix, recursive=True)
    >>> kernel(["abc"], ["abc", "bcd"])
    array([[6., 3.]])
    """

    parts: Callable[[Any], Iterable[Any]]
    local: Callable[..., float]
    _: KW_ONLY
    key: Callable[[Any], Hashable] | None = None
    group: Callable[[Any], Hashable] | None = None
    pairs: Callable[[Any, Any], bool] | None = None
    pairs_key: Callable[[Any], Hashable] | None = None
    recursive: bool = False
    normalize: bool = False
    on: On = None

    # This belongs to a kernel that remembers; it is not a parameter.
    _classes: PartClasses | None = field(default=None, init=False)

    learned_as = "parts"
    needs_gram = False
    parameter_rules = rules(
        parts=check_callable,
        local=check_callable,
        key=optional(check_callable),
        group=optional(check_callable),
        pairs=optional(check_callable),
        pairs_key=optional(check_callable),
        recursive=check_flag,
        normalize=check_flag,
    )

    def check_parameters(self) -> None:
        super().check_parameters()
        if self.pairs_key is not None and self.pairs is None:
            raise ParameterError("pairs_key says what pairs sees of a part, and there is no pairs")

    def remembering(self) -> MappingKernel:
        if self._classes is not None:
            return self
        copy = self.with_params()
        copy._classes = copy.part_classes()
        return copy

    def part_classes(self) -> PartClasses:
        """Return the classes of parts met so far by a kernel that remembers, or new ones."""
        if self._classes is not None:
            return self._classes
        local = RecursiveLocal(self.local) if self.recursive else self.local
        functions = PartFunctions(
            self.parts, local, self.key, self.group, self.pairs, self.pairs_key
        )
        return PartClasses(functions)

    def matrix_of(self, X: Examples, Y: Examples | None, run: Run) -> KernelMatrix:
        classes = self.part_classes()
        rows = classes.count(X.objects(self.on))
        others = None if Y is None else classes.count(Y.objects(self.on))
        return self.prepare_rows(classes, rows, others)

    def prepare_rows(
        self, classes: PartClasses, rows: PartRows, others: PartRows | None = None
    ) -> KernelMatrix:
        """Return the matrix between examples whose parts have been counted."""
        matrix = _MappingMatrix(classes, rows, rows if others is None else others)
        if not self.normalize:
            return matrix
        scales = inverse_root(classes.norms(rows))
        other_scales = scales if others is None else inverse_root(classes.norms(others))
        return NormalizedMatrix(matrix, scales, other_scales, symmetric=others is None)

    def self_values(self, X: Examples) -> Floats:
        classes = self.part_classes()
        norms = classes.norms(classes.count(X.objects(self.on)))
        return (norms > 0).astype(np.float64) if self.normalize else norms

    def native_summand(
        self, X: Examples, weight: float, n_outputs: int, memory: int
    ) -> _native.Summand:
        classes = self.part_classes()
        rows = classes.count(X.objects(self.on))
        # An entry of the features takes three times the memory of one of the Gram matrix.
        features = part_features(classes, rows, most=len(rows) ** 2 // 3)
        if features is not None:
            if self.normalize:
                scales = inverse_root(classes.norms(rows))
                features.data *= np.repeat(scales, np.diff(features.indptr))
            return FeatureRows.of(features).linear_summand(weight, n_outputs)
        gram = np.empty((len(rows), len(rows)), np.float32)
        self.prepare_rows(classes, rows).fill(gram, Run())
        gram *= np.float32(weight)
        return _native.FloatMatrixSummand(gram, np.zeros((len(rows), n_outputs)))

    def check_mapping(self, X: Any) -> None:
        """Check that the functions make a valid kernel for the parts of X.

        All pairs of classes of a group are compared, in both directions.

        Parameters
        ----------
        X : sequence of examples

        Raises
        ------
        ParameterError
            If `pairs` or `local` is not symmetric, if `pairs` is not transitive, or if the values
            of `local`, of a thousand parts at most, are not positive semi-definite. The error shows
            the parts in question.

        Examples
        --------
        >>> import treekernels as tk
        >>> def near(p, q):
        ...     return abs(p - q) <= 1
        >>> kernel = tk.MappingKernel(list, lambda p, q: 1.0, pairs=near)
        >>> kernel.check_mapping([[1, 2, 5]])
        >>> try:
        ...     kernel.check_mapping([[1, 2], [3]])
        ... except tk.ParameterError as error:
        ...     print(str(error).partition(";")[0])
        pairs is not transitive: pairs(1, 2) and pairs(2, 3) are true, and pairs(1, 3) is not
        """
        self.check_parameters()
        classes = self.part_classes()
        check_classes(classes, classes.count(self.examples(X).objects(self.on)).distinct())

    def equivalent_parts(self, X: Any) -> list[list[Any]]:
        """Return the keys that behave alike for the parts of X although they differ.

        They are equivalent by relation (4) of the paper: the same pairs count, and the local kernel
        has the same value with every part of X. If that is so for all parts that may come, let
        `key` return the same for them: a learner then keeps one weight for them all.

        Examples
        --------
        >>> import treekernels as tk
        >>> kernel = tk.MappingKernel(str.split, lambda p, q: float(p[0] == q[0]))
        >>> kernel.equivalent_parts(["a dog and a cat", "an adder"])
        [['a', 'and', 'an', 'adder']]
        """
        self.check_parameters()
        classes = self.part_classes()
        numbers = classes.count(self.examples(X).objects(self.on)).distinct()
        groups = equivalent_classes(classes, numbers)
        return [[classes[number].key for number in group] for group in groups]


class _MappingMatrix(KernelMatrix):
    """``rows @ local values @ others.T``."""

    def __init__(self, classes: PartClasses, rows: PartRows, others: PartRows) -> None:
        self.classes = classes
        self.rows = rows
        self.others = others
        self.shape = (len(rows), len(others))
        present = others.distinct()
        self.columns = classes.columns(present)
        positions = np.searchsorted(present, others.classes)
        self.other_matrix = others.matrix(positions, len(present))

    def fill(self, out: Array, run: Run) -> None:
        self.fill_rows(0, len(self.rows), out, run)
        if self.rows is self.others:  # to the last bit
            for i in range(len(self.rows)):
                out[i, i + 1 :] = out[i + 1 :, i]

    def fill_rows(self, first: int, last: int, out: Array, run: Run) -> None:
        rows = self.rows.between(first, last)
        begin, end = self.classes.comparisons(rows.classes, self.columns)
        total = np.concatenate([[0], np.cumsum(end - begin)])
        with refuse_overflow(out):
            for low, high in blocks(np.diff(total[rows.offsets])):
                out[low:high] = self._block(rows.between(low, high)).T
                if run.progress is not None:
                    run.progress(high, len(rows))

    def _block(self, rows: PartRows) -> Array:
        """Return the matrix between the others and some rows."""
        present = rows.distinct()
        local = self.classes.local_matrix(present, self.columns)
        positions = np.searchsorted(present, rows.classes)
        sums = (rows.matrix(positions, len(present)) @ local).T
        if 4 * sums.nnz > sums.shape[0] * sums.shape[1]:
            block: Array = self.other_matrix @ sums.toarray()
            return block
        block = (self.other_matrix @ sums.tocsr()).toarray()
        return block
