"""What tests of tree kernels need: slow reference implementations, and random trees for hypothesis.

`oracle` needs the standard library only; `strategies` needs hypothesis.
"""
