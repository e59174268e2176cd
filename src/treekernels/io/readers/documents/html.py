"""HTML by lxml, which mends what browsers mend; and elements of lxml or ElementTree.

The shape of the trees is that of `treekernels.io.readers.documents.xml`.
"""

from __future__ import annotations

from typing import Any

from treekernels.common.optional import require
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, bytes_of
from treekernels.io.reading.trees.markup import Attributes, MarkupStyle, TextAs
from treekernels.io.reading.trees.tree_builder import Builder

__all__ = ["from_element", "from_html_string", "read_html"]


def read_html(
    path: PathLike,
    *,
    attributes: Attributes = True,
    text: TextAs = "whole",
    tokens: bool = False,
    problems: Problems,
) -> Forest:
    """Read a document as a forest of one tree, with the parameters of `from_html_string`."""
    style = MarkupStyle.checked(attributes, text, tokens)
    builder = Builder(deep=False)
    try:
        _add_element(builder, _parse(bytes_of(path), str(path)), style)
    except ParseError as error:
        problems.report(error)
    return builder.forest()


def from_html_string(
    document: str | bytes,
    *,
    attributes: Attributes = True,
    text: TextAs = "whole",
    tokens: bool = False,
) -> Tree:
    """Make a tree of a page in HTML.

    Mistakes in the page are mended as a browser would mend them.

    Parameters
    ----------
    document : str or bytes
        The text of the page.
    attributes : bool or list of str
        Which attributes become nodes ``(@name value)``: all, none, or those of these names.
    text : {"whole", "words", "none"}
        Whether the text of an element becomes one leaf, one leaf for each word, or is left out.
    tokens : bool
        Whether the value of an attribute becomes one leaf for each of its words. Those of `class`
        are then sorted, since they have no order.

    Examples
    --------
    >>> import treekernels as tk
    >>> page = '<p id="top" class="wide blue">Hello <b>there</b></p>'
    >>> tree = tk.readers.from_html_string(page, attributes=["class"], tokens=True)
    >>> print(tree.children[0].children[0])
    (p (@class blue wide) (#text Hello) (b (#text there)))
    """
    root = _parse(document, "the document")
    return from_element(root, attributes=attributes, text=text, tokens=tokens)


def from_element(
    element: Any,
    *,
    attributes: Attributes = True,
    text: TextAs = "whole",
    tokens: bool = False,
) -> Tree:
    """Make a tree of an element of lxml or of Python's own ElementTree.

    The parameters are those of `from_html_string`.

    Examples
    --------
    >>> import treekernels as tk, xml.etree.ElementTree as ElementTree
    >>> print(tk.readers.from_element(ElementTree.fromstring('<p>a <i class="x">b</i> c</p>')))
    (p (#text a) (i (@class x) (#text b)) (#text c))
    """
    builder = Builder(deep=False)
    _add_element(builder, element, MarkupStyle.checked(attributes, text, tokens))
    return builder.tree()


def _parse(document: str | bytes, source: str) -> Any:
    etree = require("lxml.etree", "html", "reading HTML")
    raw, encoding = (document.encode(), "utf-8") if isinstance(document, str) else (document, None)
    parser = etree.HTMLParser(
        huge_tree=True, no_network=True, remove_comments=True, encoding=encoding
    )
    root = etree.fromstring(raw, parser) if raw.strip() else None
    for entry in parser.error_log:
        # The parser mends everything else, but here it leaves out the rest of the document.
        is_deep = "depth" in entry.message.lower()
        if is_deep or entry.level_name == "FATAL":
            why = ": it is nested more deeply than lxml can" if is_deep else ""
            reason = f"this cannot be read to its end{why}"
            raise ParseError(reason, source=source, line=entry.line, column=entry.column or None)
    if root is None:
        raise ParseError("there is no element in this document", source=source, line=1)
    return root


def _add_element(builder: Builder, root: Any, style: MarkupStyle) -> None:
    """Add a tree. The stack holds elements to open, and texts that come after one is closed."""
    stack: list[Any] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            builder.close()
            style.add_text(builder, item)
            continue
        if not isinstance(item.tag, str):  # a comment, or a processing instruction
            style.add_text(builder, item.tail or "")
            continue
        builder.open(item.tag.rpartition("}")[2])
        attributes = ((name.rpartition("}")[2], value) for name, value in item.attrib.items())
        style.add_attributes(builder, attributes)
        style.add_text(builder, item.text or "")
        stack.append("" if item is root else item.tail or "")
        stack.extend(reversed(list(item)))
