"""treekernels duplicates as a build uses it: settings, baselines, revisions, forms of reports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from command_line import Run

FUNCTION = """
def {name}(values):
    total = 0
    for value in values:
        if value > 0:
            total = total + value * 2
        else:
            total = total - value
    return total
"""
OTHER = """
def {name}(text, mark):
    parts = [line.strip() for line in text.split(mark) if line]
    while parts and not parts[-1]:
        parts.pop()
    return mark.join(parts) + str(len(parts))
"""


def write(name: str, *functions: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text("\n".join(functions), encoding="utf-8")


@pytest.fixture(autouse=True)
def _code(run: Run) -> None:
    write("src/one.py", FUNCTION.format(name="first"))
    write("src/two.py", OTHER.format(name="parts"), FUNCTION.format(name="second"))


def git(*arguments: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)


def found(run: Run, *arguments: str) -> dict[str, Any]:
    done = run("duplicates", "--json", "-q", "--threshold", "0.8", *arguments)
    content: dict[str, Any] = json.loads(done.out)
    assert done.code == (1 if content["groups"] else 0)
    return content


def test_settings_of_a_project(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tomllib", reason="Python 3.10 has no reader of TOML")
    settings = tmp_path / "pyproject.toml"
    settings.write_text('[tool.treekernels]\nexclude = ["two.py"]\n')
    assert found(run)["trees"] == 1
    settings.write_text("[tool.treekernels.duplicates]\npaths = ['src/two.py']\nsmallest = 10\n")
    assert found(run)["trees"] == 2
    assert found(run, "--smallest", "30", "src/one.py")["trees"] == 1
    (tmp_path / "treekernels.toml").write_text('include = ["/src/one.py"]\n')
    monkeypatch.chdir(tmp_path / "src")
    assert found(run)["trees"] == 1
    (tmp_path / "treekernels.toml").write_text("treshold = 0.5\n")
    failed = run("duplicates")
    assert failed.code == 2
    assert "there is no setting 'treshold'" in failed.err
    (tmp_path / "treekernels.toml").write_text("exclude = 'x'\n")
    assert "exclude is a list" in run("duplicates").err
    (tmp_path / "treekernels.toml").write_text("= 3\n")
    assert "is not TOML" in run("duplicates").err


def test_settings_name_files_of_their_own_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tomllib", reason="Python 3.10 has no reader of TOML")
    code, settings = tmp_path / "src", tmp_path / "src" / "treekernels.toml"
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "one.py").write_text(FUNCTION.format(name="f"))
    (code / "link").symlink_to(outside)
    (code / ".git").mkdir()
    monkeypatch.chdir(code)
    for line in (
        'paths = ["../outside"]',
        'paths = ["link/one.py"]',
        f"paths = [{str(outside)!r}]",
        'index = "../outside/kept.tki"',
        'index = "link/kept.tki"',
        'baseline = ".git/config"',
        f'format = ["text={outside.as_posix()}/report.txt"]',
        'format = ["html=.git/hooks/pre-commit"]',
    ):
        settings.write_text(f"{line}\n")
        for command in (("duplicates",), ("serve", "--mcp")):
            if command[0] == "serve" and line.startswith(("baseline", "format")):
                continue  # which it does not have
            failed = run(*command)
            assert failed.code == 2, line
            assert "not in the folder of these settings" in failed.err, line
    assert [path.name for path in outside.iterdir()] == ["one.py"]
    settings.write_text(
        'paths = ["one.py"]\nformat = ["json=report.json"]\nexclude = ["/two.py"]\n'
    )
    (code / "sub").mkdir()
    monkeypatch.chdir(code / "sub")
    assert run("duplicates", "-q").code == 0
    assert json.loads((code / "report.json").read_text())["trees"] == 1


def test_baseline(run: Run, tmp_path: Path) -> None:
    common = ("duplicates", "-q", "--threshold", "0.8", "--baseline", "known.json")
    assert run(*common).code == 2  # there is none yet
    assert run(*common, "--update-baseline").code == 0
    known = run(*common)
    assert (known.code, known.out) == (
        0,
        "No new near-copies among 3 trees. 1 group was there before.\n",
    )
    write("src/zero.py", "x = 1\n" * 5, (tmp_path / "src" / "one.py").read_text())
    (tmp_path / "src" / "one.py").unlink()
    assert run(*common).code == 0  # it moved
    write("src/new.py", FUNCTION.format(name="third"))
    third = run(*common)
    assert third.code == 1
    assert third.out.count("(new)") == 1
    assert "new.py:2-9  third  (new)" in third.out
    for wrong in ("[]", "[" * 100_000, '{"version": 2, "files": {"a": 1}}', "\0"):
        (tmp_path / "known.json").write_text(wrong)
        assert "--update-baseline writes a new one" in run(*common).err
    assert "--baseline FILE" in run("duplicates", "--update-baseline").err


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_since_a_revision(run: Run, tmp_path: Path) -> None:
    write("--output=x.py", OTHER.format(name="odd"))
    git("init", "-q")
    git("add", "--", ".")
    git("commit", "-qm", "first")
    assert found(run, "--since", "HEAD")["groups"] == []
    git("mv", "--", "--output=x.py", "--output=y.py")  # moved, and as it was
    write("src/two.py", "x = 1\n", (tmp_path / "src" / "two.py").read_text())
    assert found(run, "--since", "HEAD")["groups"] == []
    write("new \n.py", FUNCTION.format(name="third"))
    (group,) = found(run, "--since", "HEAD")["groups"]
    assert [piece["name"] for piece in group["pieces"] if piece["new"]] == ["third"]
    assert len(group["pieces"]) == 3
    changed = (tmp_path / "--output=y.py").read_text().replace("str(len(parts))", "str(1)")
    (tmp_path / "--output=y.py").write_text(changed)
    groups = found(run, "--since", "HEAD")["groups"]
    assert sorted(p["name"] for g in groups for p in g["pieces"] if p["new"]) == ["odd", "third"]
    for wrong in ("--output=spoiled", "-x", "nothing", "HEAD:src"):
        failed = run("duplicates", f"--since={wrong}")
        assert failed.code == 2, wrong
        assert "revision" in failed.err
    assert not (tmp_path / "spoiled").exists()


@pytest.mark.skipif(os.name == "nt" or shutil.which("git") is None, reason="needs git and a shell")
def test_no_program_of_the_repository_runs(run: Run, tmp_path: Path) -> None:
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    program = tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    for name in (
        *("core.fsmonitor", "diff.external", "diff.x.command", "diff.x.textconv"),
        *("filter.x.clean", "filter.y=z .clean", "core.pager", "core.sshCommand"),
    ):
        git("config", name, str(program))
    git("config", "filter.y=z .required", "true")
    hook = tmp_path / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(program.read_text())
    hook.chmod(0o755)
    (tmp_path / ".gitattributes").write_text("*.py diff=x filter=x\n")
    write("src/one.py", FUNCTION.format(name="again"))
    assert len(found(run, "--since", "HEAD")["groups"]) == 1
    git("config", "filter.x.process", str(program))
    assert len(found(run, "--since", "HEAD")["groups"]) == 1
    assert not (tmp_path / "ran").exists()
    subprocess.run(["git", "diff"], capture_output=True, check=False)
    assert (tmp_path / "ran").exists()  # as it would without our care


@pytest.mark.skipif(os.name == "nt" or shutil.which("git") is None, reason="needs git and a shell")
def test_what_a_partial_clone_lacks_is_not_fetched(run: Run, tmp_path: Path) -> None:
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    program = tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n")
    program.chmod(0o755)
    for name, value in (
        *(("remote.origin.url", "ssh://host/x"), ("remote.origin.promisor", "true")),
        *(("core.sshCommand", str(program)), ("extensions.partialClone", "origin")),
    ):
        git("config", name, value)
    git("config", "core.repositoryFormatVersion", "1")
    blobs = subprocess.run(["git", "rev-parse", "HEAD:src/one.py"], capture_output=True, check=True)
    name = blobs.stdout.decode().strip()
    (tmp_path / ".git" / "objects" / name[:2] / name[2:]).unlink()
    write("src/one.py", FUNCTION.format(name="again"))
    failed = run("duplicates", "--since", "HEAD")
    assert failed.code == 2
    assert "git says" in failed.err
    assert not (tmp_path / "ran").exists()
    subprocess.run(["git", "diff"], capture_output=True, check=False)
    assert (tmp_path / "ran").exists()  # as it would without our care


def test_forms(run: Run, tmp_path: Path) -> None:
    forms = ("sarif", "gitlab", "markdown", "html", "json", "text")
    files = [text for form in forms for text in ("--format", f"{form}=report.{form}")]
    done = run("duplicates", "--threshold", "0.8", "--format", "github", *files, "-q")
    assert done.code == 1
    first, second, notice = done.out.splitlines()
    assert first.startswith("::warning file=src/one.py,line=2,endLine=9,title=Near-copy%3A first::")
    assert "src/one.py:2-9 first" in second
    assert notice.startswith("::notice title=Near-copies::1 group of near-copies")
    assert "- src/one" in (tmp_path / "report.markdown").read_text()
    assert "+ def second(values):" in (tmp_path / "report.text").read_text()
    issues = json.loads((tmp_path / "report.gitlab").read_text())
    assert [issue["location"]["path"] for issue in issues] == ["src/one.py", "src/two.py"]
    assert len({issue["fingerprint"] for issue in issues}) == 2
    assert all(
        {"description", "check_name", "fingerprint", "severity", "location"} <= set(issue)
        for issue in issues
    )
    assert run("duplicates", "--format", "pdf").code == 2
    assert "give the others a file" in run("duplicates", "--format", "github", "--json").err


def check_sarif(content: dict[str, Any]) -> None:
    """Check what the schema of SARIF 2.1.0 says, and what it cannot say."""
    sarif = pytest.importorskip("sarif_pydantic", reason="it has the types of the schema")
    sarif.Sarif.model_validate(content)
    assert content["version"] == "2.1.0"
    (sarif_run,) = content["runs"]
    driver = sarif_run["tool"]["driver"]
    assert isinstance(driver["name"], str)
    assert sarif_run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    ids = [rule["id"] for rule in driver["rules"]]
    for name, base in sarif_run["originalUriBaseIds"].items():
        assert base["uri"].endswith("/"), name
    for result in sarif_run["results"]:
        assert result["ruleId"] == ids[result["ruleIndex"]]
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
        assert result.get("baselineState", "new") in ("new", "unchanged", "updated", "absent")
        numbers = [place["id"] for place in result["relatedLocations"]]
        assert len(set(numbers)) == len(numbers)
        for place in [*result["locations"], *result["relatedLocations"]]:
            physical = place["physicalLocation"]
            assert physical["artifactLocation"]["uriBaseId"] in sarif_run["originalUriBaseIds"]
            assert not physical["artifactLocation"]["uri"].startswith(("/", "file:"))
            assert 1 <= physical["region"]["startLine"] <= physical["region"]["endLine"]


def test_sarif(run: Run, tmp_path: Path) -> None:
    write("src/thr ee.py", FUNCTION.format(name="third"), FUNCTION.format(name="third"))
    common = ("duplicates", "--threshold", "0.8", "-q", "--format", "sarif=out.sarif")
    run(*common)
    content = json.loads((tmp_path / "out.sarif").read_text())
    check_sarif(content)
    results = content["runs"][0]["results"]
    uris = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results]
    assert uris == ["src/one.py", "src/thr%20ee.py", "src/thr%20ee.py", "src/two.py"]
    prints = [result["partialFingerprints"]["treekernelsTree/v1"] for result in results]
    assert len(set(prints)) == 4
    write("src/one.py", "y = 2\n", FUNCTION.format(name="first"))
    run(*common)
    moved = json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["results"]
    assert [result["partialFingerprints"]["treekernelsTree/v1"] for result in moved] == prints
