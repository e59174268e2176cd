"""A first look: from which package of Python's standard library does a function come?

Run it with ``make demo`` or ``treekernels demo``. The trees are syntax trees, which every computer
with Python has. Each learner learns from two thirds of the functions and labels the others: once as
they are written, and once with all names and constants hidden, so that only the form of the code is
left.
"""

from treekernels.demo.functions import functions
from treekernels.demo.run import main

__all__ = ["functions", "main"]
