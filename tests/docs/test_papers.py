"""The scripts of benchmarks/papers: what they compute with, and that each runs on a slice."""

from __future__ import annotations

import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from papers_data import make_data

ROOT = Path(__file__).parents[2]
PAPERS = ROOT / "benchmarks" / "papers"
if not PAPERS.is_dir():
    pytest.skip("the benchmarks are not part of this copy", allow_module_level=True)
sys.path.insert(0, str(PAPERS))

import codes  # noqa: E402
import evaluation  # noqa: E402
import features  # noqa: E402
import page  # noqa: E402
import shared  # noqa: E402
import standard  # noqa: E402

import common  # noqa: E402

KEYS = {"machine", "arguments", "seconds", "paper", "what", "data", "parameters", "claims", "plot"}
# A sentence has a hundred candidates and more, and ten arguments, of which a fifth of a quarter is
# looked at; a pair of sentences takes as long as ten questions.
SLICES = {
    "dag_fig3": 1500,
    "dag_fig6": 1500,
    "ftk_propbank": 400,
    "dtk_fig4": 24,
    "pairs_anchors": 16,
    "beyond_curves": 220,
    "dag_kernels": 400,
}
USUAL = {"dag_fig6", "ftk_fig5", "dtk_table2", "pairs_anchors"}  # a paper each; others are slow
CLAIM = {"says", "published", "ours", "difference", "unit", "holds", "test", "why", "cells"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree data sets where they are, else tiny files like them."""
    real = Path(os.environ.get("TREEKERNELS_DATA", ROOT.parent / "shared" / "data"))
    return real if real.is_dir() else make_data(tmp_path_factory.mktemp("data"))


def run(script: str, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", [script, *map(str, arguments)])
    runpy.run_path(str(PAPERS / f"{script}.py"), run_name="__main__")


def found(path: Path) -> dict[str, Any]:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no number for JSON")

    result: dict[str, Any] = json.loads(path.read_text(), parse_constant=refuse)
    return result


def test_every_script_is_on_the_page() -> None:
    experiments = {
        path.stem for path in PAPERS.glob("*_*.py") if path.stem.split("_")[0] in shared.PAPERS
    }
    assert experiments == set(page.SCRIPTS)


@pytest.mark.parametrize(
    "script",
    [pytest.param(name, marks=[] if name in USUAL else pytest.mark.slow) for name in page.SCRIPTS],
)
def test_script_on_a_slice(
    script: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if script == "beyond_programs":
        pytest.importorskip("tree_sitter_cpp")
    trees = SLICES.get(script, 60)
    slice_ = ("--quick", "--trees", trees, "--repeat", 1)
    run(script, monkeypatch, "--data", data, "--results", tmp_path, *slice_)
    result = found(tmp_path / f"{script}.json")
    assert result.keys() >= KEYS
    assert result["machine"]["commit"]
    assert result["machine"]["cores"] == os.cpu_count()
    assert result["arguments"]["trees"] == str(trees)
    assert result["tables"]
    assert all(rows for rows in result["tables"].values())
    assert all(claim.keys() == CLAIM for claim in result["claims"])
    if result["plot"] is not None:
        assert (tmp_path / result["plot"]).stat().st_size > 5000
    assert "\n".join(page.section(script, result, Path("plots"))).startswith("\n### ")


def test_page_of_what_was_run(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    slice_ = ("--quick", "--trees", 60, "--repeat", 1)
    run("ftk_fig6", monkeypatch, "--data", data, "--results", tmp_path, *slice_)
    written = tmp_path / "papers.md"
    run("page", monkeypatch, "--results", tmp_path, "--page", written)
    text = written.read_text()
    result = found(tmp_path / "ftk_fig6.json")
    assert f"### {result['what']}" in text
    assert "**A slice only**: at most 60 trees" in text
    assert result["machine"]["commit"] in text
    assert text.count("\nNot yet run: `python benchmarks/papers/") == len(page.SCRIPTS) - 1
    for title in shared.PAPERS.values():
        assert f"## {title}" in text
    assert "written" in capsys.readouterr().out


def test_committed_results_are_those_of_the_page() -> None:
    """The page in docs/ is what page.py makes of the results beside it."""
    results = {name: page.load(page.RESULTS / f"{name}.json") for name in page.SCRIPTS}
    whole = page.load(page.RESULTS / f"{page.WHOLE}.json")
    text = "\n".join(page.lines(results, Path("../benchmarks/results"), whole)) + "\n"
    assert (ROOT / "docs" / "papers.md").read_text() == text
    for result in results.values():
        if result is not None:
            assert result["arguments"]["trees"] == "None"
            assert (page.RESULTS / result["plot"]).exists()


def test_bootstrap_sees_a_difference_and_none() -> None:
    rng = np.random.default_rng(0)
    truth = np.ones(400, int)
    good, bad = (rng.random(400) < share for share in (0.8, 0.6))
    a, b = (evaluation.right_counts(right.astype(int), truth) for right in (good, bad))
    same = evaluation.paired_bootstrap(a, a)
    assert same == {"difference": 0, "from": 0, "to": 0, "p": 1}
    told = evaluation.paired_bootstrap(a, b)
    assert told["difference"] == pytest.approx(a[:, 0].mean() - b[:, 0].mean())
    assert told["difference"] > 0.1
    assert told["p"] < 0.01
    assert told["from"] < told["difference"] < told["to"]
    turned = evaluation.paired_bootstrap(b, a)
    assert turned["difference"] == pytest.approx(-told["difference"])
    assert turned["p"] == told["p"]


def test_codes_are_those_of_the_features(data: Path) -> None:
    """Looking at distinct subtrees once, and at every tree, gives the same seven features."""
    rows = common.load_rows(data / "propbank.boundary.tsv.gz", 300)
    trees, sentences = tk.Forest([row[2] for row in rows]), [row[1] for row in rows]
    passive = features.passives(rows)
    quick = codes.boundary_codes(trees, sentences, passive)
    plain = codes.encode(features.boundary_features(trees, sentences, passive))
    for one, two in zip(quick.T, plain.T, strict=True):
        renamed = set(zip(one.tolist(), two.tolist(), strict=True))
        assert len(renamed) == len(set(one.tolist())) == len(set(two.tolist()))


def test_standard_perceptron_computes_what_it_needs() -> None:
    """It decides as the one on DAGs does, and needs one value for each support example so far."""
    rng = np.random.default_rng(0)
    words = rng.integers(0, 20, (600, 4))
    texts = [f"(S (A a{a}) (T (B b{b}) (C c{c}) (D d{d})))" for a, b, c, d in words]
    numbers = rng.normal(size=(600, 2))  # without them many scores would be 0, but for rounding
    X, y = tk.Table({"tree": tk.Forest(texts), "numbers": numbers}), rng.random(600) < 0.4
    kernel = tk.SubsetTreeKernel(on="tree") + tk.LinearKernel(on="numbers")
    learner = tk.TreePerceptron(kernel, average="vote").partial_fit(X, y, classes=[False, True])
    assert learner._votes is not None
    updates = learner._votes.times.astype(int)
    rows = standard.standard_perceptron(kernel, X, y, updates, [100, 600])
    assert [row["decided otherwise"] for row in rows] == [0, 0]
    assert rows[-1]["updates"] == len(updates)
    needed = sum(int((updates < place).sum()) for place in range(600))
    assert rows[-1]["kernel values"] == needed <= rows[-1]["computed"]
    wrong = standard.standard_perceptron(kernel, X, y, updates[:-1], [600])
    assert wrong[-1]["decided otherwise"] > 0
