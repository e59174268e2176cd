"""Checks for kernels and learners of your own (`conformance`), and random trees (`strategies`).

`strategies` needs the package hypothesis.
"""
