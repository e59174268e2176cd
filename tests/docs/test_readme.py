"""What the README shows is what the library does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_the_example_prints_what_is_shown() -> None:
    blocks = re.findall(r"```(\w*)\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    place = next(i for i, (kind, text) in enumerate(blocks) if kind == "python" and "print" in text)
    result = subprocess.run(
        [sys.executable, "-c", blocks[place][1]], capture_output=True, text=True, check=True
    )
    assert result.stdout == blocks[place + 1][1]


def test_the_demo_runs(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    command = [sys.executable, "-m", "treekernels", "demo", "--report", str(page)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = re.findall(r"^ (.*?)  +(0\.\d+) +(0\.\d+) +[\d.]+ s +[\d.]+ s *$", result.stdout, re.M)
    accuracies = {name: (float(written), float(hidden)) for name, written, hidden in rows}
    assert len(accuracies) == 6
    (majority, _), (words, bare_words), _, (vectors, _), (trees, bare_trees), _ = (
        accuracies.values()
    )
    assert majority < 0.4
    assert words > 0.8
    assert trees > 0.8
    assert vectors > 0.7
    assert bare_trees > bare_words + 0.05, "what the demo says of form and words"
    found = page.read_text(encoding="utf-8")
    assert all(f"<td>{written:.3f}</td>" in found for written, _ in accuracies.values())
    assert "distributed trees, linear SVM" in found
    count = int(re.search(r"([\d,]+) functions", result.stdout)[1].replace(",", ""))  # type: ignore[index]
    assert count >= 2000
