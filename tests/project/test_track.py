"""The guard against slower versions: benchmarks/track.py."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
if not BENCHMARKS.is_dir():
    pytest.skip("the benchmarks are not part of this copy", allow_module_level=True)
sys.path.insert(0, str(BENCHMARKS))

import track  # noqa: E402


def line(commit: str, corpus: str = "a random grammar", **ratios: float) -> dict[str, object]:
    """Make a line of the file of results."""
    return {"commit": commit, "corpus": corpus, "load": "0.1", "ratios": ratios}


def test_what_moved_by_more_than_a_fifth(capsys: pytest.CaptureFixture[str]) -> None:
    earlier = [line("a", search=1.0, reading=1.0, labels=1.0), line("b", "questions", search=9.0)]
    track._compare(line("c", search=1.3, reading=1.1, labels=0.7), earlier)
    rows = {row.split()[0]: row.split() for row in capsys.readouterr().out.splitlines() if row}
    assert rows["search"][-2:] == ["+30%", "slower"]
    assert rows["labels"][-2:] == ["-30%", "faster"]
    assert rows["reading"][-1] == "+10%"
    assert " ".join(rows["2"]) == "2 of 3 tasks moved by more than a fifth since a."
