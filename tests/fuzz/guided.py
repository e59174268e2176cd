"""The targets in Python, guided by what each input reaches in our own modules (package atheris).

``python tests/fuzz/guided.py NAME [options of libFuzzer]`` is the program that libFuzzer drives.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve()


def available() -> bool:
    """Whether atheris is installed."""
    return importlib.util.find_spec("atheris") is not None


def main(name: str, seconds: float) -> int:
    from fuzz import libfuzzer
    from fuzz.targets import corpus

    folder = libfuzzer.corpus_folder(name, corpus(name))
    command = [sys.executable, str(HERE), name]
    # Memory that was not written yet is not 0 by chance.
    return libfuzzer.fuzz(command, name, name, folder, seconds, MALLOC_PERTURB_="165")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1]))
    import atheris

    with atheris.instrument_imports(include=["treekernels"]):
        from fuzz.targets import TARGETS
    name, *options = sys.argv[1:]
    atheris.Setup([sys.argv[0], *options], TARGETS[name].run)
    atheris.Fuzz()
