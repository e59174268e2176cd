"""Kernels written as text, the counterpart of `treekernels.kernels.expression`."""

from __future__ import annotations

import inspect
from typing import Any

from treekernels.errors import ParameterError
from treekernels.kernels.algebra import (
    ConstantKernel,
    NormalizedKernel,
    PowerKernel,
    ProductKernel,
    SumKernel,
)
from treekernels.kernels.base import Kernel
from treekernels.kernels.names import KERNELS, TOKEN, VALUES

__all__ = ["format_kernel"]


def format_kernel(kernel: Kernel) -> str:
    """Write a kernel as text from which `parse_kernel` makes it again.

    How it is computed (``n_jobs``, ``verbose``) is left out.

    Raises
    ------
    ValueError
        When it has a part that has no name, such as a `MappingKernel`, or similar labels.

    Examples
    --------
    >>> import treekernels as tk
    >>> tk.format_kernel(0.5 * tk.SubsetTreeKernel(0.3, on="tree") + tk.RBFKernel() ** 2)
    '0.5*sst(decay=0.3, on=tree) + rbf**2'
    """
    written: list[str] = []
    open_: list[Kernel | str] = [kernel]
    while open_:
        part = open_.pop()
        if isinstance(part, str):
            written.append(part)
        elif isinstance(part, SumKernel):
            open_ += [*reversed([part.k1, " + ", *_in_brackets(part.k2, SumKernel)])]
        elif isinstance(part, ProductKernel):
            first = _in_brackets(part.k1, SumKernel)
            second = _in_brackets(part.k2, SumKernel, ProductKernel)
            open_ += [*reversed([*first, "*", *second])]
        elif isinstance(part, PowerKernel):
            inner = _in_brackets(part.kernel, SumKernel, ProductKernel, PowerKernel)
            open_ += [*reversed([*inner, f"**{part.exponent!r}"])]
        elif isinstance(part, NormalizedKernel):
            open_ += [")", part.kernel, "norm("]
        else:
            written.append(_leaf_text(part))
    return "".join(written)


def _in_brackets(kernel: Kernel, *kinds: type[Kernel]) -> list[Kernel | str]:
    return ["(", kernel, ")"] if isinstance(kernel, kinds) else [kernel]


def _leaf_text(kernel: Kernel) -> str:
    if isinstance(kernel, ConstantKernel):
        return f"{kernel.value!r}"
    name = next((name for name, known in KERNELS.items() if type(kernel) is known), None)
    if name is None:
        raise ParameterError(f"a {type(kernel).__name__} cannot be written as an expression")
    parts = []
    for parameter, one in inspect.signature(type(kernel)).parameters.items():
        value = getattr(kernel, parameter)
        if value == one.default or parameter in ("n_jobs", "verbose"):
            continue
        if parameter not in VALUES:
            raise ParameterError(f"{parameter}= of {type(kernel).__name__} cannot be written")
        parts.append(f"{parameter}={_value_text(value)}")
    return f"{name}({', '.join(parts)})" if parts else name


def _value_text(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value_text, value))}]"
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if not isinstance(value, str):
        return repr(value)
    found = TOKEN.fullmatch(value)
    plain = found is not None and found.lastgroup == "name"
    if plain and value.lower() not in ("true", "false", "none"):
        return value
    quote = '"' if "'" in value else "'"
    if quote in value:
        raise ParameterError(
            f"the column {value!r} has both kinds of quotes, and cannot be written"
        )
    return f"{quote}{value}{quote}"
