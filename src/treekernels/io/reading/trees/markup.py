"""What of a page or an XML document stands in its tree: attributes and text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from treekernels.common.checks import check_flag
from treekernels.errors import ParameterError
from treekernels.io.reading.trees.tree_builder import Builder

__all__ = ["Attributes", "MarkupStyle", "TextAs"]

TextAs: TypeAlias = Literal["whole", "words", "none"]
Attributes: TypeAlias = bool | str | Sequence[str]


@dataclass(frozen=True)
class MarkupStyle:
    """Which attributes and texts become nodes; `attributes` has names, or None for all."""

    attributes: frozenset[str] | None = None
    text: TextAs = "whole"
    tokens: bool = False

    @classmethod
    def checked(cls, attributes: Attributes, text: str, tokens: bool = False) -> MarkupStyle:
        """Return the options of a reader, checked."""
        if text not in ("whole", "words", "none"):
            raise ParameterError(f"text is {text!r}, and may be 'whole', 'words' or 'none'")
        check_flag("tokens", tokens)
        return cls(_names(attributes), text, tokens)  # type: ignore[arg-type]

    def add_attributes(self, builder: Builder, attributes: Iterable[tuple[str, str]]) -> None:
        """Add a node for each attribute that is wanted."""
        for name, value in attributes:
            if self.attributes is not None and name not in self.attributes:
                continue
            builder.open("@" + name)
            for leaf in self.leaves(name, value):
                builder.leaf(leaf)
            builder.close()

    def leaves(self, name: str, value: str) -> list[str]:
        """Return the leaves of an attribute. The words of `class` have no order."""
        if not self.tokens:
            return [value]
        return sorted(set(value.split())) if name == "class" else value.split()

    def add_text(self, builder: Builder, content: str) -> None:
        """Add a node for text, unless it is blank."""
        words = content.split()
        if self.text == "none" or not words:
            return
        builder.open("#text")
        for leaf in words if self.text == "words" else [" ".join(words)]:
            builder.leaf(leaf)
        builder.close()


def _names(attributes: Attributes) -> frozenset[str] | None:
    if isinstance(attributes, bool):
        return None if attributes else frozenset()
    names = attributes.split(",") if isinstance(attributes, str) else attributes
    if not isinstance(names, list | tuple | set | frozenset) or not all(
        isinstance(name, str) and name.strip() for name in names
    ):
        raise ParameterError(
            f"attributes is {attributes!r:.60}, and may be True, False, or the names of those "
            "that are wanted, such as ['class', 'id']"
        )
    return frozenset(name.strip() for name in names)
