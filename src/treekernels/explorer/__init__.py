"""The explorer: a page in the browser in which a model and its data can be looked at."""

from treekernels.explorer.explorer import Explorer, explore

__all__ = ["Explorer", "explore"]
