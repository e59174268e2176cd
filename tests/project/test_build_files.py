"""The hook for pre-commit and the action: what they run is a command that there is."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from treekernels.cli.duplicates import command

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[2]


def parsed_options(arguments: list[str]) -> dict[str, Any]:
    return command.make_context("duplicates", arguments).params


def test_hook() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    program, name, *rest = hook["entry"].split()
    assert (program, name) == ("treekernels", "duplicates")
    assert parsed_options(rest)["paths"] == ()
    assert hook["pass_filenames"] is False
    assert {"id", "name", "language"} <= set(hook)
    page = (ROOT / "docs" / "build.md").read_text("utf-8")
    assert f"id: {hook['id']}" in page


@pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="needs bash")
def test_action(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    *_, step = action["runs"]["steps"]
    assert step["shell"] == "bash"
    program = tmp_path / "treekernels"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PATHS": "src *.py",
        "ARGUMENTS": "--format sarif=copies.sarif",
        "SINCE": "$(touch spoiled)",
    }
    assert set(step["env"]) < set(environment)
    for since in ("", environment["SINCE"]):
        environment["SINCE"] = since
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]], env=environment, capture_output=True, check=True
        )
        name, *arguments = done.stdout.decode().splitlines()
        assert name == "duplicates"
        options = parsed_options(arguments)
        assert options["paths"] == ("src", "*.py")
        assert options["forms"] == ("github", "sarif=copies.sarif")
        assert options["since"] == (since or None)
    assert not (tmp_path / "spoiled").exists()
