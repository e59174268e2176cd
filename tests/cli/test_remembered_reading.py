"""A model and an index read new data as they read their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import treekernels as tk
from command_line import Run, write
from treekernels.io.files.container import read_container, write_container

FUNCTIONS = "def one(x):\n    return x\n\n\ndef two(x):\n    print(x)\n"
NOTE = "Reading with -o each=function, as the first time."


@pytest.fixture
def model(run: Run) -> str:
    for folder in ("plain", "other"):
        Path("code", folder).mkdir(parents=True)
        Path("code", folder, "a.py").write_text(FUNCTIONS.replace("print", folder))
    assert run("fit", "code", "model.tkm", "--label", "folder", "-o", "each=function").code == 0
    return "model.tkm"


def test_options_that_shape_trees_are_remembered(run: Run, model: str) -> None:
    new = write("new.py", FUNCTIONS)
    result = run("predict", model, new)
    assert len(result.out.split()) == 2
    assert NOTE in result.err
    assert len(run("predict", model, new, "-o", "each=module").out.split()) == 1
    assert NOTE in run("explain", model, new, "--example", "2").err
    assert NOTE not in run("predict", model, write("trees.txt", "(A b)\n")).err
    assert run("predict", model, "missing.py").code == 2
    assert tk.load(model).reading_ == {"format": "python", "options": {"each": "function"}}


def test_what_describes_a_file_is_not_remembered(run: Run) -> None:
    data = write("data.csv", "x;(A b)\ny;(A c)\n")
    assert run("fit", data, "model.tkm", "-o", "delimiter=;").code == 0
    assert tk.load("model.tkm").reading_ is None


def test_an_embedding_remembers_too(run: Run, model: str) -> None:
    options = ("--landmarks", "uniform", "--save", "landmarks.tkm")
    assert run("embed", "code", "a.npy", "-o", "each=function", *options).code == 0
    result = run("embed", write("new.py", FUNCTIONS), "b.npy", "--model", "landmarks.tkm")
    assert NOTE in result.err
    assert len(np.load("b.npy")) == 2


def test_an_index_remembers_too(run: Run) -> None:
    write("a.py", FUNCTIONS)
    assert run("index", "build", "code.tki", "a.py", "-o", "each=module").code == 0
    result = run("search", "code.tki", "a.py", "--json")
    assert result.out.count('"query"') == 1
    assert "-o each=module" in result.err
    assert "-o each=module" in run("index", "add", "code.tki", write("b.py", FUNCTIONS)).err
    assert len(tk.TreeIndex.load("code.tki")) == 2


@pytest.mark.parametrize(
    "note",
    [
        {"format": "none", "options": {}},
        {"format": "python", "options": {"language": "x"}},
        {"format": "python", "options": {"each": [1]}},
        {"format": "python"},
        7,
    ],
)
def test_a_note_that_makes_no_sense_is_refused(run: Run, model: str, note: object) -> None:
    kind, content = read_container(model)
    write_container(model, kind, {**content, "reading": note})
    with pytest.raises(tk.ModelFileError, match="do not fit"):
        tk.load(model)
