"""Objects of any kind as trees: by functions, by names of attributes, or because they are known.

Kinds of other packages are recognised by the name of the module that a class comes from, so that
nothing is imported which is not there already.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from treekernels.data.forest import Forest
from treekernels.data.from_objects import label_and_children, refuse_nothing, refuse_single
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParameterError
from treekernels.io.readers.code.python import from_ast
from treekernels.io.readers.code.sql import expand_expression
from treekernels.io.readers.code.treesitter import from_tree_sitter
from treekernels.io.readers.documents.html import from_element
from treekernels.io.reading.trees.documents import scalar_text
from treekernels.io.reading.trees.tree_builder import Builder, Expand, Node, add_nodes

__all__ = ["from_objects"]

Accessor: TypeAlias = str | Callable[[Any], Any] | None


def from_objects(roots: Iterable[Any], label: Accessor = None, children: Accessor = None) -> Forest:
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
    expand = _expansion(label, children)
    builder = Builder()
    for number, root in enumerate(roots, start=1):
        refuse_nothing(root, number)
        try:
            add_nodes(builder, _root_of(root), expand)
        except DataError as error:
            raise DataError(f"tree {number}: {error}") from None
    return builder.forest()


def _expansion(label: Accessor, children: Accessor) -> Expand:
    """Return the function that expands nodes."""

    def expand(node: Any) -> Node:
        text = _known(node)[0] if label is None else _label(_value(node, label))
        return text, _known(node)[1] if children is None else _list(_value(node, children))

    return _known if label is None and children is None else expand


def _value(node: Any, accessor: str | Callable[[Any], Any]) -> Any:
    """Return what an accessor has for a node."""
    if isinstance(node, _GraphNode):
        return node.value(accessor)
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


def _known(node: Any) -> Node:
    """Expand a node of a kind that is known."""
    kind: Any = type(node)
    return _expansion_of(kind)(node)


@lru_cache(maxsize=1024)
def _expansion_of(kind: Any) -> Expand:
    """Return how nodes of a type are expanded, by the packages of its classes."""
    packages = {base.__module__.partition(".")[0] for base in kind.__mro__}
    for package, expand in _OF_PACKAGES.items():
        if package in packages:
            return expand
    if issubclass(kind, Mapping):
        return _mapping
    if dataclasses.is_dataclass(kind):
        return _data_class
    return _sequence


def _mapping(node: Any) -> Node:
    return "{}", [_Field(str(key), value) for key, value in node.items()]


def _data_class(node: Any) -> Node:
    names = [field.name for field in dataclasses.fields(node)]
    return type(node).__name__, [_Field(name, getattr(node, name)) for name in names]


class _Field:
    """A key of a dictionary, or a field of an object, and what it holds; or an array."""

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self.items = value if name == "[]" else [value]

    def expand(self) -> Node:
        return self.name, [_value_below(item) for item in self.items]


def _value_below(value: Any) -> Any:
    """Return what stands for a value of an object, as in JSON."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, str | int | float | None):
        return scalar_text(value)
    return _Field("[]", list(value)) if isinstance(value, list | tuple | set) else value


def _sequence(node: Any) -> Node:
    if isinstance(node, _Field | _GraphNode):
        return node.expand()
    try:
        return label_and_children(node)
    except ValueError:
        kind = type(node)
        raise DataError(
            f"an object of type {kind.__module__}.{kind.__qualname__} is not of a kind that is "
            "known: say with label=... and children=... what its label and its children are"
        ) from None


def _named(node: Any) -> Node:
    """Expand a node of anytree, bigtree or ete."""
    return _label(node.name), node.children


def _root_of(item: Any) -> Any:
    """Return the node of a graph of networkx that nothing points to, or else the object itself."""
    kind: Any = type(item)
    return _root_of_graph(item) if _expansion_of(kind) is _graph else item


def _graph(graph: Any) -> Node:
    return _root_of_graph(graph).expand()


