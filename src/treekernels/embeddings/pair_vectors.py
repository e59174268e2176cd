"""DistributedPairs: pairs of trees as vectors whose dot products estimate a kernel of pairs."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from treekernels.common.arrays import Array
from treekernels.common.checks import check_choice, check_integer
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.common.progress import Progress
from treekernels.data.columns import pairs_of
from treekernels.data.estimator import columns_seen
from treekernels.data.pairs import Pairs
from treekernels.embeddings.distributed import DistributedTrees
from treekernels.embeddings.settings import MAX_DIMENSION, embedding_of
from treekernels.embeddings.vector_transformer import Fill, VectorTransformer
from treekernels.errors import ParameterError

__all__ = ["DistributedPairs"]

_ROWS = 256  # pairs that are composed between two looks at the keyboard


@parameter_class
class DistributedPairs(VectorTransformer):
    """Distributed pairs of trees: vectors whose dot product estimates a kernel of pairs.

    Each side of a pair has the vector of a `DistributedTrees`. The vector of the pair is the
    composition of both, and stands for all combinations of a fragment here with a fragment there;
    or it is one behind the other, and stands for the fragments of either side.

    Placeholders of `Pairs` are left out.

    Parameters
    ----------
    dimension : int, default=8192
        How many elements a vector has; an even number for sums.
    decay : float, default=0.4
        That of the kernel on either side.
    combine : {"product", "sum"}, default="product"
        Whether dot products estimate ``K(text) * K(hypothesis)``, the rules that two pairs share,
        or ``K(text) + K(hypothesis)``.
    kernel, vertical_decay, gaps, normalize, dtype, seed
        Those of `DistributedTrees`, for both sides. With ``normalize=True`` each side has length 1
        first. Then a product has length 1 as well, and a sum the square root of 2.
    on : list of two columns, optional
        Which columns of X hold the trees; "text" and "hypothesis" if X has columns.
    n_jobs : int, optional
        Threads to use; -1 for all cores.
    verbose : bool, default=False
        Show a progress bar.

    See Also
    --------
    DistributedTrees : vectors of trees, one by one.
    TripartiteKernel : the exact kernel of rules, with placeholders.

    Notes
    -----
    Composing the vectors of both sides follows distributed trees [1]_, for the rules of [2]_
    without placeholders.

    References
    ----------
    .. [1] F. M. Zanzotto and L. Dell'Arciprete, "Distributed Tree Kernels", ICML 2012.
    .. [2] F. M. Zanzotto and L. Dell'Arciprete, "Efficient Kernels for Sentence Pair
       Classification", EMNLP 2009.

    Examples
    --------
    >>> import treekernels as tk
    >>> pairs = tk.Pairs(["(S (A a) (B b))", "(S (A a) (B c))"], ["(T (A a))", "(T (A a))"])
    >>> vectors = tk.DistributedPairs(normalize=True).fit_transform(pairs)
    >>> (vectors @ vectors.T).round(2)
    array([[0.99, 0.6 ],
           [0.6 , 1.  ]], dtype=float32)
    >>> (tk.SubsetTreeKernel(on="text") * tk.SubsetTreeKernel(on="hypothesis"))(pairs).round(2)
    array([[1.  , 0.61],
           [0.61, 1.  ]])
    """

    dimension: int = 8192
    decay: float = 0.4
    _: KW_ONLY
    combine: Literal["product", "sum"] = "product"
    kernel: Literal["subset", "subtree", "partial", "sst", "st", "ptk"] = "subset"
    vertical_decay: float = 0.4
    gaps: Literal["skipped", "span"] = "skipped"
    normalize: bool = False
    dtype: Any = "float32"
    seed: int = 0
    on: Any = None
    n_jobs: int | None = None
    verbose: bool = False

    def fit(self, X: Any, y: Any = None) -> DistributedPairs:
        """Check the parameters; there is nothing to learn.

        Parameters
        ----------
        X : Pairs, sequence of (text, hypothesis), or something with columns
        y : ignored
        """
        self._fit(X)
        return self

    def _fit(self, X: Any) -> Pairs:
        embedding_of(self._sides())
        self.input_columns_ = columns_seen(X)
        return self._examples_of(X)

    def _examples_of(self, X: Any) -> Pairs:
        return pairs_of(X, self.on)

    def _sides(self) -> DistributedTrees:
        """Return what makes the vectors of one side."""
        combine = check_choice("combine", self.combine, {"product": "product", "sum": "sum"})
        dimension = check_integer("dimension", self.dimension, 1, MAX_DIMENSION)
        if combine == "sum":
            if dimension % 2:
                raise ParameterError(f"a sum has a half for each side: {dimension=} is odd")
            dimension //= 2
        return DistributedTrees(
            dimension,
            self.decay,
            kernel=self.kernel,
            vertical_decay=self.vertical_decay,
            gaps=self.gaps,
            normalize=self.normalize,
            dtype=self.dtype,
            seed=self.seed,
            n_jobs=self.n_jobs,
        )

    def _fill_from(self, examples: Pairs) -> Fill:
        sides = self._sides()
        core: Any = embedding_of(sides)
        texts, hypotheses = examples["text"], examples["hypothesis"]

        def fill(first: int, last: int, out: Array, progress: Progress | None) -> None:
            for low in range(first, last, _ROWS):
                high = min(low + _ROWS, last)
                left, right = (sides.transform(trees[low:high]) for trees in (texts, hypotheses))
                rows = out[low - first : high - first]
                if self.combine == "sum":
                    rows[...] = np.hstack([left, right])
                else:
                    for row in range(high - low):
                        rows[row] = core.compose(left[row], right[row])
                if progress is not None:
                    progress(high - first, last - first)

        return fill

    def _state(self) -> dict[str, Any]:
        return {}

    def _restore(self, state: dict[str, Any]) -> None:
        embedding_of(self._sides())  # raises an error for parameters that no embedding has

    @property
    def _n_features_out(self) -> int:
        return int(self.dimension)

    def __sklearn_is_fitted__(self) -> bool:
        """Tell scikit-learn that there is nothing to fit."""
        return True

    def _requires_fit(self) -> bool:
        return False
