"""What a release needs fits together: versions, workflows, forms, configurations, Makefile."""

from __future__ import annotations

import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import conftest
import treekernels as tk

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def parsed(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def steps(workflow: Path) -> list[dict[str, Any]]:
    return [step for job in parsed(workflow)["jobs"].values() for step in job["steps"]]


def made_by(job: dict[str, Any]) -> list[str]:
    """Give the targets that the steps of a job call `make` for."""
    commands = "\n".join(step.get("run", "") for step in job["steps"])
    return re.findall(r"^make ([\w-]+)$", commands, re.MULTILINE)


def targets() -> set[str]:
    """Give the targets that the Makefile declares and has a rule for."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    declared = re.search(r"^\.PHONY: (.+)$", text, re.MULTILINE)
    assert declared
    rules = set(re.findall(r"^([a-z-]+):", text, re.MULTILINE))
    assert set(declared[1].split()) <= rules
    return set(declared[1].split())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflow_is_careful(path: Path) -> None:
    """Each says when it runs and may do little; only publishing may ask for a token."""
    workflow = parsed(path)
    assert workflow["name"]
    assert workflow[True], "YAML reads the key `on` as true"
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["concurrency"]["group"]
    for name, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 300
        if name == "publish":
            assert job["permissions"] == {"id-token": "write"}
            assert job["environment"]["name"] == "pypi"
        else:
            assert "permissions" not in job


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned(path: Path) -> None:
    """A tag can be moved to other code, a commit cannot; the comment is for people."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if "uses:" in line]
    assert len(lines) == sum("uses" in step for step in steps(path)) > 0
    for line in lines:
        assert re.search(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


def test_workflows_call_make() -> None:
    """What a workflow does can be done at home, by the same target."""
    called = {
        target
        for path in WORKFLOWS
        for job in parsed(path)["jobs"].values()
        for target in made_by(job)
    }
    assert {"docs", "pytest", "test-all", "test-threads", "wheel"} <= called <= targets()


def test_what_make_test_does_is_done_by_a_workflow() -> None:
    """Each run tests Python and, but for Windows, C++; one checks style and types."""
    jobs = parsed(ROOT / ".github/workflows/tests.yml")["jobs"]
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    beside = re.search(r"^test: .+\n\t.* --jobs=2 (.+)$", text, re.MULTILINE)
    one_by_one = re.search(r"^lint-and-cpp: (.+)\n\t.* (\S+)$", text, re.MULTILINE)
    assert beside
    assert one_by_one
    done = {*beside[1].split(), *one_by_one.groups()} - {"lint-and-cpp"}
    assert done == {*made_by(jobs["lint"]), *made_by(jobs["tests"])}
    assert made_by(jobs["tests"]) == ["pytest", "test-cpp"]
    conditions = [
        step.get("if") for step in jobs["tests"]["steps"] if "make" in step.get("run", "")
    ]
    assert conditions[1:] == [None, "runner.os != 'Windows'"], "the first fetches make"


def test_all_pythons_are_tested() -> None:
    """The oldest Python is tested with the oldest packages, and all systems have some Python."""
    matrix = parsed(ROOT / ".github/workflows/tests.yml")["jobs"]["tests"]["strategy"]["matrix"]
    runs = matrix["include"]
    assert {run["os"].split("-")[0] for run in runs} == {"ubuntu", "macos", "windows"}
    assert {"3.10", "3.14", "3.14t"} <= {run["python"] for run in runs}
    [oldest] = [run for run in runs if "constraint" in run]
    assert PROJECT["project"]["requires-python"] == f">={oldest['python']}"
    assert (ROOT / oldest["constraint"]).is_file()
    for version in {run["python"] for run in runs} - {"3.14t"}:
        assert f"Programming Language :: Python :: {version}" in PROJECT["project"]["classifiers"]


def test_oldest_packages() -> None:
    """The oldest that pyproject.toml allows are those that are tested."""
    needed = [*PROJECT["project"]["dependencies"], "pandas>=2"]
    assert "pandas>=2" in EXTRAS["test"]
    for extra in ["html", "treesitter", "arrow", "report", "faiss"]:
        needed += EXTRAS[extra]
    bounds = dict(requirement.split(">=") for requirement in needed)
    text = (ROOT / "tests" / "oldest.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    pins = dict(line.split("==") for line in lines)
    assert pins.keys() == bounds.keys()
    for name, pin in pins.items():
        assert re.fullmatch(rf"{re.escape(bounds[name])}(\.0)*", pin), name


def test_versions_agree() -> None:
    version = PROJECT["project"]["version"]
    assert tk.__version__ == version
    assert metadata.version("treekernels") == version
    assert str(parsed(ROOT / "CITATION.cff")["version"]) == version
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    entry = re.search(r"^## (\S+) \((unreleased|\d{4}-\d{2}-\d{2})\)$", changes, re.MULTILINE)
    assert entry
    assert entry[1] == version


def test_it_is_said_whether_it_is_on_pypi() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.search(r"^## \d+\.\d+\.\d+ \(\d{4}-", changes, re.M)
    for name in ("README.md", "docs/install.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert ("not on PyPI yet" in text) is not bool(released), name


def test_the_extras_are_those_of_the_pages() -> None:
    page = (ROOT / "docs/install.md").read_text(encoding="utf-8")
    described = dict(re.findall(r"^\| `(\w+)` \| .*\((.*)\) \|$", page, re.M))
    assert described.keys() == EXTRAS.keys() - {"test", "test-gil", "bench", "fuzz", "docs"}
    for name, packages in described.items():
        for package in packages.lower().split(", "):
            assert package in " ".join(EXTRAS[name]), name
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in described if f"`{name}`" not in readme] == []


def test_more_examples_at_night() -> None:
    """`make fuzz` lengthens every property test, also one that says how long it is."""
    calls = []
    test = given(st.integers())(settings(max_examples=3)(lambda number: calls.append(number)))
    conftest.lengthen({test})
    test()
    assert len(calls) == 3 * conftest.TIMES_AT_NIGHT
