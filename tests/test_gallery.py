"""The examples run, without warnings, and say what they are meant to show."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(path.stem for path in EXAMPLES.glob("*.py"))
SAID = {
    "distributed_trees": r"\(S \(X X X\) Y\) speaks for left\n\(S X \(Y X X\)\) speaks for right",
    "explained": r"(?s)NUM .*\(WRB How\).*\nHUM\n.*\(NN king\)",
    "functions": r"accuracy 0\.[89]\d, of always naming the larger one 0\.[67]",
    "gaussian_process": r"such sums +: error 0\.0",
    "own_kernel": r"\['sum' 'product'\]\nTrue",
    "questions": r"trees: 1\.00\nbag of words: 0\.[456]",
    "sentence_pairs": r"two trees: 0\.[3456]\d\nrules: 1\.00",
    "stream": r"bytes\nTrue\n6,200 trees seen",
}

pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="not part of this copy")


def test_every_example_is_checked() -> None:
    assert sorted(SAID) == SCRIPTS


@pytest.mark.parametrize("name", SCRIPTS)
def test_example(name: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(SAID[name], done.stdout), done.stdout
