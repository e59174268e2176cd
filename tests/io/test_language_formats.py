"""CoNLL-U, spaCy, Python and other languages: what is read, shapes, and errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import treekernels as tk
from helpers import Write
from treekernels import readers
from treekernels.io.readers.code import python as python_reader

# CoNLL-U and spaCy

SENTENCE = """\
# text = The cat runs over the grass .
1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_
2\tcat\tcat\tNOUN\tNN\t_\t3\tnsubj\t_\t_
3\truns\trun\tVERB\tVBZ\t_\t0\troot\t_\t_
3.1\tx\tx\tX\tX\t_\t_\t_\t_\t_
4\tover\tover\tADP\tIN\t_\t6\tcase\t_\t_
5\tthe\tthe\tDET\tDT\t_\t6\tdet\t_\t_
6\tgrass\tgrass\tNOUN\tNN\t_\t3\tnmod\t_\t_
7\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_
"""
SHAPES = {  # as KeLP gives them, but for the kinds of nodes that it writes before the labels
    "GRCT": "(root (nsubj (det (DT the)) (NN cat)) (VBZ run) (nmod (case (IN over)) (det (DT the))"
    " (NN grass)) (punct (. .)))",
    "LCT": "(run (cat (the DT det) NN nsubj) (grass (over IN case) (the DT det) NN nmod)"
    " (. . punct) VBZ root)",
    "LOCT": "(run (cat the) (grass over the) .)",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_dependency_shapes(write: Write, shape: Any) -> None:
    forest = tk.read(write("a.conllu", SENTENCE), shape=shape, lexeme="{lemma}", tag="xpos")
    assert forest.to_brackets() == [SHAPES[shape]]


class Word:
    """What `from_spacy` needs of a spaCy token."""

    def __init__(self, i: int, row: list[str]) -> None:
        self.i = i
        self.text, self.lemma_, self.pos_, self.tag_ = row[1:5]
        self.dep_ = row[7]
        self.head = self


class Doc:
    def __init__(self) -> None:
        rows = [line.split("\t") for line in SENTENCE.splitlines()[1:] if ".1" not in line]
        self.words = [Word(place + 10, row) for place, row in enumerate(rows)]
        for word, row in zip(self.words, rows, strict=True):
            word.head = self.words[int(row[6]) - 1] if row[6] != "0" else word
        self.sents = [self.words, self.words]


@pytest.mark.parametrize("shape", SHAPES)
def test_spacy(shape: Any) -> None:
    forest = readers.from_spacy(Doc(), shape=shape, lexeme="{lemma}", tag="xpos")
    assert forest.to_brackets() == [SHAPES[shape]] * 2
    assert len(readers.from_spacy([Doc(), Doc()])) == 4
    with pytest.raises(TypeError, match="a spaCy Doc or Span was expected, not str"):
        readers.from_spacy("text")


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (["1\ta"], "line 1: this line has 2 columns, and CoNLL-U has 10"),
        (["2\ta\t_\tN\t_\t_\t0\troot\t_\t_"], "line 1, column 1: this is word 1 .* numbered '2'"),
        (["1\ta\t_\tN\t_\t_\t_\troot\t_\t_"], "line 1, column 13: the head '_'"),
        (["1\ta\t_\tN\t_\t_\t1\troot\t_\t_"], "line 1: the sentence has no root"),
        (["{}\ta\t_\tN\t_\t_\t0\troot\t_\t_"] * 2, "line 1: the sentence has 2 roots"),
        (
            ["1\ta\t_\tN\t_\t_\t0\troot\t_\t_", *["{}\ta\t_\tN\t_\t_\t{other}\tx\t_\t_"] * 2],
            "line 1: the heads of word 2 and others go round in a circle",
        ),
        (["1.1\ta\t_\tN\t_\t_\t_\t_\t_\t_"], "line 1: the sentence has no words"),
    ],
)
def test_bad_conllu(write: Write, rows: list[str], reason: str) -> None:
    lines = [row.format(place, other=5 - place) for place, row in enumerate(rows, start=1)]
    with pytest.raises(tk.ParseError, match=reason):
        tk.read(write("a.conllu", "\n".join(lines)))


# Python and other languages


def test_python_files(write: Write) -> None:
    source = "class A:\n    def f(self): return 1\n\nasync def g(): pass\n"
    path = write("a.py", source)
    assert tk.read(path)[0] == readers.from_python_source(source)
    assert [tree.label for tree in tk.read(path, each="class")] == ["ClassDef"]
    functions = tk.read(path, each="function")
    assert sorted(tree.label for tree in functions) == ["AsyncFunctionDef", "FunctionDef"]
    with pytest.raises(ValueError, match="each is 'x'"):
        tk.read(path, each="x")
    latin = write("b.py", "# -*- coding: latin-1 -*-\nx = 'é'".encode("latin-1"))
    assert tk.read(latin)[0].leaves() == ["x", "'é'"]


def test_python_values() -> None:
    tree = readers.from_python_source("f('a\\0', b'x', 1.5, None, '\\ud800', '\\d')")
    assert tree.leaves() == ["f", "'a\\x00'", "b'x'", "1.5", "None", "'\\ud800'", "'\\\\d'"]
    everything = Path(json.__file__).read_text()
    assert readers.from_python_source(everything).size > 500


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = (\n", "the source, line 1, column 5: this is not Python: '\\(' was never closed"),
        ("a\0b", "this is not Python"),
        ("(" * 100_000 + ")" * 100_000, "too deeply|not Python: too many nested"),
        ("x" + "+x" * 200_000, "too deeply"),
        ("-" * 200_000 + "x", "too deeply|not Python"),
    ],
    ids=["syntax", "nul", "brackets", "sum", "signs"],
)
def test_bad_python(source: str, message: str) -> None:
    with pytest.raises(tk.ParseError, match=message):
        readers.from_python_source(source)


@pytest.mark.parametrize(
    ("source", "too_deep"),
    [
        ("x" + "+x" * python_reader.MOST_OPERATORS, False),
        ("x" + "+x" * (python_reader.MOST_OPERATORS + 1), True),
        ("[" + "a + b, " * python_reader.MOST_OPERATORS + "]", False),
        ("a = b\n" * (python_reader.MOST_OPERATORS + 1), False),
        ("if a: b\n" + "elif a: b\n" * (python_reader.MOST_OPERATORS + 1), True),
        ("x" + "+x" * (python_reader.MOST_OPERATORS + 1) + "(", True),
    ],
    ids=["sum", "longer sum", "list", "lines", "branches", "unfinished"],
)
def test_what_is_too_deep_for_an_old_python(source: str, too_deep: bool) -> None:
    assert python_reader.is_too_deep(source) is too_deep


def test_code_by_tree_sitter(write: Write) -> None:
    pytest.importorskip("tree_sitter_javascript", reason="tree-sitter is not installed")
    source = "let x = f(1);"
    expected = (
        "(program (lexical_declaration (variable_declarator (identifier x)"
        " (call_expression (identifier f) (arguments (number 1))))))"
    )
    assert tk.read(write("a.js", source)).to_brackets() == [expected]
    assert readers.from_code(source, "javascript").to_brackets() == expected
    tokens = readers.from_code(source, "javascript", tokens=True)
    assert "=" in tokens.leaves()
    with pytest.raises(tk.ParseError, match=r"a\.js, line 2, column"):
        tk.read(write("a.js", "let x = 1;\nlet ) (;"))
    kept = tk.read(write("a.js", "let x = 1;\nlet ) (;"), errors=True)
    assert "ERROR" in {node.label for node in kept[0].preorder()}
    with pytest.raises(ImportError, match="reading nonsense needs its grammar: pip install tree-"):
        readers.from_code("x", "nonsense")
    with pytest.raises(ValueError, match="name it with language="):
        tk.read(write("a.txt", "x"), "tree-sitter")


def test_deep_code_by_tree_sitter() -> None:
    pytest.importorskip("tree_sitter_javascript", reason="tree-sitter is not installed")
    deep = readers.from_code("[" * 20_000 + "]" * 20_000, "javascript")
    assert deep.depth == 20_002


@pytest.mark.parametrize(
    ("module", "call", "message"),
    [
        (
            "lxml.etree",
            lambda: readers.from_html_string("<p>"),
            r"lxml, which is installed, but .*: pip install lxml",
        ),
        (
            "tree_sitter",
            lambda: readers.from_code("x", "java"),
            r"pip install tree-sitter tree-sitter-java",
        ),
        (
            "pyarrow.parquet",
            lambda: tk.read("a.parquet"),
            r"needs the package pyarrow, which is installed, but .*: pip install pyarrow",
        ),
    ],
)
def test_missing_packages(
    monkeypatch: pytest.MonkeyPatch, module: str, call: Callable[[], Any], message: str
) -> None:
    pytest.importorskip("tree_sitter_java")
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(ImportError, match=message):
        call()
