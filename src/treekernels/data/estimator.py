"""TreeEstimator: what learners and embeddings tell scikit-learn about themselves.

It answers three questions: what the estimator takes (its tags), which columns X had in `fit`, and
where its page in the documentation is. It needs no scikit-learn itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treekernels.common.arrays import Array
from treekernels.data.columns import column_names
from treekernels.data.pairs import Pairs


class TreeEstimator:
    """An estimator that takes trees, or tables with trees in them."""

    _doc_link_module = "treekernels"
    _doc_link_template = (
        "https://treekernels.readthedocs.io/en/latest/generated/treekernels.{estimator_name}.html"
    )

    input_columns_: dict[str, Any] | None = None
    """What X had for columns in `fit`: their "count", and their "names" or None."""

    reading_: dict[str, Any] | None = None
    """How ``treekernels fit`` read the trees, if it was told: their "format" and "options"."""

    @property
    def n_features_in_(self) -> int:
        """The number of columns of X in `fit`; 1 for trees alone."""
        return int(self._seen_columns()["count"])

    @property
    def feature_names_in_(self) -> Array:
        """The names of the columns of X in `fit`, if they had names."""
        names = self._seen_columns()["names"]
        if names is None:
            raise AttributeError("X had no columns with names in fit")
        return np.array(names, object)

    def _seen_columns(self) -> dict[str, Any]:
        if self.input_columns_ is None:
            raise AttributeError(f"this {type(self).__name__} is not fitted")
        return self.input_columns_

    def _takes_vectors_alone(self) -> bool:
        """Return whether X is a matrix of numbers, as scikit-learn assumes of every estimator."""
        return False

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what X may be."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        of_input = tags.input_tags
        vectors = self._takes_vectors_alone()
        of_input.two_d_array = of_input.sparse = vectors
        of_input.string = of_input.one_d_array = of_input.dict = not vectors
        return tags


def columns_seen(X: Any) -> dict[str, Any]:
    """Return how many columns X has, and their names if they are texts."""
    names = None if isinstance(X, Pairs) else column_names(X)
    shape: tuple[int, ...] = getattr(X, "shape", ())
    count = len(names) if names is not None else int(shape[1]) if len(shape) > 1 else 1
    are_texts = bool(names) and all(isinstance(name, str) for name in names or ())
    return {"count": count, "names": list(names or ()) if are_texts else None}
