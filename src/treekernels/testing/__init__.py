"""Checks for kernels and learners of your own, and random trees (`strategies`)."""
