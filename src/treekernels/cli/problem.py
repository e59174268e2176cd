"""Problem: something wrong with what the user gave, told in one sentence."""

from __future__ import annotations

import click

__all__ = ["Problem"]


class Problem(click.ClickException):
    """Ends the command with one sentence and exit code 2."""

    exit_code = 2
