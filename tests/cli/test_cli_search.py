"""The commands that search: what they print, write and exit with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import treekernels as tk
from command_line import Run
from treekernels.kernels.automatic import for_copies

ONE = """
def first(values):
    total = 0
    for value in values:
        if value > 0:
            total = total + value * 2
        else:
            total = total - value
    return total


def other(text):
    return [line.strip() for line in text.split("x") if line]
"""
METHOD = ONE.partition("\n\n\n")[0].replace("first", "second").replace("\n", "\n    ")
TWO = f"\nclass Holder:{METHOD}\n"


@pytest.fixture(autouse=True)
def _code(run: Run) -> None:
    """Some code in the folder in which commands run."""
    Path("src").mkdir()
    Path("src", "one.py").write_text(ONE)
    Path("src", "two.py").write_text(TWO)


def test_duplicates_of_code(run: Run) -> None:
    found = run("duplicates", "src", "--quiet", "--threshold", "0.8")
    assert found.code == 1
    assert "1 group of near-copies" in found.out
    lines = found.out.replace("\\", "/")
    assert "src/one.py:2-9  first" in lines
    assert "src/two.py:3-10  second" in lines
    assert "other" not in lines
    assert run("duplicates", "src", "--threshold", "0.8", "--exit-zero", "-q").code == 0
    none = run("duplicates", "src", "--threshold", "1", "--quiet")
    assert none.code == 0
    assert "No near-copies among" in none.out


def test_duplicates_as_json(run: Run) -> None:
    found = run("duplicates", "src", "--json", "-q", "--threshold", "0.8", "--smallest", "10")
    content = json.loads(found.out)
    assert content["trees"] == 3
    (group,) = content["groups"]
    assert [piece["name"] for piece in group["pieces"]] == ["first", "second"]
    (pair,) = group["pairs"]
    first, second = (
        tk.read("src/one.py", each="function")[0],
        tk.read("src/two.py", each="function"),
    )
    pieces = tk.Forest.concatenate([tk.read("src/one.py", each="function"), second])
    kernel = for_copies(tk.TreeFeaturesKernel(weights="idf").fitted_on(pieces))
    expected = kernel([first], second)[0, 0]
    assert pair["similarity"] == pytest.approx(expected, rel=1e-12)


def test_the_page_marks_what_both_have(run: Run, tmp_path: Path) -> None:
    run("duplicates", "src", "--threshold", "0.8", "--format", "html=page.html", "-q")
    page = (tmp_path / "page.html").read_text()
    assert page.count('<span class="shared">') == 14  # seven lines on either side
    assert "<span>def first(values):</span>" in page


def test_copies_with_other_names(run: Run, tmp_path: Path) -> None:
    renamed = ONE.partition("\n\n\n")[0]
    for name in ("first", "total", "values", "value"):
        renamed = renamed.replace(name, name[::-1])
    (tmp_path / "three").mkdir()
    (tmp_path / "three" / "renamed.py").write_text(renamed)
    assert run("duplicates", "src/one.py", "three", "-q").code == 0
    found = run(
        "duplicates", "src/one.py", "three", "--renamed", "--format", "html=page.html", "-q"
    )
    assert found.code == 1
    assert "similarity 1.000" in found.out
    assert (tmp_path / "page.html").read_text().count('<span class="shared">') == 16


def test_duplicates_of_trees_and_pages(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trees.txt").write_text("(A (B b) c)\n(D d)\n(A (B b) c)\n")
    found = run("duplicates", "trees.txt", "--smallest", "1", "-q")
    assert "trees.txt:1" in found.out
    assert "trees.txt:3" in found.out
    pytest.importorskip("lxml")
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text(
            f"<html><body><h1>{name}</h1>{'<p><b>x</b></p>' * 20}</body></html>"
        )
    found = run("duplicates", "a.html", "b.html", "-q", "--threshold", "0.5")
    assert found.code == 1
    assert "a.html:1" in found.out


def test_index_and_search(run: Run, tmp_path: Path) -> None:
    assert run("index", "build", "code.tki", "src").code == 0
    info = json.loads(run("index", "info", "code.tki", "--json").out)
    assert info["trees"] == 3
    assert "InverseDocumentFrequency" in info["kernel"]
    found = json.loads(run("search", "code.tki", "src/two.py", "--json", "-n", "2").out)
    assert [hit["id"] for hit in found[0]["hits"]] == ["src/two.py:3-10", "src/one.py:2-9"]
    assert found[0]["hits"][0]["similarity"] == 1.0
    (tmp_path / "more.py").write_text(TWO.replace("* 2", "* 3"))
    assert run("index", "add", "code.tki", "more.py").code == 0
    assert run("index", "add", "code.tki", "more.py").code == 0
    assert "4 trees" in run("index", "info", "code.tki", "--verify").out
    found = json.loads(run("search", "code.tki", "more.py", "--json", "--threshold", "0.99").out)
    assert [hit["id"] for hit in found[0]["hits"]] == ["more.py:3-10"]
    shown = run("search", "code.tki", "(Return (Name total))", "-n", "1")
    assert shown.code == 0
    assert "similarity" in shown.out


def test_what_goes_wrong(run: Run, tmp_path: Path) -> None:
    missing = run("duplicates", "nowhere")
    assert (missing.code, missing.err.strip()) == (2, "Error: there is no file nowhere")
    assert run("search", "nowhere.tki", "(A b)").code == 2
    (tmp_path / "bad.tki").write_bytes(b"TREEKERN" + b"\0" * 100)
    assert run("search", "bad.tki", "(A b)").code == 2
    assert "normalised" in run("duplicates", "src", "-k", "sst(normalize=false)").err
    (tmp_path / "src" / "bad.py").write_text("def (:\n")
    left = run("duplicates", "src", "--threshold", "0.8")
    assert left.code == 1
    assert "Left out 1 part that cannot be read" in left.err
    assert run("duplicates", "src", "--strict").code == 2


def test_weights_of_classes(run: Run) -> None:
    rows = ["a\t(S (A a) (B b))", "a\t(S (A a) (B c))", "d\t(S (A d) (B b))", "d\t(S (A d) (B c))"]
    Path("labelled.tsv").write_text("\n".join(rows))
    made = run("index", "weights", "telling.tkw", "labelled.tsv")
    assert made.code == 0
    assert "15 features of 4 trees of 2 classes in telling.tkw" in made.err
    labels, trees = zip(*(row.split("\t") for row in rows), strict=True)
    assert tk.load("telling.tkw") == tk.LearnedWeights().fit(trees, labels)
    assert run("index", "build", "a.tki", "src", "--frequencies", "telling.tkw").code == 0
    assert isinstance(tk.TreeIndex.load("a.tki").kernel.weights, tk.LearnedWeights)
    grams = ("labelled.tsv", "-k", "pqgram(ordered=false)")
    assert run("index", "weights", "grams.tkw", *grams).code == 0
    kernel = tk.PQGramKernel(ordered=False)
    assert tk.load("grams.tkw") == tk.LearnedWeights().fit(trees, labels, kernel=kernel)
    refused = run("index", "weights", "b.tkw", "labelled.tsv", "-k", "sst")
    assert "no weights can be learned for this kernel" in refused.err
    Path("plain.txt").write_text("(A b)\n(A c)\n")
    refused = run("index", "weights", "b.tkw", "plain.txt")
    assert "has no column of labels" in refused.err
    assert not Path("b.tkw").exists()


def test_frequencies_of_other_code(run: Run) -> None:
    made = run("index", "frequencies", "rare.tkw", "src")
    assert made.code == 0
    assert "of 3 trees in rare.tkw" in made.err
    assert run("index", "build", "a.tki", "src", "--frequencies", "rare.tkw").code == 0
    learned = tk.TreeIndex.load("a.tki").kernel
    assert learned.weights == tk.load("rare.tkw")
    grams = ("--frequencies", "rare.tkw", "-k", "pqgram")
    assert run("index", "build", "b.tki", "src", *grams).code == 0
    found = run("duplicates", "src", "--threshold", "0.5", "-q", "--frequencies", "rare.tkw")
    assert found.code == 1
    refused = run("index", "build", "c.tki", "src", "-k", "elastic", "--frequencies", "rare.tkw")
    assert "takes no weights" in refused.err
    tk.save(tk.WeightedForest(), "model.tkm")
    refused = run("duplicates", "src", "--frequencies", "model.tkm")
    assert "holds a model" in refused.err
