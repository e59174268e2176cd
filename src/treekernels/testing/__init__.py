"""Checks for kernels of your own (`conformance`), and random trees (`strategies`)."""
