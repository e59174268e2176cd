"""Packages that only some features need, and what to type if one is missing."""

from __future__ import annotations

import importlib
import re
from importlib import util
from typing import Any

_OF_EXTRA = re.compile(r"""^([\w.-]+)[^;]*;.*\bextra == ['"]([\w-]+)['"]""")


def require(module: str, extra: str, what: str) -> Any:
    """Return an imported module, or raise an ImportError that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        if _is_there(package) and getattr(error, "name", None) != package:
            reason = f"is installed, but it cannot be imported ({error}): {install_hint(extra)}"
            raise ImportError(f"{what} needs the package {package}, which {reason}") from None
        raise ImportError(
            f"{what} needs the package {package}: {install_hint(extra)} ({error})"
        ) from None


def install_hint(extra: str) -> str:
    """Return the command that installs the packages of an extra.

    It names the packages themselves, so that it works wherever this library was installed from.

    Examples
    --------
    >>> install_hint("html")
    'pip install lxml'
    """
    from importlib import metadata

    try:
        requirements = metadata.requires("treekernels") or []
    except metadata.PackageNotFoundError:  # a copy that was not installed
        requirements = []
    of_extras = filter(None, map(_OF_EXTRA.match, requirements))
    packages = [match[1] for match in of_extras if match[2] == extra]
    return f"pip install {' '.join(packages or [f'.[{extra}]'])}"


def package_version(package: str) -> str:
    """Return the version of a package, or nothing if it is not one that was installed."""
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _is_there(package: str) -> bool:
    try:
        return util.find_spec(package) is not None
    except (ImportError, ValueError):  # something that a program has put in its place
        return False
