"""Nothing that comes from a file is obeyed by a terminal."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import LINES, Run, run
from treekernels.common.screen import Screen
from treekernels.common.text import printable

__all__ = ["run"]

HOSTILE = "\x1b]0;owned\x07\x9b31m\u202e"


@given(st.text())
def test_no_control_is_left_and_nothing_else_is_changed(text: str) -> None:
    shown = printable(text)
    for character in shown:
        assert character in "\t\n" or unicodedata.category(character) not in ("Cc", "Cs")
    assert not set(shown) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
    if all(c.isalnum() or c in " \t\n" for c in text):
        assert shown == text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_means_the_same(text: str) -> None:
    assert json.loads(printable(json.dumps([text], ensure_ascii=False))) == [text]


def test_labels_and_names_on_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("data.tsv").write_text(LINES.replace("question", HOSTILE), encoding="utf-8")
    assert run("fit", "data.tsv", "model.tkm").code == 0
    piped = run("predict", "model.tkm", "data.tsv", "--quiet").out
    assert piped.splitlines()[-1] == HOSTILE  # a script gets what is in the file
    for arguments in (
        ["evaluate", "data.tsv", "--folds", "2"],
        ["predict", "model.tkm", "data.tsv", "--json"],
        ["explain", "model.tkm"],
        ["explain", "model.tkm", "--class", f"x{HOSTILE}"],
        ["fit", f"no{HOSTILE}.tsv", "m.tkm"],
        ["fit", "data.tsv", "m.tkm", "--kernel", HOSTILE],
        ["fit", "data.tsv", "m.tkm", f"--{HOSTILE}"],
        ["fit", "data.tsv", "m.tkm", "--class-weight", f"{HOSTILE}x=1"],
        [HOSTILE],
    ):
        result = run(*arguments)
        for character in HOSTILE:
            if not character.isprintable():
                assert character not in result.out + result.err, arguments
    written: list[str] = []
    monkeypatch.setattr("sys.stdout", Terminal(written))
    Screen().lines([HOSTILE])
    assert written == [printable(HOSTILE) + "\n"]


class Terminal:
    """Standard output that says it is a terminal."""

    def __init__(self, written: list[str]) -> None:
        self.written = written

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> Any:
        self.written.append(text)

    def flush(self) -> None:
        pass
