"""Treebanks, and the sentences of parsers."""
