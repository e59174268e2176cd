"""XML files and texts, by Python's own expat, which has no limit of depth.

Elements are nodes labelled with their tags. Attributes are children ``(@name value)``, and text is
``(#text words)``, so that it cannot be taken for an element. Comments and processing instructions
are passed over. Nothing is fetched. Entities that a document defines are not expanded in text: a
reference stays as it is written. In values of attributes expat expands them, and stops a document
that would grow a hundredfold by that.
"""

from __future__ import annotations

from xml.parsers import expat

from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, bytes_of
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.trees.markup import Attributes, MarkupStyle, TextAs
from treekernels.io.reading.trees.tree_builder import Builder

__all__ = ["from_xml_string", "read_xml"]


def read_xml(
    path: PathLike,
    *,
    each: str | None = None,
    attributes: Attributes = True,
    text: TextAs = "whole",
    tokens: bool = False,
    namespaces: bool = False,
    problems: Problems,
    origins: Origins | None = None,
) -> Forest:
    """Read one tree for the whole document, or one for each element with the tag `each`.

    If such an element is inside another one, it stays part of that one. The other options are those
    of `from_xml_string`.
    """
    style = MarkupStyle.checked(attributes, text, tokens)
    builder = Builder()
    handlers = _Handlers(builder, each, style, namespaces)
    try:
        handlers.parse(bytes_of(path), str(path))
    except ParseError as error:
        builder.abandon()
        problems.report(error)
    if origins is not None:
        origins.extend("line", handlers.lines)
    return builder.forest()


def from_xml_string(
    document: str | bytes,
    *,
    attributes: Attributes = True,
    text: TextAs = "whole",
    tokens: bool = False,
    namespaces: bool = False,
) -> Tree:
    """Make a tree of a document in XML.

    Parameters
    ----------
    document : str or bytes
        The text of the document.
    attributes, text, tokens
        As in `from_html_string`.
    namespaces : bool
        Whether labels are ``{namespace}tag``, or just the tag.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.readers.from_xml_string('<a x="1">one two <b/></a>', text="words"))
    (a (@x 1) (#text one two) b)
    """
    style = MarkupStyle.checked(attributes, text, tokens)
    builder = Builder()
    handlers = _Handlers(builder, None, style, namespaces)
    handlers.parse(document, "the document")
    return builder.tree()


class _Handlers:
    """What expat calls while it reads."""

    def __init__(
        self, builder: Builder, each: str | None, style: MarkupStyle, namespaces: bool
    ) -> None:
        self.builder = builder
        self.each = each
        self.style = style
        self.namespaces = namespaces
        self.content: list[str] = []
        self.lines: list[int] = []  # where trees begin that are complete

    def parse(self, document: str | bytes, source: str) -> None:
        self.parser = parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        parser.ordered_attributes = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.content.append
        # With a default handler, entities are not expanded.
        parser.DefaultHandler = self.default
        try:
            parser.Parse(document, True)
        except (LookupError, ValueError) as error:
            if isinstance(error, ParseError | DataError):
                raise
            # An encoding that Python does not know, or that has more than one byte a character.
            reason = f"this XML cannot be decoded ({error}): write it in UTF-8"
            raise ParseError(reason, source=source, line=1) from None
        except expat.ExpatError as error:
            reason = f"this is not XML: {expat.errors.messages[error.code]}"
            line, column = error.lineno, error.offset + 1
            raise ParseError(reason, source=source, line=line, column=column) from None

    def start(self, tag: str, attributes: list[str]) -> None:
        builder = self.builder
        if not builder.depth and self.each is not None and self._label(tag) != self.each:
            return
        self._finish_text()
        if not builder.depth:
            self.begin = self.parser.CurrentLineNumber
        builder.open(self._label(tag))
        names = map(self._label, attributes[::2])
        self.style.add_attributes(builder, zip(names, attributes[1::2], strict=True))

    def end(self, tag: str) -> None:
        if self.builder.depth:
            self._finish_text()
            self.builder.close()
            if not self.builder.depth:
                self.lines.append(self.begin)

    def default(self, data: str) -> None:
        if data.startswith("&"):
            self.content.append(data)

    def _finish_text(self) -> None:
        if self.builder.depth:
            self.style.add_text(self.builder, "".join(self.content))
        self.content.clear()

    def _label(self, name: str) -> str:
        space, brace, local = name.rpartition("}")
        return f"{{{space}}}{local}" if brace and self.namespaces else local
