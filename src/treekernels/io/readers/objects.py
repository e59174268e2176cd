"""Objects of any kind as trees: by functions, by names of attributes, or because they are known.

Kinds of other packages are recognised by the name of the module that a class comes from, so that
nothing is imported which is not there already.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from treekernels.common.limits import get_limits, too_many_nodes
from treekernels.data.forest import Forest, Source
from treekernels.data.from_objects import refuse_nothing, refuse_single
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParameterError
from treekernels.io.reading.tree_builder import Builder

__all__ = ["from_objects"]

Accessor: TypeAlias = str | Callable[[Any], Any] | None
Expand: TypeAlias = Callable[[Any], tuple[str, Iterable[Any]]]
"""Returns the label of a node, and its children, among which a text is a leaf."""


def from_objects(
    roots: Iterable[Any], label: Accessor = None, children: Accessor = None
) -> Forest:
    """Make a forest of objects, each of which is the root of a tree.

    Parameters
    ----------
    roots : iterable of objects
        The root of each tree.
    label : str or callable, optional
        What a node is called: the name of an attribute or method, or of a key if nodes are
        dictionaries, or a function of the node. Numbers become texts.
    children : str or callable, optional
        The same for the list of nodes below a node. None is an empty list, an entry that is None is
        passed over, and one that is a text is a leaf.

    If you give neither, these kinds of objects are known: trees of anytree, bigtree, ete and NLTK;
    directed graphs of networkx; expressions of sqlglot; elements of ElementTree, lxml and Beautiful
    Soup; nodes of `ast`, libcst and tree-sitter; data classes; dictionaries, as in JSON; and tuples
    and lists ``(label, child, ...)``. For objects of these kinds, you may also give one of the two.

    Returns
    -------
    Forest

    Examples
    --------
    >>> import treekernels as tk
    >>> class Step:
    ...     def __init__(self, name, *steps):
    ...         self.name, self.steps = name, steps
    >>> plan = Step("join", Step("scan", Step("users")), Step("scan", Step("orders")))
    >>> print(tk.from_objects([plan], label="name", children="steps"))
    (join (scan users) (scan orders))
    >>> print(tk.from_objects([plan], label=lambda step: step.name.upper(), children="steps"))
    (JOIN (SCAN USERS) (SCAN ORDERS))
    >>> print(tk.from_objects([{"name": "x", "sizes": [1, 2]}]))
    ({} (name x) (sizes ([] 1 2)))
    """
    if label is None and children is None:
        refuse_single(roots)
    elif isinstance(roots, str) or not isinstance(roots, Iterable):
        raise DataError(f"a list of roots was expected, and not a {type(roots).__name__}")
    for name, value in (("label", label), ("children", children)):
        if not (value is None or isinstance(value, str) or callable(value)):
            raise ParameterError(
                f"{name} is {value!r:.40}, and may be the name of an attribute or a function"
            )
    builder = Builder()
    for number, root in enumerate(roots, start=1):
        refuse_nothing(root, number)
        try:
            _walk(builder, root, _expansion(root, label, children))
        except DataError as error:
            raise DataError(f"tree {number}: {error}") from None
    return builder.forest()


def _expansion(root: Any, label: Accessor, children: Accessor) -> Expand:
    """Return the function that expands the nodes of a tree."""
    if label is not None and children is not None:
        return lambda node: (_label(_value(node, label)), _list(_value(node, children)))
    known = _graph(root) if _is_from(root, "networkx") else _known
    if label is not None:
        return lambda node: (_label(_value(node, label)), known(node)[1])
    if children is not None:
        return lambda node: (known(node)[0], _list(_value(node, children)))
    return known


def _walk(builder: Builder, root: Any, expand: Expand) -> None:
    """Add a tree. A node is on the stack twice: to be opened, and, as a mark, to be closed."""
    stack: list[tuple[Any, bool]] = [(root, False)]
    ancestors: set[int] = set()
    most = get_limits().unfolded_nodes
    nodes = 0
    while stack:
        node, is_done = stack.pop()
        if is_done:
            builder.close()
            ancestors.discard(id(node))
            continue
        nodes += 1
        if nodes > most:
            raise too_many_nodes()
        if isinstance(node, str) and nodes > 1:
            builder.leaf(node)
            continue
        if id(node) in ancestors:
            raise DataError("an object is below itself, and so these objects are not a tree")
        text, below = expand(node)
        builder.open(text)
        ancestors.add(id(node))
        stack.append((node, True))
        stack.extend((child, False) for child in reversed(list(below)) if child is not None)


def _value(node: Any, accessor: str | Callable[[Any], Any]) -> Any:
    """Return what an accessor has for a node."""
    if not isinstance(accessor, str):
        return accessor(node)
    if isinstance(node, Mapping):
        return node.get(accessor)
    try:
        value = getattr(node, accessor)
    except AttributeError:
        raise DataError(
            f"a node of type {type(node).__name__} has no attribute {accessor!r}"
        ) from None
    return value() if callable(value) else value


def _label(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, bool | int | float):
        return str(value)
    raise DataError(
        f"the label of a node is {value!r:.40}, of type {type(value).__name__}: it must be a text "
        "or a number, to which label=... may turn it"
    )


def _list(value: Any) -> Iterable[Any]:
    if value is None:
        return ()
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise DataError(
            f"the children of a node are {value!r:.40}, of type {type(value).__name__}: a list "
            "of nodes was expected"
        )
    return value


def _known(node: Any) -> tuple[str, Iterable[Any]]:
    """Expand a node of a kind that is known."""
    for package, expand in _KNOWN.items():
        if _is_from(node, package):
            return expand(node)
    if isinstance(node, Mapping):
        return "{}", [_Field(str(key), value) for key, value in node.items()]
    if isinstance(node, _Field):
        return node.name, [_below(item) for item in node.items]
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        names = [field.name for field in dataclasses.fields(node)]
        return type(node).__name__, [_Field(name, getattr(node, name)) for name in names]
    try:
        text, children = label_and_children(node)
    except ValueError:
        raise DataError(
            f"an object of type {type(node).__module__}.{type(node).__qualname__} is not of a "
            "kind that is known: say with label=... and children=... what its label and its "
            "children are"
        ) from None
    return text, children


class _Field:
    """A key of a dictionary or a field of an object, and what it holds."""

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self.items = [value]


def _is_from(node: Any, package: str) -> bool:
    """Return whether the class of an object, or one that it derives from, is of a package."""
    return any(
        kind.__module__ == package or kind.__module__.startswith(package + ".")
        for kind in type(node).__mro__
    )
