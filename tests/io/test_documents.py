"""JSON, YAML, TOML and formulas: what of a document becomes a tree, and errors."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest

import treekernels as tk
from treekernels import readers

TEXT = '{"b": [1.50, "x y"], "a": {"c": null, "d": true}}'


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, r"({} (b ([] 1.50 x\x20y)) (a ({} (c null) (d true))))"),
        ({"values": False}, "({} (b []) (a ({} c d)))"),
        ({"values": "none"}, "({} (b []) (a ({} c d)))"),
        ({"values": "words"}, "({} (b ([] 1.50 x y)) (a ({} (c null) (d true))))"),
        ({"values": "types"}, "({} (b ([] number string)) (a ({} (c null) (d boolean))))"),
        ({"keys": "sorted"}, r"({} (a ({} (c null) (d true))) (b ([] 1.50 x\x20y)))"),
        ({"keys": False}, r"({} ([] 1.50 x\x20y) ({} null true))"),
    ],
)
def test_keys_and_values(options: dict[str, object], expected: str) -> None:
    assert str(readers.from_json_string(TEXT, **options)) == expected
    assert str(readers.from_yaml_string(TEXT, **options)) == expected
    text = "b = [1.5, 'x y']\n[a]\nc = 'null'\nd = true"
    if options != {"values": "types"}:
        assert str(readers.from_toml_string(text, **options)) == expected.replace("1.50", "1.5")


def test_unknown_keys_and_values() -> None:
    with pytest.raises(tk.ParameterError, match="values must be 'all', 'words', 'types' or 'none'"):
        readers.from_json({}, values="x")  # type: ignore[arg-type]
    with pytest.raises(tk.ParameterError, match="keys must be"):
        readers.from_json({}, keys="x")  # type: ignore[arg-type]


def test_types_of_python_values() -> None:
    value = [datetime.date(2001, 2, 3), 1, 2.5, None, True, "x"]
    assert str(readers.from_json(value)) == "([] 2001-02-03 1 2.5 null true x)"
    kinds = "date number number null boolean string"
    assert str(readers.from_json(value, values="types")) == f"([] {kinds})"


def test_documents_that_hold_themselves() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(tk.DataError, match="below itself"):
        readers.from_json(value)
    with pytest.raises(tk.DataError, match="below itself"):
        readers.from_yaml_string("a: &x [*x]")


def test_arrays_of_documents(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"data": {"rows": [\n {"a":1},\n\n 2]}}')
    table = tk.read(path, each="data.rows", origin=True)
    assert table["tree"].to_brackets() == ["({} (a 1))", "(2)"]
    assert table["line"].tolist() == [2, 4]
    for each in ("x", "data", "data.rows.x", "items"):
        with pytest.raises(tk.ParseError, match="there is no such array") as caught:
            tk.read(path, each=each)
        assert caught.value.source == str(path)
    path.write_text("[[1], 2]")
    assert tk.read(path, each="items").to_brackets() == ["([] 1)", "(2)"]
    (tmp_path / "a.toml").write_text("[[row]]\na = 1\n[[row]]\na = 2")
    rows = tk.read(tmp_path / "a.toml", each="row")
    assert rows.to_brackets() == ["({} (a 1))", "({} (a 2))"]


def test_yaml_files(tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    path.write_text("a: &x {b: yes}\nc: *x\n---\n- 1\n- ? [k]\n  : 'q'\n---\n{\n")
    problems: list[tk.ParseError] = []
    table = tk.read(path, origin=True, skip_bad=True, problems=problems)
    assert table["tree"].to_brackets() == [
        "({} (a ({} (b yes))) (c ({} (b yes))))",
        "([] 1 ({} (? q)))",
    ]
    assert table["line"].tolist() == [1, 3]
    assert problems[0].line >= 8


@pytest.mark.parametrize(
    ("read", "text", "line", "column"),
    [
        (readers.from_yaml_string, "a: [1,\n b: }", 2, 5),
        (readers.from_yaml_string, "a: *y", 1, 4),
        (readers.from_yaml_string, "a:\n  \x00", 2, 3),
        (readers.from_toml_string, "\na = \n", 2, 5),
        (readers.from_toml_string, "a = '", 1, None),
        (readers.from_toml_string, "a=" + "[" * 100_000, 1, None),
        (readers.from_mathml, "<math>\n&alpha;</math>", 2, 1),
        (readers.from_latex, r"\left( a", 1, None),
        (readers.from_latex, "{" * 20_000, 1, None),
        (readers.from_json_string, '{"a":\n1', 2, 2),
    ],
)
def test_what_is_wrong_and_where(
    read: Callable[[str], tk.Tree], text: str, line: int, column: int | None
) -> None:
    with pytest.raises(tk.ParseError) as caught:
        read(text)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_small_file_of_huge_trees() -> None:
    lines = ["a0: &a0 [x,x,x,x]"]
    lines += [f"a{n}: &a{n} [*a{n - 1},*a{n - 1},*a{n - 1},*a{n - 1}]" for n in range(1, 12)]
    before = tk.set_limits(unfolded_nodes=1000, library_depth=1000)
    try:
        with pytest.raises(tk.DataError, match="more than 1,000 nodes"):
            readers.from_yaml_string("\n".join(lines))
        with pytest.raises(tk.DataError, match="levels"):
            readers.from_yaml_string("[" * 2_000)
    finally:
        tk.set_limits(before)


def test_settings_beside_programs_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1")
    (tmp_path / "pyproject.toml").write_text("x = 1")
    assert tk.read(tmp_path)["tree"].to_brackets() == ["(Module (Assign (Name x) (Constant 1)))"]


def test_formulas(tmp_path: Path) -> None:
    path = tmp_path / "a.latex"
    path.write_text("$a$\n\n\\left(\n\\[ b^2 \\]\n")
    problems: list[tk.ParseError] = []
    table = tk.read(path, origin=True, skip_bad=True, problems=problems)
    assert table["tree"].to_brackets() == ["(math (mi a))", "(math (msup (mi b) (mn 2)))"]
    assert table["line"].tolist() == [1, 4]
    assert [problem.line for problem in problems] == [3]
    math = (
        '<x>\n<math xmlns="http://www.w3.org/1998/Math/MathML" id="y"><semantics><mrow><mi>a</mi>'
        "</mrow><annotation>q</annotation></semantics></math></x>"
    )
    (tmp_path / "a.mml").write_text(math)
    table = tk.read(tmp_path / "a.mml", origin=True)
    assert table["tree"].to_brackets() == ["(math (mi a))"]
    assert table["line"].tolist() == [2]


def test_attributes_by_name() -> None:
    page = '<a id="1" class="q p q" href="x y"><b class=" "/></a>'
    chosen = readers.from_xml_string(page, attributes=["class", "id"])
    assert str(chosen) == r"(a (@id 1) (@class q\x20p\x20q) (b (@class \x20)))"
    assert readers.from_xml_string(page, attributes="class, id") == chosen
    assert str(readers.from_xml_string(page, attributes=[])) == "(a b)"
    words = readers.from_xml_string(page, tokens=True)
    assert str(words) == "(a (@id 1) (@class p q) (@href x y) (b @class))"
    for wrong in (3, ["class", 3], [""]):
        with pytest.raises(tk.ParameterError, match="attributes is"):
            readers.from_xml_string(page, attributes=wrong)  # type: ignore[arg-type]
