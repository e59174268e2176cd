"""The targets in C++, which libFuzzer drives: a hundred times as many inputs as through Python.

``python tests/fuzz/native.py TARGET SECONDS [address|memory]`` builds `cpp/fuzz` with clang and the
sanitizers of address and undefined behaviour, or that of uninitialised memory, and lets the target
run. It begins with the inputs of the Python target of the same meaning, and what it finds goes to
`findings` under that name, where `test_findings.py` replays it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FINDINGS = Path(__file__).parent / "findings"
SANITIZERS = {"address": "address,undefined", "memory": "memory"}
# By name: the executable, and the target of targets.py that takes the same inputs.
NATIVE = {"native-brackets": ("brackets", "brackets"), "native-arrays": ("arrays", "pickles")}


def build(sanitizer: str) -> Path:
    """Return the folder of the executables, after they are built."""
    folder = ROOT / "build" / f"fuzz-{sanitizer}"
    tools = Path(sys.executable).parent
    options = [f"-DTREEKERNELS_FUZZ={SANITIZERS[sanitizer]}", "-DCMAKE_BUILD_TYPE=Debug"]
    options += [f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}", "-DCMAKE_CXX_COMPILER=clang++"]
    run = [str(tools / "cmake"), "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", *options]
    subprocess.run([*run, "--log-level=WARNING"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([str(tools / "cmake"), "--build", str(folder)], check=True)
    return folder / "cpp" / "fuzz"


def main(name: str, seconds: float, sanitizer: str = "address") -> int:
    if shutil.which("clang++") is None:
        print("there is no clang++, which has libFuzzer: on Debian, apt-get install clang")
        return 2
    executable, alike = NATIVE[name]
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from fuzz.targets import TARGETS

    corpus = ROOT / "build" / f"corpus-{executable}"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(TARGETS[alike].seeds):
        (corpus / f"seed{number}").write_bytes(seed)
    FINDINGS.mkdir(exist_ok=True)
    command = [str(build(sanitizer) / f"fuzz_{executable}"), str(corpus)]
    command += [f"-max_total_time={max(1, round(seconds))}", "-max_len=4096", "-timeout=20"]
    command += [f"-artifact_prefix={FINDINGS}/{alike}-", "-print_final_stats=1"]
    options = {"ASAN_OPTIONS": "quarantine_size_mb=16"}  # more only takes time
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    done = subprocess.run(
        command, env={**environment, **options}, capture_output=True, text=True, errors="replace"
    )
    if done.returncode != 0:
        print(done.stderr[-4000:])
        return 1
    counted = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    count = int(counted[1]) if counted else 0
    print(f"{name}: {count:,} executions in {seconds:g} s, {sanitizer} sanitizer")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2]), *sys.argv[3:]))
