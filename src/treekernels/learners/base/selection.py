"""``kernel="auto"``: the kernel of a portfolio that does best on a sample of the training data."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from treekernels.common.arrays import Floats
from treekernels.data.examples import Examples
from treekernels.drawing.markup import markup
from treekernels.errors import (
    KernelMemoryError,
    KernelOverflowError,
    ParameterError,
    SmallValuesWarning,
)
from treekernels.kernels import Kernel
from treekernels.kernels.expressions.formatting import format_kernel
from treekernels.learners.base.comparison import MOST_EXAMPLES, Compare, Comparison
from treekernels.learners.base.portfolio import (
    default_kernel_for,
    estimated_seconds,
    mean_nodes,
    portfolio_for,
)

AUTO = "auto"
_MOST_NODES = 200_000  # in a sample
_MOST_SECONDS = 4.5  # of all Gram matrices together, as estimated from counts


def is_auto(kernel: Any) -> bool:
    """Return whether the kernel is left to the learner."""
    return isinstance(kernel, str) and kernel == AUTO


@dataclass(frozen=True)
class Trial:
    """What came of one kernel.

    Attributes
    ----------
    column : str
        The column that it was tried on; empty if X has none.
    expression : str
        The kernel.
    mean, error : float or None
        The mean score of the folds and its standard error; None if the kernel was left out.
    cost : float
        Seconds for its Gram matrices, as estimated from counts.
    chosen : bool
    """

    column: str
    expression: str
    mean: float | None
    error: float | None
    cost: float
    chosen: bool = False

    def cells(self) -> list[str]:
        """Return what a table says."""
        if self.mean is None:
            scores = ["left out", ""]
        else:
            scores = [f"{self.mean:.4f}", f"{self.error:.4f}"]
        mark = "*" if self.chosen else ""
        return [mark, self.column, self.expression, *scores, f"{self.cost:.2f} s"]


class Selection:
    """What was compared, and what was chosen.

    Attributes
    ----------
    kernel : Kernel
        The chosen kernel, not fitted.
    trials : list of Trial
        One for each kernel and column, in the order of the portfolio.
    sentence : str
        What was chosen, by how much, and how to ask for it.
    """

    def __init__(self, kernel: Kernel, trials: Sequence[Trial], sentence: str) -> None:
        self.kernel = kernel
        self.trials = list(trials)
        self.sentence = sentence

    def state(self) -> dict[str, Any]:
        """Return it as plain data, for files."""
        trials = [list(astuple(trial)) for trial in self.trials]
        return {"kernel": self.kernel, "trials": trials, "sentence": self.sentence}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Selection:
        """Return what `state` has saved."""
        kernel = state["kernel"]
        if not isinstance(kernel, Kernel):
            raise ValueError("the chosen kernel is not a kernel")
        trials = [
            Trial(str(column), str(text), _number(mean), _number(error), float(cost), bool(is_best))
            for column, text, mean, error, cost, is_best in state["trials"]
        ]
        return cls(kernel, trials, str(state["sentence"]))

    _HEADINGS = ("", "column", "kernel", "mean score", "standard error", "cost")

    def __repr__(self) -> str:
        rows = [list(self._HEADINGS), *(trial.cells() for trial in self.trials)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width
            ).rstrip()
            for row in rows
        ]
        return "\n".join([*(lines if self.trials else []), self.sentence])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{markup(name)}</th>" for name in self._HEADINGS)
        body = "".join(
            "<tr>" + "".join(f"<td>{markup(cell)}</td>" for cell in trial.cells()) + "</tr>"
            for trial in self.trials
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f"{table if self.trials else ''}<p>{markup(self.sentence)}</p>"


def expression_of(kernel: Kernel) -> str:
    """Return a kernel as text: as Python writes it where there is no expression for it."""
    try:
        return format_kernel(kernel)
    except ValueError:
        return repr(kernel)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def select_kernel(X: Examples, compare: Compare, learner: str, n_jobs: int) -> Selection:
    """Choose a kernel for each column, and return their sum.

    Each column is looked at alone. The best mean score wins; among kernels whose mean is within
    one standard error of the best, the first one of the portfolio is taken. What is compared
    depends on counts of examples and nodes, never on the clock, so that it is the same everywhere.

    Parameters
    ----------
    X : Examples
        The training data.
    compare : callable
        Makes a comparison on at most so many examples.
    learner : str
        Its name, for the sentence.
    """
    whole = default_kernel_for(X.X)
    most = min(MOST_EXAMPLES, int(_MOST_NODES / max(mean_nodes(X), 1.0)))
    comparison = compare(most)
    if comparison is None:
        return Selection(
            whole,
            [],
            f"kernel='auto' is {expression_of(whole)} here: there are too few examples to compare "
            "kernels on",
        )
    sample = X.take(comparison.rows)
    chosen, trials = [], []
    terms = [term.kernel for term in whole.summands()]
    for default in terms:
        kernel, tried = _choose(portfolio_for(default), sample, comparison, len(terms), n_jobs)
        chosen.append(kernel)
        trials += tried
    kernel = reduce(add, chosen)
    return Selection(kernel, trials, _describe(kernel, trials, comparison, learner))


def _choose(
    portfolio: Sequence[Kernel], sample: Examples, comparison: Comparison, parts: int, n_jobs: int
) -> tuple[Kernel, list[Trial]]:
    """Return the best kernel for a column, and what came of all of them."""
    if len(portfolio) == 1:
        return portfolio[0], []
    spent = 0.0
    trials = []
    for place, kernel in enumerate(portfolio):
        cost = estimated_seconds(kernel, sample)
        if kernel.needs_fit:
            cost *= len(comparison.folds)
        leaf = next(kernel.leaves())
        trial = Trial(str(leaf.on or ""), expression_of(kernel), None, None, cost)
        if place == 0 or spent + cost <= _MOST_SECONDS / parts:
            spent += cost
            scores = _scores(kernel, sample, comparison, n_jobs)
            if scores is not None:
                error = comparison.standard_error(scores)
                trial = replace(trial, mean=float(scores.mean()), error=error)
        trials.append(trial)
    place = _best(trials)
    trials[place] = replace(trials[place], chosen=True)
    return portfolio[place], trials


def _best(trials: Sequence[Trial]) -> int:
    """Return the place of the first kernel within one standard error of the best."""
    means = np.array([-np.inf if trial.mean is None else trial.mean for trial in trials])
    best = int(means.argmax())
    if trials[best].mean is None:
        return 0
    return int(np.argmax(means >= means[best] - (trials[best].error or 0.0)))


def _scores(kernel: Kernel, sample: Examples, comparison: Comparison, n_jobs: int) -> Floats | None:
    """Return the score of each fold; None if a value is too large, or the kernel cannot be used.

    Weights are learned from what a fold learns from, and from nothing else.
    """
    gram: Floats | None = None
    scores = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallValuesWarning)  # the scores will tell
        try:
            for train, test in comparison.folds:
                if gram is None or kernel.needs_fit:
                    gram = kernel.fitted_on(sample.take(train))(sample, n_jobs=n_jobs)
                scores.append(comparison.score(gram, train, test))
        except (KernelOverflowError, KernelMemoryError, ParameterError):
            return None
    values = np.array(scores)
    return values if np.isfinite(values).all() else None


def _describe(kernel: Kernel, trials: Sequence[Trial], comparison: Comparison, learner: str) -> str:
    """Say what was chosen, by how much, and how to ask for it."""
    text = expression_of(kernel)
    quoted = f'tk.{learner}("{text}")'
    scored = [trial for trial in trials if trial.mean is not None]
    if not scored:
        return f"kernel='auto' chose {text}: there was nothing to compare it with"
    columns = list(dict.fromkeys(trial.column for trial in trials))
    parts = []
    for column in columns:
        own = [trial for trial in scored if trial.column == column]
        best = next((trial for trial in own if trial.chosen), None)
        if best is None:
            continue
        others = [trial for trial in own if not trial.chosen]
        part = f"{best.mean:.3f} ± {best.error:.3f}"
        if others:
            rival = others[0] if own[0] is not best else max(others, key=lambda t: t.mean or 0.0)
            part += f", {rival.expression} {rival.mean:.3f}"
        parts.append(f"{column}: {part}" if column else part)
    count = len(comparison.rows)
    return (
        f"kernel='auto' chose {text} ({comparison.metric} on {count:,} examples: "
        f"{'; '.join(parts)}). Without comparing: {quoted}"
    )
