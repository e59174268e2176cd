"""Make mistakes on purpose, and see that the tests notice them: ``make mutate``.

The mistakes are listed in the folder `mutations`. Each is made in a copy of the repository, and the
tests that are named with it are run there; if none fails, it has survived. For one in C++ the core
is built again in the copy, in a folder of its own, by way of ccache if there is one. The exit code
is 1 if more than one in twenty survives, if a text is not there any more, or if a mistake does not
compile.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter
from pathlib import Path
from queue import SimpleQueue
from typing import Literal

from mutations import MUTATIONS, Mutation

ROOT = Path(__file__).parents[1]
SHARE_THAT_MAY_SURVIVE = 0.05
Outcome = Literal["killed", "killed by time", "SURVIVED", "NOT THERE", "DOES NOT BUILD", "NO TESTS"]

# The environment has the package installed from the folder we stand in, by an import hook that
# comes before all paths. In a copy it must not.
_WITHOUT_HOOK = """
import sys
sys.meta_path[:] = [
    finder for finder in sys.meta_path if type(finder).__name__ != "ScikitBuildRedirectingFinder"
]
"""

# Imports what does not change and takes long, and forks for each run of tests, which is told by a
# line with the seconds and pytest's arguments; answers with its exit code, -1 after that time.
_SERVER = """
import json, os, signal, sys, time
import hypothesis.strategies, numpy, pytest, scipy.sparse, scipy.stats
import sklearn.linear_model, sklearn.model_selection, sklearn.pipeline, sklearn.svm
for line in sys.stdin:
    limit, arguments = json.loads(line)
    child = os.fork()
    if child == 0:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        os._exit(pytest.main(arguments))
    end, done, status = time.monotonic() + limit, 0, 0
    while not done:
        done, status = os.waitpid(child, os.WNOHANG)
        if not done and time.monotonic() > end:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            done, status = child, None
        time.sleep(0.05)
    print(-1 if status is None else os.waitstatus_to_exitcode(status), flush=True)
