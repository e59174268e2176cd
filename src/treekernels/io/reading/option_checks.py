"""Options of readers, checked by the types that their parameters have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from treekernels.common.checks import check_flag
from treekernels.errors import ParameterError

_NOUNS = {str: "a text", int: "a whole number"}


def check_options(reader: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Raise a `ParameterError` for an option whose value its reader cannot take.

    What has the wrong type is noticed here; which words a reader knows, it says itself.
    """
    hints = get_type_hints(reader) if options else {}
    for name, value in options.items():
        kinds = _kinds(hints.get(name))
        if kinds is None or any(_fits(value, kind) for kind in kinds):
            continue
        if kinds == [bool]:
            check_flag(name, value)
        words = [repr(word) for kind in kinds for word in get_args(kind)]
        nouns = [_NOUNS[kind] for kind in kinds if kind in _NOUNS]
        flags = ["True", "False"] if bool in kinds else []
        *first, last = words + nouns + flags
        may = f"{', '.join(first)} or {last}" if first else last
        raise ParameterError(f"{name} must be {may}, not {value!r:.60}")


def _kinds(hint: Any) -> list[Any] | None:
    """Return the types in a hint, or None if there is one among them that is not looked at."""
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else [hint]
    kinds = [part for part in parts if part is not NoneType]
    known = all(kind in (str, int, bool) or get_origin(kind) is Literal for kind in kinds)
    if not known or not kinds:
        return None
    return (
        [*kinds, *(part for part in parts if part is NoneType)]
        if len(parts) > len(kinds)
        else kinds
    )


def _fits(value: Any, kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return isinstance(value, str)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, kind)
