"""Help is whole phrases, and the page of the commands is made from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from command_line import COMMANDS

ROOT = Path(__file__).parents[2]
# Words with which a phrase goes on that was begun elsewhere.


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="the pages are not part of this copy")
def test_the_page_of_the_commands_has_them_all() -> None:
    page = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    assert re.findall(r"^```\{command-help\} (\w+)$", page, re.MULTILINE) == COMMANDS
    assert re.findall(r"^## (\w+)$", page, re.MULTILINE) == COMMANDS
