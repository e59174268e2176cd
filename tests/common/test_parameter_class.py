"""Classes that list their parameters: their constructors, and the docstrings that bases fill in."""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any

import pytest

import treekernels as tk
from treekernels.common.parameter_class import KW_ONLY, _cut, _entries, parameter_class

PUBLIC = [getattr(tk, name) for name in tk.__all__ if inspect.isclass(getattr(tk, name))]
LISTING = [cls for cls in PUBLIC if hasattr(cls, "__listed_parameters__")]


@parameter_class
class Base:
    """A base.

    Parameters
    ----------
    kernel : str
        The kernel.
    n_jobs : int, default=1
        Threads.
    """

    kernel: str
    _: KW_ONLY
    n_jobs: int = 1
    solver: str = "forest"


@parameter_class
class Derived(Base):
    """A class.

    Parameters
    ----------
    C : float, default=1.0
        The penalty.

    Notes
    -----
    None.
    """

    fixed_parameters = ("solver",)
    C: float = 1.0
    solver = "gram"


@parameter_class
class Bare(Base):
    """Nothing is described here."""


def test_a_class_has_the_parameters_and_descriptions_of_its_bases() -> None:
    made: Any = Derived("sst", C=3)
    assert vars(made) == {"kernel": "sst", "n_jobs": 1, "C": 3}
    assert made.solver == "gram"
    before, section, after = _cut(Derived.__doc__ or "")
    assert before == "A class.\n\n"
    assert list(_entries(section).items()) == [
        ("kernel", "kernel : str\n    The kernel."),
        ("n_jobs", "n_jobs : int, default=1\n    Threads."),
        ("C", "C : float, default=1.0\n    The penalty."),
    ]
    assert after == "Notes\n-----\nNone."
    assert (Bare.__doc__ or "").startswith("Nothing is described here.\n\nParameters\n----------\n")


@pytest.mark.parametrize("cls", LISTING, ids=lambda cls: cls.__name__)
def test_every_parameter_is_described_with_its_default(cls: type) -> None:
    described = _entries(_cut(cls.__doc__ or "")[1])
    parameters = inspect.signature(cls).parameters
    assert [name for name in parameters if name not in described] == []
    assert [name for name in described if name not in parameters] == []
    for name, parameter in parameters.items():
        default = re.search(r"default=(.+)", described[name].partition("\n")[0])
        if default is not None and "(" not in default[1].replace("(1e-3, 1.0)", ""):
            assert ast.literal_eval(default[1].partition(", and")[0]) == parameter.default, name
