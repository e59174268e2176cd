"""Trees that are small in memory and have more nodes than anybody can count to."""

from __future__ import annotations

import numpy as np

import treekernels as tk


def doubled(levels: int, label: str = "a") -> tk.Forest:
    """Return a tree whose children are the same tree twice, and so on down.

    It has ``2 ** (levels + 1) - 1`` nodes.
    """
    state = (
        label.encode(),
        np.array([0, len(label.encode())], np.uint64),
        np.zeros(levels + 1, np.uint32),
        np.array([0, *(2 * level for level in range(levels + 1))], np.uint64),
        np.repeat(np.arange(levels, dtype=np.uint32), 2),
        np.array([levels], np.uint32),
    )
    forest = tk.Forest.__new__(tk.Forest)
    forest.__setstate__(state)
    return forest
