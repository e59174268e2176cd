"""Columns of texts, as numbers where all of them are some."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["as_numbers"]

_INTEGER = re.compile(r"-?(?:0|[1-9]\d*)", re.ASCII)
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)


def as_numbers(texts: Sequence[str]) -> Any:
    """Return an array of integers or floats if all texts are numbers, else of the texts.

    A number is written as Python writes it: "+1" and "007" stay texts, so that labels and
    names are what the file has. A text that is empty is NaN among numbers.
    """
    distinct = set(texts) - {""}
    if distinct and all(_INTEGER.fullmatch(text) for text in distinct):
        numbers = {text: int(text) for text in distinct}
        if all(-(2**63) <= number < 2**63 for number in numbers.values()):
            if len(distinct) == len(set(texts)):
                return np.array([numbers[text] for text in texts], np.int64)
            return np.array([float(text) if text else np.nan for text in texts])
    elif distinct and all(_DECIMAL.fullmatch(text) for text in distinct):
        floats = np.array([float(text) if text else np.nan for text in texts])
        if not np.isinf(floats).any():
            return floats
    column = np.empty(len(texts), object)
    column[:] = texts  # several times as fast as np.array(texts, object)
    return column
