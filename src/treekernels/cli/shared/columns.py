"""Which columns a kernel looks at, those it names or all of its kind, and how it weighs them."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

from treekernels.cli.shared.data import Data
from treekernels.cli.shared.problem import Problem, check_files
from treekernels.common.screen import Screen
from treekernels.common.text import count_noun
from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.io.writing.column_kinds import kind_of
from treekernels.kernels import (
    InverseDocumentFrequency,
    Kernel,
    LinearKernel,
    SubsetTreeKernel,
    TreeFeaturesKernel,
)
from treekernels.kernels.expressions.parsing import format_kernel, parse_kernel


def kernel_for(expression: str | None, data: Data) -> tuple[Kernel, Any]:
    """Return the kernel, and the part of the data that it is to be called with.

    A kernel that looks at the only column of trees is given that alone, so that a model made with
    it takes trees from anywhere, and not only from a column of the same name.
    """
    if expression is not None:
        kernel = parse_kernel(expression)
    else:
        kernel = SubsetTreeKernel()
        if data.vectors:
            kernel = kernel + LinearKernel()
    names_columns = any(leaf.on is not None for leaf in _leaves(kernel))
    kernel = _placed(kernel, data)
    used = _columns(kernel)
    if not names_columns and len(used) == 1 and used[0] in data.trees:
        for leaf in _leaves(kernel):
            leaf.on = None
        return kernel, data.table[used[0]]
    return kernel, Table({name: data.table[name] for name in used or data.trees})


def kernel_to_learn_with(expression: str | None, data: Data) -> tuple[Kernel, Any]:
    """Return the kernel of a learner, and the part of the data that it learns from.

    What stands for a kernel that the learner is to choose looks at the same columns.
    """
    return kernel_for(None if expression == "auto" else expression, data)


def examples_for(kernel: Kernel, data: Data) -> Any:
    """Return the part of other data that the kernel of a model is to be called with."""
    used = _columns(kernel)
    if used:
        for name in used:
            if name not in data.table:
                has = ", ".join(data.table.columns)
                raise Problem(
                    f"the model looks at a column {name!r}, and {data.path} has only {has}: call "
                    f"its columns as in the training data ({', '.join(used)}), in its first line"
                )
        return Table({name: data.table[name] for name in used})
    if len(data.trees) != 1:
        raise Problem(
            f"{data.path} has {len(data.trees)} columns of trees ({', '.join(data.trees)}), and "
            "the model looks at one: say which with --tree"
        )
    return data.table[data.trees[0]]


def _leaves(kernel: Kernel) -> list[Any]:
    return [leaf for leaf in kernel.leaves() if leaf.takes is not None]


def _columns(kernel: Kernel) -> list[str]:
    """Return the names of the columns that a kernel looks at, each once."""
    columns = [leaf.on for leaf in _leaves(kernel) if leaf.on is not None]
    names = [name for on in columns for name in (on if isinstance(on, list) else [on])]
    return list(dict.fromkeys(names))


def _placed(kernel: Kernel, data: Data) -> Kernel:
    """Return the kernel with a column for each leaf; expressions are not nested deeply."""
    inner = {
        name: _placed(part, data)
        for name in ("k1", "k2", "kernel")
        if isinstance(part := getattr(kernel, name, None), Kernel)
    }
    if inner:
        return type(kernel)(**{**kernel.get_params(deep=False), **inner})
    if kernel.takes is None:
        return kernel
    if kernel.on is not None:
        return _with_column(kernel, _checked(kernel, data))
    names = data.trees if kernel.takes == "trees" else data.vectors
    if not names:
        raise Problem(
            f"{data.path} has no column of vectors for {format_kernel(kernel)} to look at; it has "
            f"{', '.join(data.table.columns)} (on=COLUMN names one of numbers)"
        )
    return reduce(add, [_with_column(kernel, name) for name in names])


def _with_column(kernel: Any, on: Any) -> Kernel:
    placed: Kernel = type(kernel)(**{**kernel.get_params(deep=False), "on": on})
    return placed


def _checked(kernel: Kernel, data: Data) -> Any:
    """Return the columns that a kernel names, if it can look at them."""
    names = kernel.on if isinstance(kernel.on, list) else [kernel.on]
    names = [data.column(name) for name in names]
    text = format_kernel(kernel)
    for name in names:
        is_forest = isinstance(data.table[name], Forest)
        if kernel.takes == "trees" and not is_forest:
            raise Problem(f"{data.path}: the column {name!r} does not hold trees, as {text} needs")
        if kernel.takes == "vectors" and is_forest:
            raise Problem(f"{data.path}: the column {name!r} holds trees, and {text} needs numbers")
    return names if isinstance(kernel.on, list) else names[0]


def fitted_width(X: Any, widths: dict[str, int], screen: Screen) -> Any:
    """Give vectors as many features as training had, since files differ in the last they have."""
    if not isinstance(X, Table):
        return X
    columns = {}
    for name, column in X.items():
        width = widths.get(name)
        if width is not None and kind_of(column) == "sparse" and column.shape[1] != width:
            more = column.shape[1] - width
            if more > 0:
                screen.note(f"Left out {count_noun(more, 'feature')} that training did not have.")
            column = column.copy()
            column.resize(column.shape[0], width)
        if width is not None and kind_of(column) == "dense" and column.shape[1] != width:
            raise Problem(
                f"the vectors in the column {name!r} have {column.shape[1]:,} numbers, and those "
                f"that were learned from {width:,}: make them in the same way for all data"
            )
        columns[name] = column
    return Table(columns)


def same_width(X: Any, Y: Any) -> tuple[Any, Any]:
    """Give vectors of two files the same number of features."""
    if not isinstance(X, Table):
        return X, Y
    widths = {
        name: max(column.shape[1], Y[name].shape[1])
        for name, column in X.items()
        if kind_of(column) == kind_of(Y[name]) and kind_of(column) in ("sparse", "dense")
    }
    quiet = Screen(quiet=True)
    return fitted_width(X, widths, quiet), fitted_width(Y, widths, quiet)


def with_frequencies(kernel: Any, path: str) -> Kernel:
    """Return a kernel with the weights in a file; by default, for None, one of tree features."""
    from treekernels.persistence import load

    check_files([path])
    weights = load(path)
    if not isinstance(weights, InverseDocumentFrequency):
        raise Problem(f"{path} holds a model, and not frequencies")
    if kernel is None:
        kernel = TreeFeaturesKernel()
    if "weights" not in kernel.get_params(deep=False):
        raise Problem("the kernel takes no weights: use features, pqgram or subpath")
    chosen: Kernel = kernel.with_params(weights=weights)
    chosen.check_parameters()
    return chosen
