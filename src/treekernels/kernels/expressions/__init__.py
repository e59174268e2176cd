"""Kernels as text, read and written, and the one table of their names."""
