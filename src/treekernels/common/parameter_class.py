"""A decorator that writes the constructor of a class which has nothing but parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["KW_ONLY", "field", "parameter_class"]

Class = TypeVar("Class", bound=type)

_HEADING = re.compile(r"^\w[\w ]*\n---+$", re.MULTILINE)

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:  # Python 3.10 has no such function, and only checkers of types look at what it says

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        return lambda function: function


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def parameter_class(class_: Class) -> Class:
    """Write a constructor that stores the parameters which a class lists as a dataclass does.

    Those of bases that were made in this way come first; a class may give them other defaults.
    Those that it names in `fixed_parameters` are attributes with a value, and no parameters. What
    the docstring does not describe has the description that a base gives. The class is not a
    dataclass otherwise. A fitted learner is more than its parameters, and Dask, for one, would tell
    two dataclasses apart by their fields alone.
    """
    listed: dict[str, Any] = {}
    for base in reversed(class_.__mro__):
        listed |= vars(base).get("__listed_parameters__", {})
    listed |= class_.__annotations__
    for base in class_.__mro__:
        for name in vars(base).get("fixed_parameters", ()):
            listed.pop(name, None)
    if "_" in listed:  # a text so far, which means nothing in a file that does not import the name
        listed["_"] = KW_ONLY
    class_.__listed_parameters__ = class_.__annotations__ = listed  # type: ignore[attr-defined]
    class_.__doc__ = _with_inherited(class_, listed)
    dataclass(eq=False, repr=False, match_args=False)(class_)
    for mark in ("__dataclass_fields__", "__dataclass_params__", "__replace__"):
        if mark in vars(class_):
            delattr(class_, mark)
    return class_


def _with_inherited(class_: type, names: Iterable[str]) -> str:
    """Return the docstring of a class, with a description of each parameter in their order."""
    before, section, after = _cut(class_.__doc__ or "")
    entries: dict[str, str] = {}
    for base in reversed(class_.__mro__[1:]):
        entries |= _entries(_cut(base.__doc__ or "")[1])
    entries |= _entries(section)
    described = "\n".join(dict.fromkeys(entries[name] for name in names if name in entries))
    return (
        f"{before}Parameters\n----------\n{described}\n\n{after}" if described else before + after
    )


def _cut(docstring: str) -> tuple[str, str, str]:
    """Return what stands before the descriptions of parameters, these, and what comes after."""
    text = inspect.cleandoc(docstring)
    headings = [*_HEADING.finditer(text)]
    for place, heading in enumerate(headings):
        if heading.group().startswith("Parameters"):
            end = headings[place + 1].start() if place + 1 < len(headings) else len(text)
            return text[: heading.start()], text[heading.end() : end].strip("\n"), text[end:]
    first = headings[0].start() if headings else len(text)
    return f"{text[:first].rstrip()}\n\n", "", text[first:]


def _entries(section: str) -> dict[str, str]:
    """Return each description by the name of its parameter; several may share one."""
    entries: dict[str, str] = {}
    for entry in filter(None, re.split(r"\n(?=\S)", section)):
        names, colon, rest = entry.partition(" : ")
        entries |= {name: name + colon + rest for name in names.split("\n")[0].split(", ")}
    return entries
