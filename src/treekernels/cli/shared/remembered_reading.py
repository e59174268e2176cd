"""A model or an index remembers how its trees were read, so that others are read in the same way.

Functions that were learned from with ``-o each=function`` are not to be compared with whole files
because somebody forgot the option the second time.
"""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from treekernels.cli.shared.data import format_of_data, reader_options_of
from treekernels.common.screen import Screen
from treekernels.errors import DataError
from treekernels.io.remembered_options import SHAPING_OPTIONS

__all__ = ["as_remembered", "remember_reading"]


def remember_reading(model: Any, data: Sequence[str], reading: Mapping[str, Any]) -> None:
    """Note in a fitted model the format of its data, and the options that shaped the trees."""
    options = reader_options_of(reading["reader_options"])
    shaping = {name: options[name] for name in sorted(SHAPING_OPTIONS & set(options))}
    format_ = _format_of(data, reading)
    model.reading_ = {"format": format_, "options": shaping} if shaping and format_ else None


def as_remembered(
    model: Any, data: Sequence[str], reading: dict[str, Any], screen: Screen
) -> dict[str, Any]:
    """Return how to read data for a model: as its own were read, but for what is said anew."""
    known = getattr(model, "reading_", None)  # a weighted forest has none
    if known is None or _format_of(data, reading) != known["format"]:
        return reading
    given = reader_options_of(reading["reader_options"])
    missing = {name: value for name, value in known["options"].items() if name not in given}
    if not missing:
        return reading
    texts = [f"{name}={_text(value)}" for name, value in missing.items()]
    screen.note(f"Reading with {' '.join(f'-o {text}' for text in texts)}, as the first time.")
    return {**reading, "reader_options": (*reading["reader_options"], *texts)}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _format_of(data: Sequence[str], reading: Mapping[str, Any]) -> str | None:
    """Return the format of the first file, None if there is none to look into."""
    format_, name = reading["format_"], data[0] if data else "-"
    if format_ is None and (name == "-" or not (Path(name).exists() or glob.has_magic(name))):
        return None
    try:
        return format_of_data(name, format_)
    except DataError:  # files of several formats, say: whoever reads them knows what to do or say
        return None
