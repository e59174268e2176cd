"""Trees in brackets, one on each line."""
