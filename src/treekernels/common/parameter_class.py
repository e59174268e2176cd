"""A decorator that writes the constructor of a class which has nothing but parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["KW_ONLY", "field", "parameter_class"]

Class = TypeVar("Class", bound=type)

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:  # Python 3.10 has no such function, and only checkers of types look at what it says

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        return lambda function: function


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def parameter_class(class_: Class) -> Class:
    """Write a constructor that stores the parameters which a class lists as a dataclass does.

    Those of bases that were made in this way come first; a class may give them other defaults.
    The class is not a dataclass otherwise. A fitted learner is more than its parameters, and Dask,
    for one, would tell two dataclasses apart by their fields alone.

    Examples
    --------
    >>> @parameter_class
    ... class Learner:
    ...     kernel: str
    ...     _: KW_ONLY
    ...     C: float = 1.0
    >>> vars(Learner("sst", C=10))
    {'kernel': 'sst', 'C': 10}
    """
    listed: dict[str, Any] = {}
    for base in reversed(class_.__mro__):
        listed |= vars(base).get("__listed_parameters__", {})
    listed |= class_.__annotations__
    if "_" in listed:  # a text so far, which means nothing in a file that does not import the name
        listed["_"] = KW_ONLY
    class_.__listed_parameters__ = class_.__annotations__ = listed  # type: ignore[attr-defined]
    dataclass(eq=False, repr=False, match_args=False)(class_)
    for mark in ("__dataclass_fields__", "__dataclass_params__", "__replace__"):
        if mark in vars(class_):
            delattr(class_, mark)
    return class_
