"""``treekernels explain`` and ``treekernels embed``, as a person uses them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import treekernels as tk
from test_cli import LINES, Run, run

__all__ = ["run"]


@pytest.fixture
def model(run: Run, tmp_path: Path) -> str:
    """A model of questions and statements."""
    (tmp_path / "data.tsv").write_text(LINES)
    assert run("fit", "data.tsv", "model.tkm", "--quiet").code == 0
    return "model.tkm"


def test_explains_a_model(run: Run, model: str) -> None:
    code, out, err = run("explain", model, "--top", "3")
    assert code == 0
    assert err == ""
    assert "question" in out
    assert "statement" in out
    assert "(SQ V NP VP)" in out
    only = run("explain", model, "--class", "question").out
    assert "statement" not in only


def test_explains_as_json(run: Run, model: str) -> None:
    rows = json.loads(run("explain", model, "--class", "question", "--json").out)
    expected = tk.explain(tk.load(model), class_="question", top=10)
    assert [row["weight"] for row in rows] == [item.weight for item in expected]
    assert [row["fragment"] for row in rows] == [str(item.fragment) for item in expected]
    assert {row["class"] for row in rows} == {"question"}


def test_explains_a_prediction(run: Run, model: str) -> None:
    by_text = run("explain", model, "--of", "(S (NP (N dogs)) (VP (V bark)))").out
    by_number = run("explain", model, "data.tsv", "--example", "1").out
    assert by_text == by_number
    assert "+0." in by_text
    assert "-0." in by_text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--class", "exclamation"], "has no class 'exclamation'; it has question, statement"),
        (["data.tsv"], "go together"),
        (["--example", "2"], "go together"),
        (["data.tsv", "--example", "7"], "6 examples, and no example 7"),
        (["data.tsv", "--example", "1", "--of", "(A b)"], "not both"),
        (["--of", "(A b"], "column"),
        (["--top", "0"], "--top"),
    ],
)
def test_wrong_questions(run: Run, model: str, arguments: list[str], words: str) -> None:
    code, out, err = run("explain", model, *arguments)
    assert code == 2
    assert out == ""
    assert words in err
    assert "Traceback" not in err


def test_embeds_for_numpy(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data.tsv").write_text(LINES)
    code, out, err = run("embed", "data.tsv", "v.npy", "-d", "512", "--decay", "0.3")
    assert (code, out) == (0, "")
    assert "6 vectors of 512 numbers" in err
    trees = tk.read("data.tsv", format="tsv", columns=["label", "tree"])["tree"]
    expected = tk.DistributedTrees(512, 0.3).fit_transform(trees)
    assert np.array_equal(np.load("v.npy"), expected)


def test_embeds_as_parquet(run: Run, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "data.tsv").write_text(LINES)
    done = run("embed", "data.tsv", "v.parquet", "-d", "64", "--kernel", "st", "--json")
    assert json.loads(done.out)["shape"] == [6, 64]
    table = parquet.read_table("v.parquet")
    trees = tk.read("data.tsv", format="tsv", columns=["label", "tree"])
    expected = tk.DistributedTrees(64, kernel="subtree").fit_transform(trees["tree"])
    vectors = np.array(table["vector"].to_pylist(), np.float32)
    assert np.array_equal(vectors, expected)
    others = [name for name in table.column_names if name != "vector"]
    assert table[others[0]].to_pylist() == list(trees["label"])


def test_embeds_partial_trees_and_pairs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data.tsv").write_text(LINES)
    done = run("embed", "data.tsv", "v.npy", "-d", "64", "-k", "ptk", "--vertical-decay", "0.3")
    assert done.code == 0
    trees = tk.read("data.tsv", format="tsv", columns=["label", "tree"])["tree"]
    expected = tk.DistributedTrees(64, kernel="partial", vertical_decay=0.3).fit_transform(trees)
    np.testing.assert_array_equal(np.load(tmp_path / "v.npy"), expected)
    lines = "a\t(S (A a))\t(T (B b))\nb\t(S (A c))\t(T (B b))\n"
    (tmp_path / "pairs.tsv").write_text(lines)
    options = ("-d", "64", "--pairs", "product", "--save", "pairs.tkm")
    assert run("embed", "pairs.tsv", "p.npy", *options).code == 0
    pairs = tk.Pairs(["(S (A a))", "(S (A c))"], ["(T (B b))"] * 2)
    expected = tk.DistributedPairs(64).fit_transform(pairs)
    np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), expected)
    assert run("embed", "pairs.tsv", "q.npy", "--model", "pairs.tkm").code == 0
    np.testing.assert_array_equal(np.load(tmp_path / "q.npy"), expected)
    assert "two columns of trees" in run("embed", "data.tsv", "v.npy", "--pairs", "sum").err
    assert "add --kernel ptk" in run("embed", "data.tsv", "v.npy", "--vertical-decay", "0.3").err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--kernel", "subpath"], "--landmarks uniform makes vectors for any kernel"),
        (["--landmarks", "uniform", "--decay", "0.3"], "--decay is for distributed trees"),
        (["--landmarks", "leverage", "--min-df", "2"], "--min-df is for distributed trees"),
        (["--landmarks", "uniform", "--kernel", "nonsense"], "nonsense"),
        (["--landmarks", "uniform", "--workers", "2"], "works on this machine"),
        (["--model", "x.tkm", "-d", "3"], "leave out --dimension"),
        (["--model", "svm.tkm"], "svm.tkm is a TreeSVC, which makes no vectors"),
    ],
)
def test_wrong_options_for_vectors(
    run: Run, tmp_path: Path, options: list[str], words: str
) -> None:
    (tmp_path / "data.tsv").write_text(LINES)
    tk.save(tk.TreeSVC("sst").fit(["(A b)", "(A c)"], [0, 1]), tmp_path / "svm.tkm")
    code, _, err = run("embed", "data.tsv", "v.npy", *options)
    assert code == 2
    assert words in err
    assert "Traceback" not in err
