"""Help is whole phrases, and the page of the commands is made from it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click
import pytest

from command_line import COMMANDS
from treekernels.cli.main import command

ROOT = Path(__file__).parents[2]
# Words with which a phrase goes on that was begun elsewhere.


def options_of(name: str) -> list[click.Option]:
    context = click.Context(command, info_name="treekernels")
    found = command.get_command(context, name)
    assert found is not None
    return [one for one in found.params if isinstance(one, click.Option)]


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="the pages are not part of this copy")
def test_the_page_of_the_commands_has_them_all() -> None:
    page = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    assert re.findall(r"^```\{command-help\} (\w+)$", page, re.MULTILINE) == COMMANDS
    assert re.findall(r"^## (\w+)$", page, re.MULTILINE) == COMMANDS


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="the pages are not part of this copy")
def test_help_is_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sphinx", reason="sphinx is not installed")
    monkeypatch.syspath_prepend(str(ROOT / "docs/_ext"))
    monkeypatch.delitem(sys.modules, "command_help", raising=False)
    import command_help

    text = (
        "Do it.\n\n    \b\n    Examples:\n      one two\n      three\n\n    And more\n    of it.\n"
    )
    assert command_help.described(text) == (["Do it.", "And more of it."], "one two\nthree")
    context = click.Context(command, info_name="treekernels")
    for name in COMMANDS:
        found = command.get_command(context, name)
        assert found is not None
        inner = click.Context(found, info_name=name, parent=context)
        written = [row[0] for row in command_help.options_of(found, inner)]
        for option in options_of(name):
            assert any(option.opts[0] in one for one in written)
        paragraphs, examples = command_help.described(found.help or "")
        assert paragraphs
        assert examples.startswith("treekernels ")
