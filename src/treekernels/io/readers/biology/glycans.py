"""Glycans in the condensed notation of IUPAC: ``Gal(b1-4)[Fuc(a1-3)]GlcNAc``.

The last residue is the root. Branches have no order, and are sorted.
"""

from __future__ import annotations

import re
from functools import partial

from treekernels.common.checks import check_flag
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.trees.notations import (
    Branch,
    NotATree,
    lines_as_pieces,
    read_pieces,
    tokens_of,
    tree_of,
)

__all__ = ["from_glycan", "read_glycans"]

_TOKEN = re.compile(r"\s+|\([^()\[\]]*\)|[\[\]]|[^\s()\[\]]+|.")


def read_glycans(
    path: PathLike,
    *,
    linkages: bool = True,
    problems: Problems,
    origins: Origins | None = None,
) -> Forest:
    """Read one tree for each line; the parameter is that of `from_glycan`."""
    parse = partial(_parse, linkages=check_flag("linkages", linkages))
    return read_pieces(lines_as_pieces(path, problems), parse, path, problems, origins)


def from_glycan(text: str, *, linkages: bool = True) -> Tree:
    """Make a tree of a glycan.

    Parameters
    ----------
    text : str
        The glycan.
    linkages : bool
        Whether the linkage of a residue becomes a node above it.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.readers.from_glycan("Gal(b1-4)[Fuc(a1-3)]GlcNAc"))
    (GlcNAc (a1-3 Fuc) (b1-4 Gal))
    >>> print(tk.readers.from_glycan("Fuc(a1-3)[Gal(b1-4)]GlcNAc", linkages=False))
    (GlcNAc Fuc Gal)
    """
    return tree_of(text, partial(_parse, linkages=check_flag("linkages", linkages)))


def _parse(text: str, *, linkages: bool) -> Branch:
    levels: list[tuple[list[Branch], int]] = []  # around open brackets
    waiting: list[Branch] = []  # for the residue that they are linked to
    residue: Branch | None = None
    place = 0
    for token, at in tokens_of(text, _TOKEN):
        if token in ("(", ")") or token == "()":
            raise NotATree("this bracket does not enclose a linkage such as (b1-4)", at)
        if token[0] == "(":
            if residue is None:
                raise NotATree("a linkage does not follow a residue", at)
            linkage = "".join(token[1:-1].split())
            waiting = [Branch(linkage, [residue], sort=True) if linkages else residue]
            residue = None
        elif residue is not None:
            raise NotATree("a residue is not followed by its linkage, such as (b1-4)", place)
        elif token == "[":
            levels.append((waiting, at))
            waiting = []
        elif token == "]":
            if not levels:
                raise NotATree("a closing bracket without an opening one", at)
            if not waiting:
                raise NotATree("a branch ends here that has no linkage", at)
            waiting = levels.pop()[0] + waiting
        else:
            residue, place, waiting = Branch(token, waiting, sort=True), at, []
    if levels:
        raise NotATree("the bracket opened here is never closed", levels[-1][1])
    if residue is None:
        what = "after its last linkage" if waiting else "here"
        raise NotATree(f"a residue was expected {what}", len(text))
    return residue
