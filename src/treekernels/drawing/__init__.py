"""Pictures of trees: SVG for pages and notebooks, lines of text for terminals."""

from treekernels.drawing.svg import svg, svg_of_several
from treekernels.drawing.text import coloured_text, text

__all__ = ["coloured_text", "svg", "svg_of_several", "text"]
