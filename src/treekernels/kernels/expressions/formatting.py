"""Kernels written as text, the counterpart of `treekernels.kernels.expressions.parsing`."""

from __future__ import annotations

import inspect
import re
from typing import Any

from treekernels.errors import ParameterError
from treekernels.kernels.algebra import (
    ConstantKernel,
    NormalizedKernel,
    PowerKernel,
    ProductKernel,
    SumKernel,
)
from treekernels.kernels.base.kernel import Kernel
from treekernels.kernels.expressions.names import KERNELS
from treekernels.kernels.sets import SetKernel
from treekernels.kernels.similarity.word_vectors import WordVectors

__all__ = ["format_kernel"]

_PLAIN_WORD = re.compile(r"[^\W\d][\w.]*")  # which needs no quotes


def format_kernel(kernel: Kernel) -> str:
    """Return a kernel as text from which `parse_kernel` makes it again.

    Parameters that only say how it is computed (``n_jobs``, ``verbose``) or tuned are left out.

    Raises
    ------
    ValueError
        If it has a part without a short name, such as a `MappingKernel`, or if it has a table of
        similar labels.

    Examples
    --------
    >>> import treekernels as tk
    >>> tk.format_kernel(0.5 * tk.SubsetTreeKernel(0.3, on="tree") + tk.RBFKernel() ** 2)
    '0.5*sst(decay=0.3, on=tree) + rbf**2'
    """
    texts: list[str] = []
    pending: list[Kernel | str] = [kernel]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, SumKernel):
            pending += [*reversed([part.k1, " + ", *_in_brackets(part.k2, SumKernel)])]
        elif isinstance(part, ProductKernel):
            first = _in_brackets(part.k1, SumKernel)
            second = _in_brackets(part.k2, SumKernel, ProductKernel)
            pending += [*reversed([*first, "*", *second])]
        elif isinstance(part, PowerKernel):
            inner = _in_brackets(part.kernel, SumKernel, ProductKernel, PowerKernel)
            pending += [*reversed([*inner, f"**{part.exponent!r}"])]
        elif isinstance(part, NormalizedKernel):
            pending += [")", part.kernel, "norm("]
        elif isinstance(part, SetKernel):
            pending += [", ".join(["", *_arguments(part)]) + ")", part.kernel, "set("]
        else:
            texts.append(_leaf_text(part))
    return "".join(texts)


def _in_brackets(kernel: Kernel, *kinds: type[Kernel]) -> list[Kernel | str]:
    return ["(", kernel, ")"] if isinstance(kernel, kinds) else [kernel]


def _leaf_text(kernel: Kernel) -> str:
    if isinstance(kernel, ConstantKernel):
        return f"{kernel.value!r}"
    class_ = type(kernel)
    short_name = next((short for short in KERNELS if KERNELS[short] is class_), None)
    if short_name is None:
        raise ParameterError(f"a {class_.__name__} cannot be written as an expression")
    arguments = _arguments(kernel)
    return f"{short_name}({', '.join(arguments)})" if arguments else short_name


def writable_parameters(class_: type[Kernel]) -> list[str]:
    """Return the parameters of a kernel that an expression may have, in their order."""
    return [
        name
        for name in inspect.signature(class_).parameters
        if name == "on" or (name in class_.parameter_rules and not name.endswith("_bounds"))
    ]


def _arguments(kernel: Kernel) -> list[str]:
    """Return the parameters that are not what they are by default, as they are written."""
    class_ = type(kernel)
    defaults = inspect.signature(class_).parameters
    arguments = []
    for name in writable_parameters(class_):
        value = getattr(kernel, name)
        if value == defaults[name].default:
            continue
        if isinstance(value, WordVectors) and value.path is not None:
            value = value.path
        try:
            arguments.append(f"{name}={_value_text(value)}")
        except TypeError:
            raise ParameterError(f"{name}= of {class_.__name__} cannot be written") from None
    return arguments


def _value_text(value: Any) -> str:
    """Write a number, a word or a list of them; raise a `TypeError` for anything else."""
    if isinstance(value, list):
        return f"[{', '.join(map(_value_text, value))}]"
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(int(value) if isinstance(value, int) else float(value))
    if not isinstance(value, str):
        raise TypeError(value)
    if _PLAIN_WORD.fullmatch(value) and value.lower() not in ("true", "false", "none"):
        return value
    quote = '"' if "'" in value else "'"
    if quote in value:
        raise ParameterError(f"the name {value!r} has both kinds of quotes, and cannot be written")
    return f"{quote}{value}{quote}"
