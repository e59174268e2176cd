"""Sentences become trees, by a parser of another package."""
