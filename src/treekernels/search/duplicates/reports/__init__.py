"""Near-copies as people, code hosts and other programs want to have them, one file for each form.

Each form has a function `lines_of` that returns the lines of a `Report`.
"""
