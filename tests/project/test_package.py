"""The package as a whole: names, documentation, stub, and what importing it costs."""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import os
import pkgutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import treekernels as tk

METHODS = (FunctionType, classmethod, staticmethod, property)
MODULES = [found.name for found in pkgutil.walk_packages(tk.__path__, "treekernels.")]
SOURCE = Path(__file__).parents[2] / "src" / "treekernels"


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    return done.stdout.strip()


def test_names() -> None:
    assert tk.__all__ == sorted(tk.__all__)
    assert all(hasattr(tk, name) for name in tk.__all__)
    exported = {name for name in dir(tk) if not name.startswith("_")}
    modules = {name for name in exported if inspect.ismodule(getattr(tk, name))}
    assert exported - modules == set(tk.__all__)
    assert {"dask", "kernels", "plots", "readers"} <= modules


@pytest.mark.parametrize("module", MODULES)
def test_names_of_modules(module: str) -> None:
    loaded = importlib.import_module(module)
    assert loaded.__doc__
    assert all(hasattr(loaded, name) for name in getattr(loaded, "__all__", ()))


def test_version() -> None:
    assert tk.__version__ == importlib.metadata.version("treekernels")


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python cannot do without the GIL"
)
def test_gil_stays_off() -> None:
    """A native module that does not declare that it can do without brings the GIL back."""
    code = "import sys, treekernels as tk; tk.TreeSVC; print(sys._is_gil_enabled())"
    assert run(code) == "False"


def public_things() -> Iterator[tuple[str, Any]]:
    """Return public classes and functions, and the public methods and properties of the former."""
    for name in tk.__all__:
        thing = getattr(tk, name)
        yield name, thing
        for base in inspect.getmro(thing) if inspect.isclass(thing) else ():
            if base.__module__.startswith("treekernels"):
                for member, value in vars(base).items():
                    if not member.startswith("_") and isinstance(value, METHODS):
                        yield f"{name}.{member}", getattr(thing, member)


def test_everything_public_has_a_docstring() -> None:
    things = dict(public_things())
    assert len(things) > 2 * len(tk.__all__)
    assert [name for name, thing in things.items() if not inspect.getdoc(thing)] == []


def test_stub_is_up_to_date(tmp_path: Path) -> None:
    pytest.importorskip("nanobind")
    stub = tmp_path / "_native.pyi"
    module = ["-q", "-m", "treekernels._native", "-o", str(stub)]
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", *module], check=True)
    assert stub.read_text() == (SOURCE / "_native.pyi").read_text(), "run `make stub`"


def test_import_brings_no_large_packages() -> None:
    code = "import sys, treekernels; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = set(run(code).split())
    assert loaded & {"sklearn", "scipy", "rich", "pandas", "nltk", "joblib", "hypothesis"} == set()


@pytest.mark.serial
def test_import_time(tmp_path: Path) -> None:
    """Processor time beyond numpy: twice what `bench_import.py` allows on a quiet machine.

    An installed package has been compiled to bytecode; here the first run does that.
    """
    compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path)}
    code = (
        "import numpy, time; start = time.process_time(); import treekernels as tk; "
        "tk.Forest, tk.SubsetTreeKernel, tk.read; print(time.process_time() - start)"
    )
    assert min(float(run(code, **compiled)) for _ in range(6)) < 0.1
