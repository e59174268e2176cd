"""Keep some of what fuzzers came across: ``python tests/fuzz/keep.py [NAME ...]``.

Of the inputs in ``build/corpus-NAME``, libFuzzer picks those that together reach all that they
reach; the smallest of them go to ``corpora/NAME.zip``, from which the next runs begin.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

_MOST = 100
_LONGEST = 2048


def main(names: list[str]) -> None:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from fuzz import guided, libfuzzer, native
    from fuzz.targets import CORPORA, TARGETS

    programs = {
        target: (executable, [str(native.build() / f"fuzz_{executable}")])
        for executable, target in native.NATIVE.values()
    }
    for name in names or TARGETS:
        executable, command = programs.get(name, (name, [sys.executable, str(guided.HERE), name]))
        tried = libfuzzer.ROOT / "build" / f"corpus-{executable}"
        if not tried.exists():
            continue
        chosen = libfuzzer.ROOT / "build" / f"kept-{executable}"
        shutil.rmtree(chosen, ignore_errors=True)
        chosen.mkdir()
        subprocess.run([*command, "-merge=1", str(chosen), str(tried)], check=True)
        small = [path.read_bytes() for path in chosen.iterdir()]
        small = sorted((data for data in small if len(data) <= _LONGEST), key=lambda x: (len(x), x))
        if not small:
            print(f"{name}: nothing to keep")
            continue
        CORPORA.mkdir(exist_ok=True)
        with zipfile.ZipFile(CORPORA / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as kept:
            for number, data in enumerate(small[:_MOST]):
                kept.writestr(zipfile.ZipInfo(f"{number:03}"), data)  # the same bytes each time
        print(f"{name}: {len(small[:_MOST])} of {sum(1 for _ in tried.iterdir()):,}")


if __name__ == "__main__":
    main(sys.argv[1:])
