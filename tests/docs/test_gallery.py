"""The examples run, without warnings, and say what they are meant to show."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(path.stem for path in EXAMPLES.glob("*.py"))
SAID = {
    "distributed_trees": r"\(S \(X X X\) Y\) speaks for left\n\(S X \(Y X X\)\) speaks for right",
    "diversity": r"(?s)all rules: diversity 0\.4.*a habit: diversity 0\.3.* 0\.6\d\n.* 0\.4",
    "documents": r"sentences: 0\.[56]\d\ntexts, all: 0\.[89](?s:.*)True",
    "explained": r"(?s)NUM .*\(WRB How\).*\nHUM\n.*\(NN king\)",
    "functions": r"accuracy 0\.[89]\d, of always naming the larger one 0\.[67]",
    "gaussian_process": r"decay=0\.8(?s:.*)decay=0\.[01]\d(?s:.*)such sums +: error 0\.[0-8]",
    "kernel_methods": r"rand index 1\.00\n.*\n.*neighbours: 1\.00",
    "landmarks": r"256 landmarks: values off by 0\.0[0-3]\d, depths by 0\.[0-3]",
    "own_kernel": r"\['sum' 'product'\]\nTrue",
    "partial_vectors": r"subset trees: accuracy 0\.[3-6]\d\npartial trees: accuracy (0\.9|1\.)",
    "questions": r"trees: 1\.00\nbag of words: 0\.[456]",
    "ranked_answers": r"NDCG 0\.[3-8]\d before, 1\.00 after",
    "sentence_pairs": r"two trees: 0\.[3456]\d\nrules: 1\.00",
    "smoothed_kernel": r"city: 0\.00\nplain: 0\.50\nsmoothed: 1\.00\na valid kernel",
    "stream": r"bytes\nTrue\n6,200 trees seen",
}

LONG = {"gaussian_process", "landmarks", "partial_vectors", "ranked_answers"}

pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="not part of this copy")


def test_every_example_is_checked() -> None:
    assert sorted(SAID) == SCRIPTS


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n in LONG else []) for n in SCRIPTS]
)
def test_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")
    pyplot.switch_backend("Agg")
    try:
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    finally:
        pyplot.close("all")
    said = capsys.readouterr().out
    assert re.search(SAID[name], said), said
