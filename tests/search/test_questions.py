"""Questions of editors and agents, through the client of the package that defines the protocol."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from treekernels.search.duplicates.files.choice import FileChoice
from treekernels.search.duplicates.mcp_server import mcp_server
from treekernels.search.duplicates.piece_index import PieceIndex
from treekernels.search.duplicates.questions import Repository

mcp = pytest.importorskip("mcp")
pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
    pytest.mark.parallel_threads(1),
]

TOTAL = """
def total(values):
    result = 0
    for value in values:
        if value > 0:
            result = result + value * 2
        else:
            result = result - value
    return result
"""
OTHER = "def lines(text, mark):\n    return [part.strip() for part in text.split(mark) if part]\n"


def git(*arguments: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "code"
    folder.mkdir()
    (tmp_path / "secret.py").write_text(TOTAL.replace("total", "secret"))
    (folder / "link.py").symlink_to(tmp_path / "secret.py")
    (folder / "--output=x.py").write_text(TOTAL + OTHER)
    monkeypatch.chdir(folder)
    git("init", "-q")
    git("add", "--", ".")
    git("commit", "-qm", "first")
    return folder


async def session(folder: Path) -> list[Any]:
    answers = []
    index = PieceIndex(None, 0.8, 20, {})
    file = str(folder.parent / "kept.tki")
    server = mcp_server(Repository(["."], index, FileChoice(), file=file))
    async with mcp.Client(server) as client:

        async def ask(tool: str, **arguments: Any) -> Any:
            answer = await client.call_tool(tool, arguments)
            answers.append(answer)
            return answer.structured_content

        assert {tool.name for tool in (await client.list_tools()).tools} == {
            "find_similar",
            "find_copies_in_change",
        }
        renamed = TOTAL.replace("total", "add_up").replace("* 2", "* 3")
        found = await ask("find_similar", code=renamed + OTHER.replace("lines", "split"))
        assert [piece["name"] for piece in found["pieces"]] == ["add_up", "split"]
        (total,) = found["pieces"][0]["similar"]
        assert (total["file"], total["name"], total["first_line"]) == ("--output=x.py", "total", 2)
        assert total["last_line"] == 9
        assert 0.6 < total["similarity"] < 1
        assert total["shared"] == "lines 3-5, 7-9"

        assert (await ask("find_copies_in_change"))["pieces"] == []
        (folder / "new \n.py").write_text(TOTAL.replace("total", "copied"))
        changed = await ask("find_copies_in_change", since="HEAD")
        (copied,) = changed["pieces"]
        assert copied["file"] == "new ␊.py"
        assert [place["name"] for place in copied["similar"]] == ["total"]
        assert copied["similar"][0]["shared"] == "lines 3-9"

        assert len((await ask("find_similar", code=TOTAL, limit=1))["pieces"][0]["similar"]) == 1
        assert (await ask("find_similar", code=TOTAL, threshold=1.1))["pieces"] == []
        part = await ask("find_similar", code="    if a:\n        b(a, c[0])\n", threshold=0)
        assert part["pieces"][0]["name"] == ""
        assert "too small" in (await ask("find_similar", code="x = 1"))["summary"]
        for tool, arguments, sentence in [
            ("find_copies_in_change", {"since": "--output=spoiled"}, "none begins with a dash"),
            ("find_similar", {"code": "def f(:"}, "column"),
            ("find_similar", {"code": "a", "file_name": "/etc/passwd"}, "which language"),
            ("find_similar", {"code": "a" * 200_001}, "a part of it"),
        ]:
            await ask(tool, **arguments)
            assert answers[-1].is_error
            assert sentence in answers[-1].content[0].text
    return answers


def test_a_session(repository: Path) -> None:
    import anyio

    answers = anyio.run(session, repository)
    assert not any("secret" in str(answer) for answer in answers)
    assert not (repository / "spoiled").exists()
    again = PieceIndex(None, 0.8, 20, {})
    assert again.load(repository.parent / "kept.tki")
    assert [piece.name for piece in again.pieces()[0]] == ["total", "lines", "copied"]


def test_answers_are_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(30):
        Path(f"{number}.py").write_text(TOTAL.replace("total", "x" * 500 + str(number)))
    repository = Repository(["."], PieceIndex(None, 0.8, 20, {}), FileChoice())
    answer = repository.similar_to(TOTAL * 30, most=1000)
    assert len(answer.pieces) == 10
    assert {len(piece.similar) for piece in answer.pieces} == {20}
    assert "30 pieces compared with the 30" in answer.summary
    assert max(len(place.name) for piece in answer.pieces for place in piece.similar) == 200
