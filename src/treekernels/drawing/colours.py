"""Colours of nodes: one for each group, or darker for larger weights.

The colours are those of Okabe and Ito, which colour-blind people can tell apart. They are thin
enough for labels to stay readable on white and on black.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Real

from treekernels.errors import DataError

Colours = Mapping[int, object] | Callable[[int], object]
"""From the position of a node to a weight (a number) or a group (anything else)."""

Fill = tuple[str, float]
"""A colour and how thickly it is laid on, from 0 to 1."""

FOR, AGAINST = "#0072b2", "#e69f00"
GROUPS = (FOR, AGAINST, "#009e73", "#cc79a7", "#d55e00", "#56b4e9")
IN_THE_DARK = ("#4db8ff", "#ffbe3d", "#33d6a6", "#f3a5cf", "#ff8a47", "#9adcff")
"""The same hues for a dark page; the others are made for white paper."""
_THINNEST, _THICKEST = 0.1, 0.55
_GROUP = 0.4


def fills(
    colours: Colours | None, positions: list[int], groups: list[object]
) -> dict[int, tuple[Fill, object]]:
    """Return the fill of each position that has one, with its weight or group.

    Positive weights are blue and negative ones orange, and the larger a weight, the thicker is its
    colour. Groups get their colours in the order of the list, to which new groups are added.
    """
    if colours is None:
        return {}
    lookup = colours.get if isinstance(colours, Mapping) else colours
    values = {position: lookup(position) for position in positions if position >= 0}
    values = {position: value for position, value in values.items() if value is not None}
    weights = {place: float(v) for place, v in values.items() if isinstance(v, Real)}
    infinite = [weight for weight in weights.values() if not math.isfinite(weight)]
    if infinite:
        raise DataError(f"a weight must be a number, and not {infinite[0]}")
    largest = max(map(abs, weights.values()), default=0.0)
    all_values = colours.values() if isinstance(colours, Mapping) else values.values()
    groups += [v for v in dict.fromkeys(all_values) if not isinstance(v, Real) and v not in groups]
    fills_by_position: dict[int, tuple[Fill, object]] = {}
    for position, value in values.items():
        if position not in weights:
            colour = GROUPS[groups.index(value) % len(GROUPS)]
            fills_by_position[position] = ((colour, _GROUP), value)
        elif weight := weights[position]:
            share = abs(weight) / largest
            thickness = _THINNEST + (_THICKEST - _THINNEST) * share
            fills_by_position[position] = ((FOR if weight > 0 else AGAINST, thickness), weight)
    return fills_by_position
