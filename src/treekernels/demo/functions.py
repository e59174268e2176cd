"""The functions of Python's standard library as trees."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import treekernels as tk

__all__ = ["PACKAGES", "functions"]

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
SMALLEST = 25  # nodes; what is smaller looks the same everywhere


def functions(*, hidden: bool = False) -> tuple[tk.Forest, NDArray[Any]]:
    """Return functions and methods of the packages as trees, and the package of each.

    Parameters
    ----------
    hidden : bool
        Replace all names and constants.
    """
    trees: list[tuple[str, str]] = []
    root = Path(sysconfig.get_paths()["stdlib"])
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            if not {"test", "tests"} & set(path.relative_to(root).parts):
                trees += [(package, text) for text in _texts(path, hidden)]
    labels = np.array([package for package, _ in trees], object)
    forest = tk.Forest.from_brackets([text for _, text in trees])
    large = forest.sizes >= SMALLEST
    return forest[large], labels[large]


def _texts(path: Path, hidden: bool) -> Iterator[str]:
    """Return the functions in a file, without their documentation."""
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
            yield tk.readers.from_ast(node).to_brackets()
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
