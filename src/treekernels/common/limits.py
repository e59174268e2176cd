"""Limits: how much may be asked of memory and time before there is an error.

A small file can describe something huge: sixty levels of a tree that is its own child twice have
10^18 nodes. Such a tree can be compared and counted, since its distinct subtrees are few. But
writing it out raises an error, instead of filling the memory.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from treekernels.common.checks import check_integer
from treekernels.common.memory import free_memory
from treekernels.common.text import byte_count
from treekernels.errors import DataError, ParameterError

__all__ = ["Limits", "get_limits", "set_limits"]


@dataclass(frozen=True)
class Limits:
    """What is refused as too large. `set_limits` changes them, `get_limits` returns them.

    Attributes
    ----------
    unfolded_nodes : int, default=10,000,000
        Nodes of one tree that is written out or walked through node by node, where a shared subtree
        counts as often as it occurs: text, leaves, files, Python objects.
    model_bytes : int, optional
        The size of a model file that `load` reads; by default half of the free memory.
    matrix_bytes : int, optional
        The size of a matrix that is made in memory; by default half of the free memory.
    read_bytes : int, optional
        The size of a file of trees that is read, once it is uncompressed; by default half of the
        free memory. It also limits nodes and labels, since each takes some bytes of the file.
    label_bytes : int, default=16,777,216
        The size of one label that is read or made of objects.
    library_depth : int, default=10,000
        Levels of a document that another library takes apart, and may go down by calling itself:
        HTML, Python source, and the fields of JSON Lines. Such a library may stop earlier. What is
        taken apart here has no limit of depth.

    columns : int, default=4,096
        Columns of a table that is read from JSON Lines or KeLP, where each line may name some of
        its own: a table has an entry for each column in each row.

    Examples
    --------
    >>> import treekernels as tk
    >>> before = tk.set_limits(unfolded_nodes=3)
    >>> str(tk.Forest(["(A (B b) c)"])[0])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    treekernels.errors.DataError: a tree of more than 3 nodes is not written out: ...
    >>> _ = tk.set_limits(before)
    """

    unfolded_nodes: int = 10_000_000
    model_bytes: int | None = None
    matrix_bytes: int | None = None
    read_bytes: int | None = None
    label_bytes: int = 1 << 24
    library_depth: int = 10_000
    columns: int = 4096


_limits = Limits()


def get_limits() -> Limits:
    """Return the limits in force.

    Examples
    --------
    >>> import treekernels as tk
    >>> tk.get_limits().unfolded_nodes
    10000000
    """
    return _limits


def set_limits(limits: Limits | None = None, **changes: int | None) -> Limits:
    """Set limits for this process, all of them or some by name, and return those before.

    Examples
    --------
    >>> import treekernels as tk
    >>> before = tk.set_limits(model_bytes=10**9)
    >>> tk.get_limits().model_bytes
    1000000000
    >>> _ = tk.set_limits(before)
    """
    global _limits
    names = [field.name for field in fields(Limits)]
    for name, value in changes.items():
        if name not in names:
            raise ParameterError(f"there is no limit {name!r}; there are {', '.join(names)}")
        if value is not None or getattr(Limits, name) is not None:
            check_integer(name, value, 1)
    before = _limits
    _limits = replace(before if limits is None else limits, **changes)  # type: ignore[arg-type]
    return before


def check_unfolded(nodes: int) -> None:
    """Raise a `DataError` for a tree that has too many nodes to be walked through."""
    if nodes > _limits.unfolded_nodes:
        raise too_many_nodes()


def too_many_nodes() -> DataError:
    """Return the error for a tree that has too many nodes to be walked through."""
    return DataError(
        f"a tree of more than {_limits.unfolded_nodes:,} nodes is not written out: its subtrees "
        "may be shared, and it can be compared as it is; tk.set_limits(unfolded_nodes=...) allows "
        "more"
    )


def long_label(label: str) -> str | None:
    """Return what is wrong with a label that is too long, or None."""
    most = _limits.label_bytes
    if 4 * len(label) <= most:  # it cannot have more
        return None
    size = len(label.encode("utf-8", "surrogatepass"))
    return None if size <= most else long_label_reason()


def long_label_reason() -> str:
    """Return what is wrong with a label that has too many bytes."""
    most = byte_count(_limits.label_bytes)
    return f"a label has more than {most}; tk.set_limits(label_bytes=...) allows more"


def check_depth(depth: int) -> None:
    """Raise a `DataError` for a document that is too deep to be left to another library."""
    if depth > _limits.library_depth:
        raise DataError(
            f"this is nested in more than {_limits.library_depth:,} levels; "
            "tk.set_limits(library_depth=...) allows more"
        )


def check_columns(count: int) -> None:
    """Raise a `DataError` for a table of more columns than there may be."""
    if count > _limits.columns:
        raise DataError(
            f"the lines have more than {_limits.columns:,} names for what is in them, and each "
            "would be a column of the table; tk.set_limits(columns=...) allows more"
        )


def memory_limit(limit: int | None) -> tuple[float, str]:
    """Return how many bytes may be taken, and what that is: a limit, or half of free memory."""
    if limit is not None:
        return limit, f"more than the {byte_count(limit)} of tk.get_limits()"
    free = free_memory()
    if free is None:
        return float("inf"), ""
    return free / 2, f"more than half of the {byte_count(free)} of free memory"
