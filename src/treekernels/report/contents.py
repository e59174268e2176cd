"""What a report shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.data.tree import Tree
from treekernels.explanation.fragment import Fragment

__all__ = ["Mistake", "Report", "ScoreTable"]


@dataclass
class ScoreTable:
    """Scores of several learners: the first column names them, the others are numbers."""

    headings: list[str]
    rows: list[list[str]]
    note: str = ""


@dataclass
class Mistake:
    """An example that got a wrong label, and the fragments that spoke for and against it.

    `where` says in which file and line it is, if that is known.
    """

    tree: Tree
    expected: Any
    predicted: Any
    margin: float
    fragments: list[Fragment]
    weights: dict[int, float]
    where: str = ""


@dataclass
class Report:
    """What a report shows; what is empty is left out."""

    title: str
    facts: dict[str, str]  # what was run
    scores: ScoreTable
    expected: NDArray[Any]
    predicted: NDArray[Any]
    selection: ScoreTable | None = None  # which kernels were compared, if the model has chosen one
    curve: tuple[list[int], list[float]] | None = None  # the learning curve
    # Kernel values between some of the examples, and their labels.
    gram: NDArray[np.float64] | None = None
    gram_labels: NDArray[Any] | None = None
    # Those with the largest weights in the model.
    fragments: list[Fragment] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    times: dict[str, str] = field(default_factory=dict)
    # What is said of a part: "curve", "fragments" or "mistakes".
    notes: dict[str, str] = field(default_factory=dict)
