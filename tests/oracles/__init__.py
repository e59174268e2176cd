"""Slow, obvious implementations of what the library computes, for the tests to compare with."""
