"""Queries in SQL as trees, by sqlglot, which knows the dialects of databases.

With ``normalize=True``, queries that say the same in other words have the same tree: aliases are
resolved, and what has no order in SQL is sorted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from treekernels.common.checks import check_flag
from treekernels.common.optional import require
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParameterError, ParseError
from treekernels.io.reading.code.normal_sql import normalized
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, text_of
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.trees.notations import Branch
from treekernels.io.reading.trees.tree_builder import Builder, Node, add_nodes, tree_of_nodes

__all__ = ["expand_expression", "from_sql", "read_sql"]

_SILENT = ("big_int", "nested", "quoted")
_PLACE = re.compile(r"(\d+):(\d+)")


def read_sql(
    path: PathLike,
    *,
    dialect: str | None = None,
    literals: bool = True,
    normalize: bool = False,
    problems: Problems,
    origins: Origins | None = None,
) -> Forest:
    """Read one tree for each statement; the parameters are those of `from_sql`."""
    builder = Builder()
    expand = _expand_all if check_flag("literals", literals) else _expand_without_literals
    check_flag("normalize", normalize)
    text = text_of(path, problems)
    for line, statement in _statements(text, dialect, str(path), problems):
        root = normalized(statement, expand_expression) if normalize else statement
        add_nodes(builder, root, expand)
        if origins is not None:
            origins.add(line=line)
    return builder.forest()


def from_sql(
    text: str, *, dialect: str | None = None, literals: bool = True, normalize: bool = False
) -> Tree:
    """Make a tree of a query in SQL.

    Parameters
    ----------
    text : str
        One statement.
    dialect : str, optional
        The database that it is written for, such as "postgres", "mysql", "sqlite", "tsql" or
        "bigquery". By default, what most of them have in common is understood.
    literals : bool
        Whether numbers and texts become leaves.
    normalize : bool
        Whether queries that differ only in words have the same tree. Then tables are called by
        their names and not by aliases, the columns of the result have no aliases, unquoted names
        are in lower case, and what SQL does not order is sorted: what ``AND``, ``OR``, ``=``,
        ``+`` and ``*`` join, the columns of the result and of ``GROUP BY``, and what ``IN`` lists.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.readers.from_sql("SELECT name FROM users WHERE age > 30"))
    (Select (Column name) (From (Table users)) (Where (GT (Column age) (Literal 30))))
    >>> queries = [
    ...     "SELECT u.name AS n, u.age FROM users u WHERE u.age > 30 AND u.city = 'Rome'",
    ...     "select age, name from users where 'Rome' = city and (30 < age)",
    ... ]
    >>> first, second = (tk.readers.from_sql(query, normalize=True) for query in queries)
    >>> first == second
    True
    """
    expand = _expand_all if check_flag("literals", literals) else _expand_without_literals
    check_flag("normalize", normalize)
    statements = list(_statements(text, dialect, "the query", Problems()))
    if len(statements) != 1:
        raise DataError(f"one statement was expected, and there are {len(statements)}")
    root = statements[0][1]
    return tree_of_nodes(normalized(root, expand_expression) if normalize else root, expand)


def _statements(
    text: str, dialect: str | None, source: str, problems: Problems
) -> Iterator[tuple[int, Any]]:
    """Yield the statements of a text, each with the line on which it begins."""
    sqlglot = require("sqlglot", "sql", "reading SQL")
    try:
        language = sqlglot.Dialect.get_or_raise(dialect)
    except ValueError as error:
        raise ParameterError(f"dialect is {dialect!r}: {error}") from None
    try:
        tokens = language.tokenize(text)
    except sqlglot.errors.TokenError as error:
        found = _PLACE.search(str(error.__cause__ or error))
        line = int(found[1]) if found else 1
        reason = f"this is not SQL: {error.__cause__ or error}"
        problems.report(ParseError(reason[:200], source=source, line=line))
        return
    statement: list[Any] = []
    for token in [*tokens, None]:
        if token is not None and token.token_type.name != "SEMICOLON":
            statement.append(token)
            continue
        if statement:
            try:
                yield statement[0].line, _parsed(language, statement, text, source)
            except ParseError as error:
                problems.report(error)
        statement = []


def _parsed(language: Any, tokens: list[Any], text: str, source: str) -> Any:
    from sqlglot.errors import ParseError as SqlError

    line, column = tokens[0].line, None
    try:
        (expression,) = language.parser().parse(tokens, text)
        if expression is not None:
            return expression
        reason = "there is no statement here"
    except SqlError as error:
        place = error.errors[0] if error.errors else {}
        reason = str(place.get("description") or error)
        line = place.get("line") or line
        if place.get("col"):  # where the word ends that was not expected
            column = max(1, place["col"] - len(place.get("highlight") or " ") + 1)
    except RecursionError:
        reason = "it is nested too deeply for sqlglot"
    except ValueError as error:
        reason = str(error)
    raise ParseError(f"this is not SQL: {reason}", source=source, line=line, column=column)


def expand_expression(node: Any) -> Node:
    """Return the label of an expression of sqlglot, and its children; a text is a leaf.

    The label is the kind of expression, and names and values are leaves.
    """
    kind = type(node).__name__
    if kind == "Identifier":
        return str(node.this), ()
    below: list[Any] = []
    for name in dict.fromkeys([*node.arg_types, *node.args]):
        if name.startswith("_"):  # what sqlglot has found out about it
            continue
        value = node.args.get(name)
        for item in value if isinstance(value, list) else [value]:
            if item is True and name not in _SILENT:
                below.append(name)
            elif item is not None and not isinstance(item, bool):
                below.append(item if hasattr(item, "args") else _text(item))
    if kind in ("Literal", "DataType"):  # whether a literal is a text is said by its quotes
        below = [repr(node.this) if node.args.get("is_string") else _text(node.this)]
        below += node.expressions
    return kind, below


def _text(value: Any) -> str:
    return str(getattr(value, "value", value))


def _expand_all(node: Any) -> Node:
    return node.expand() if isinstance(node, Branch) else expand_expression(node)


def _expand_without_literals(node: Any) -> Node:
    label, below = _expand_all(node)
    return label, () if label == "Literal" else below
