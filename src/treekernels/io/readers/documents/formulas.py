"""Formulas as trees: MathML, and LaTeX by way of MathML.

A symbol is the only leaf of its element: ``(mi x)``, ``(mo +)``. What groups nothing is left out:
rows of one element, and annotations that say the same in another language.
"""

from __future__ import annotations

from typing import Any

from treekernels.common.optional import require
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import ParseError
from treekernels.io.readers.documents.xml import from_xml_string, read_xml
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, lines_of
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.trees.markup import Attributes
from treekernels.io.reading.trees.tree_builder import Builder, Node, add_nodes, tree_of_nodes

__all__ = ["from_latex", "from_mathml", "read_latex", "read_mathml"]

_SIGNS = ("$$", "$", r"\[", r"\(")
_ENDS = {r"\[": r"\]", r"\(": r"\)"}


def read_mathml(
    path: PathLike,
    *,
    attributes: Attributes = False,
    problems: Problems,
    origins: Origins | None = None,
) -> Forest:
    """Read one tree for each element ``math``; the parameter is that of `from_mathml`."""
    builder = Builder()
    for tree in read_xml(
        path, each="math", attributes=attributes, problems=problems, origins=origins
    ):
        add_nodes(builder, tree, _expand, limited=False)
    return builder.forest()


def from_mathml(formula: str | bytes, *, attributes: Attributes = False) -> Tree:
    """Make a tree of a formula in MathML.

    Parameters
    ----------
    formula : str or bytes
        An element ``math``.
    attributes : bool or list of str
        Which attributes become nodes ``(@name value)``: all, none, or those of these names.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.readers.from_mathml("<math><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow></math>"))
    (math (mrow (mi x) (mo +) (mn 1)))
    """
    return tree_of_nodes(from_xml_string(formula, attributes=attributes), _expand, limited=False)


def read_latex(path: PathLike, *, problems: Problems, origins: Origins | None = None) -> Forest:
    """Read one tree for each line, which is a formula; it may stand between dollar signs."""
    builder = Builder()
    for number, line in lines_of(path, problems):
        if not line.strip():
            continue
        try:
            add_nodes(builder, _of_latex(line, str(path), number), _expand)
        except ParseError as error:
            problems.report(error)
            continue
        if origins is not None:
            origins.add(line=number)
    return builder.forest()


def from_latex(formula: str) -> Tree:
    r"""Make a tree of a formula in LaTeX, in the shape of `from_mathml`, by latex2mathml.

    Parameters
    ----------
    formula : str
        The formula, with or without the signs that begin and end it.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.readers.from_latex(r"$\frac{a}{b} + 1$"))
    (math (mrow (mfrac (mi a) (mi b)) (mo +) (mn 1)))
    """
    return tree_of_nodes(_of_latex(formula, "the formula", 1), _expand)


def _of_latex(formula: str, source: str, line: int) -> Tree:
    converter = require("latex2mathml.converter", "latex", "reading formulas in LaTeX")
    try:
        return from_xml_string(converter.convert(_without_signs(formula)), attributes=False)
    except RecursionError:
        reason = "it is nested too deeply for latex2mathml"
    except Exception as error:  # its errors have no class of their own, and often no text
        reason = f"{type(error).__name__} {error}".strip()
    raise ParseError(f"this is not a formula: {reason}", source=source, line=line)


def _without_signs(formula: str) -> str:
    formula = formula.strip()
    for sign in _SIGNS:
        end = _ENDS.get(sign, sign)
        is_long = len(formula) >= len(sign) + len(end)
        if is_long and formula.startswith(sign) and formula.endswith(end):
            return formula[len(sign) : -len(end)]
    return formula


def _expand(node: Any) -> Node:
    """Expand an element of MathML, and pass over those that say nothing."""
    while True:
        children = [child for child in node.children if not child.label.startswith("annotation")]
        is_row = node.label == "mrow" and len(children) == 1 and children[0].label != "#text"
        if not is_row and not (node.label == "semantics" and children):
            break
        node = children[0]
    below = [
        child.children[0].label if child.label == "#text" and child.children else child
        for child in children
    ]
    return node.label, below
