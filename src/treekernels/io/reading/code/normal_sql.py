"""Queries of SQL in a normal form: what says the same in other words becomes the same tree.

It works on the expressions of sqlglot, which need not be imported for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from treekernels.io.reading.trees.notations import Branch, key_of

__all__ = ["normalized"]

_CHAINS = {"Add", "And", "Mul", "Or"}
_SYMMETRIC = _CHAINS | {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "EQ", "NEQ", "NullSafeEQ"}
_TURNED = {"GT": "LT", "GTE": "LTE"}
_WITH_UNORDERED_LISTS = {"Group", "In", "Select"}
_COLUMNS_IN_ORDER = {"Except", "Insert", "Intersect", "Union"}
_NAMES_OF_RESULT = ("order", "group", "having", "qualify")


def normalized(statement: Any, expand: Callable[[Any], tuple[str, Iterable[Any]]]) -> Branch:
    """Return the normal form of a statement, whose expressions `expand` takes apart."""
    statement = statement.copy()
    _resolve_tables(statement)
    _resolve_result(statement)
    nodes: dict[int, Any] = {}
    for expression in reversed(list(statement.dfs())):
        label, below = expand(expression)
        children = [nodes[id(child)] if hasattr(child, "args") else child for child in below]
        nodes[id(expression)] = _normal(expression, label, children)
    result: Branch = nodes[id(statement)]
    return result


def _normal(expression: Any, label: str, children: list[Any]) -> Any:
    kind, parent = type(expression).__name__, _parent_kind(expression)
    if kind == "Identifier":
        return Branch(label if expression.args.get("quoted") else label.lower())
    if kind == "Paren":
        return children[0]
    if kind == "Anonymous":  # a function that sqlglot does not know
        children = [child.lower() if isinstance(child, str) else child for child in children]
    if kind in _CHAINS:
        children = _joined(label, children)
        if parent == kind:
            return Branch(label, children)
    if kind in _SYMMETRIC:
        children.sort(key=key_of)
    if kind in _TURNED:
        label, children = _TURNED[kind], children[::-1]
    if kind in _WITH_UNORDERED_LISTS and parent not in _COLUMNS_IN_ORDER:
        count = len(expression.expressions)
        begin = 1 if kind == "In" else 0
        children[begin : begin + count] = sorted(children[begin : begin + count], key=key_of)
    return Branch(label, children)


def _joined(label: str, children: list[Any]) -> list[Any]:
    """Return what a chain such as ``a AND b AND c`` joins; the list of its first part grows."""
    first, *others = children
    joined = first.children if _is_chain(first, label) else [first]
    for child in others:
        joined += child.children if _is_chain(child, label) else [child]
    return joined


def _is_chain(node: Any, label: str) -> bool:
    return isinstance(node, Branch) and node.label == label


def _parent_kind(expression: Any) -> str:
    parent = expression.parent
    while type(parent).__name__ in ("Paren", "Subquery"):
        parent = parent.parent
    return type(parent).__name__


def _resolve_tables(statement: Any) -> None:
    """Call tables by their names where queries use aliases, and leave out the only one's name."""
    resolved: set[int] = set()
    selects = [node for node in statement.dfs() if type(node).__name__ == "Select"]
    for select in reversed(selects):  # those inside first
        names = dict(_names_of_tables(select))
        for column in [node for node in select.dfs() if type(node).__name__ == "Column"]:
            table = column.args.get("table")
            if table is None or id(column) in resolved or table.name.lower() not in names:
                continue
            resolved.add(id(column))
            if len(names) == 1:
                column.set("table", None)
            else:
                _rename(table, names[table.name.lower()])


def _names_of_tables(select: Any) -> Iterator[tuple[str, str]]:
    """Take off the aliases of tables, and yield each with what the table is called now."""
    begin = select.args.get("from_") or select.args.get("from")
    sources = [] if begin is None else [begin.this]
    sources += [join.this for join in select.args.get("joins") or ()]
    seen: Counter[str] = Counter()
    for source in sources:
        is_table = type(source).__name__ == "Table" and source.name
        name = source.name.lower() if is_table else "subquery"
        alias = source.alias_or_name.lower()
        seen[name] += 1
        if seen[name] > 1:  # a table that is joined with itself
            name = f"{name}.{seen[name]}"
        if source.args.get("alias") is not None and not source.args["alias"].args.get("columns"):
            source.set("alias", None)
        if is_table:
            _rename(source.this, name)
        yield alias, name


def _rename(identifier: Any, name: str) -> None:
    if type(identifier).__name__ == "Identifier" and not identifier.args.get("quoted"):
        identifier.set("this", name)


def _resolve_result(statement: Any) -> None:
    """Take off the aliases of the result, and put what they stand for where they are used."""
    if type(statement).__name__ != "Select":
        return
    aliases = {
        column.alias.lower(): column.this
        for column in statement.expressions
        if type(column).__name__ == "Alias"
    }
    if not aliases:
        return
    for clause in filter(None, map(statement.args.get, _NAMES_OF_RESULT)):
        for column in [node for node in clause.dfs() if type(node).__name__ == "Column"]:
            name = column.name.lower()
            if column.args.get("table") is None and name in aliases:
                column.replace(aliases[name].copy())
    columns = [c.this if type(c).__name__ == "Alias" else c for c in statement.expressions]
    statement.set("expressions", columns)
