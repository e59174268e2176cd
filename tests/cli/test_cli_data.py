"""What commands read: columns, formats, folders, patterns, standard input."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import LINES, SENTENCES, Result, Run, write


def test_columns_by_name_and_number(run: Run) -> None:
    rows = "".join(f"{i}\t{label}\t{tree}\t(X y)\n" for i, (label, tree) in enumerate(SENTENCES))
    bare, named = write("bare.tsv", rows), write("named.tsv", "id\tkind\tone\ttwo\n" + rows)
    for data, label, tree in [(bare, "2", "3"), (named, "kind", "one"), (named, "2", "3")]:
        arguments = (data, "model.tkm", "--label", label, "--tree", tree, "--json")
        fitted = json.loads(run("fit", *arguments).out)
        assert fitted["classes"] == ["question", "statement"]
        assert fitted["kernel"] == "sst"
    kernel = "sst(on=one) + 0.5*st(on=4)"
    fitted = json.loads(
        run("fit", named, "model.tkm", "--label", "kind", "--kernel", kernel, "--json").out
    )
    assert fitted["kernel"] == "sst(on=one) + 0.5*st(on=two)"


def test_folders_patterns_and_several_files(run: Run) -> None:
    for number, (label, tree) in enumerate(SENTENCES):
        Path(label).mkdir(exist_ok=True)
        write(f"{label}/{number}.txt", tree + "\n")
    classes = sorted({label for label, _ in SENTENCES})
    folders = [f"{label}" for label in classes]
    for data in ([*folders], ["*/*.txt"], [f"{label}/*.txt" for label in classes]):
        fitted = json.loads(run("fit", *data, "model.tkm", "--label", "folder", "--json").out)
        assert (fitted["examples"], fitted["classes"]) == (6, classes)
    result = run("predict", "model.tkm", *folders)
    rows = [line.split("\t") for line in result.out.splitlines()]
    assert all(label == Path(file).parent.name for label, file in rows if ":" not in file)
    assert {Path(file.partition(":")[0]).parent.name for _, file in rows} == set(classes)
    outcome = json.loads(run("predict", "model.tkm", *folders, "--json").out)
    assert [f"{item['file']}:{item['line']}" for item in outcome] == [place for _, place in rows]
    assert [item["label"] for item in outcome] == [label for label, _ in rows]
    outcome = json.loads(run("predict", "model.tkm", *folders, "--json", "--scores").out)
    assert set(outcome[0]) == {"label", "scores", "file", "line"}
    result = run("fit", *folders, "model.tkm")
    assert result.code == 2
    assert "has no column of labels, only tree, file, line" in result.err
    assert "--label folder" in result.err
    kept = Path(f"{classes[0]}/0.txt")
    kept = kept if kept.exists() else Path(f"{classes[1]}/0.txt")
    before = kept.read_text()
    result = run("fit", *folders, str(kept), "--label", "folder")
    assert "is there already and is not a model" in result.err
    result = run("convert", *folders, str(kept))
    assert "is there already: the last name is that of the file to write" in result.err
    assert kept.read_text() == before


def test_skip_bad(run: Run) -> None:
    data = write("data.tsv", LINES + "question\t(SQ (V do)\n")
    result = run("fit", data, "model.tkm")
    assert result == Result(
        2, "", "Error: data.tsv, line 7, column 10: the bracket opened here is never closed\n"
    )
    result = run("fit", data, "model.tkm", "--skip-bad")
    assert result.code == 0
    assert "Left out 1 bad line:\n  data.tsv, line 7, column 10:" in result.err
    assert "6 examples" in result.err
