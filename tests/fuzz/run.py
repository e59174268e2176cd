"""Fuzz one target: ``python tests/fuzz/run.py TARGET SECONDS [SEED]``.

It ends with the number of executions, or with a file in `findings`. ``all`` stands for the targets
in Python, one after the other, and ``native`` for those in C++ (`native.py`). Where the package
atheris is installed, libFuzzer makes the inputs (`guided.py`), unless there is a seed. Else they
are mutated blindly, from seeds and from what was tried before. A build with sanitizers
(`tests/sanitize.sh`) sees what the core does to memory meanwhile.
"""

from __future__ import annotations

import faulthandler
import hashlib
import mmap
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FINDINGS = Path(__file__).parent / "findings"
_INTERESTING = (*(bytes([byte]) for byte in b'\0\xff()\t\n&<"{}[]:'), rb"\x00", b"-1", b"1e999")
_SECONDS_OF_ONE = 20.0
_LONGEST = 1 << 22


def main(name: str, seconds: float, seed: int | None = None) -> int:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from fuzz import guided, native
    from fuzz.targets import TARGETS

    if name in ("all", "native"):
        names = TARGETS if name == "all" else native.NATIVE
        return max(main(each, seconds, seed) for each in names)
    if name in native.NATIVE:
        return native.main(name, seconds)
    if name not in TARGETS:
        print(f"there is no target {name!r}; there are {', '.join([*TARGETS, *native.NATIVE])}")
        return 2
    if seed is None and guided.available():
        return guided.main(name, seconds)
    return mutate(name, seconds, time.time_ns() if seed is None else seed)


def mutate(name: str, seconds: float, seed: int) -> int:
    """Fuzz a target with inputs that are mutated blindly."""
    from fuzz.targets import TARGETS, corpus

    target = TARGETS[name]
    rng = random.Random(seed)
    seeds = corpus(name)
    pool = list(seeds)
    count, slowest = 0, 0.0
    end = time.monotonic() + seconds
    armed = 0.0
    try:
        with current_input(name) as current:
            while (start := time.monotonic()) < end:
                data = seeds[count] if count < len(seeds) else mutated(rng, pool)
                count += 1
                if start - armed > 1:
                    faulthandler.dump_traceback_later(_SECONDS_OF_ONE, exit=True)
                    armed = start
                current[:8] = len(data).to_bytes(8, "little")  # a crash leaves no time for it later
                current[8 : 8 + len(data)] = data
                try:
                    target.run(data)
                except BaseException:
                    path = FINDINGS / f"{name}-{hashlib.sha256(data).hexdigest()[:16]}"
                    path.write_bytes(data)
                    print(f"{name}: the input is in {path}")
                    raise
                slowest = max(slowest, time.monotonic() - start)
                if len(pool) < 500 and len(data) < _LONGEST / 2 and rng.random() < 0.02:
                    pool.append(data)
    finally:  # or it would end whoever called this
        faulthandler.cancel_dump_traceback_later()
    print(f"{name}: {count:,} executions in {seconds:g} s, the slowest {slowest:.2f} s")
    return 0


@contextmanager
def current_input(name: str) -> Iterator[mmap.mmap]:
    """Lend the memory of a file that stays behind when the process crashes.

    In it are the length of the input, as a 64-bit number, and the input.
    """
    FINDINGS.mkdir(exist_ok=True)
    path = FINDINGS / f"{name}.current"
    path.write_bytes(bytes(8 + _LONGEST))
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        yield memory
    path.unlink()


def mutated(rng: random.Random, pool: list[bytes]) -> bytes:
    """Return one of the inputs with some changes, most often few."""
    data = bytearray(rng.choice(pool))
    for _ in range(1 + int(rng.expovariate(0.7))):
        place = rng.randrange(len(data) + 1)
        length = 1 + int(rng.expovariate(0.3))
        match rng.randrange(7):
            case 0 if data:
                data[min(place, len(data) - 1)] ^= 1 << rng.randrange(8)
            case 1 if data:
                data[min(place, len(data) - 1)] = rng.randrange(256)
            case 2:
                del data[place : place + length]
            case 3:
                data[place:place] = data[place : place + length]
            case 4:
                data[place:place] = rng.choice(_INTERESTING)
            case 5:
                other = rng.choice(pool)
                start = rng.randrange(len(other) + 1)
                data[place : place + length] = other[start : start + length]
            case _:
                data[place : place + 4] = rng.choice((0, 1, 2**31, 2**32 - 1)).to_bytes(4, "little")
    return bytes(data[:_LONGEST])


if __name__ == "__main__":
    arguments = sys.argv[1:]
    seed = int(arguments[2]) if len(arguments) > 2 else None
    sys.exit(main(arguments[0], float(arguments[1]), seed))
