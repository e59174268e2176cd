"""read: one function for all formats."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, overload

from treekernels.forest import Forest
from treekernels.pairs import Pairs
from treekernels.readers.brackets import read_brackets
from treekernels.readers.pairs import read_pairs
from treekernels.readers.tsv import read_tsv
from treekernels.table import Table

__all__ = ["read"]

_FORMATS = ("brackets", "tsv", "anchored-pairs")
_EXTENSIONS = {".tsv": "tsv", ".tab": "tsv"}  # anything else is brackets


@overload
def read(  # type: ignore[overload-overlap]
    path: str | os.PathLike[str], format: Literal["anchored-pairs"]
) -> Pairs: ...
@overload
def read(path: str | os.PathLike[str], format: str | None = None) -> Forest: ...
@overload
def read(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    columns: Sequence[str],
    trees: Sequence[str] | None = None,
) -> Table: ...
def read(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    trees: Sequence[str] | None = None,
) -> Forest | Table | Pairs:
    r"""Read trees from a file, plain or gzip-compressed.

    Parameters
    ----------
    path : path
    format : {"brackets", "tsv", "anchored-pairs"}, optional
        By default told by the extension. "brackets" is one tree in Penn bracket notation per line;
        "tsv" has columns separated by tabs, the trees among them, and no header. "anchored-pairs"
        is the same with two columns of trees, texts and hypotheses with placeholders.
    columns : sequence of str, optional
        Names for the columns of a file with several of them: the result is then a table of all.
    trees : sequence of str, optional
        Which of them hold trees. By default those whose first entry starts with a bracket.

    Returns
    -------
    Forest, Table or Pairs
        The trees, or the pairs; with `columns`, a table in which columns of trees are forests, and
        pairs are a column "pair".

    Raises
    ------
    ParseError
        With file, line and column, when something in the file is not what it should be.

    Examples
    --------
    >>> import tempfile, pathlib, treekernels as tk
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "questions.tsv").write_text("NUM\t(WHNP (WRB How) (JJ many))\n")
    >>> tk.read(folder / "questions.tsv")
    <Forest: 1 tree, 5 nodes, 5 distinct subtrees, 5 labels>
    >>> tk.read(folder / "questions.tsv", columns=["label", "tree"])["label"]
    array(['NUM'], dtype=object)
    """
    if format is None:
        suffixes = [s for s in Path(str(path).lower()).suffixes if s != ".gz"]
        format = _EXTENSIONS.get(suffixes[-1] if suffixes else "", "brackets")
    if format not in _FORMATS:
        raise ValueError(f"unknown format {format!r}; known are {', '.join(_FORMATS)}")
    if format == "brackets":
        if columns is not None or trees is not None:
            raise ValueError("a file of bracketed trees has no columns to name; try format='tsv'")
        return read_brackets(path)
    if format == "anchored-pairs":
        return read_pairs(path, columns, trees)
    return read_tsv(path, columns, trees)
