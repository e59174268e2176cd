"""The floor plan holds: imports and includes point down only, and there are no cycles.

Imports inside functions and for type checkers count as well. `docs/architecture.md` draws the same
plan; a test compares the two.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "treekernels"
CORE = ROOT / "cpp"

# From the ground up. Rooms on one floor do not know each other.
PYTHON_FLOORS = (
    ("_native", "errors"),
    ("common", "drawing"),
    ("data",),
    ("io", "linguistics"),
    ("structures", "kernels"),
    ("distance",),
    ("metrics",),
    ("learners",),
    ("embeddings",),
    ("explanation", "persistence"),
    ("search",),
    ("plots", "testing", "cluster"),
    ("report", "explorer"),
    ("readers", "writers", "dask"),  # public names of rooms below
    ("",),  # the package itself, with its public names
    ("demo",),
    ("cli",),
    ("__main__",),
)
CPP_FLOORS = (
    ("core",),
    ("gram", "models", "structures", "explanation"),
    ("kernels",),
    ("learners", "embedding", "search", "distance"),
    ("bind", "fuzz", "tests"),
)

# Attributes with an underscore that other modules may use, and why.
OPEN_PRIVATES = {
    "_replace": "of a named tuple, where the underscore only keeps it apart from the fields",
    "_asdict": "of a named tuple",
    "_state": "of learners: persistence is the other half of them, and users have no use for it",
    "_restore": "the same",
    "_": "of a sentence of spaCy, where extensions such as benepar put what they find",
    "_init_callback_context": "of scikit-learn, which documents it for estimators with callbacks",
}


@cache
def _modules() -> dict[str, Path]:
    modules = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


def _imported(path: Path, modules: dict[str, Path]) -> Iterator[str]:
    """Yield the modules of the package that a file imports, wherever it does."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "treekernels":
                    yield alias.name.partition(".")[2]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            top, _, module = (node.module or "").partition(".")
            if top != "treekernels":
                continue
            for alias in node.names:
                inner = f"{module}.{alias.name}".strip(".")
                yield inner if inner in modules or inner == "_native" else module


@cache
def _python_imports() -> dict[str, set[str]]:
    modules = _modules()
    return {
        name: set(_imported(path, modules)) - {name} for name, path in modules.items() if name != ""
    }


@cache
def _includes() -> dict[str, set[str]]:
    graph = {}
    for path in [*CORE.rglob("*.cpp"), *CORE.rglob("*.hpp")]:
        included = re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)
        graph[path.relative_to(CORE).as_posix()] = set(included)
    return graph


def _upward(
    graph: dict[str, set[str]], floors: tuple[tuple[str, ...], ...], separator: str
) -> list[str]:
    """List what points up, or from one room to another on the same floor."""
    height = {room: floor for floor, rooms in enumerate(floors) for room in rooms}
    wrong = []
    for name, others in sorted(graph.items()):
        for other in sorted(others):
            room, below = name.partition(separator)[0], other.partition(separator)[0]
            if room != below and height[room] <= height[below]:
                wrong.append(f"{name} -> {other}")
    return wrong


def _cycles(graph: dict[str, set[str]]) -> list[str]:
    """List what is still there when all that needs nothing else has been taken away."""
    left = {name: {other for other in others if other in graph} for name, others in graph.items()}
    while free := [name for name, others in left.items() if not others]:
        for name in free:
            del left[name]
        for others in left.values():
            others.difference_update(free)
    return sorted(left)


@cache
def _foreign_privates(source: str) -> list[str]:
    """List the private names of others that a module uses: ``x._name``, or imported ones.

    Those of ``self`` and ``cls`` are its own or inherited, and so are those that it defines.
    """
    tree = ast.parse(source)
    own = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            own.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.add(node.id)  # fields of classes too
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and ast.unparse(node.value) in ("self", "cls")
        ):
            own.add(node.attr)
    foreign = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_private(node.attr):
            of = ast.unparse(node.value)
            if of not in ("self", "cls", "super()") and node.attr not in own:
                foreign.append(f"{of}.{node.attr}")
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names if _is_private(alias.name)]
            foreign += [f"{node.module}.{name}" for name in names if name != "_native"]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr"):
            name = node.args[1].value if isinstance(node.args[1], ast.Constant) else ""
            if _is_private(str(name)) and name not in own:
                foreign.append(f"{ast.unparse(node.args[0])}.{name}")
    return foreign


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def test_nobody_reads_the_privates_of_another() -> None:
    wrong = []
    for name, path in sorted(_modules().items()):
        for private in _foreign_privates(path.read_text()):
            if private.rpartition(".")[2] not in OPEN_PRIVATES:
                wrong.append(f"{name}: {private}")
    assert not wrong


def test_every_open_private_is_in_use() -> None:
    sources = [path.read_text() for path in _modules().values()]
    used = {name.rpartition(".")[2] for text in sources for name in _foreign_privates(text)}
    assert set(OPEN_PRIVATES) <= used


