"""Columns of trees, numbers and texts."""
