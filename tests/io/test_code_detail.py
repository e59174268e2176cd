"""Which names, literals, operators and comments of source code stand in its tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import treekernels as tk
from treekernels import readers

JAVA = """
class Sum {
    // adds up
    int total(int[] numbers) {
        int sum = 0;
        for (int number : numbers) { sum += number; }
        System.out.println("sum " + Math.max(sum, 7));
        return sum;
    }
}
"""
RENAMED = JAVA.replace("total", "f").replace("numbers", "xs").replace("number", "x")
RENAMED = RENAMED.replace("sum ", "s ").replace("sum", "s").replace("Sum", "T")
PYTHON = """
def total(numbers):
    sum_ = 0
    for number in numbers:
        sum_ += number
    print("sum", max(sum_, 7))
    return sum_
"""
PYTHON_RENAMED = """
def f(xs):
    s = 0
    for x in xs:
        s += x
    print("sum", max(s, 7))
    return s
"""


def java(source: str, **options: Any) -> tk.Tree:
    pytest.importorskip("tree_sitter_java")
    return readers.from_code(source, "java", **options)


def expression(text: str, **options: Any) -> str:
    tree = java(f"class A {{ Object f = {text}; }}", **options)
    return str(tree.children[0].children[-1].children[0].children[-1].children[-1])


def test_operators() -> None:
    assert expression("a < b") == "(binary_expression (identifier a) < (identifier b))"
    assert expression("a < b") != expression("a > b")
    assert expression("a < b", operators=False) == expression("a > b", operators=False)
    assert expression("-a") == "(unary_expression - (identifier a))"
    assert expression("a++") == "(update_expression (identifier a) ++)"
    assert expression("f(a, b)") == (
        "(method_invocation (identifier f) (argument_list (identifier a) (identifier b)))"
    )
    assert "(integral_type int)" in str(java("class A { int a; }"))
    assert "(" not in expression("(a)", names="none").replace("(parenthesized_expression", "")


def test_copies_with_other_names() -> None:
    assert java(JAVA) != java(RENAMED)
    assert java(JAVA, names="foreign", literals=False) == java(
        RENAMED, names="foreign", literals=False
    )
    leaves = java(JAVA, names="foreign").leaves()
    assert {"System", "println", "Math", "max", "7"} <= set(leaves)
    assert not {"total", "sum", "numbers", "number", "Sum"} & set(leaves)
    assert not {"System", "println"} & set(java(JAVA, names="none").leaves())
    assert "7" not in java(JAVA, literals=False).leaves()


def test_python_has_the_same_options() -> None:
    read = readers.from_python_source
    assert read(PYTHON) != read(PYTHON_RENAMED)
    assert read(PYTHON, names="foreign") == read(PYTHON_RENAMED, names="foreign")
    leaves = read(PYTHON, names="foreign").leaves()
    assert {"print", "max", "7", "'sum'"} <= set(leaves)
    assert not {"total", "numbers", "sum_"} & set(leaves)
    assert not {"print", "max"} & set(read(PYTHON, names="none").leaves())
    hidden = read("x = [1, 2.5, 'a', b'c', None, True]", literals=False)
    assert [str(item) for item in hidden.children[0].children[1].children] == [
        "(Constant int)",
        "(Constant float)",
        "(Constant str)",
        "(Constant bytes)",
        "(Constant None)",
        "(Constant True)",
    ]


def test_files_take_the_options(tmp_path: Path) -> None:
    """A name is a file's own wherever in the file it is declared."""
    path = tmp_path / "sums.py"
    path.write_text(f"LIMIT = 3\n{PYTHON}\ndef g():\n    return total(LIMIT)\n")
    _, second = tk.read(path, each="function", names="foreign", literals=False)
    assert str(second) == "(FunctionDef arguments (Return (Call Name Name)))"
    pytest.importorskip("tree_sitter_java")
    path = tmp_path / "Sum.java"
    path.write_text(JAVA)
    (whole,) = tk.read(path, names="none", literals=False)
    assert whole == java(JAVA, names="none", literals=False)
    (function,) = tk.read(path, each="function", names="foreign", operators=False)
    assert function.label == "method_declaration"
