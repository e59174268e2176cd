"""The targets in C++, which libFuzzer drives: a hundred times as many inputs as through Python.

``make fuzz TARGET=native-brackets SECONDS=60`` builds `cpp/fuzz` with clang and the sanitizers of
address and undefined behaviour, and lets the target run. It begins with the inputs of the Python
target that takes the same ones, and what it finds has the name of that one.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from fuzz import libfuzzer
from fuzz.targets import corpus

# By name: the executable, and the target of targets.py that takes the same inputs.
NATIVE = {"native-brackets": ("brackets", "brackets"), "native-arrays": ("arrays", "pickles")}


def build() -> Path:
    """Return the folder of the executables, after they are built."""
    folder = libfuzzer.ROOT / "build" / "fuzz"
    tools = Path(sys.executable).parent
    options = ["-DTREEKERNELS_FUZZ=address,undefined", "-DCMAKE_BUILD_TYPE=Debug"]
    options += [f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}", "-DCMAKE_CXX_COMPILER=clang++"]
    run = [str(tools / "cmake"), "-S", str(libfuzzer.ROOT), "-B", str(folder), "-G", "Ninja"]
    subprocess.run([*run, *options, "--log-level=WARNING"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([str(tools / "cmake"), "--build", str(folder)], check=True)
    return folder / "cpp" / "fuzz"


def main(name: str, seconds: float) -> int:
    if shutil.which("clang++") is None:
        print("there is no clang++, which has libFuzzer: on Debian, apt-get install clang")
        return 2
    executable, target = NATIVE[name]
    folder = libfuzzer.corpus_folder(executable, corpus(target))
    command = [str(build() / f"fuzz_{executable}")]
    # A larger quarantine only takes time.
    sanitizers = {"ASAN_OPTIONS": "quarantine_size_mb=16"}
    return libfuzzer.fuzz(command, name, target, folder, seconds, **sanitizers)
