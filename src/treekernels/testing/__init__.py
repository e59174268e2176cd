"""What tests of tree kernels need: slow reference implementations, and random trees for hypothesis.

`oracle` needs only the standard library, and `strategies` needs hypothesis.
"""
