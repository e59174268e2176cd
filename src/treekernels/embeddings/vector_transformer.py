"""VectorTransformer: vectors of examples in an array, in a file, or some at a time."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metadata_routing import UNUSED

from treekernels.common.arrays import Array
from treekernels.common.checks import check_dtype
from treekernels.common.progress import Progress, progress_bar
from treekernels.common.shared_state import copy_of_attributes, of_one_moment
from treekernels.data.estimator import TreeEstimator
from treekernels.io.files.npy import row_blocks, write_npy
from treekernels.kernels.base.matrices import matrix_for

Fill: TypeAlias = Callable[[int, int, Array, Progress | None], None]
"""Puts the vectors of the examples from one place to another into an array."""


class VectorTransformer(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    TreeEstimator,
    BaseEstimator,  # type: ignore[misc]
):
    """A scikit-learn transformer that makes vectors of trees or of other examples.

    A class has the parameters `dtype` and `verbose`. It says what it takes of X, what it learns
    from that, and how many elements a vector has.
    """

    dtype: Any
    verbose: bool

    # These say where vectors go and how far they are: nothing that a pipeline would pass on.
    __metadata_request__transform = {"out": UNUSED, "progress": UNUSED}  # noqa: RUF012

    @abstractmethod
    def _fit(self, X: Any) -> Any:
        """Learn from X, and return its examples."""

    @abstractmethod
    def _examples_of(self, X: Any) -> Any:
        """Return the examples of X, which can be counted, for vectors of them."""

    @abstractmethod
    def _fill_from(self, examples: Any) -> Fill:
        """Return what computes the vectors of some of the examples."""

    @property
    @abstractmethod
    def _n_features_out(self) -> int: ...

    @of_one_moment
    def transform(self, X: Any, *, out: Any = None, progress: Progress | None = None) -> Any:
        """Return the vectors of examples.

        Parameters
        ----------
        X : sequence of examples
        out : array of shape (len(X), elements of a vector), or path, optional
            Where to put the vectors: an array, for instance a `numpy.memmap`, or the name of a
            ``.npy`` file to be written, in memory that does not grow with the number of examples.
        progress : callable, optional
            Called now and then with the units of work done and in all.

        Returns
        -------
        array of shape (len(X), elements of a vector)
            `out` if it was an array, the file opened for reading if it was a path.

        Examples
        --------
        >>> import tempfile, pathlib, treekernels as tk
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "vectors.npy"
        >>> tk.DistributedTrees(1024).transform(["(A b)", "(A c)", "(B c)"], out=file).shape
        (3, 1024)
        """
        return self._transform(self._examples_of(X), out, progress)

    def fit_transform(self, X: Any, y: Any = None, **options: Any) -> Any:
        """Do `fit` and then `transform`, whose options can be given, reading X once."""
        before = vars(self)
        twin = copy_of_attributes(self)  # which nobody else can fit meanwhile
        vectors = twin._transform(twin._fit(X), **options)
        learned = {name: v for name, v in vars(twin).items() if v is not before.get(name)}
        self.__dict__ = {**vars(self), **learned}
        return vectors

    def blocks(self, X: Any, *, rows: int | None = None) -> Iterator[tuple[slice, Array]]:
        """Yield the vectors of some examples at a time, for instance for `partial_fit`.

        Parameters
        ----------
        rows : int, optional
            The number of rows in each block; by default, as many as fit into 64 MB.

        Yields
        ------
        slice, array
            Which examples, and their vectors.

        Examples
        --------
        >>> import treekernels as tk
        >>> from sklearn.linear_model import SGDClassifier
        >>> trees, labels = ["(A b)", "(A c)", "(B b)", "(B c)"], [0, 0, 1, 1]
        >>> model = SGDClassifier(random_state=0)
        >>> for where, vectors in tk.DistributedTrees(1024).blocks(trees, rows=2):
        ...     model = model.partial_fit(vectors, labels[where], classes=[0, 1])
        """
        this = copy_of_attributes(self)
        examples = this._examples_of(X)
        dtype = check_dtype("dtype", this.dtype)
        fill = this._fill_from(examples)
        for first, last in this._bounds(len(examples), rows):
            block = np.empty((last - first, this._n_features_out), dtype)
            fill(first, last, block, None)
            yield slice(first, last), block

    def _transform(self, examples: Any, out: Any = None, progress: Progress | None = None) -> Array:
        shape, dtype = (len(examples), self._n_features_out), check_dtype("dtype", self.dtype)
        name = type(self).__name__
        with progress_bar(name, verbose=self.verbose, callback=progress) as bar:
            fill = self._fill_from(examples)
            if isinstance(out, str | os.PathLike):
                bounds = self._bounds(len(examples), None)
                write = lambda first, last, rows: fill(first, last, rows, None)  # noqa: E731
                return write_npy(out, shape, dtype, bounds, write, bar)
            result = matrix_for(shape, out, dtype)
            fill(0, len(examples), result, bar)
        return result

    def _bounds(self, count: int, rows: int | None) -> list[tuple[int, int]]:
        bytes_a_row = self._n_features_out * check_dtype("dtype", self.dtype).itemsize
        return row_blocks(count, bytes_a_row, rows)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what comes out, and whether there is anything to fit."""
        tags = super().__sklearn_tags__()
        tags.requires_fit = self._requires_fit()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _requires_fit(self) -> bool:
        return True
