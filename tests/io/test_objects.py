"""Objects of any kind as trees: by functions, by names, and those of other packages."""

from __future__ import annotations

import ast
import dataclasses
import enum
import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

import pytest

import treekernels as tk


class Step:
    def __init__(self, name: Any, *steps: Any) -> None:
        self.name = name
        self.steps = steps

    def title(self) -> str:
        return f"<{self.name}>"


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Point:
    x: int
    below: Any


PLAN = Step("join", Step("scan", "users"), None, Step(2), Step(Colour.RED))


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("name", "(join (scan users) 2 RED)"),
        (lambda step: str(step.name)[:1], "(j (s users) 2 C)"),
        ("title", "(<join> (<scan> users) <2> <Colour.RED>)"),
    ],
)
def test_functions_and_names(label: Any, expected: str) -> None:
    assert str(tk.from_objects([PLAN], label, "steps")) == expected
    assert str(tk.from_objects([PLAN], label, lambda step: iter(step.steps))) == expected


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (Point(1, [Point(2, None), Colour.RED]), "(Point (x 1) (below ([] ({}) RED)))"),
        ({"a": [1, {"b": None}], "c": True}, "({} (a ([] 1 ({} (b null)))) (c true))"),
        (("S", ("A", "b"), ["C"]), "(S (A b) C)"),
        (tk.Forest(["(A (B b) c)"])[0], "(A (B b) c)"),
        (ast.parse("x = 1"), "(Module (Assign (Name x) (Constant 1)))"),
        (ElementTree.fromstring("<a x='1'>t<b/></a>"), "(a (@x 1) (#text t) b)"),
    ],
)
def test_known_kinds(root: Any, expected: str) -> None:
    expected = expected.replace("({})", "(Point (x 2) (below null))")
    assert str(tk.from_objects([root])) == expected


def test_packages() -> None:
    anytree = pytest.importorskip("anytree")
    root = anytree.Node("r", weight=1)
    anytree.Node("k", parent=root, weight=2)
    assert str(tk.from_objects([root])) == "(r k)"
    assert str(tk.from_objects([root], label="weight")) == "(1 2)"
    bs4 = pytest.importorskip("bs4")
    page = "<html><!-- c --><p class='a b' id=x>hi <b>you</b></p></html>"
    soup = bs4.BeautifulSoup(page, "html.parser")
    expected = r"(html (p (@class a\x20b) (@id x) (#text hi) (b (#text you))))"
    assert str(tk.from_objects([soup])) == expected
    etree = pytest.importorskip("lxml.etree")
    assert str(tk.from_objects([etree.fromstring("<a x='1'/>")])) == "(a (@x 1))"


def test_graphs() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph([("a", "b"), ("a", 7), (7, "d"), ("b", "d")])
    graph.nodes["b"].update(label="B", weight=2.5)
    assert str(tk.from_objects([graph])) == "(a (B d) (7 d))"
    assert str(tk.from_objects([graph], label=repr)) == "('a' ('b' 'd') (7 'd'))"
    for wrong, reason in [
        (graph.to_undirected(), "has no root"),
        (networkx.DiGraph([(1, 2), (2, 1)]), "this graph has 0"),
        (networkx.DiGraph([(1, 2), (3, 4)]), "this graph has 2"),
    ]:
        with pytest.raises(tk.DataError, match=reason):
            tk.from_objects([wrong])
    graph.add_edges_from([("d", "e"), ("e", 7)])
    with pytest.raises(tk.DataError, match="a circle of edges"):
        tk.from_objects([graph])


@pytest.mark.parametrize("package", ["bigtree", "ete3", "ete4"])
def test_packages_are_known_by_their_names(package: str) -> None:
    base = type("Node", (), {"__module__": f"{package}.node.node"})
    root, leaf = type("Own", (base,), {})(), base()
    vars(root).update(name="r", children=(None, leaf))
    vars(leaf).update(name=1, children=[])
    assert str(tk.from_objects([root])) == "(r 1)"


def test_depth_has_no_limit() -> None:
    step = Step("x")
    for _ in range(10_000):
        step = Step("y", step)
    assert tk.from_objects([step], "name", "steps")[0].depth == 10_001


LOOP = Step("x")
LOOP.steps = (LOOP,)


@pytest.mark.parametrize(
    ("roots", "label", "children", "reason"),
    [
        ([LOOP], "name", "steps", "tree 1: an object is below itself"),
        ([PLAN], "nope", "steps", "type Step has no attribute 'nope'"),
        ([PLAN], "name", "name", "the children of a node are 'join', of type str"),
        ([PLAN], "steps", "steps", "the label of a node is .*: it must be a text or a number"),
        ([PLAN], 3, None, "label is 3, and may be"),
        ([PLAN, object()], "name", "steps", "tree 2: .* no attribute 'name'"),
        ([object()], None, None, "builtins.object is not of a kind that is known: say with label="),
        ([None], None, None, "tree 1 is missing"),
        ("abc", "upper", "split", "a list of roots was expected"),
        (PLAN, "name", "steps", "a list of roots was expected"),
        (("S", {1: object()}), None, None, "not of a kind"),
    ],
)
def test_what_is_no_tree(roots: Any, label: Any, children: Any, reason: str) -> None:
    with pytest.raises(tk.TreeKernelsError, match=reason):
        tk.from_objects(roots, label, children)


def test_shared_objects_do_not_fill_the_memory() -> None:
    step = Step("x")
    for _ in range(60):
        step = Step("y", step, step)
    before = tk.set_limits(unfolded_nodes=1000)
    try:
        with pytest.raises(tk.DataError, match="more than 1,000 nodes"):
            tk.from_objects([step], "name", "steps")
    finally:
        tk.set_limits(before)


def test_nothing_else_is_imported() -> None:
    packages = ["anytree", "bs4", "libcst", "lxml", "networkx", "sqlglot", "tree_sitter", "yaml"]
    code = (
        "import sys, treekernels as tk\n"
        "tk.from_objects([('a', 'b'), {'c': 1}])\n"
        f"print([name for name in {packages} if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
