"""The functions of Python's standard library as trees."""

from __future__ import annotations

import ast
import re
import sysconfig
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import treekernels as tk

__all__ = ["PACKAGES", "functions", "names_apart", "names_of_functions"]

PACKAGES = (
    "asyncio",
    "email",
    "http",
    "importlib",
    "logging",
    "multiprocessing",
    "unittest",
    "xml",
)
_LEAF = re.compile(r"(?<= )([^()\s]+)(?=[ )])")
SMALLEST = 25  # nodes; what is smaller looks the same everywhere


def functions(*, hidden: bool = False) -> tuple[tk.Forest, NDArray[Any]]:
    """Return functions and methods of the packages as trees, and the package of each.

    With `hidden`, all names and constants are the same.
    """
    forest, names = _read(hidden)
    return forest[:], np.array([name.partition(".")[0] for name in names], object)


def names_apart(forest: tk.Forest) -> tk.Forest:
    """Return trees in which each leaf is a node of its own, so that names count by themselves.

    >>> print(names_apart(tk.Forest(["(Attribute (Name self) loop)"]))[0])
    (Attribute (Name (name self)) (name loop))
    """
    return tk.Forest.from_brackets([_LEAF.sub(r"(name \1)", text) for text in forest.to_brackets()])


def names_of_functions() -> list[str]:
    """Return what the functions are called, in the same order: module, line and name."""
    return _read(False)[1]


@lru_cache(maxsize=2)
def _read(hidden: bool) -> tuple[tk.Forest, list[str]]:
    trees: list[tuple[str, str]] = []
    root = Path(sysconfig.get_paths()["stdlib"])
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            inside = path.relative_to(root).with_suffix("")
            if not {"test", "tests"} & set(inside.parts):
                module = ".".join(inside.parts)
                trees += [(f"{module}:{place}", text) for place, text in _texts(path, hidden)]
    forest = tk.Forest.from_brackets([text for _, text in trees])
    large = forest.sizes >= SMALLEST
    return forest[large], [name for (name, _), keep in zip(trees, large, strict=True) if keep]


def _texts(path: Path, hidden: bool) -> Iterator[tuple[str, str]]:
    """Return the functions in a file with line and name, without their documentation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on escapes in strings
        module = ast.parse(path.read_bytes())
    open_: list[Any] = [module]
    while open_:
        node = open_.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
            if hidden:
                _hide(node)
            yield f"{node.lineno} {node.name}", tk.readers.from_ast(node).to_brackets()
        elif isinstance(node, ast.Module | ast.ClassDef):
            open_.extend(reversed(node.body))


def _hide(function: ast.AST) -> None:
    """Replace names by one and the same, and constants by another."""
    for node in ast.walk(function):
        if isinstance(node, ast.Constant):
            node.value = 0
            continue
        for field, value in ast.iter_fields(node):
            if isinstance(value, str):
                setattr(node, field, "name")
            elif isinstance(value, list) and value and isinstance(value[0], str):
                setattr(node, field, ["name"] * len(value))
