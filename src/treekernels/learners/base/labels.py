"""What is to be learned: the labels of classifiers and the numbers of regressors, checked."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.arrays import Array, Floats
from treekernels.common.user_warnings import warn_user
from treekernels.data.from_objects import is_nothing
from treekernels.errors import DataError

_MISSING = "y contains None or NaN: every example needs a label"


def one_column(y: Any) -> Array:
    """Return y as an array of one dimension; a column is taken, with scikit-learn's warning."""
    if y is None:
        raise DataError("fit requires y to be passed, but the target y is None")
    if hasattr(y, "tocsr"):
        raise DataError("y is a sparse matrix: give a dense array, for example y.toarray().ravel()")
    labels = np.asarray(y)
    # NumPy makes texts of gaps among texts; an array of texts has none.
    if labels.dtype.kind == "U" and not isinstance(y, np.ndarray) and _has_gap(y):
        raise DataError(_MISSING)
    if labels.ndim == 2 and labels.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        warn_user(
            "A column-vector y was passed when a 1d array was expected. Please change the shape "
            "of y to (n_samples,), for example using ravel().",
            DataConversionWarning,
        )
        labels = labels.ravel()
    if labels.ndim != 1:
        raise DataError(f"y should be a 1d array, got an array of shape {labels.shape} instead")
    return labels


def encoded(y: Any, classes: Array | None = None) -> tuple[Array, NDArray[np.uint32]]:
    """Return the classes, sorted, and the number of each label among them."""
    labels = np.asarray(y)
    if labels.dtype.kind == "f":
        if not np.isfinite(labels).all():
            raise DataError("y contains NaN or infinity: every example needs a label")
        from sklearn.utils.multiclass import check_classification_targets

        try:
            check_classification_targets(labels)
        except ValueError as error:  # of scikit-learn: they are measured, not counted
            raise DataError(
                f"{error} A classifier learns classes; tk.TreeSVR learns numbers."
            ) from None
    if labels.dtype.kind == "O" and _has_gap(labels):
        raise DataError(_MISSING)
    if classes is None:
        classes = _distinct(labels)
    else:
        classes = _distinct(np.asarray(classes))
        unknown = _unknown(labels, classes)
        if len(unknown):
            raise DataError(f"y has labels that are not among the classes: {unknown[:5]}")
    if len(classes) < 2:
        only = classes.tolist()[0]
        raise DataError(f"y has one class only ({only!r}): there is nothing to tell apart")
    return classes, np.searchsorted(classes, labels).astype(np.uint32)


def _has_gap(labels: Any) -> bool:
    """Return whether a label is missing. There are far fewer distinct labels than examples."""
    with suppress(TypeError):  # some cannot be hashed
        labels = set(labels)
    return any(map(is_nothing, labels))


def _distinct(labels: Array) -> Array:
    try:
        return np.unique(labels)
    except TypeError:
        kinds = " and ".join(sorted({type(label).__name__ for label in labels}))
        raise DataError(
            f"y has labels of several types ({kinds}), which have no order: give labels of one type"
        ) from None


def _unknown(labels: Array, classes: Array) -> Array:
    """Return the labels that are not among the classes, which are sorted."""
    if labels.dtype.kind == classes.dtype.kind != "O" and len(classes):  # the quick way
        places = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
        if (classes[places] == labels).all():
            return labels[:0]
    return np.setdiff1d(labels, classes)


def known_classes(classes: Any) -> Array:
    """See that classes from a file are what `encoded` gives."""
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or len(classes) < 2:
        raise ValueError("the classes are not a list of two or more")
    if not np.array_equal(np.unique(classes), classes):
        raise ValueError("the classes are not in order")
    return classes


def signs_of_classes(labels: Array, count: int) -> Floats:
    """Return what a machine has to learn: 1 for the class of an output, and -1 for all others.

    There is an output for each of `count` classes; for the second one alone if there are two.
    """
    members = np.arange(count) if count > 2 else np.array([1])
    return np.where(labels[:, None] == members, 1.0, -1.0)
