"""Which files are looked at: patterns as git reads them, what others wrote, and comments."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treekernels.search.duplicates.files.choice import LARGEST, FileChoice, LeftOut
from treekernels.search.duplicates.files.comments import switched_off
from treekernels.search.duplicates.files.ignore_patterns import IgnorePatterns
from treekernels.search.duplicates.pieces import Piece, read_pieces

FUNCTION = """def {name}(values):
    total = 0
    for value in values:
        total += value
    return total
"""

PARTS = st.sampled_from(["a", "b", "ab", "*", "?", "**", "a*", "[ab]", "[!a]", "*.b", "[b", r"\a"])
LINES = st.lists(
    st.builds(
        lambda no, root, parts, end: no + root + "/".join(parts) + end,
        st.sampled_from(["", "", "!"]),
        st.sampled_from(["", "", "/"]),
        st.lists(PARTS, min_size=1, max_size=3),
        st.sampled_from(["", "", "/"]),
    ),
    min_size=1,
    max_size=3,
)
NAMES = ["a", "b/a", "ab/b", "a.b", "b/ab/a", "b/b.b/ab", "ab/a/b/a.b"]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


@settings(max_examples=40, deadline=None)
@given(lines=LINES)
def test_patterns_mean_what_git_means(repository: Path, lines: list[str]) -> None:
    (repository / ".gitignore").write_text("\n".join(lines) + "\n")
    said = subprocess.run(
        ["git", "check-ignore", "--no-index", "--stdin", "-z"],
        input="\0".join(NAMES).encode(),
        cwd=repository,
        capture_output=True,
        check=False,
    ).stdout
    patterns = IgnorePatterns(lines)
    assert [name for name in NAMES if patterns.covers(name)] == said.decode().split("\0")[:-1]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / ".git" / "info").mkdir(parents=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("private.py\n")
    (tmp_path / ".gitignore").write_text("/out\n*.tmp.py\nkept.py\n")
    for name in (
        *("src/one.py", "src/two.py", "src/made_pb2.py", "src/x.tmp.py", "src/sub/deep.py"),
        *("src/private.py", "src/node_modules/lib.py", "src/env/lib.py", "out/three.py"),
        *("src/.hidden/h.py", "src/sub/kept.py"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(FUNCTION.format(name="f"))
    (tmp_path / "src" / "env" / "pyvenv.cfg").write_text("")
    (tmp_path / "src" / "sub" / ".gitignore").write_text("*\n!kept.py\n")
    return tmp_path


def names_of(folder: Path, choice: FileChoice | None = None) -> tuple[list[str], LeftOut]:
    found = read_pieces([str(folder)], choice=choice)
    names = [Path(piece.file).relative_to(folder).as_posix() for piece in found.pieces]
    return names, found.left_out


def test_what_is_left_out(tree: Path) -> None:
    names, left_out = names_of(tree / "src")
    assert names == ["one.py", "sub/kept.py", "two.py"]
    vendored, generated = left_out.vendored, left_out.generated
    assert [Path(name).name for name in vendored] == ["env", "node_modules"]
    assert [Path(name).name for name in generated] == ["made_pb2.py"]
    (sentence,) = left_out.sentences()
    assert sentence.startswith("Left out 2 vendored folders (")
    assert "and 1 generated file (" in sentence
    assert names_of(tree)[0] == ["src/one.py", "src/sub/kept.py", "src/two.py"]
    everything, left_out = names_of(tree, FileChoice(everything=True))
    assert len(everything) == 10
    assert left_out.sentences() == []


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_links_are_not_followed(tree: Path) -> None:
    before = names_of(tree / "src")[0]
    (tree / "src" / "link.py").symlink_to(tree / "out" / "three.py")
    (tree / "src" / "folder").symlink_to(tree / "out")
    assert names_of(tree / "src")[0] == before


def test_patterns_take_no_power_of_the_length_of_a_name() -> None:
    patterns = IgnorePatterns(["*a" * 30 + "*b", "**/a/" * 30 + "*b", "/".join(["*a*a*a"] * 20)])
    begin = time.process_time()
    assert patterns.verdict("a" * 255) is None
    assert patterns.verdict("/".join(["a" * 100] * 20)) is True
    assert patterns.verdict("/".join(["a"] * 2000)) is None
    assert time.process_time() - begin < 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
def test_patterns_in_links_and_pipes_are_none(tree: Path) -> None:
    before = names_of(tree)[0]
    (tree / "src" / "sub" / ".gitignore").unlink()
    os.mkfifo(tree / "src" / "sub" / ".gitignore")
    (tree / ".git" / "info" / "exclude").unlink()
    (tree / ".git" / "info" / "exclude").symlink_to("/dev/zero")
    os.mkfifo(tree / "src" / "pipe.py")
    after = names_of(tree)[0]
    assert set(before) < set(after) | {"src/sub/kept.py"}
    assert "src/private.py" in after


def test_large_files_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(FUNCTION.format(name="f"))
    (tmp_path / "large.py").write_text(FUNCTION.format(name="g") + "#" * LARGEST)
    (tmp_path / "packed.py.gz").write_bytes(gzip.compress(b"#" * (LARGEST + 1)))
    names, left_out = names_of(tmp_path)
    assert names == ["small.py"]
    (sentence,) = left_out.sentences()
    assert sentence.startswith("Left out 2 files of more than 2.0 MB (")
    assert names_of(tmp_path, FileChoice(everything=True))[0] == ["large.py", "small.py"]


def test_many_comments_take_linear_time() -> None:
    code = b"# treekernels: ignore\n" * 20_000 + b"def f(): pass\n" * 20_000
    places = [Piece("a.py", line, line, "f") for line in range(20_001, 40_001)]
    begin = time.process_time()
    assert switched_off(code, places) == {0}
    assert time.process_time() - begin < 5


def test_many_mistakes_take_linear_time(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(): return 1\n" * 10_000 + "def f(:\n")
    begin = time.process_time()
    found = read_pieces([str(tmp_path)], problems=[])
    assert time.process_time() - begin < 5
    assert [piece.first_line for piece in found.pieces] == list(range(1, 10_001))


def test_patterns_of_people(tree: Path) -> None:
    choice = FileChoice(exclude=["sub", "two.py"], base=tree)
    assert names_of(tree, choice)[0] == ["src/one.py"]
    choice = FileChoice(include=["/src/sub/**", "two.py"], base=tree)
    assert names_of(tree, choice)[0] == ["src/sub/kept.py", "src/two.py"]


def test_comments_switch_off(tmp_path: Path) -> None:
    (tmp_path / "off.py").write_text("# treekernels: ignore-file\n" + FUNCTION.format(name="f"))
    (tmp_path / "some.py").write_text(
        "# treekernels: ignore\n@cached\n"
        + FUNCTION.format(name="above")
        + FUNCTION.format(name="kept")
        + FUNCTION.format(name="inside").replace("total = 0", "total = 0  # treekernels: ignore")
        + "text = '# treekernels: ignored'\n"
    )
    found = read_pieces([str(tmp_path)])
    assert [piece.name for piece in found.pieces] == ["kept"]
    assert found.left_out.sentences() == ["3 pieces were switched off by comments."]


def test_a_comment_is_of_the_innermost_piece() -> None:
    code = b"def f():\n    def g():\n        pass  # treekernels: ignore\n    return g\n"
    assert switched_off(code, [Piece("a", 1, 4), Piece("a", 2, 3)]) == {1}


def test_mistakes_cost_the_function_that_they_are_in(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        FUNCTION.format(name="first")
        + "class C:\n    @property\n    def method(self):\n        return 1\n"
        + "    def wrong(self):\n        print 'x'\n"
        + "    async def last(self):\n        return 2\n"
        + "def broken(:\n    pass\n"
        + FUNCTION.format(name="final")
    )
    problems: list = []
    found = read_pieces([str(tmp_path)], problems=problems)
    assert [(piece.name, piece.first_line, piece.last_line) for piece in found.pieces] == [
        ("first", 1, 5),
        ("method", 8, 9),
        ("last", 12, 13),
        ("final", 16, 20),
    ]
    (problem,) = problems
    assert problem.line == 11
    assert "4 parts of the file" in problem.reason


def test_mistakes_in_other_languages(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter_javascript")
    (tmp_path / "bad.js").write_text(
        "function a() { return 1 + 2; }\nfunction b() { return = 3; }\nfunction c() { return 4; }\n"
    )
    (tmp_path / "x.go").write_text("package x\n")
    problems: list = []
    found = read_pieces([str(tmp_path)], problems=problems)
    assert [piece.name for piece in found.pieces] == ["a", "c"]
    assert "1 of 3 trees are left out" in problems[0].reason
    assert "pip install tree-sitter-go" in " ".join(found.left_out.sentences())
