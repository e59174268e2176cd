"""Install this package from its sources with pip, and say in plain words how far it is.

    python tools/install.py [EXTRA ...] [--strict]

pip by itself is silent for the minutes that a C++ compiler takes, or prints a thousand lines. This
shows what is being fetched and how many files are compiled. If something goes wrong, it prints what
pip said last and where the whole of it is.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "build" / "install.log"

STEP = re.compile(r"\[(\d+)/(\d+)\]")
PACKAGE = re.compile(r"^\s*Collecting ([\w.-]+)")


class Progress:
    """Lines that stay, and on a terminal one line that changes."""

    def __init__(self) -> None:
        self.live = sys.stdout.isatty()
        self.width = max(20, shutil.get_terminal_size().columns - 1)
        self.tenth = 0

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self._clear()
        print(text, flush=True)

    def fetched(self, package: str) -> None:
        """Show which package pip looks at."""
        self._show(f"  {package}")

    def compiled(self, done: int, total: int) -> None:
        """Show how many files are compiled; in a log, at each tenth."""
        self._show(f"  {done} of {total} steps")
        tenth = 10 * done // total
        if not self.live and tenth > self.tenth:
            print(f"  {done} of {total} steps", flush=True)
        self.tenth = tenth

    def _show(self, text: str) -> None:
        if self.live:
            self._clear()
            print(text[: self.width], end="", flush=True)

    def _clear(self) -> None:
        if self.live:
            print("\r\033[K", end="", flush=True)


def main() -> int:
    """Install the package and the extras named on the command line."""
    parser = argparse.ArgumentParser(description="Install treekernels from its sources.")
    parser.add_argument("extras", nargs="*", help="extras of pyproject.toml, such as report")
    parser.add_argument("--strict", action="store_true", help="C++ warnings are errors")
    options = parser.parse_args()

    progress = Progress()
    started = time.monotonic()
    progress.say("Fetching NumPy, SciPy, scikit-learn and what else is needed to run ...")
    target = f".[{','.join(options.extras)}]" if options.extras else "."
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--verbose"]
    command += ["--no-build-isolation", "--progress-bar", "off"]
    command += [
        "--config-settings",
        f"cmake.define.TREEKERNELS_STRICT={'ON' if options.strict else 'OFF'}",
    ]
    command += ["--editable", target]
    LOG.parent.mkdir(exist_ok=True)
    last: deque[str] = deque(maxlen=40)
    with (
        LOG.open("w", encoding="utf-8") as log,
        subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
        ) as pip,
    ):
        assert pip.stdout is not None
        building = False
        for line in pip.stdout:
            log.write(line)
            last.append(line)
            if package := PACKAGE.match(line):
                progress.fetched(package[1])
            elif "Building editable for treekernels" in line and not building:
                building = True
                progress.say("Building the C++ core; this takes one to two minutes, once ...")
            elif building and (step := STEP.search(line)):
                progress.compiled(int(step[1]), int(step[2]))
            elif line.lstrip().startswith("Installing collected packages"):
                progress.say("Putting everything in its place ...")
    if pip.returncode:
        progress.say("This did not work. The last that pip said was:\n")
        print("".join(last))
        print(f"All of it is in {LOG.relative_to(ROOT)}.")
        if building:
            print("A C++20 compiler is needed: GCC 11, Clang 17, Visual Studio 2022, or later.")
        return 1
    progress.say(f"Ready, after {_spoken(time.monotonic() - started)}.")
    return 0


def _spoken(seconds: float) -> str:
    """Give a time in minutes and seconds, as words."""
    minutes, rest = divmod(round(seconds), 60)
    parts = [f"{minutes} min"] if minutes else []
    return " ".join([*parts, f"{rest} s"])


if __name__ == "__main__":
    sys.exit(main())
