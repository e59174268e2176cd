"""TripartiteKernel: the rewrite rules that two sentence pairs share."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from treekernels import _native
from treekernels.common.arrays import Floats
from treekernels.common.checks import check_choice, check_decay, check_flag, rules
from treekernels.common.native_errors import translate_native_errors
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.data.columns import On
from treekernels.data.examples import Examples
from treekernels.data.pairs import Pairs
from treekernels.kernels.base.kernel import Kernel, thread_count
from treekernels.kernels.base.matrices import KernelMatrix, NativeMatrix, Run

__all__ = ["Constraint", "TripartiteKernel"]

_ALGORITHMS = {
    "auto": _native.PairsAlgorithm.tables,
    "inclusion-exclusion": _native.PairsAlgorithm.inclusion_exclusion,
    "max": _native.PairsAlgorithm.maximum,
}


class Constraint(NamedTuple):
    """A constraint, and what it contributes to the kernel of two sentence pairs.

    Attributes
    ----------
    placeholders : tuple of (int, int)
        Which placeholders of the first pair are those of the second.
    is_alternative : bool
        Whether it is in C: no other constraint contains it. Otherwise it is an intersection.
    multiplicity : float
        N(c), how often the rules that agree with it count.
    texts, hypotheses : float
        K_S of the two texts and of the two hypotheses, where placeholders match as it says.
    """

    placeholders: tuple[tuple[int, int], ...]
    is_alternative: bool
    multiplicity: float
    texts: float
    hypotheses: float


@parameter_class
class TripartiteKernel(Kernel):
    """The kernel on sentence pairs of Zanzotto and Dell'Arciprete (2009).

    It counts the rewrite rules that two pairs share. They share a rule if their texts share a
    fragment (as in `SubsetTreeKernel`), their hypotheses share another one, and the placeholders of
    both fragments can be renamed one to one, in text and hypothesis alike, so that they agree. A
    node with a placeholder never matches a node without. For pairs without placeholders, the value
    is the product of two subset-tree kernels.

    Parameters
    ----------
    decay : float, default=0.4
        The weight of a rule is ``decay ** (its productions)``, on both sides together.
    normalize : bool, default=True
        Whether to divide by ``sqrt(K(x, x) K(y, y))``, so that K(x, x) is 1.
    on : str or list of two str, optional
        The column of X that holds the pairs, or the columns of the texts and of the hypotheses.
        Without it, X must be `Pairs` or a list of (text, hypothesis), or have the columns "text"
        and "hypothesis".
    algorithm : {"auto", "inclusion-exclusion", "max"}, default="auto"
        How the values are computed. "auto" and "inclusion-exclusion", which is the algorithm of
        the paper, give the same values. "max" is another kernel, the older approximation K_max
        (Moschitti and Zanzotto 2007), which takes the best correspondence of placeholders. It need
        not be positive semi-definite, and it tries all correspondences, so that it only suits
        pairs with few placeholders.

    Raises
    ------
    KernelMemoryError
        If two pairs agree in too many different ways. The number of ways can grow exponentially
        with the number of placeholders, although it does not for real sentences. `Pairs.limited`
        is the remedy.

    Notes
    -----
    A constraint c assigns placeholders of the first pair to those of the second, one to one. With
    K_S for the `SubsetTreeKernel` in which nodes with placeholders match only as c says [1]_::

        K((t1, h1), (t2, h2)) = sum_c K_S(t1, t2, c) * K_S(h1, h2, c) * N(c)
        N(c) = 1 - sum of N(d) over all larger constraints d that contain c

    The sums are over the largest constraints that a common rule asks for and all their
    intersections. K is the dot product of the rules, each counted once. K_max is that of [2]_.

    References
    ----------
    .. [1] F. M. Zanzotto and L. Dell'Arciprete, "Efficient Kernels for Sentence Pair
       Classification", EMNLP 2009.
    .. [2] A. Moschitti and F. M. Zanzotto, "Fast and Effective Kernels for Relational Learning from
       Texts", ICML 2007.

    Examples
    --------
    >>> import treekernels as tk
    >>> pairs = tk.Pairs(
    ...     ["(VP (VB feed) (NP:1 (NNS:1 cows)) (NP:2 (NN:2 grass)))",
    ...      "(VP (VB feed) (NP:2 (NNS:2 babies)) (NP:1 (NN:1 milk)))",
    ...      "(VP (VB feed) (NP:1 (NNS:1 mice)) (NP:2 (NN:2 corn)))"],
    ...     ["(S (NP:1 (NNS:1 cows)) (VP (VB eat) (NP:2 (NN:2 grass))))",
    ...      "(S (NP:2 (NNS:2 babies)) (VP (VB eat) (NP:1 (NN:1 milk))))",
    ...      "(S (NP:2 (NN:2 corn)) (VP (VB eat) (NP:1 (NNS:1 mice))))"],
    ... )
    >>> tk.TripartiteKernel()(pairs).round(3)  # who eats what matters, not the numbers
    array([[1.   , 0.427, 0.201],
           [0.427, 1.   , 0.201],
           [0.201, 0.201, 1.   ]])
    """

    decay: float = 0.4
    _: KW_ONLY
    normalize: bool = True
    on: On = None
    algorithm: Literal["auto", "inclusion-exclusion", "max"] = "auto"
    n_jobs: int | None = None
    verbose: bool = False

    takes = "pairs"
    parameter_rules = rules(
        decay=check_decay,
        normalize=check_flag,
        algorithm=lambda name, value: check_choice(name, value, _ALGORITHMS),
    )

    def constraints(self, first: Any, second: Any) -> list[Constraint]:
        """Return the constraints C* of two sentence pairs, the largest first.

        They are the central objects of the paper: the sum of ``multiplicity * texts * hypotheses``
        over them is the value of the kernel that is not normalised, and those with
        `is_alternative` are the set C.

        Parameters
        ----------
        first, second : pairs
            A `Pair`, or a text and a hypothesis, each.

        Examples
        --------
        >>> import treekernels as tk
        >>> first = ("(VP (V feed) (NP:1 cow) (NP:2 hay))", "(S (NP:1 cow) (V eat) (NP:2 hay))")
        >>> second = ("(VP (V feed) (NP:4 cat) (NP:3 fish))", "(S (NP:4 cat) (V eat) (NP:3 fish))")
        >>> for constraint in tk.TripartiteKernel().constraints(first, second):
        ...     print(constraint.placeholders, constraint.multiplicity)
        ((1, 4), (2, 3)) 1.0
        () 0.0
        """
        self.check_parameters()
        pairs = Pairs(*zip(first, second, strict=True))
        with translate_native_errors():
            terms = _native.constraint_terms(
                pairs.dag, pairs.text_roots, pairs.hypothesis_roots, float(self.decay)
            )
        return [Constraint(*term) for term in terms]

    @property
    def fragments(self) -> Literal["rewrite rules"] | None:
        return None if self.algorithm == "max" else "rewrite rules"  # which has no features

    def matrix_of(self, X: Examples, Y: Examples | None, run: Run) -> KernelMatrix:
        others = None if Y is None else Y.pairs(self.on)
        return NativeMatrix(self._native_gram(X.pairs(self.on), others, run))

    def self_values(self, X: Examples) -> Floats:
        run = Run(thread_count(self.n_jobs))
        matrix = self._native_gram(X.pairs(self.on), None, run, diagonal_only=True)
        with translate_native_errors():
            return matrix.diagonal()

    def _native_gram(
        self, rows: Pairs, others: Pairs | None, run: Run, *, diagonal_only: bool = False
    ) -> _native.PairsGram:
        pairs = rows if others is None else Pairs.concatenate([others, rows])
        with translate_native_errors():
            return _native.PairsGram(
                pairs.dag,
                pairs.text_roots,
                pairs.hypothesis_roots,
                columns=len(rows if others is None else others),
                symmetric=others is None,
                algorithm=_ALGORITHMS[self.algorithm],
                decay=float(self.decay),
                normalize=bool(self.normalize),
                diagonal_only=diagonal_only,
                threads=run.n_jobs,
            )
