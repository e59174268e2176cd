"""An index of files that is brought up to date: the same as one that is built anew."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import treekernels as tk
from command_line import Run
from treekernels.search.duplicates.pieces import read_pieces
from treekernels.search.duplicates.searched_files import SearchedFiles
from treekernels.search.tree_index import TreeIndex

LINES = ["a = b + 1", "c = f(a, b)", "for x in a: b += x", "d = [a]"]
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["a.py", "b.py", "sub/c.py"]),
        st.lists(st.lists(st.sampled_from(LINES), min_size=1, max_size=3), max_size=3),
    ),
    min_size=1,
    max_size=3,
)
SENTENCE = """# sent_id = s{n}
# text = {word} bark.
1\t{word}\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_

"""


def source(functions: list[list[str]]) -> str:
    return "".join("def f(a, b):\n    " + "\n    ".join(lines) + "\n\n" for lines in functions)


def built(folder: Path) -> tuple[TreeIndex, SearchedFiles]:
    files = SearchedFiles([str(folder)], {}, "auto")
    return files.update(TreeIndex(), TreeIndex, lambda names: read_pieces(names))[0], files


def content(index: TreeIndex) -> Any:
    """What an index finds, with all bits, and what it says of its trees."""
    found = index.search(index.trees(index.ids), k=5)
    return (
        index.ids,
        [index.origin(id_) for id_ in index.ids],
        found.items.tolist(),
        np.asarray(found.similarities).tobytes(),
        repr(index.kernel),
    )


@settings(max_examples=6, deadline=None)
@given(st.lists(EDITS, min_size=2, max_size=2))
def test_edits(rounds: list[Any]) -> None:
    with TemporaryDirectory() as name:
        folder, path = Path(name, "code"), Path(name, "index.tki")
        (folder / "sub").mkdir(parents=True)
        (folder / "kept.py").write_text(source([LINES[:1], LINES[1:2]]))
        index, _ = built(folder)
        index.save(path)
        for edits in rounds:
            for file, functions in edits:
                if functions:
                    (folder / file).write_text(source(functions))
                else:
                    (folder / file).unlink(missing_ok=True)
            index = TreeIndex.load(path)
            files = SearchedFiles.of(index, str(path))
            assert files is not None
            index, _ = files.update(index, TreeIndex, lambda names: read_pieces(names))
            assert content(index) == content(built(folder)[0])
            index.save(path)


def test_commands(run: Run, tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    for name in "ab":
        (tmp_path / f"code/{name}.py").write_text("def f(a, b):\n    return a + b\n" * 2)
    assert run("index", "build", "x.tki", "code").code == 0
    assert run("index", "add", "x.tki", "code/a.py").code == 0  # which it knows
    assert "4 trees" in run("index", "info", "x.tki").out
    (tmp_path / "code/b.py").unlink()
    (tmp_path / "code/c.py").write_text("def g(a):\n    return [a]\n")
    (tmp_path / "code/a.py").write_text("def h(a):\n    return {a}\n")
    updated = run("index", "update", "x.tki")
    assert "2 trees in x.tki; 1 file new, 1 changed, 1 gone." in updated.err
    found = json.loads(run("search", "x.tki", "code", "--json", "-n", "1").out)
    assert [query["hits"][0]["name"] for query in found] == ["h", "g"]
    again = run("index", "update", "x.tki", "more.py")
    assert again.code == 2
    (tmp_path / "more.py").write_text("def m(a):\n    return a * a\n")
    assert run("index", "update", "x.tki", "more.py").code == 0
    assert "3 trees in x.tki; 0 files new" in run("index", "update", "x.tki").err
    tk.TreeIndex().save(tmp_path / "other.tki")
    assert "treekernels index build" in run("index", "update", "other.tki").err


def test_updates_at_once(run: Run, tmp_path: Path) -> None:
    (tmp_path / "e.py").write_text("def e(a, b):\n    return a + b\n")
    assert run("index", "build", "x.tki", "e.py").code == 0
    for name in "abcd":
        (tmp_path / f"{name}.py").write_text(f"def {name}(a, b):\n    return a + b\n")
    threads = [
        threading.Thread(target=run, args=("index", "update", "x.tki", f"{name}.py"))
        for name in "abcd"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(tk.TreeIndex.load(tmp_path / "x.tki").ids) == [f"{n}.py:1-2" for n in "abcde"]


def test_sentences_have_their_names_and_texts(run: Run, tmp_path: Path) -> None:
    text = SENTENCE.format(n=1, word="Dogs") + SENTENCE.format(n=2, word="<b>Seals</b>")
    (tmp_path / "a.conllu").write_text(text)
    assert run("index", "build", "x.tki", "a.conllu").code == 0
    (first, _) = json.loads(run("search", "x.tki", "a.conllu", "--json").out)
    assert {hit["name"]: hit["text"] for hit in first["hits"]} == {
        "s1": "Dogs bark.",
        "s2": "<b>Seals</b> bark.",
    }
    assert "Dogs bark." in run("search", "x.tki", "a.conllu").out
    common = ("duplicates", "a.conllu", "--smallest", "2", "--threshold", "0.1", "-q")
    assert "a.conllu:3  s1  Dogs bark.\n" in run(*common).out
    for arguments in ((), ("--index", "y.tki"), ("--index", "y.tki")):
        (group,) = json.loads(run(*common, "--json", *arguments).out)["groups"]
        assert [(p["name"], p["text"]) for p in group["pieces"]] == [
            ("s1", "Dogs bark."),
            ("s2", "<b>Seals</b> bark."),
        ]
    index = tk.TreeIndex()
    index.add(tk.read(tmp_path / "a.conllu", origin=True))
    pairs = index.duplicates(0.1)._repr_html_()
    assert "first name" in pairs
    assert "a.conllu:3" in pairs
    assert "&lt;b&gt;Seals" in pairs
    hits = tk.TreeIndex.load(tmp_path / "x.tki").search(index.trees([0]))[0]._repr_html_()
    assert "Dogs bark." in hits
    assert "place" not in hits
    (tmp_path / "a.mrg").write_text("( (S (NP (NNS Dogs)) (VP (VBP bark))) )\n")
    assert run("index", "build", "z.tki", "a.mrg").code == 0
    assert "Dogs bark" in run("search", "z.tki", "a.mrg").out
