"""Problem: something wrong with what the user gave, told in one sentence."""

from __future__ import annotations

import re

import click

__all__ = ["Problem", "with_options"]

_PARAMETER = re.compile(r"\b(format|label|trees|on|skip_bad)=(?:\.\.\.|\[\.\.\.\]|True)")
_FORMAT = re.compile(r"\bformat='([\w-]+)'")
_OPTIONS = {
    "format": "--format FORMAT",
    "label": "--label COLUMN",
    "trees": "--tree COLUMN",
    "on": "such as --kernel 'sst(on=COLUMN)'",
    "skip_bad": "--skip-bad",
}


def with_options(sentence: str) -> str:
    """Return what the library says with options of commands for the parameters of functions.

    Examples
    --------
    >>> with_options("the files have several formats: say which with format=...")
    'the files have several formats: say which with --format FORMAT'
    """
    sentence = _FORMAT.sub(r"--format \1", sentence)
    return _PARAMETER.sub(lambda found: _OPTIONS[found[1]], sentence)


class Problem(click.ClickException):
    """Ends the command with one sentence and exit code 2."""

    exit_code = 2
