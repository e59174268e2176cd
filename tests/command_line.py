"""The command line as tests use it: run in a folder of its own, and some labelled trees."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from treekernels.cli.main import main

COMMANDS = [
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
]


class Result(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: Any) -> Run:
    """Run the command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run_it(*arguments: str) -> Result:
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        captured = capsys.readouterr()
        return Result(int(str(caught.value.code)), captured.out, captured.err)

    return run_it


def as_process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "treekernels", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


SENTENCES = [
    ("statement", "(S (NP (N dogs)) (VP (V bark)))"),
    ("statement", "(S (NP (N cats)) (VP (V sleep)))"),
    ("statement", "(S (NP (D the) (N cat)) (VP (V sleeps)))"),
    ("question", "(SQ (V do) (NP (N dogs)) (VP (V bark)))"),
    ("question", "(SQ (V do) (NP (N cats)) (VP (V sleep)))"),
    ("question", "(SQ (V does) (NP (D the) (N cat)) (VP (V sleep)))"),
]
LINES = "".join(f"{label}\t{tree}\n" for label, tree in SENTENCES)
VECTORS = "".join(
    f"{1 - 2 * (row % 2)} |BT| (A (B b{row % 4})) |BT| (C c) |ET| {row % 2 + 1}:1 |EV|\n"
    for row in range(12)
)


def write(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name
