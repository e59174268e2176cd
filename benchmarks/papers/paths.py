"""Lets the scripts of this folder use what the benchmarks share, and saves their plots."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))


def save_plot(name: str, draw: Callable[[Any], None]) -> str:
    """Draw into benchmarks/results/<name>.png if matplotlib is there; say what was done."""
    try:
        import matplotlib
    except ImportError:
        return "No plot: matplotlib is not installed (pip install treekernels[bench])."
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    draw(axes)
    folder = HERE.parent / "results"
    folder.mkdir(exist_ok=True)
    figure.tight_layout()
    figure.savefig(folder / f"{name}.png", dpi=150)
    return f"Plot: benchmarks/results/{name}.png"
