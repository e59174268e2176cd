"""A first look: which functions of Python's standard library are built alike?

Run with ``python -m treekernels.demo``. The trees are syntax trees, which every machine with Python
has; nothing is trained.
"""

from __future__ import annotations

import ast
import importlib.util
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import treekernels as tk

MODULES = """
    argparse ast asyncio.base_events base64 bisect calendar cmd codecs collections configparser
    contextlib copy csv dataclasses datetime decimal difflib dis doctest email.message enum
    filecmp fractions ftplib functools getopt gettext gzip heapq html.parser http.client imaplib
    inspect ipaddress json.decoder json.encoder logging lzma mailbox mimetypes optparse pathlib
    pdb pickle platform plistlib poplib pprint queue random sched selectors shelve shlex shutil
    smtplib socket socketserver statistics string subprocess tarfile tempfile textwrap threading
    tokenize traceback types typing unittest.case urllib.parse uuid wave weakref xml.dom.minidom
    zipfile
""".split()  # noqa: SIM905
QUERIES = ("shutil.copy", "statistics.mean", "textwrap.wrap", "heapq._siftup")


def functions() -> Iterator[tuple[str, ast.AST]]:
    """Give the top-level functions and methods of the modules, with their names."""
    for module in MODULES:
        spec = importlib.util.find_spec(module)
        if spec is None or not spec.origin or not spec.origin.endswith(".py"):
            continue
        for node in ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                yield f"{module}.{node.name}", node
            elif isinstance(node, ast.ClassDef):
                for item in node.body:
                    if isinstance(item, ast.FunctionDef):
                        yield f"{module}.{node.name}.{item.name}", item


def as_tuple(node: ast.AST) -> tuple[Any, ...]:
    """Turn a syntax tree into nested tuples: kinds of nodes, with names and constants as leaves."""
    children: list[Any] = []
    for value in (getattr(node, field, None) for field in node._fields):
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST):
                if not isinstance(item, ast.expr_context):
                    children.append(as_tuple(item))
            elif isinstance(item, str | int | float) and str(item) and "\0" not in str(item):
                children.append(str(item)[:40].encode("utf-8", "replace").decode())
    return (type(node).__name__, *children)


def main() -> None:
    """Print the nearest functions of some well-known ones."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    names, trees = zip(*((name, as_tuple(node)) for name, node in functions()), strict=True)
    forest = tk.Forest.from_trees(trees)
    console.print(f"\n[bold]treekernels {tk.__version__}[/bold]", repr(forest), highlight=False)
    kernel = tk.SubsetTreeKernel(decay=0.4, n_jobs=-1)
    start = time.perf_counter()
    gram = kernel(forest)
    seconds = time.perf_counter() - start
    pairs = len(forest) * (len(forest) + 1) // 2
    console.print(
        f"{kernel!r}: the similarity of all {pairs:,} pairs of functions, counting every fragment "
        f"they share, in {seconds:.2f} s ({seconds / pairs * 1e9:.0f} ns a pair).\n",
        highlight=False,
    )
    table = Table(title="Which functions of the standard library are built alike?")
    for heading in ("function", "most similar", "similarity"):
        table.add_column(heading)
    for query in QUERIES:
        if query not in names:
            continue
        row = gram[names.index(query)]
        for rank, place in enumerate(np.argsort(-row)[1:4]):
            table.add_row("" if rank else query, names[place], f"{row[place]:.2f}")
        table.add_section()
    console.print(table)


if __name__ == "__main__":
    main()
