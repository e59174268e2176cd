"""What checks of kernels use: examples, forms of them, expected errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from unittest import SkipTest

import numpy as np

from treekernels.data.forest import Forest
from treekernels.errors import ParseError
from treekernels.kernels import Kernel


def trees() -> list[str]:
    """Return small trees: a single node, some twice, some with a label on leaf and inner node."""
    return [
        "(A (B b) (C c))",
        "(A (B b) (C c))",
        "(A (B c) (C b))",
        "(x)",
        "(x y)",
        "(A (A (A b)))",
        "(A b b b c)",
        "(B (A b) (A b) (C (A b)))",
        "(S (NP (D the) (N dog)) (VP (V barks)))",
        "(S (NP (D the) (N cat)) (VP (V sees) (NP (D the) (N dog))))",
        "(C (C c) (C c) (C (C c) (C c)))",
        "(y x)",
    ]


def rows(X: Any, which: Any) -> Any:
    """Return some of the examples of X, in the form that X has."""
    if isinstance(X, dict):
        return {name: rows(column, which) for name, column in X.items()}
    if isinstance(X, list | tuple):
        return [X[row] for row in np.arange(len(X))[which]]
    return X.iloc[which] if hasattr(X, "iloc") else X[which]


def trees_of(X: Any) -> Forest:
    """Return the trees that X is; a check of trees does not apply to anything else."""
    if isinstance(X, Forest):
        return X
    if not isinstance(X, list) or not all(isinstance(item, str) for item in X):
        raise SkipTest("the examples are not trees")
    try:
        return Forest.from_brackets(X)
    except ParseError:
        raise SkipTest("the examples are not trees") from None


def on_column(kernel: Kernel, name: Any) -> Kernel:
    """Return a copy of the kernel, all parts of which look at one column."""
    from sklearn.base import clone

    every = [key for key in kernel.get_params() if key.rpartition("__")[2] == "on"]
    outer = [key[: -len("on")] for key in every]  # a kernel inside another sees what that passes on
    places = [key for key in every if not any(key.startswith(p) and key != f"{p}on" for p in outer)]
    if not places or any(kernel.get_params()[place] is not None for place in places):
        raise SkipTest("the kernel does not look at a column, or has one already")
    copy: Kernel = clone(kernel)
    return copy.set_params(**dict.fromkeys(places, name))


def data_frame(X: Any, index: Any) -> Any:
    """Return a data frame with the examples in its only column, "column"."""
    try:
        import pandas as pd
    except ImportError:
        raise SkipTest("pandas is not installed") from None
    if has_columns(X) or hasattr(X, "tocsr"):
        raise SkipTest("the examples do not fit into a column")
    return pd.DataFrame({"column": list(X)}, index=index)


def has_columns(X: Any) -> bool:
    """Whether X has columns already."""
    return isinstance(X, Mapping) or hasattr(X, "columns")


def refused(call: Callable[..., Any], *arguments: Any, **named: Any) -> str:
    """Return the sentence of the error that a call must raise."""
    try:
        call(*arguments, **named)
    except (ValueError, TypeError) as error:
        message = str(error)
    else:
        raise AssertionError("this should have been refused")
    assert len(message.split()) > 3, f"an error should be a sentence: {message}"
    return message
