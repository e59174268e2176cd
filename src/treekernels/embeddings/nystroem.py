"""TreeNystroem: vectors whose dot products are nearly the values of any kernel."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treekernels.common.arrays import Array, Floats
from treekernels.common.checks import (
    check_dtype,
    check_parameters,
    check_verbose,
    choice,
    integer,
    rules,
)
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.common.progress import Progress, progress_bar
from treekernels.data.examples import Examples
from treekernels.embeddings.landmarks import Selection, choose_landmarks
from treekernels.embeddings.vector_transformer import Fill, VectorTransformer
from treekernels.errors import DataError
from treekernels.io.files.npy import row_blocks
from treekernels.kernels import Kernel
from treekernels.kernels.base.kernel import check_n_jobs, thread_count
from treekernels.kernels.base.matrices import Run
from treekernels.kernels.expressions.parsing import as_kernel
from treekernels.learners.base.kernel_parameter import KernelParameter
from treekernels.learners.base.portfolio import kernel_without_labels

__all__ = ["TreeNystroem"]

_INDEFINITE = 1e-6  # times the largest eigenvalue: more than rounding


@parameter_class
class TreeNystroem(KernelParameter, VectorTransformer):
    """Vectors of trees for any kernel, from comparisons with some of them, the landmarks.

    The dot product of two vectors is what the kernel says of the part of both trees that the
    landmarks can describe. It is exact if one of the two is a landmark, and of a tree with itself
    it is never larger than the kernel's value. A linear model on the vectors does nearly what a
    kernel machine does on the trees.

    It takes any kernel of the library and what that kernel takes: trees, sentence pairs, or columns
    of several kinds. `DistributedTrees` makes vectors without landmarks, for two kernels.

    Parameters
    ----------
    kernel : Kernel or str, default="auto"
        The kernel, or an expression such as ``"ptk + 0.5*linear(on=numbers)"`` that describes one.
        With "auto", it is chosen by what the trees are, as `TreeIndex` does it.
    n_components : int, default=256
        How many landmarks there are. A vector has as many elements, or fewer where landmarks do not
        differ enough.
    selection : {"uniform", "kmeans++", "leverage"}, default="uniform"
        How landmarks are chosen: at random; each far from those before, as k-means++ begins; or by
        their ridge leverage scores, which are large for examples that others do not make up for.
        The last two choose among 1,000 random examples, or twice `n_components` if that is more.
        No two landmarks are equal trees.
    dtype : {"float32", "float64"}, default="float64"
        The type of the elements of a vector.
    random_state : int, RandomState or None
        Determines which landmarks are chosen.
    n_jobs : int, optional
        Threads for comparisons; -1 for all cores.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    landmarks_ : Forest or columns
        The examples that others are compared with.
    landmark_indices_ : array of int
        Their places among those that were fitted.
    n_components_ : int
        How many elements a vector has.
    kernel_ : Kernel
        The kernel, with the weights that it has learned from the examples if it has any; with
        ``kernel="auto"`` what was chosen.

    See Also
    --------
    DistributedTrees : vectors for subset trees and subtrees, which depend on nothing but the tree.

    Notes
    -----
    With k(x) for the comparisons of x with the landmarks, and ``U diag(e) U^T`` for the landmarks'
    own Gram matrix, the vector of x is ``diag(e) ** -0.5 U^T k(x)`` [1]_.

    The comparisons with the landmarks are multiplied by the eigenvectors of the landmarks' own Gram
    matrix, each divided by the root of its eigenvalue. Eigenvalues that are nothing but rounding
    are left out, so that equal or dependent landmarks do no harm.

    References
    ----------
    .. [1] C. K. I. Williams and M. Seeger, "Using the Nyström Method to Speed Up Kernel Machines",
       Advances in Neural Information Processing Systems 13, 2001.

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(S (A d) (B b))", "(S (A d) (B c))"]
    >>> kernel = tk.PartialTreeKernel()
    >>> vectors = tk.TreeNystroem(kernel, 2, random_state=0).fit_transform(trees)
    >>> (vectors @ vectors.T).round(2)  # the last two are the landmarks
    array([[0.61, 0.38, 0.77, 0.55],
           [0.38, 0.61, 0.55, 0.77],
           [0.77, 0.55, 1.  , 0.77],
           [0.55, 0.77, 0.77, 1.  ]])
    >>> kernel(trees).round(2)
    array([[1.  , 0.77, 0.77, 0.55],
           [0.77, 1.  , 0.55, 0.77],
           [0.77, 0.55, 1.  , 0.77],
           [0.55, 0.77, 0.77, 1.  ]])
    """

    parameter_rules = rules(
        n_components=integer(1),
        selection=choice("uniform", "kmeans++", "leverage"),
        dtype=check_dtype,
        n_jobs=check_n_jobs,
        verbose=check_verbose,
    )

    chooses_kernel = True

    kernel: Kernel | str | None = "auto"
    n_components: int = 256
    _: KW_ONLY
    selection: Selection = "uniform"
    dtype: Any = "float64"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False

    def fit(self, X: Any, y: Any = None) -> TreeNystroem:
        """Choose the landmarks, and compare them with each other.

        Parameters
        ----------
        X : sequence of examples
        y : ignored
        """
        self._fit(X)
        return self

    def _fit(self, X: Any) -> Examples:
        check_parameters(self, self.parameter_rules)
        random = check_random_state(self.random_state)
        kernel = kernel_without_labels(X) if self._is_automatic() else as_kernel(self.kernel)
        examples, columns = self._take_examples(X, kernel, as_before=False)
        if len(examples) == 0:
            raise DataError("there are no examples to choose landmarks from")
        kernel = kernel.fitted_on(examples).remembering()
        with progress_bar("landmarks", verbose=bool(self.verbose)) as bar:
            run = Run(thread_count(self.n_jobs), bar)
            count = int(self.n_components)
            places = choose_landmarks(kernel, examples, count, self.selection, random, run)
            landmarks = examples.take(places)
            gram = np.empty((len(places), len(places)))
            kernel.matrix_of(landmarks, None, run).fill(gram, run)
        self.__dict__.update(  # in one step, for Ctrl-C
            kernel_=kernel,
            landmark_indices_=places,
            input_columns_=columns,
            _landmarks=landmarks,
            _map=_root_of_inverse(gram),
        )
        return examples

    def _examples_of(self, X: Any) -> Examples:
        check_is_fitted(self, "_map")
        return self._examples_like_before(X, self.kernel_)

    def _fill_from(self, examples: Examples) -> Fill:
        threads = thread_count(self.n_jobs)
        matrix = self.kernel_.matrix_of(examples, self._landmarks, Run(threads))

        def fill(first: int, last: int, out: Array, progress: Progress | None) -> None:
            run = Run(threads, progress)
            blocks = row_blocks(last - first, 8 * len(self._map))
            for number, (low, high) in enumerate(blocks):
                comparisons = np.empty((high - low, matrix.shape[1]))
                part = run.part(number, len(blocks))
                matrix.fill_rows(first + low, first + high, comparisons, part)
                out[low:high] = comparisons @ self._map
                if part.progress is not None:
                    part.progress(1, 1)

        return fill

    @property
    def landmarks_(self) -> Any:
        """The landmarks: trees, or all columns of the examples."""
        check_is_fitted(self, "_map")
        return self._landmarks.X

    @property
    def n_components_(self) -> int:
        """How many elements a vector has."""
        check_is_fitted(self, "_map")
        return int(self._map.shape[1])

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_is_fitted__(self) -> bool:
        return "_map" in vars(self)

    def _state(self) -> dict[str, Any]:
        check_is_fitted(self, "_map")
        return {
            "kernel": self.kernel_,
            "indices": self.landmark_indices_,
            "landmarks": dict(self._landmarks.columns),
            "map": self._map,
        }

    def _restore(self, state: dict[str, Any]) -> None:
        check_parameters(self, self.parameter_rules)
        kernel, indices, map_ = state["kernel"], state["indices"], state["map"]
        if not isinstance(kernel, Kernel):
            raise ValueError("the kernel is not a kernel")
        landmarks = Examples.restored(state["landmarks"], kernel.inputs())
        if indices.dtype.kind != "i" or indices.shape != (len(landmarks),):
            raise ValueError("the places of the landmarks are not a list of integers")
        if map_.dtype != np.float64 or map_.ndim != 2 or len(map_) != len(landmarks):
            raise ValueError("the map does not fit the landmarks")
        if not np.isfinite(map_).all() or not 1 <= map_.shape[1] <= max(1, len(landmarks)):
            raise ValueError("the map is not one that comes from landmarks")
        self.kernel_ = kernel.remembering()
        self.landmark_indices_ = indices.astype(np.intp)
        self._landmarks = landmarks
        self._map = map_


def _root_of_inverse(gram: Floats) -> Floats:
    """Return eigenvectors as columns, each divided by the root of its eigenvalue, largest first.

    Those of eigenvalues that are nothing but rounding are left out. One column of zeros is left
    where no landmark is similar to anything.
    """
    values, vectors = np.linalg.eigh(gram)
    values, vectors = values[::-1], vectors[:, ::-1]
    largest = max(float(values[0]), 0.0)
    if -float(values[-1]) > _INDEFINITE * max(largest, -float(values[-1])):
        warnings.warn(
            f"the Gram matrix of the landmarks has a negative eigenvalue ({values[-1]:.3g}; the "
            f"largest is {values[0]:.3g}): this is not a valid kernel, and its negative part "
            "is left out",
            stacklevel=4,
        )
    rounding = largest * len(gram) * np.finfo(np.float64).eps
    rank = int(np.count_nonzero(values > rounding))
    if rank == 0:
        return np.zeros((len(gram), 1))
    # The sign of an eigenvector is arbitrary: its largest element is made positive.
    kept = vectors[:, :rank]
    extreme = np.abs(kept).argmax(axis=0)
    signs = np.sign(kept[extreme, np.arange(rank)])
    return np.ascontiguousarray(kept * (signs / np.sqrt(values[:rank])))
