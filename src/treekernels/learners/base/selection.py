"""``kernel="auto"``: the kernel of a portfolio that does best on a sample of the training data."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
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
from treekernels.learners.base.comparison import Comparison, Contest
from treekernels.learners.base.portfolio import (
    default_kernel_for,
    estimated_seconds,
    kernel_for_few,
    mean_nodes,
    portfolio_for,
)

_MOST_NODES = 400_000  # in a sample
_TOLERANCE = 2.0  # standard errors
_MOST_SECONDS = 4.5  # of all Gram matrices together, as estimated from counts


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
        Its mean score and the standard error of that, in the last round that it was in; None if the
        kernel was left out.
    cost : float
        Seconds for its Gram matrices, as estimated from counts.
    chosen : bool
    examples : int
        How many there were in that round.
    """

    column: str
    expression: str
    mean: float | None
    error: float | None
    cost: float
    chosen: bool = False
    examples: int = 0

    def cells(self) -> list[str]:
        """Return what a table says."""
        if self.mean is None:
            scores = ["", "left out", ""]
        else:
            scores = [f"{self.examples:,}", f"{self.mean:.4f}", f"{self.error:.4f}"]
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
    reason : str
        What was chosen, and by how much.
    learner : str
        The class that chose it.
    """

    def __init__(
        self, kernel: Kernel, trials: Sequence[Trial], reason: str, learner: str = ""
    ) -> None:
        self.kernel = kernel
        self.trials = list(trials)
        self.reason = reason
        self.learner = learner

    @property
    def sentence(self) -> str:
        """What was chosen, by how much, and how to ask for it."""
        if not self.trials or not self.learner:
            return self.reason
        return f'{self.reason}. Without comparing: tk.{self.learner}("{self.expression}")'

    @property
    def for_command(self) -> str:
        """The same for those who sit at a terminal."""
        if not self.trials:
            return self.reason
        return f"{self.reason}. Without comparing: --kernel '{self.expression}'"

    @property
    def expression(self) -> str:
        """The kernel as text."""
        return expression_of(self.kernel)

    def state(self) -> dict[str, Any]:
        """Return it as plain data, for files."""
        trials = [list(astuple(trial)) for trial in self.trials]
        about = {"reason": self.reason, "learner": self.learner}
        return {"kernel": self.kernel, "trials": trials, **about}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Selection:
        """Return what `state` has saved."""
        kernel = state["kernel"]
        if not isinstance(kernel, Kernel):
            raise ValueError("the chosen kernel is not a kernel")
        trials = [
            Trial(
                str(column),
                str(text),
                _number(mean),
                _number(error),
                float(cost),
                bool(is_best),
                sum(map(int, examples)),  # none in older files
            )
            for column, text, mean, error, cost, is_best, *examples in state["trials"]
        ]
        reason = state["reason"] if "reason" in state else state["sentence"]  # of older files
        return cls(kernel, trials, str(reason), str(state.get("learner", "")))

    HEADINGS = ("", "column", "kernel", "examples", "mean score", "standard error", "cost")

    def __repr__(self) -> str:
        rows = [list(self.HEADINGS), *(trial.cells() for trial in self.trials)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width
            ).rstrip()
            for row in rows
        ]
        return "\n".join([*(lines if self.trials else []), self.sentence])

    def _repr_html_(self) -> str:
        last = max((trial.examples for trial in self.trials), default=0)
        ends = [trial for trial in self.trials if trial.examples == last]
        best = max((trial.mean or 0.0 for trial in ends), default=0.0)
        headings = (*self.HEADINGS, "last round")
        head = "".join(f"<th>{markup(name)}</th>" for name in headings)
        body = "".join(
            "<tr>"
            + "".join(f"<td>{markup(cell)}</td>" for cell in trial.cells())
            + f"<td>{_bar(trial, best) if trial in ends else ''}</td></tr>"
            for trial in self.trials
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f"{table if self.trials else ''}<p>{markup(self.sentence)}</p>"


def _bar(trial: Trial, best: float) -> str:
    """Return a bar as long as a score is beside the best one, dark for what was chosen."""
    if trial.mean is None or trial.mean <= 0:
        return ""
    color = "#2b6cb0" if trial.chosen else "#a0aec0"
    style = f"width:{8 * trial.mean / best:.2f}em;height:.7em;background:{color}"
    return f'<div style="{style}"></div>'


def expression_of(kernel: Kernel) -> str:
    """Return a kernel as text: as Python writes it where there is no expression for it."""
    try:
        return format_kernel(kernel)
    except ValueError:
        return repr(kernel)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def select_kernel(
    X: Examples, contest: Contest, learner: str, n_jobs: int, *, separable: bool = False
) -> Selection:
    """Choose a kernel for each column, and return their sum.

    Each column is looked at alone. All kernels are compared on some hundred examples, the better
    half of them on twice as many, and so on; those with the fragments of the first of the portfolio
    stay to the end, alone or in sums. Then the best mean score wins, unless a kernel that comes
    before it in the portfolio is no more than two standard errors worse on the same examples: the
    first such one is taken. What is compared depends on counts of examples and nodes, never on the
    clock, so that it is the same everywhere.

    Parameters
    ----------
    X : Examples
        The training data.
    contest : Contest
        Says how kernels are compared.
    learner : str
        Its name, for the sentence.
    separable : bool, default=False
        Choose among kernels that can be learned with part by part.
    """
    sizes = contest.sizes(max(1, int(_MOST_NODES / max(mean_nodes(X), 1.0))))
    rounds = [rivals for size in sizes if (rivals := contest.compare(size)) is not None]
    if not rounds:
        kernel = kernel_for_few(X, separable)
        reason = "there are too few examples to compare kernels on"
        return Selection(kernel, [], f"kernel='auto' is {expression_of(kernel)} here: {reason}")
    import scipy.linalg  # noqa: F401  # before threads are limited: only those of known libraries are
    from threadpoolctl import threadpool_limits

    chosen, trials = [], []
    terms = [term.kernel for term in default_kernel_for(X.X).summands()]
    with threadpool_limits(1, "blas"), warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallValuesWarning)  # the scores will tell
        for default in terms:
            tried = _Column(
                portfolio_for(default, X, separable), X, _MOST_SECONDS / len(terms), n_jobs
            )
            chosen.append(tried.best(rounds))
            trials += tried.trials
    kernel = reduce(add, chosen)
    return Selection(kernel, trials, _reason(kernel, trials, rounds[-1]), learner)


class _Column:
    """The kernels that are compared for one column, and what has come of them so far."""

    def __init__(
        self, portfolio: Sequence[Kernel], X: Examples, seconds: float, n_jobs: int
    ) -> None:
        self.portfolio = portfolio
        self.X = X
        self.seconds = seconds
        self.n_jobs = n_jobs
        column = str(next(portfolio[0].leaves()).on or "")
        self.trials = [Trial(column, expression_of(k), None, None, 0.0) for k in portfolio]
        kind = type(portfolio[0])
        self.lasting = {
            place
            for place, kernel in enumerate(portfolio)
            if any(isinstance(term.kernel, kind) for term in kernel.summands())
        }

    def best(self, rounds: Sequence[Comparison]) -> Kernel:
        """Return the kernel that is left in the end."""
        if len(self.portfolio) == 1:
            self.trials = []
            return self.portfolio[0]
        places = list(range(len(self.portfolio)))
        scores: dict[int, Floats] = {}
        for rivals in rounds:
            if scores:
                places = _better_half(scores, self.lasting)
            sample = self.X.take(rivals.rows)
            costs = self._costs(places, sample)
            if scores and sum(costs.values()) > self.seconds:  # all are compared, or none
                break
            scores = self._compare(places, rivals, sample, costs) or scores
            if len(scores) < 2:
                break
        place = _first_of_the_best(scores, rivals) if scores else 0
        self.trials[place] = replace(self.trials[place], chosen=True)
        return self.portfolio[place]

    def _costs(self, places: Sequence[int], sample: Examples) -> dict[str, float]:
        """Estimate how long the Gram matrix of each part of some kernels takes."""
        terms = [term.kernel for place in places for term in self.portfolio[place].summands()]
        parts = {repr(kernel): kernel for kernel in terms}
        return {name: estimated_seconds(kernel, sample) for name, kernel in parts.items()}

    def _compare(
        self,
        places: Sequence[int],
        rivals: Comparison,
        sample: Examples,
        costs: Mapping[str, float],
    ) -> dict[int, Floats]:
        """Return the scores of those kernels that can be used, as far as the time goes."""
        grams: dict[str, Floats] = {}  # sums have parts in common
        scores: dict[int, Floats] = {}
        for place in places:
            kernel = self.portfolio[place]
            parts = {repr(term.kernel) for term in kernel.summands()}
            new = sum(costs[name] for name in parts if name not in grams)
            whole = sum(costs[name] for name in parts)
            trial = replace(self.trials[place], cost=self.trials[place].cost + whole)
            if not scores or new <= self.seconds:
                self.seconds -= new
                values = _scores(kernel, sample, rivals, grams, self.n_jobs)
                if values is not None:
                    scores[place] = values
                    mean, error = rivals.mean(values), rivals.standard_error(values)
                    trial = replace(trial, mean=mean, error=error, examples=len(rivals.rows))
            self.trials[place] = trial
        return scores


def _better_half(scores: Mapping[int, Floats], lasting: Collection[int]) -> list[int]:
    """Return the lasting places and the better half of the others, in the order of the portfolio.

    Large fragments gain most from more examples, so what has them stays.
    """
    means = {place: float(np.mean(values)) for place, values in scores.items()}
    others = sorted(means.keys() - lasting, key=lambda place: (-means[place], place))
    return sorted({*means.keys() & lasting, *others[: (len(others) + 1) // 2]})


def _first_of_the_best(scores: Mapping[int, Floats], rivals: Comparison) -> int:
    """Return the place of the first kernel that is not clearly worse than the best."""
    best = max(scores, key=lambda place: rivals.mean(scores[place]))
    for place in sorted(scores):
        behind = scores[best] - scores[place]
        if rivals.mean(behind) <= _TOLERANCE * rivals.standard_error(behind):
            return place
    return best


def _scores(
    kernel: Kernel, sample: Examples, rivals: Comparison, grams: dict[str, Floats], n_jobs: int
) -> Floats | None:
    """Return the scores of a kernel; None if a value is too large, or it cannot be used.

    `grams` has the matrices of its parts that are known already, and gets the others.
    """
    gram: Floats | None = None
    try:
        for term in kernel.summands():
            name = repr(term.kernel)
            if name not in grams:
                grams[name] = term.kernel.fitted_on(sample)(sample, n_jobs=n_jobs)
            part = grams[name] if term.weight == 1 else term.weight * grams[name]
            gram = part if gram is None else gram + part
        assert gram is not None
        scores = rivals.scores(gram)
    except (KernelOverflowError, KernelMemoryError, ParameterError):
        return None
    return scores if np.isfinite(scores).all() else None


def _reason(kernel: Kernel, trials: Sequence[Trial], rivals: Comparison) -> str:
    """Say what was chosen, and by how much."""
    text = expression_of(kernel)
    parts = []
    for column in dict.fromkeys(trial.column for trial in trials):
        own = [trial for trial in trials if trial.column == column and trial.mean is not None]
        best = next((trial for trial in own if trial.chosen), None)
        if best is None:
            continue
        part = f"{best.mean:.3f} ± {best.error:.3f}"
        others = [trial for trial in own if not trial.chosen]
        if others:
            rival = others[0] if own[0] is not best else max(others, key=lambda t: t.mean or 0.0)
            on = "" if rival.examples == best.examples else f" on {rival.examples:,}"
            part += f", {rival.expression} {rival.mean:.3f}{on}"
        parts.append(f"{column}: {part}" if column else part)
    if not parts:
        return f"kernel='auto' chose {text}: there was nothing to compare it with"
    count = f"{len(rivals.rows):,} examples"
    return f"kernel='auto' chose {text} ({rivals.metric} on {count}: {'; '.join(parts)})"
