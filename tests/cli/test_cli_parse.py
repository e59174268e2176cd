"""Texts on the command line: ``--parser``, ``treekernels parse``, and what models remember."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import tiny_spacy
import treekernels as tk
from command_line import Run, write

pytest.importorskip("spacy", reason="spaCy is not installed")

ROWS = [("good", f"I liked movie {n}. (Really!)") for n in range(6)]
ROWS += [("bad", f"Never watch movie {n}") for n in range(6)]
CSV = "stars,review\n" + "".join(f"{label},{text}\n" for label, text in ROWS)


@pytest.fixture
def parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    return tiny_spacy.install(tmp_path / "site", monkeypatch)


def test_a_model_remembers_its_parser(run: Run, parser: str) -> None:
    data = write("reviews.csv", CSV)
    assert run("fit", data, "model.tkm", "--parser", parser, "-o", "shape=LCT").code == 0
    note = {"name": parser, "columns": ["review"], "options": {"shape": "LCT"}}
    assert tk.load("model.tkm").reading_ == {"format": "csv", "options": {}, "parser": note}
    sys.modules.pop(tiny_spacy.NAME)
    tk.load("model.tkm")
    assert tiny_spacy.NAME not in sys.modules, "a model imports nothing that it names"
    new = write("new.txt", "I liked movie 3.\n(Really!) never.\n\nNever watch movie 9\n")
    result = run("predict", "model.tkm", new)
    assert result.out.split() == ["good", "good", "bad"]
    assert f"Parsing the column 'text' with {parser}." in result.err
    trees = tk.parse(["Never watch movie 9"], parser, shape="LCT")["tree"].to_brackets()
    del sys.modules[tiny_spacy.NAME]
    assert run("predict", "model.tkm", write("trees.txt", trees[0] + "\n")).out == "bad\n"
    assert tiny_spacy.NAME not in sys.modules, "trees need no parser"
    assert run("explain", "model.tkm", "--of", "Never watch movie 9").code == 0


def test_commands_with_a_parser(run: Run, parser: str) -> None:
    data = write("reviews.csv", CSV)
    cache = ("--parser", parser, "--cache", "cache")
    result = run("evaluate", data, "--folds", "2", *cache)
    assert result.code == 0, result.err
    assert "accuracy" in result.out
    assert f"Parsing the column 'review' with {parser}." in result.err
    assert len(list(Path("cache").glob("*/*.gz"))) == 1
    assert run("index", "build", "texts.tki", data, *cache).code == 0
    found = run("search", "texts.tki", "Never watch movie 3", "-n", "1", "--json")
    assert '"id": "reviews.csv:11"' in found.out
    assert run("search", "texts.tki", "neither-a-file-nor-(").code == 0


@pytest.mark.parametrize("target", ["trees.tsv", "trees.csv", "trees.jsonl"])
def test_parse_writes_what_fit_reads(run: Run, parser: str, target: str) -> None:
    data = write("reviews.csv", CSV)
    assert run("parse", data, target, "--parser", parser, "--label", "stars").code == 0
    table = tk.read(target)
    assert table.columns == ["label", "review", "tree"]
    assert table["review"].tolist() == [text for _, text in ROWS]
    direct = tk.parse([text for _, text in ROWS], parser, each="text")
    assert table["tree"] == direct["tree"]
    assert run("evaluate", target, "--folds", "2").code == 0


def test_parse_sentences_and_files(run: Run, parser: str) -> None:
    write("a.txt", "One two. Three four.\n\nFive six.\n")
    options = ("--parser", parser, "--each", "sentence")
    assert run("parse", "a.txt", "lines.tsv", *options).code == 0
    table = tk.read("lines.tsv")
    assert table["document"].tolist() == [0, 0, 1]
    assert table["text"].tolist() == ["One two.", "Three four.", "Five six."]
    assert run("parse", "a.txt", "file.tsv", *options, "-o", "each=file").code == 0
    assert tk.read("file.tsv")["document"].tolist() == [0, 0, 0]


def test_files_without_a_header_and_with_one(run: Run, parser: str) -> None:
    rows = "".join(f"{label}\t{text}\n" for label, text in ROWS)
    for name, text in (("plain.tsv", rows), ("named.tsv", f"class\tsentence\n{rows}")):
        result = run("parse", write(name, text), f"{name}.jsonl", "--parser", parser)
        assert result.code == 0, result.err
        assert len(tk.read(f"{name}.jsonl")) == 12
    given = ("--parser", parser, "--text", "second")
    assert run("parse", write("odd.tsv", f"first\tsecond\n{rows}"), "odd.csv", *given).code == 0
    assert tk.read("odd.csv").columns == ["first", "second", "tree"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("parse", "reviews.csv", "out.tsv"), "name a parser with --parser: spacy:en_core"),
        (("parse", "reviews.csv", "out.txt", "--parser", "spacy:x"), "a name that ends in .tsv"),
        (("parse", "reviews.csv", "out.tsv", "--parser", "x"), "is not the name of a parser"),
        (("fit", "reviews.csv", "m.tkm", "--text", "review"), "go with --parser"),
        (("fit", "reviews.csv", "m.tkm", "--parser", "P", "--text", "x"), "has no column 'x'"),
        (("fit", "labels.csv", "m.tkm", "--parser", "P"), "which holds texts with --text COLUMN"),
        (("fit", "code.py", "m.tkm", "--parser", "P"), "which has trees already"),
        (("fit", "gaps.jsonl", "m.tkm", "--parser", "P"), "example 2 has no text in the column"),
    ],
)
def test_what_cannot_be_parsed(
    run: Run, parser: str, arguments: tuple[str, ...], message: str
) -> None:
    write("reviews.csv", CSV)
    write("labels.csv", "label,number\nx,1\ny,2\n")
    write("code.py", "x = 1\n")
    write("gaps.jsonl", '{"label": "x", "text": "a b"}\n{"label": "y"}\n')
    result = run(*(parser if argument == "P" else argument for argument in arguments))
    assert result.code == 2
    assert message in result.err
