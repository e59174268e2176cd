"""DistributedTrees: trees as vectors whose dot products estimate a tree kernel."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treekernels import _native
from treekernels.common.arrays import Array
from treekernels.common.checks import check_dtype, check_integer
from treekernels.common.native_errors import translate_native_errors
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.common.progress import Progress, progress_bar
from treekernels.data.columns import forest_of
from treekernels.data.estimator import columns_seen
from treekernels.data.forest import Forest, as_forest
from treekernels.embeddings.settings import embedding_of, partial_vectors_of
from treekernels.embeddings.vector_transformer import Fill, VectorTransformer
from treekernels.kernels.base.kernel import thread_count

__all__ = ["DistributedTrees"]

_BATCH = 2048
_TOO_LARGE = (
    "an element of a tree's vector is too large for the result: use normalize=True, a smaller "
    "decay, or dtype='float64' if it was float32"
)


@parameter_class
class DistributedTrees(VectorTransformer):
    r"""Distributed trees: vectors whose dot product estimates a tree kernel.

    Every label has a random vector of its own. The vector of a fragment is composed of those of its
    labels, and the vector of a tree is the weighted sum over all its fragments, computed without
    listing them (Zanzotto and Dell'Arciprete, ICML 2012). Vectors of different fragments are nearly
    orthogonal, so that the dot product of two trees' vectors is nearly their kernel value, with an
    error that falls with the square root of `dimension`. Linear models on the vectors do what
    kernel machines do on the trees, in time that does not grow with the square of the corpus.

    A tree's vector depends on the tree, the parameters and, if ``min_df > 1``, on the links kept
    when fitted; it has the same bits on every computer, in any batch, with any number of threads.

    Parameters
    ----------
    dimension : int, default=8192
        How many elements a vector has. Multiples of 8 are fastest.
    decay : float, default=0.4
        The weight of a fragment in the kernel is ``decay ** (its productions)``. The larger it is,
        the noisier the estimate: see `min_df`. For partial trees it is that of skipped children and
        of leaves.
    composition : {"sign", "product", "convolution"}, default="sign"
        How two vectors are composed. "sign" multiplies vectors of :math:`\pm 1/\sqrt{d}`,
        shuffled: it is the fastest and keeps norms exactly. "product" does the same with normally
        distributed vectors, and "convolution" convolves those: the two of the paper.
    kernel : {"subset", "subtree", "partial"}, default="subset"
        Which kernel is estimated: `SubsetTreeKernel`, `SubtreeKernel` or `PartialTreeKernel`, not
        normalised. Their short names "sst", "st" and "ptk" will do as well.
    vertical_decay : float, default=0.4
        That of the `PartialTreeKernel`, if it is estimated.
    gaps : {"skipped", "span"}, default="skipped"
        The same.
    permutations : {"fast", "random"}, default="fast"
        How vectors are shuffled. "random" permutes all elements, as in the paper. "fast" permutes
        blocks in a way that takes hardly longer than not to shuffle at all. For the convolution it
        uses affine permutations, with which everything stays in the frequency domain (and so does
        the result: dot products are the same), and labels whose spectra have modulus 1.
    heads : {"own", "shared"}, default="own"
        Whether a label has a vector of its own where it is the head of a production, beside that
        as a child. With "shared", as in the paper, a last child's bracket leaves no trace:
        ``(A B (C D))`` and ``(A B C D)`` have the same vector.
    min_df : int, default=1
        Leave out fragments with a link that occurs in fewer of the trees seen by `fit`: a link is a
        production, the position of a child, the production of that child, and so on. No fragment
        that two fitted trees share is lost by ``min_df=2``, and much noise is: worth it for a
        linear model of some hundred trees or more, and for decays above 0.4, where 5 to 10 give
        still better estimates. With 1 nothing is left out, and `fit` learns nothing.
    link_length : int, default=3
        How many productions one below the other make a link, at most: 1 looks at single
        productions. Longer links prune more, and more vectors have to be computed than with 2.
    normalize : bool, default=False
        Give vectors of length 1, whose dot products estimate the normalised kernel. They are right
        for trees of any size, but for partial trees. (A tree without fragments has the zero
        vector.)
    dtype : {"float32", "float64"}, default="float32"
        The type of the elements of a vector.
    seed : int, default=0
        Determines all that is random. Vectors made with different seeds have nothing in common.
    on : str, optional
        The column of X that holds the trees, when X has columns.
    batch_size : int, optional
        How many trees are worked on at a time; by default 2,048, or fewer where `memory_mb` would
        not suffice.
    memory_mb : int, default=256
        About how many megabytes the vectors of subtrees may take while working, beside the result.
    n_jobs : int, optional
        Threads to use; -1 for all cores.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    links_ : array of uint64, or None
        Hashes of the links that are kept; None if all are.
    n_trees_ : int
        How many trees were seen by `fit`.
    n_features_in_ : int
        How many columns X had in `fit`; 1 for trees alone.
    feature_names_in_ : array
        Their names, if they have names.

    See Also
    --------
    SubsetTreeKernel : the kernel itself.
    DistributedPairs : the same for pairs of trees.

    Notes
    -----
    With ``<>`` for the composition of two vectors, and the label's own vector in place of a node, a
    tree has the vector ``sqrt(decay) * sum_n s(n)`` over all its nodes n [1]_, where s is 0 for a
    leaf and otherwise, for a node with the children c1, ..., cm::

        s(n) = n <> ((c1 + sqrt(decay) s(c1)) <> (... <> (cm + sqrt(decay) s(cm))))

    A cut child looks like a leaf in a fragment, so the fragment ``(NP (D the) N)`` of one tree is
    the same as that of a tree in which N is a leaf. Elements that would not fit `dtype` raise
    `KernelOverflowError`; that takes hundreds of nodes at decay 1, and ``normalize=True`` avoids
    it.

    References
    ----------
    .. [1] F. M. Zanzotto and L. Dell'Arciprete, "Distributed Tree Kernels", ICML 2012.

    Examples
    --------
    >>> import treekernels as tk
    >>> a = "(S (NP (D the) (N dog)) (VP (V barks)))"
    >>> b = "(S (NP (D the) (N cat)) (VP (V barks)))"
    >>> vectors = tk.DistributedTrees().fit_transform([a, b])
    >>> vectors.shape
    (2, 8192)
    >>> (vectors @ vectors.T).round(2)
    array([[3.68, 2.92],
           [2.92, 3.7 ]], dtype=float32)
    >>> tk.SubsetTreeKernel(normalize=False)([a, b]).round(2)
    array([[3.66, 2.89],
           [2.89, 3.66]])
    """

    dimension: int = 8192
    decay: float = 0.4
    composition: Literal["sign", "product", "convolution"] = "sign"
    _: KW_ONLY
    kernel: Literal["subset", "subtree", "partial", "sst", "st", "ptk"] = "subset"
    vertical_decay: float = 0.4
    gaps: Literal["skipped", "span"] = "skipped"
    permutations: Literal["fast", "random"] = "fast"
    heads: Literal["own", "shared"] = "own"
    min_df: int = 1
    link_length: int = 3
    normalize: bool = False
    dtype: Any = "float32"
    seed: int = 0
    on: Any = None
    batch_size: int | None = None
    memory_mb: int = 256
    n_jobs: int | None = None
    verbose: bool = False

    def fit(self, X: Any, y: Any = None) -> DistributedTrees:
        """Check the parameters and, if `min_df` is above 1, count links.

        Parameters
        ----------
        X : sequence of trees
            A `Forest`, bracket strings, nested tuples or NLTK trees; or something with columns.
        y : ignored
        """
        self._fit(X)
        return self

    def _fit(self, X: Any) -> Forest:
        forest = forest_of(X, self.on)
        embedding_of(self)
        min_df = check_integer("min_df", self.min_df, 1, (1 << 32) - 1)
        links = None
        if min_df > 1:
            with progress_bar("counting links", verbose=self.verbose) as bar:
                links = _native.frequent_chains(
                    forest.dag, forest.roots, min_df, int(self.link_length), bar
                )
        self.__dict__ = {  # in one step, for Ctrl-C and other threads
            **vars(self),
            "links_": links,
            "n_trees_": len(forest),
            "input_columns_": columns_seen(X),
        }
        return forest

    def fragment_vector(self, fragment: Any) -> Array:
        """Return the vector of one fragment, of length 1 or nearly so.

        Its dot product with a tree's vector (not normalised) estimates the number of times that the
        fragment occurs in it, times ``decay ** (productions / 2)``, or the root of its weight if
        the trees are partial; with the weights of a linear model it tells what one more of it would
        change, in the same units. The fragment is a tree: a node that is cut is written as a leaf.
        For a single node it is the vector of its label.

        Examples
        --------
        >>> import treekernels as tk
        >>> embedding = tk.DistributedTrees(decay=0.5)
        >>> (vector,) = embedding.transform(["(S (NP (D the) (N dog)) (VP (V barks)))"])
        >>> round(float(vector @ embedding.fragment_vector("(S NP (VP V))")) / 0.5)
        1
        >>> round(float(vector @ embedding.fragment_vector("(S VP (NP N))")) / 0.5)
        0
        """
        forest = as_forest([fragment])
        core: Any = embedding_of(self, fragment=True)
        if not forest[0].children:
            return self.label_vector(forest[0].label)
        out: Array = np.empty((1, self.dimension), check_dtype("dtype", self.dtype))
        core.transform(forest.dag, forest.roots, out, None, self._memory(), 1, 1)
        vector: Array = out[0]
        return vector

    def label_vector(self, label: str, *, head: bool = False) -> Array:
        """Return the vector of a label, as that of a child or of the head of a production.

        Examples
        --------
        >>> import treekernels as tk
        >>> tk.DistributedTrees(4).label_vector("NP").tolist()
        [-0.5, 0.5, -0.5, 0.5]
        """
        core: Any = embedding_of(self)
        vector: Array = core.label(label, head)
        return vector

    def compose(self, a: Array, b: Array) -> Array:
        """Compose two vectors: ``a <> b`` of the paper, which fragments' vectors are made by.

        Examples
        --------
        >>> import numpy as np, treekernels as tk
        >>> embedding = tk.DistributedTrees()
        >>> a, b = embedding.label_vector("A", head=True), embedding.label_vector("B")
        >>> composed = embedding.compose(a, embedding.compose(b, embedding.label_vector("C")))
        >>> bool(np.allclose(composed, embedding.fragment_vector("(A B C)")))
        True
        """
        core: Any = embedding_of(self)
        dtype = check_dtype("dtype", self.dtype)
        vector: Array = core.compose(np.ascontiguousarray(a, dtype), np.ascontiguousarray(b, dtype))
        return vector

    def _examples_of(self, X: Any) -> Forest:
        check_is_fitted(self)
        return forest_of(X, self.on)

    def _fill_from(self, examples: Forest) -> Fill:
        core: Any = embedding_of(self)
        partial: Any = partial_vectors_of(self)
        threads = thread_count(self.n_jobs)
        batch = _BATCH if self.batch_size is None else self.batch_size
        batch = check_integer("batch_size", batch, 1, 1 << 62)
        links = getattr(self, "links_", None)

        def fill(first: int, last: int, out: Array, progress: Progress | None) -> None:
            forest = examples[first:last]
            trees = forest.dag, forest.roots
            with translate_native_errors(_TOO_LARGE):
                if partial is None:
                    core.transform(*trees, out, links, self._memory(), batch, threads, progress)
                else:
                    partial.transform(*trees, out, threads, progress)
                    out[forest.is_empty] = 0.0

        return fill

    def _memory(self) -> int:
        return check_integer("memory_mb", self.memory_mb, 1, 1 << 40) << 20

    def _state(self) -> dict[str, Any]:
        check_is_fitted(self)
        return {"links": getattr(self, "links_", None), "n_trees": getattr(self, "n_trees_", None)}

    def _restore(self, state: dict[str, Any]) -> None:
        embedding_of(self)  # raises an error for parameters that no embedding has
        check_integer("min_df", self.min_df, 1)
        links, n_trees = state["links"], state["n_trees"]
        if links is not None and (links.ndim != 1 or links.dtype != np.uint64):
            raise ValueError("the links are not a list of 64-bit numbers")
        if links is not None and (links[1:] <= links[:-1]).any():
            raise ValueError("the links are not in ascending order")
        if (links is None) != (self.min_df == 1):
            raise ValueError("the links do not go with min_df")
        if n_trees is None:  # saved without a call of fit, which it can do without
            return
        self.links_ = links
        self.n_trees_ = check_integer("n_trees", n_trees, 0)

    @property
    def _n_features_out(self) -> int:
        return int(self.dimension)

    def __sklearn_is_fitted__(self) -> bool:
        """Tell scikit-learn that there is nothing to fit unless something is to be left out."""
        return hasattr(self, "links_") or self.min_df == 1

    def _requires_fit(self) -> bool:
        return self.min_df != 1
