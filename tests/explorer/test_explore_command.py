"""``treekernels explore`` as a newcomer types it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import treekernels as tk
from command_line import LINES, Run, write
from explorer_client import Client, model_of


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    tk.save(model_of(), "model.tkm")
    return "model.tkm"


def started(*arguments: str) -> tuple[subprocess.Popen[str], Client]:
    """Start the command, and read the address that it prints."""
    command = [sys.executable, "-m", "treekernels", "explore", *arguments, "--no-browser"]
    # A shell may have Ctrl-C ignored in the background; the command hears it nevertheless.
    code = "import signal, runpy, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    command[1:3] = ["-c", code + "runpy.run_module('treekernels', run_name='__main__')"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Client(process.stdout.readline().strip())


def test_model_and_data(model: str, tmp_path: Path) -> None:
    lines = ["statement\t(S (NP (N dogs)) (VP (V bark)))", "", "question\t(SQ (V do) (NP (N x)))"]
    (tmp_path / "data.tsv").write_text("\n".join(lines) + "\n")
    process, client = started(model, "data.tsv")
    try:
        answer = client.ask("mistakes")
        assert answer["examples"] == 2
        assert client.ask("overview")["data"]["name"] == "data.tsv"
        assert client.ask("prediction", row=1)["place"] == "line 3", "the empty line is counted"
        process.send_signal(signal.SIGINT)
        _, notes = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Stop with the button on the page or Ctrl-C" in notes
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.tsv", "model.tkm"]


def test_bad_data_are_named_on_the_page_which_stops_it(model: str, tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_text("statement\t(S (NP\n")
    process, client = started(model, "bad.tsv")
    try:
        while (answer := client.post("map")).status == 202:
            time.sleep(0.01)
        assert "bad.tsv, line 1" in answer.json["error"]
        assert client.ask("prediction", trees={"": "(S x)"})["predicted"]
        assert client.post("stop").status == 200
        process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0


def test_what_is_wrong_is_said_at_once(run: Run, model: str) -> None:
    tk.save(model_of(), "model.tkm")
    for arguments, sentence in [
        (["nothing.tkm"], "nothing.tkm: no such file"),
        (["model.tkm", "nothing.tsv"], "there is no file nothing.tsv"),
        (["model.tkm", "-"], "not standard input"),
        ([write("data.tsv", LINES)], "data.tsv"),
        (["model.tkm", "--parser", "x"], "is not the name of a parser"),
        (["model.tkm", "--port", "99999"], "99999"),
    ]:
        result = run("explore", *arguments, "--no-browser")
        assert result.code == 2, arguments
        assert sentence in result.err, result.err
