"""Python code as trees, against the same by definition."""

from __future__ import annotations

import ast
import gc
import textwrap
from pathlib import Path
from typing import Any

import pytest

import treekernels as tk
from oracles.python_syntax import syntax_tree
from treekernels.io.reading.code.detail import CodeDetail

CODE = textwrap.dedent(
    """
    from __future__ import annotations
    import a.b as c, d
    from . import e

    @d.cache
    async def f(x: int, /, *rest, y=1, **more) -> None:
        "doc é"
        global g
        async with x as z, y:
            await z
        async for i in [k async for k in x if k]:
            yield i, -i, not i, i if i else ~i
        def inner(q=lambda: ...):
            nonlocal x
            return f"{q!r:>{10}} {x}", b"\\0", "", "\\0", 1j, 2.5, True, None, "\\ud800"
        return

    class C(B, metaclass=M):
        a: int = 3
        b, *c = 1, 2
        def m(self):
            try:
                self.x[1:2, ::3] += 1
            except (A, B) as error:
                raise X from error
            else:
                del self.y
            finally:
                pass
            while a < b <= c is not d:
                break
            match a:
                case {"k": [1, *_], **r} | None if r:
                    pass
                case C(x=0) as y:
                    pass
                case -1 | "t":
                    pass
            return {**a, "b": {1, 2}, **{x: y for x in y}}
    """
)


@pytest.mark.parametrize("fields", [False, True])
@pytest.mark.parametrize("names", ["all", "foreign", "none"])
@pytest.mark.parametrize("literals", [False, True])
def test_trees_are_those_of_the_definition(fields: bool, names: Any, literals: bool) -> None:
    for text in (CODE, Path(textwrap.__file__).read_text("utf-8")):
        module = ast.parse(text)
        declared = {
            node.id
            for node in ast.walk(module)
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        }
        declared |= {node.arg for node in ast.walk(module) if isinstance(node, ast.arg)}
        declared |= {
            node.name
            for node in ast.walk(module)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        }
        declared |= {
            node.attr
            for node in ast.walk(module)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        }
        detail = CodeDetail(names, literals, declared)
        expected = tk.Forest.from_trees([syntax_tree(module, fields, detail)])
        options = {"fields": fields, "names": names, "literals": literals}
        assert [tk.readers.from_ast(module, **options)] == list(expected)


@pytest.mark.parametrize("each", ["function", "class"])
def test_one_pass_finds_all_pieces(each: Any, tmp_path: Path) -> None:
    """Those in others too, in the order of the file, with all that is known of them."""
    (tmp_path / "code.py").write_text(CODE)
    table = tk.read(tmp_path / "code.py", each=each, origin=True)
    kinds = (ast.ClassDef,) if each == "class" else (ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for node in ast.walk(ast.parse(CODE)) if isinstance(node, kinds)]
    nodes.sort(key=lambda node: node.lineno)
    assert table["name"].tolist() == [node.name for node in nodes]
    assert table["line"].tolist() == [node.lineno for node in nodes]
    assert table["last_line"].tolist() == [node.end_lineno for node in nodes]
    expected = [syntax_tree(node, False, CodeDetail()) for node in nodes]
    assert list(table["tree"]) == list(tk.Forest.from_trees(expected))


def test_a_node_of_the_kind_of_the_root_is_no_root_of_its_own() -> None:
    node = ast.parse("f(g(h()))", mode="eval").body
    assert str(tk.readers.from_ast(node)) == "(Call (Name f) (Call (Name g) (Call (Name h))))"


def test_depth_is_limited_and_garbage_is_collected_again() -> None:
    deep: ast.expr = ast.Name("x", ast.Load())
    for _ in range(20_000):
        deep = ast.UnaryOp(ast.Not(), deep)
    with pytest.raises(tk.errors.DataError, match="nested in more than"):
        tk.readers.from_ast(deep)
    while isinstance(deep, ast.UnaryOp):  # piece by piece: Python would free it by recursion
        deep = deep.operand
    tk.readers.from_python_source("x = 1")
    assert gc.isenabled()