def _root_of_graph(graph: Any) -> _GraphNode:
    if not graph.is_directed():
        raise DataError(
            "an undirected graph has no root: networkx.bfs_tree(graph, root) directs its edges"
        )
    roots = [node for node, count in graph.in_degree() if count == 0]
    if len(roots) != 1:
        raise DataError(
            f"a tree has one node that no edge points to, and this graph has {len(roots)}"
        )
    if not _is_acyclic(graph):
        raise DataError("this graph is not a tree: it has a circle of edges")
    return _GraphNode(graph, roots[0])


def _is_acyclic(graph: Any) -> bool:
    """Return whether all nodes can be taken away, each after those that point to it."""
    waiting = dict(graph.in_degree())
    free = [node for node, count in waiting.items() if count == 0]
    taken = 0
    while free:
        node = free.pop()
        taken += 1
        for below in graph.successors(node):
            waiting[below] -= graph.number_of_edges(node, below)
            if waiting[below] == 0:
                free.append(below)
    return taken == len(waiting)


class _GraphNode:
    """A node of a graph. Its attributes are found by their names, and functions get its key."""

    def __init__(self, graph: Any, key: Any) -> None:
        self.graph = graph
        self.key = key

    def value(self, accessor: str | Callable[[Any], Any]) -> Any:
        if not isinstance(accessor, str):
            return accessor(self.key)
        return self.graph.nodes[self.key].get(accessor)

    def expand(self) -> Node:
        label = self.graph.nodes[self.key].get("label", self.key)
        return str(label), [_GraphNode(self.graph, key) for key in self.graph.successors(self.key)]


def _soup(node: Any) -> Node:
    """Expand an element of Beautiful Soup, in the shape of XML."""
    if not hasattr(node, "attrs"):
        return _Field("#text", " ".join(node.split())).expand()
    attributes = [
        _Field(f"@{name}", " ".join(value) if isinstance(value, list) else value)
        for name, value in node.attrs.items()
    ]
    below = [
        child if hasattr(child, "attrs") else _Field("#text", " ".join(child.split()))
        for child in node.children
        if _is_shown(child)
    ]
    if node.name == "[document]" and len(below) == 1:
        return _soup(below[0])
    return node.name, [*attributes, *below]


def _is_shown(node: Any) -> bool:
    """Whether a part of a page is an element or text, and not a comment or the like."""
    hidden = ("CData", "Comment", "Declaration", "Doctype", "ProcessingInstruction")
    if type(node).__name__ in hidden or type(node).__name__.startswith("XMLProcessing"):
        return False
    return hasattr(node, "attrs") or bool(node.strip())


_PUNCTUATION = {
    *("AssignEqual", "Colon", "Comma", "Dot", "Semicolon", "LeftCurlyBrace", "RightCurlyBrace"),
    *("LeftParen", "RightParen", "LeftSquareBracket", "RightSquareBracket"),
}


def _libcst(node: Any) -> Node:
    """Expand a node of libcst, without white space and punctuation."""
    below = [
        child
        for child in node.children
        if not type(child).__module__.endswith("whitespace")
        and type(child).__name__ not in _PUNCTUATION
    ]
    value = getattr(node, "value", None)
    return type(node).__name__, [value] if isinstance(value, str) else below


def _whole(convert: Callable[[Any], Tree]) -> Expand:
    """Return how to expand what another reader makes a tree of."""

    def expand(node: Any) -> Node:
        tree = convert(node)
        return tree.label, tree.children

    return expand


_OF_PACKAGES: dict[str, Expand] = {
    "_ast": _whole(from_ast),
    "ast": _whole(from_ast),
    "anytree": _named,
    "bigtree": _named,
    "bs4": _soup,
    "ete3": _named,
    "ete4": _named,
    "libcst": _libcst,
    "lxml": _whole(from_element),
    "networkx": _graph,
    "sqlglot": expand_expression,
    "tree_sitter": _whole(from_tree_sitter),
    "xml": _whole(from_element),
}
"""How objects of a package are expanded; nothing of it is imported."""
