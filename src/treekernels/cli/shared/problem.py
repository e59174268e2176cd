"""Problem: something wrong with what the user gave, said in one sentence, and checks of names."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable
from pathlib import Path

import click

_PARAMETER = re.compile(r"\b(format|label|trees|on|skip_bad)=(?:\.\.\.|\[\.\.\.\]|True)")
_FORMAT = re.compile(r"\bformat='([\w-]+)'")
_OPTIONS = {
    "format": "--format FORMAT",
    "label": "--label COLUMN",
    "trees": "--tree COLUMN",
    "on": "such as --kernel 'sst(on=COLUMN)'",
    "skip_bad": "--skip-bad",
}


class Problem(click.ClickException):
    """Ends the command with one sentence and exit code 2."""

    exit_code = 2


def with_options(sentence: str) -> str:
    """Return what the library says with options of commands for the parameters of functions.

    Examples
    --------
    >>> with_options("the files have several formats: say which with format=...")
    'the files have several formats: say which with --format FORMAT'
    """
    sentence = _FORMAT.sub(r"--format \1", sentence)
    return _PARAMETER.sub(lambda match: _OPTIONS[match[1]], sentence)


def check_files(paths: Iterable[str]) -> None:
    """Complain early if a file to be read is not there; patterns are left to the readers."""
    for path in paths:
        if not Path(path).exists() and not glob.has_magic(path):
            raise Problem(f"there is no file {path}")


def check_folder(path: str) -> None:
    """Complain early if there is no folder for a file to be written."""
    if not Path(path).absolute().parent.is_dir():
        raise Problem(f"there is no folder {Path(path).parent} to put {Path(path).name} in")