def test_a_foreign_private_is_noticed() -> None:
    assert _foreign_privates("def f(model):\n    return model._support.X") == ["model._support"]
    assert _foreign_privates("a.b()._c = 1") == ["a.b()._c"]
    assert _foreign_privates("getattr(model, '_model')") == ["model._model"]
    assert _foreign_privates("from treekernels.data.forest import _refuse") == [
        "treekernels.data.forest._refuse"
    ]
    own = """
class A:
    _kept: int
    def __init__(self, other):
        self._dag = other._dag + other._kept + super()._inherited + self._anything
        other.__class__
from treekernels import _native
"""
    assert _foreign_privates(own) == []


def test_python_imports_point_down() -> None:
    assert not _upward(_python_imports(), PYTHON_FLOORS, ".")


def test_python_modules_have_no_cycles() -> None:
    assert not _cycles(_python_imports())


def test_includes_point_down() -> None:
    assert not _upward(_includes(), CPP_FLOORS, "/")


def test_included_files_have_no_cycles_and_exist() -> None:
    graph = _includes()
    assert not _cycles(graph)
    assert {other for others in graph.values() for other in others} <= set(graph)


def _types(source: str) -> list[str]:
    """List the types that a file of the core defines for all others to see."""
    source = re.sub(r"^namespace \{$.*?^\}  // namespace$", "", source, flags=re.S | re.M)
    return re.findall(
        r"^(?:struct|class|enum class) (\w+)(?: final)?(?: :[^;]*?)? \{", source, re.M
    )


def test_no_two_types_of_the_core_have_one_name() -> None:
    """The linker would take the functions of one for those of the other."""
    seen: dict[str, list[str]] = {}
    for path in [*CORE.rglob("*.cpp"), *CORE.rglob("*.hpp")]:
        for name in _types(path.read_text()):
            seen.setdefault(name, []).append(path.relative_to(CORE).as_posix())
    assert len(seen) > 100
    assert {name: files for name, files in seen.items() if len(files) > 1} == {}


def test_types_are_found() -> None:
    hidden = "namespace {\nstruct Own {\n};\n\n}  // namespace\nclass All final : public Base {\n"
    assert _types(f"struct Seen {{\n}};\nclass Later;\n{hidden}") == ["Seen", "All"]


def test_kernels_do_not_know_each_other() -> None:
    """One folder is one kernel; only the sentence pairs, which compare subset trees, look aside."""
    aside = []
    for name, others in _includes().items():
        room = _kernel_of(name)
        if room is None:
            continue
        for other in others:
            there = _kernel_of(other)
            if there not in (None, room):
                aside.append((room, there))
    assert set(aside) <= {("kernels/tripartite", "kernels/subset")}


def _kernel_of(name: str) -> str | None:
    """Return the folder of the kernel that a file belongs to, at whatever depth."""
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] == "kernels" and len(parts) > 2 else None


def _drawn_floors(heading: str) -> tuple[tuple[str, ...], ...]:
    """Return the floors that the architecture page draws, from the ground up."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    drawing = page.split(f"## {heading}\n\n```\n")[1].split("```")[0]
    floors = []
    for line in reversed(drawing.strip().splitlines()):
        rooms = re.sub(r" \(.*?\)|: .*", "", line).split()
        floors.append(tuple("" if room == "treekernels" else room for room in rooms))
    return tuple(floors)


def test_the_architecture_page_draws_this_plan() -> None:
    python = _drawn_floors("Python rooms")
    assert [set(floor) for floor in python] == [set(floor) for floor in PYTHON_FLOORS]
    core = _drawn_floors("C++ rooms")
    assert [set(floor) for floor in core] == [set(floor) for floor in CPP_FLOORS]


def test_every_room_is_in_the_plan_and_described() -> None:
    rooms = {name.partition(".")[0] for name in _modules()} | {"_native"}
    assert rooms == {room for floor in PYTHON_FLOORS for room in floor}
    folders = {path.name for path in CORE.iterdir() if path.is_dir()}
    assert folders | {"tests"} == {room for floor in CPP_FLOORS for room in floor}
    page = (ROOT / "docs" / "architecture.md").read_text()
    for room in rooms - {"", "__main__"} | folders:
        assert f"**{room}**" in page, room
    kernels = re.search(r"^kernels: (.*)$", page, re.MULTILINE)
    assert kernels is not None
    there = sorted(path.name for path in (CORE / "kernels").iterdir() if path.is_dir())
    assert kernels[1].split() == there


@pytest.mark.parametrize("module", ["bind"])
def test_only_the_bindings_touch_python(module: str) -> None:
    for path in [*CORE.rglob("*.cpp"), *CORE.rglob("*.hpp")]:
        if path.relative_to(CORE).parts[0] != module:
            assert "nanobind" not in path.read_text(), path
