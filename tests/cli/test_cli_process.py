"""Help, and the command line as a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import treekernels as tk
from command_line import COMMANDS, LINES, SENTENCES, Run, as_process, write
from treekernels.cli.main import command


@pytest.mark.parametrize("name", COMMANDS)
def test_help(run: Run, name: str) -> None:
    result = run(name, "--help")
    assert result.code == 0
    assert f"Usage: treekernels {name} " in result.out
    assert "Examples:\n" in result.out
    assert f"\n    treekernels {name}" in result.out, "examples stand on lines of their own"


def test_overview(run: Run) -> None:
    overview = run("--help").out
    assert all(f"\n  {name} " in overview for name in COMMANDS)
    commands = overview[overview.index("Commands:") :]
    assert "..." not in commands, "short helps are not cut off"
    assert run("--version").out == f"treekernels, version {tk.__version__}\n"
    assert list(command.list_commands(None)) == COMMANDS  # type: ignore[arg-type]


def test_process(run: Run, tmp_path: Path) -> None:
    run("fit", write("data.tsv", LINES), "model.tkm")
    done = as_process("predict", "model.tkm", "data.tsv", "--quiet", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == [label for label, _ in SENTENCES]
    done = as_process("convert", "nothing.tsv", "trees.txt", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "Error: there is no file nothing.tsv\n")


def test_closed_pipe(run: Run, tmp_path: Path) -> None:
    run("fit", write("few.tsv", LINES), "model.tkm", "--learner", "perceptron")
    write("data.tsv", LINES * 2000)
    first = f"{sys.executable} -m treekernels predict model.tkm data.tsv | head -1"
    done = subprocess.run(
        ["sh", "-c", first], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "statement\n"
    assert "Error" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals differ elsewhere")
def test_interrupt(tmp_path: Path) -> None:
    branches = "".join(f"(B{i % 7} (C c{i % 3}))" for i in range(1500))
    (tmp_path / "data.tsv").write_text(f"x\t(A {branches})\ny\t(A (D d) {branches})\n" * 100)
    process = subprocess.Popen(
        [sys.executable, "-m", "treekernels", "gram", "data.tsv", "g.npy", "-k", "elastic"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".g.npy*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.strip() == "Interrupted."
    assert [path.name for path in tmp_path.iterdir()] == ["data.tsv"]


def test_a_tree_is_labelled_without_large_packages(tmp_path: Path) -> None:
    """To import scikit-learn would take several times as long as all the rest."""
    machine = tk.TreeSVC("sst", random_state=0).fit(["(A b)", "(A c)"], ["x", "y"])
    tk.save(machine, tmp_path / "model.tkm")
    (tmp_path / "new.txt").write_text("(A c)\n")
    code = (
        "import sys\nfrom treekernels.cli.main import main\n"
        "try:\n    main(['predict', 'model.tkm', 'new.txt'])\nexcept SystemExit:\n    pass\n"
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout == "y\n"
    assert not set(done.stderr.split()) & {"sklearn", "scipy", "rich", "joblib", "pandas"}


def test_help_needs_no_large_packages() -> None:
    code = (
        "import sys\nfrom treekernels.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stderr.split()) & {"sklearn", "scipy", "rich", "joblib", "pandas"}
