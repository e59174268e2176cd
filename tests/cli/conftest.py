"""The fixture that runs the command line, for every file of this folder."""

from command_line import run

__all__ = ["run"]
