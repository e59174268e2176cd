"""Formats of biology: phylogenies, RNA and glycans."""
