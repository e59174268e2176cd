"""The command line: finds its commands, and turns errors into one sentence and an exit code.

The exit code is 0 if all went well, 2 for wrong usage or bad data, 130 after Ctrl-C, and 1 for a
mistake in the program itself. With ``TREEKERNELS_TRACEBACK=1`` in the environment, errors are shown
in full.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from treekernels.cli.shared.problem import with_options
from treekernels.common.text import printable
from treekernels.common.version import __version__
from treekernels.errors import TreeKernelsError

_COMMANDS = (
    "fit",
    "predict",
    "evaluate",
    "explain",
    "explore",
    "gram",
    "embed",
    "compare",
    "distance",
    "teds",
    "index",
    "search",
    "duplicates",
    "submissions",
    "serve",
    "convert",
    "parse",
    "demo",
)


class _Commands(click.Group):
    """The commands, in the order in which people need them, each imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        subcommand: click.Command = importlib.import_module(f"treekernels.cli.{cmd_name}").command
        return subcommand


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="treekernels")
def command() -> None:
    """Learn from trees: parse trees, syntax trees of programs, XML, JSON.

    \b
    Examples:
      treekernels demo                          see it work
      treekernels evaluate data.tsv             how well can the labels be learned?
      treekernels fit data.tsv model.tkm        learn from labelled trees
      treekernels predict model.tkm new.tsv     label other trees
      treekernels explain model.tkm             which fragments decide?
      treekernels explore model.tkm new.tsv     look at all of this in the browser
      treekernels compare "(A b c)" "(A b d)"   how similar are two trees?
      treekernels distance old.py new.py        what has to be changed?
      treekernels duplicates src                which functions are near-copies?
      treekernels submissions handed-in         whose submissions are alike?

    DATA is one file or several, in any format that the library reads; a folder; a pattern such
    as 'src/**/*.py'; or - for standard input. The simplest file has one example per line: its
    label, a tab, and its tree in brackets. `treekernels COMMAND --help` has more.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, and exit."""
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            outcome: Any = command.main(
                args=None if arguments is None else list(arguments),
                prog_name="treekernels",
                standalone_mode=False,
            )
        sys.stdout.flush()
    except click.ClickException as error:
        message = io.StringIO()
        error.show(message)
        click.echo(printable(message.getvalue()), err=True, nl=False)
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return 130
    except BrokenPipeError:  # the reader of our output, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("TREEKERNELS_TRACEBACK"):
            raise
        if isinstance(error, _EXPECTED):
            _complain(_sentence(error))
            return 2
        _complain(
            f"{type(error).__name__}: {error} (this is a mistake in treekernels; please report it "
            "with what TREEKERNELS_TRACEBACK=1 in the environment shows)"
        )
        return 1
    return outcome if isinstance(outcome, int) else 0


_EXPECTED = (TreeKernelsError, ValueError, OSError, ImportError, MemoryError)


def _complain(sentence: str) -> None:
    click.echo(f"Error: {printable(sentence)}", err=True)


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(f"Warning: {printable(str(message))}", err=True)


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {(error.strerror or 'cannot be opened').lower()}"
    return with_options(str(error)) or f"{type(error).__name__}, without further explanation"
