"""Attacks in docs/limits.md name tests that are there, and its limits are those of the code."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import treekernels as tk

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")


def test_the_tests_are_there() -> None:
    rows = [line for line in PAGE.partition("| attack |")[2].splitlines() if line.startswith("| ")]
    assert len(rows) > 15
    for row in rows:
        _, _, named, _ = row.split("|")
        file = None
        for name in re.findall(r"`((?:tests/|cpp/|::)[^`]*)`", named):
            path, _, test = name.partition("::")
            file = ROOT / path if path else file
            assert file is not None, row
            assert file.exists(), name
            assert not test or f"def {test}(" in file.read_text(encoding="utf-8"), name
        assert file is not None, row


def test_the_limits_are_those_of_the_code() -> None:
    named = re.findall(r"^\| `(\w+)` \| (\S+)", PAGE, re.MULTILINE)
    assert [name for name, _ in named] == [field.name for field in fields(tk.Limits)]
    for name, value in named:
        default = getattr(tk.Limits(), name)
        assert default == (None if value == "half" else int(value.replace(",", "")))
