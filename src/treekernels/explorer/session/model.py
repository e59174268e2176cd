"""ExploredModel: what the views ask of a model, be it of trees, of pairs or of several columns."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.data.forest import Forest
from treekernels.data.pairs import Pairs
from treekernels.data.table import Table
from treekernels.errors import DataError
from treekernels.explanation.explain import RankedFragments
from treekernels.explorer.session.corpus import Corpus
from treekernels.kernels import InverseDocumentFrequency, Kernel
from treekernels.kernels.expressions.parsing import format_kernel

SIDES = ("text", "hypothesis")


class ExploredModel:
    """A fitted model, and what its examples consist of."""

    def __init__(self, model: Any) -> None:
        if not hasattr(model, "predict"):
            raise DataError(f"a fitted model can be explored, not an object of {type(model)}")
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model)
        self.model = model
        self.kernel = _kernel_of(model)  # None if the model does not have one of trees
        classes = getattr(model, "classes_", None)  # which a regression does not have
        self.classes: list[Any] | None = None if classes is None else list(classes)
        self._leaves = [] if self.kernel is None else list(self.kernel.leaves())
        pairs = [leaf for leaf in self._leaves if leaf.takes == "pairs"]
        self.is_pairs = bool(pairs)  # whether examples are sentence pairs, with placeholders
        self._pair_column = None  # of X, where that has columns and pairs are one of them
        if pairs:
            on = pairs[0].on
            columns = on if isinstance(on, list) else SIDES
            self._pair_column = None if isinstance(on, list) else on
        else:
            trees = [leaf.on for leaf in self._leaves if leaf.takes == "trees"]
            columns = [on for on in dict.fromkeys(trees) if on is not None]
        self.columns: list[Any] = list(columns) or [None]  # of trees; None for trees alone
        self._ranking = threading.Lock()
        self._ranked: RankedFragments | None = None

    @property
    def kernel_text(self) -> str:
        """The kernel as an expression, as far as it has one."""
        if self.kernel is None:
            return ""
        try:
            return format_kernel(_without_tables(self.kernel))
        except ValueError:
            return type(self.kernel).__name__

    @property
    def tree_kernel(self) -> Kernel | None:
        """The kernel of the first column of trees alone, for searching and drawing maps."""
        for leaf in self._leaves:
            if leaf.takes == "trees":
                return type(leaf)(**{**leaf.get_params(deep=False), "on": None})
        return None

    def example(self, trees: Mapping[Any, Forest], corpus: Corpus | None, row: int | None) -> Any:
        """Return a batch of one example with these trees.

        What else the model looks at, such as vectors, is that of an example of the corpus, or
        nothing.
        """
        columns: dict[str, Any] = {}
        if self.is_pairs and self.columns == list(SIDES):
            pairs = Pairs(*(trees[side] for side in SIDES))
            if self._pair_column is None:
                return pairs
            columns[self._pair_column] = pairs
        if self.columns == [None]:
            return trees[None]
        for leaf in self._leaves:
            for name in leaf.on if isinstance(leaf.on, list) else [leaf.on]:
                if name in trees:
                    columns[name] = trees[name]
                elif name is not None and leaf.takes == "vectors":
                    columns[name] = self._vector(name, corpus, row)
        return Table(columns)

    def _vector(self, name: str, corpus: Corpus | None, row: int | None) -> Any:
        if corpus is not None and row is not None:
            return corpus.X[name][row : row + 1]
        from scipy.sparse import csr_matrix

        width = self.model.feature_counts().get(name, 1)
        return csr_matrix((1, width), dtype=np.float64)

    def predict(self, X: Any) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
        """Return what the model predicts of some examples, and the scores of all classes, if any.

        Our own learners predict the class with the largest score, so that they are asked only once.
        """
        scores = self._scores(X)
        if scores is None or not hasattr(self.model, "learned_kernel"):
            return np.asarray(self.model.predict(X)), scores
        # If there are two classes, the second needs a score above zero, as in scikit-learn.
        best = (scores[:, 1] > 0).astype(int) if scores.shape[1] == 2 else scores.argmax(axis=1)
        return np.asarray(self.classes)[best], scores

    def _scores(self, X: Any) -> NDArray[np.float64] | None:
        if self.classes is None or not hasattr(self.model, "decision_function"):
            return None
        scores = np.asarray(self.model.decision_function(X), np.float64)
        if scores.ndim == 1 and len(self.classes) == 2:
            return np.stack([-scores, scores], axis=1)
        return scores if scores.ndim == 2 and scores.shape[1] == len(self.classes) else None

    def ranked(self) -> RankedFragments:
        """Return the fragments of the model by weight."""
        with self._ranking:
            self._ranked = self._ranked or RankedFragments(self.model)
            return self._ranked


def _without_tables(kernel: Kernel) -> Kernel:
    """Return a kernel whose learned weights are written as what they were learned by."""
    changed: dict[str, Any] = {}
    for name, value in kernel.get_params(deep=False).items():
        if isinstance(value, Kernel):
            changed[name] = _without_tables(value)
        elif isinstance(value, InverseDocumentFrequency):
            changed[name] = "idf"
    return type(kernel)(**{**kernel.get_params(deep=False), **changed})


def _kernel_of(model: Any) -> Kernel | None:
    """Return the kernel of a model, or of the last step of a pipeline or search."""
    model = getattr(model, "best_estimator_", model)
    if hasattr(model, "named_steps") and len(model):
        model = model[-1]
    for name in ("kernel_", "kernel"):
        kernel = getattr(model, name, None)
        if isinstance(kernel, Kernel):
            return kernel
    return None
