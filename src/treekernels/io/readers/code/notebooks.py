"""Jupyter notebooks: the code in their cells, read as files of its language are.

Lines that IPython alone understands are left out, and so are cells in another language, such as
``%%bash``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from treekernels.data.forest import Forest
from treekernels.errors import ParseError
from treekernels.io.readers.code.python import read_python
from treekernels.io.readers.code.treesitter import read_code
from treekernels.io.readers.documents.json import parse_json
from treekernels.io.reading.code.detail import Names
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import Contents, PathLike, text_of
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.trees.documents import Object

__all__ = ["read_notebook"]

_MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|[^#'\"\n]*\?)$", re.MULTILINE)
_ASSIGNED = re.compile(r"^([ \t]*[\w., ]+=[ \t]*)[!%].*$", re.MULTILINE)
_MAGIC_OF_CELL = re.compile(r"\s*%%(\w+).*")
_ABOUT_PYTHON = {"capture", "prun", "time", "timeit"}


def read_notebook(
    path: PathLike,
    *,
    each: str = "cell",
    names: Names = "all",
    literals: bool = True,
    problems: Problems,
    origins: Origins | None = None,
) -> Forest:
    """Read one tree for each cell of code, or one for each function or class in the cells.

    The origins are the number of the cell, with cells of text counted as well, and lines in it.

    Parameters
    ----------
    each : {"cell", "function", "class"} or str
        What becomes a tree. In languages other than Python, it may be a kind of node as well.
    names, literals
        As in the readers of the language. Names are foreign that the cell does not declare.
    """
    text = text_of(path, problems)
    try:
        notebook = parse_json(text, str(path), None)
        language, cells = _language_of(notebook), list(_cells_of(notebook, str(path)))
    except ParseError as error:
        problems.report(error)
        return Forest()
    read: Any = read_python if language == "python" else partial(read_code, language=language)
    options: dict[str, Any] = {"names": names, "literals": literals}
    if each != "cell":
        options["each"] = each
    forests = []
    for number, code in cells:
        if language == "python":
            code = _without_magic(code)
        if not code.strip():
            continue
        cell = Contents(f"{path}, cell {number}", code.encode("utf-8", "backslashreplace"))
        of_cell = Origins()
        forests.append(read(cell, problems=problems, origins=of_cell, **options))
        if origins is not None:
            origins.extend("cell", [number] * len(forests[-1]))
            for name, values in of_cell.columns().items():
                origins.extend(name, values.tolist())
    return Forest.concatenate(forests)


def _language_of(notebook: Any) -> str:
    metadata = _get(notebook, "metadata")
    for part, key in (("language_info", "name"), ("kernelspec", "language")):
        name = _get(_get(metadata, part), key)
        if isinstance(name, str) and name:
            return name.lower().removeprefix("i") if name.lower() == "ipython" else name.lower()
    return "python"


def _cells_of(notebook: Any, source: str) -> Iterator[tuple[int, str]]:
    """Yield the numbers and contents of the cells of code."""
    cells = _get(notebook, "cells")
    if cells is None:  # the third version of the format
        sheets = _get(notebook, "worksheets")
        first = sheets[0] if isinstance(sheets, list) and sheets else None
        cells = _get(first, "cells")
    if not isinstance(cells, list) or isinstance(cells, Object):
        raise ParseError("this is not a notebook: it has no cells", source=source, line=1)
    for number, cell in enumerate(cells, start=1):
        if _get(cell, "cell_type") != "code":
            continue
        code = _get(cell, "source")
        code = _get(cell, "input") if code is None else code
        yield number, "".join(map(str, code)) if isinstance(code, list) else str(code or "")


def _get(item: Any, key: str) -> Any:
    return dict(item).get(key) if isinstance(item, Object) else None


def _without_magic(code: str) -> str:
    """Return the Python in a cell, on the lines on which it stands."""
    if whole := _MAGIC_OF_CELL.match(code):
        if whole[1] not in _ABOUT_PYTHON:
            return ""
        code = "\n" * whole.group().count("\n") + code[whole.end() :]
    code = _ASSIGNED.sub(r"\1None", code)
    return _MAGIC.sub(r"\1pass", code)
