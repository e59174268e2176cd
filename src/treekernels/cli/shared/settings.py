"""Settings of a project: ``[tool.treekernels]`` in pyproject.toml, or treekernels.toml.

The file is looked for in the folder in which a command runs and in those above it, up to the root
of the repository. What stands in it are options of commands by their long names, without dashes in
front; options on the command line count more. A table of the name of a command is for that command
alone. Files and folders are named from the folder of the settings, and lie in it: whoever wrote a
repository does not decide what is read or written elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from treekernels.cli.shared.problem import Problem

_PLACES = ("paths", "baseline", "format", "frequencies", "index")
_NAMES = ("treekernels.toml", "pyproject.toml")
SETTINGS = "treekernels.settings"
"""Where the context of a command keeps the path of the file, if there is one."""


class CommandWithSettings(click.Command):
    """A command whose options may stand in the settings of a project.

    With `settings_of`, they are those of another command, as far as this one has such options.
    """

    def __init__(self, *args: Any, settings_of: str | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._other = settings_of

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take defaults from the settings."""
        path, table = _settings_from(Path.cwd())
        ctx.meta[SETTINGS] = path
        if path is not None:
            ctx.default_map = {**(ctx.default_map or {}), **self._defaults(path, table, ctx)}
        return super().parse_args(ctx, args)

    def _defaults(self, path: Path, table: dict[str, Any], ctx: click.Context) -> dict[str, Any]:
        names = {key: parameter for parameter in self.get_params(ctx) for key in _keys(parameter)}
        name = self._other or self.name or ""
        of_command = table.get(name, {})
        if not isinstance(of_command, dict):
            raise Problem(f"{path}: {name} is not a table")
        common = {key: value for key, value in table.items() if not isinstance(value, dict)}
        defaults: dict[str, Any] = {}
        for key, value in {**common, **of_command}.items():
            if key not in names:
                if self._other is not None:
                    continue
                known = ", ".join(sorted(names))
                raise Problem(f"{path}: there is no setting {key!r}; there are {known}")
            parameter = names[key]
            several = isinstance(parameter, click.Argument) or getattr(parameter, "multiple", False)
            if several != isinstance(value, list):
                kind = "a list" if several else "one value, and not a list"
                raise Problem(f"{path}: {key} is {kind}")
            if key in _PLACES:
                value = (
                    [_place(path, key, one) for one in value]
                    if several
                    else _place(path, key, value)
                )
            defaults[parameter.name or key] = value
        return defaults


def _place(settings: Path, key: str, value: Any) -> str:
    """Return the name of a file in the folder of the settings, as seen from here."""
    form, is_form, name = str(value).partition("=") if key == "format" else ("", "", str(value))
    if key == "format" and not is_form:
        return str(value)
    root, path = os.path.realpath(settings.parent), os.path.join(settings.parent, name)
    inside = os.path.relpath(os.path.realpath(path), root)
    if os.path.isabs(inside) or {os.pardir, ".git"}.intersection(Path(inside).parts):
        raise Problem(
            f"{settings}: {key} names {name!r}, which is not in the folder of these settings; if "
            "you trust them, name it on the command line"
        )
    return f"{form}{is_form}{os.path.relpath(path)}"


def _keys(parameter: click.Parameter) -> list[str]:
    if isinstance(parameter, click.Argument):
        return [parameter.name or ""]
    longest = max(parameter.opts, key=len)
    return [] if longest in ("--help", "--version") else [longest.lstrip("-")]


def _settings_from(folder: Path) -> tuple[Path | None, dict[str, Any]]:
    """Return the file of settings, and what it says."""
    for path in _candidates(folder):
        table = _table_of(path)
        if table is not None:
            return path, table
    return None, {}


def _candidates(folder: Path) -> Iterator[Path]:
    for here in (folder, *folder.parents):
        yield from (here / name for name in _NAMES if (here / name).is_file())
        if (here / ".git").exists():
            return


def _table_of(path: Path) -> dict[str, Any] | None:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    is_ours = path.name == _NAMES[0]
    if not is_ours and "treekernels" not in text:
        return None
    toml = _toml()
    if toml is None:
        if is_ours or "[tool.treekernels" in text:
            raise Problem(
                f"{path} has settings, and Python 3.10 reads them with: pip install tomli"
            )
        return None
    try:
        content: Any = toml.loads(text)
    except ValueError as error:
        if is_ours or "[tool.treekernels" in text:
            raise Problem(f"{path} is not TOML: {error}") from None
        return None
    table = content if is_ours else content.get("tool", {}).get("treekernels")
    if table is not None and not isinstance(table, dict):
        raise Problem(f"{path}: tool.treekernels is not a table")
    return table


def _toml() -> ModuleType | None:
    import importlib

    for name in ("tomllib", "tomli"):
        try:
            return importlib.import_module(name)
        except ImportError:
            pass
    return None
