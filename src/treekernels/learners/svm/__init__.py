"""Support vector machines: the problem, its solvers, and what they will cost."""