"""
_QUIETLY = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # the server has imported a plugin


class Copy:
    """A copy of the repository in which the tests run with its own sources and its own core."""

    def __init__(self, folder: Path, core: Path) -> None:
        self.folder = folder
        self.build = folder / "build-mutated"
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        for name in listed.stdout.splitlines():
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        self.native = folder / "src" / "treekernels" / core.name
        shutil.copy2(core, self.native)
        (folder / "hooks").mkdir()
        (folder / "hooks" / "sitecustomize.py").write_text(_WITHOUT_HOOK)
        paths = [folder / "src", folder / "hooks"]
        self.environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
        self.server: subprocess.Popen[str] | None = None

    def test(self, tests: tuple[str, ...], limit: float) -> tuple[int, str]:
        """Return what pytest returns, -1 if it took too long, and the end of what it says."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        try:
            done = subprocess.run(
                [*command, "-o", "addopts=--doctest-modules --strict-markers", *tests],
                cwd=self.folder,
                env=self.environment,
                capture_output=True,
                text=True,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return -1, ""
        return done.returncode, "\n".join(done.stdout.splitlines()[-6:])

    def code_of(self, tests: tuple[str, ...], limit: float) -> int:
        """Return what pytest returns, or -1 if it took too long; soon, where one can fork."""
        if not hasattr(os, "fork"):
            return self.test(tests, limit)[0]
        if self.server is None:
            self.server = subprocess.Popen(
                [sys.executable, "-c", _SERVER],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        options = ["-x", "-q", "-p", "no:cacheprovider", *_QUIETLY]
        options += ["-o", "addopts=--doctest-modules --strict-markers"]
        print(json.dumps([limit, [*options, *tests]]), file=self.server.stdin, flush=True)
        return int(self.server.stdout.readline())

    def close(self) -> None:
        """End the server."""
        if self.server is not None:
            self.server.communicate()

    def configure(self) -> None:
        """Get the core ready to be built, and build it as it is."""
        nanobind = subprocess.run(
            [sys.executable, "-m", "nanobind", "--cmake_dir"],
            capture_output=True,
            text=True,
            check=True,
        )
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        binaries = sysconfig.get_path("scripts")
        self.tools = {
            **os.environ,
            "PATH": os.pathsep.join([binaries, os.environ["PATH"]]),
            "CCACHE_BASEDIR": str(self.folder),  # which has another name every time
            "CCACHE_NOHASHDIR": "1",
        }
        subprocess.run(
            [
                *("cmake", "-S", str(self.folder), "-B", str(self.build), "-G", "Ninja"),
                *("-DCMAKE_BUILD_TYPE=Release", f"-DPython_EXECUTABLE={sys.executable}"),
                *(f"-Dnanobind_DIR={nanobind.stdout.strip()}", *launcher),
            ],
            env=self.tools,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        if not self.rebuild():
            raise SystemExit("the core does not build even without a mistake")

    def rebuild(self) -> bool:
        """Build the core, and put it where it is imported from."""
        command = ["cmake", "--build", str(self.build), "--target", "_native"]
        done = subprocess.run(command, env=self.tools, capture_output=True, check=False)
        if done.returncode:
            return False
        (built,) = self.build.glob("_native*.so")
        self.native.unlink(missing_ok=True)
        self.native = self.native.with_name(built.name)
        shutil.copy2(built, self.native)
        return True

    def try_mutation(self, mutation: Mutation, limit: float) -> Outcome:
        """Make the mistake, run the tests, and undo it."""
        path = self.folder / mutation.file
        before = path.read_text() if path.is_file() else ""
        if before.count(mutation.text) != 1:
            return "NOT THERE"
        path.write_text(before.replace(mutation.text, mutation.replacement))
        try:
            if mutation.native and not self.rebuild():
                return "DOES NOT BUILD"
            code = self.code_of(mutation.tests, limit)
        finally:
            path.write_text(before)
        if code in (4, 5):  # nothing was run
            return "NO TESTS"
        return "SURVIVED" if code == 0 else "killed by time" if code == -1 else "killed"


def native_core() -> Path:
    """Return the core that the environment uses."""
    from treekernels import _native

    return Path(_native.__file__)


def run(mutations: list[Mutation], copies: list[Copy], limit: float) -> dict[Mutation, Outcome]:
    """Try mistakes, one at a time in each copy, and say what came of them."""
    free: SimpleQueue[Copy] = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def attempt(mutation: Mutation) -> Outcome:
        copy = free.get()
        start = time.monotonic()
        try:
            outcome = copy.try_mutation(mutation, limit)
        finally:
            free.put(copy)
        took = time.monotonic() - start
        print(f"{outcome:14}  {took:4.0f} s  {mutation.file}: {mutation.name}", flush=True)
        return outcome

    with ThreadPoolExecutor(len(copies)) as pool:
        return dict(zip(mutations, pool.map(attempt, mutations), strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only those whose file or name has one of these")
    parser.add_argument("--jobs", type=int, default=2, help="copies side by side, for Python")
    parser.add_argument("--limit", type=float, default=900, help="seconds for the tests of one")
    parser.add_argument(
        "--no-baseline",
        action="store_true",
        help="do not see first that the tests pass",
    )
    arguments = parser.parse_args()
    chosen = [
        mutation
        for mutation in MUTATIONS
        if not arguments.words
        or any(word in f"{mutation.file} {mutation.name}" for word in arguments.words)
    ]
    # One after the other in each file, so that little has to be built again.
    native = sorted(filter(attrgetter("native"), chosen), key=attrgetter("file"))
    python = [mutation for mutation in chosen if not mutation.native]
    core = native_core()
    outcomes: dict[Mutation, Outcome] = {}
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        copies = []
        for number in range(max(1, arguments.jobs)):
            place = Path(folder) / str(number)
            place.mkdir()
            copies.append(Copy(place, core))
        if not arguments.no_baseline:
            everything = tuple(sorted({test for mutation in chosen for test in mutation.tests}))
            code, words = copies[0].test(everything, 3600)
            if code != 0:
                print(f"The tests fail as they are, so that nothing can be said:\n{words}")
                return 1
        outcomes |= run(python, copies, arguments.limit)
        if native:
            copies[0].configure()
            outcomes |= run(native, copies[:1], arguments.limit)
        for copy in copies:
            copy.close()
    return summary(outcomes)


def summary(outcomes: dict[Mutation, Outcome]) -> int:
    """Print how many of each kind there are, and return the exit code."""
    counts = Counter(outcomes.values())
    for mutation, outcome in outcomes.items():
        if not outcome.startswith("killed"):
            print(f"{outcome}: {mutation.file}: {mutation.name} ({' '.join(mutation.tests)})")
    told = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
    print(f"{len(outcomes)} mistakes: {told}")
    broken = counts["NOT THERE"] + counts["DOES NOT BUILD"] + counts["NO TESTS"]
    return int(bool(broken) or counts["SURVIVED"] > SHARE_THAT_MAY_SURVIVE * len(outcomes))


if __name__ == "__main__":
    sys.exit(main())
