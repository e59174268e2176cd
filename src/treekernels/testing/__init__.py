"""Checks for kernels of your own, and random trees (`strategies`)."""
