"""Anchoring: plain trees of sentence pairs become pairs with placeholders."""

from treekernels.anchoring.anchor import anchor
from treekernels.anchoring.heads import penn_head
from treekernels.anchoring.words import Word, lexical_overlap

__all__ = ["Word", "anchor", "lexical_overlap", "penn_head"]
