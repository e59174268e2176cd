"""Search among trees: the ones most like another, near-copies, and groups.

Nothing is imported here, so that a command that needs an index alone starts without scikit-learn.
"""
