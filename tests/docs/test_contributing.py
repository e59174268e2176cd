"""The kernel and the reader that CONTRIBUTING.md shows keep what it says they do."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

from treekernels.io.reading.input.bad_input import Problems
from treekernels.testing.conformance import check_kernel

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"


def module_of(name: str) -> ModuleType:
    """Make a module of the block of code that defines a name."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (code,) = [block for block in blocks if f'__all__ = ["{name}"]' in block]
    module = ModuleType(f"contributed_{name}")
    sys.modules[module.__name__] = module
    exec(compile(code, str(PAGE), "exec"), module.__dict__)
    return module


def test_the_kernel_keeps_what_kernels_promise() -> None:
    check_kernel(module_of("PathKernel").PathKernel())


def test_the_reader_reads(tmp_path: Path) -> None:
    read_indented = module_of("read_indented").read_indented
    path = tmp_path / "trees.txt"
    path.write_text("S\n  NP\n    Mary\n  VP\n    sleeps\n\nS\n  VP\n", encoding="utf-8")
    assert read_indented(path, problems=Problems()).to_brackets() == [
        "(S (NP Mary) (VP sleeps))",
        "(S VP)",
    ]
