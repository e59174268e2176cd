"""Secondary structures of RNA in dot-bracket notation, as the files of ViennaRNA have them.

A pair of bases is a node, with all that it encloses below it; a base without a partner is a leaf.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Literal

from treekernels.common.checks import check_choice
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, lines_of
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.trees.notations import Branch, NotATree, Piece, read_pieces, tree_of

__all__ = ["from_dot_bracket", "read_dot_bracket"]

Pseudoknots = Literal["refuse", "unpaired"]

_SEQUENCE = re.compile(r"[A-Za-z&+]+")
_UNPAIRED = ".,:_-~"
_PARTNERS = {")": "(", "]": "[", "}": "{", ">": "<"}


def read_dot_bracket(
    path: PathLike,
    *,
    pseudoknots: Pseudoknots = "refuse",
    problems: Problems,
    origins: Origins | None = None,
) -> Forest:
    """Read one tree for each structure.

    A line of letters before it is its sequence, and a line that starts with > is its name. What
    follows a structure on its line, such as its energy, is passed over.

    Parameters
    ----------
    pseudoknots : {"refuse", "unpaired"}
        As in `from_dot_bracket`.
    """
    sequences: dict[str, str] = {}
    parse = partial(_parse, known=_check(pseudoknots), sequences=sequences)
    return read_pieces(_structures(path, problems, sequences), parse, path, problems, origins)


def from_dot_bracket(
    structure: str, sequence: str | None = None, *, pseudoknots: Pseudoknots = "refuse"
) -> Tree:
    """Make a tree of a secondary structure.

    Parameters
    ----------
    structure : str
        The structure, with a sign for each base.
    sequence : str, optional
        The bases, which become labels. Without them, pairs are ``P`` and other bases ``U``.
    pseudoknots : {"refuse", "unpaired"}
        Pairs that cross others are no tree. You get an error, or, with "unpaired", only pairs of
        round brackets are pairs.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.readers.from_dot_bracket("((..).)", "GGAACUC"))
    (RNA (GC (GC A A) U))
    >>> print(tk.readers.from_dot_bracket("(.)."))
    (RNA (P U) U)
    """
    sequences = {} if sequence is None else {structure: sequence}
    return tree_of(structure, partial(_parse, known=_check(pseudoknots), sequences=sequences))


def _check(pseudoknots: str) -> str:
    return check_choice("pseudoknots", pseudoknots, {"refuse": "([{<>}])", "unpaired": "()"})


def _structures(path: PathLike, problems: Problems, sequences: dict[str, str]) -> Iterator[Piece]:
    name, sequence = None, None
    for number, line in lines_of(path, problems):
        text = line.strip()
        if text.startswith(">") and not set(text) <= set(_UNPAIRED + "()[]{}<>&+"):
            name, sequence = text[1:].strip() or None, None
        elif _SEQUENCE.fullmatch(text):
            sequence = text
        elif text:
            structure = text.split()[0]
            sequences.clear()
            if sequence is not None:
                sequences[structure] = sequence
            yield Piece(structure, number, line.index(structure), {"name": name})
            name = sequence = None


def _parse(structure: str, *, known: str, sequences: dict[str, str]) -> Branch:
    sequence = sequences.get(structure)
    if sequence is not None and len(sequence) != len(structure):
        reason = f"the structure has {len(structure)} signs, and its sequence {len(sequence)}"
        raise NotATree(reason, 0)
    root = Branch("RNA")
    levels: list[tuple[Branch, int]] = [(root, -1)]
    for at, sign in enumerate(structure):
        base = "U" if sequence is None else sequence[at]
        within, begin = levels[-1]
        if sign in "([{<" and sign in known:
            node = Branch("P" if sequence is None else base)
            within.children.append(node)
            levels.append((node, at))
        elif sign in _PARTNERS and sign in known:
            if begin < 0:
                raise NotATree("a closing bracket without an opening one", at)
            if structure[begin] != _PARTNERS[sign]:
                raise NotATree(
                    "this pair crosses another one, which no tree can show; "
                    "pseudoknots='unpaired' keeps pairs of round brackets alone",
                    at,
                )
            within.label += base if sequence is not None else ""
            levels.pop()
        elif sign in "&+":  # between two strands
            within.children.append(Branch(sign))
        elif sign in _UNPAIRED or (known == "()" and (sign in "[{<>}]" or sign.isalpha())):
            within.children.append(Branch(base))
        elif sign.isascii() and sign.isalpha():
            raise NotATree(
                f"the letter {sign!r} is one of a pair that crosses others, which no tree can "
                "show; pseudoknots='unpaired' keeps pairs of round brackets alone",
                at,
            )
        else:
            raise NotATree(f"{sign!r} is not a sign of dot-bracket notation", at)
    if len(levels) > 1:
        raise NotATree("the bracket opened here is never closed", levels[-1][1])
    if not structure:
        raise NotATree("the structure is empty", 0)
    return root
