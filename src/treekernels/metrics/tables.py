"""How right a table in HTML is: TEDS, the similarity by edit distance that PubTabNet defined."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Floats
from treekernels.common.checks import check_flag
from treekernels.common.native_errors import translate_native_errors
from treekernels.common.optional import require
from treekernels.common.progress import Progress
from treekernels.common.text import count_noun
from treekernels.data.forest import Forest
from treekernels.distance.costs import label_texts
from treekernels.distance.edit_distance import memory
from treekernels.errors import DataError, ParameterError
from treekernels.kernels.base.kernel import thread_count

__all__ = ["TableScores", "teds"]

_TAG = re.compile(r"[A-Za-z][\w.-]*")
_WHOLE = re.compile(r"\s*[+-]?[0-9]{1,1000}\s*")  # Python refuses numbers of many digits


@dataclass(frozen=True, eq=False, repr=False)
class TableScores(Sequence[float]):
    """What `teds` returns for several tables.

    Attributes
    ----------
    scores : array of float
        One for each table: 1 for equal tables. A prediction in which there is no table has 0; where
        the right table cannot be read there is no score but NaN.
    problems : dict
        By number of the table, from 0: what is wrong with it, in a sentence.
    """

    scores: Floats
    problems: dict[int, str]

    @property
    def mean(self) -> float:
        """The mean of all scores but those that are NaN."""
        known = self.scores[~np.isnan(self.scores)]
        return float(known.mean()) if len(known) else float("nan")

    def __len__(self) -> int:
        return len(self.scores)

    @overload
    def __getitem__(self, place: int) -> float: ...
    @overload
    def __getitem__(self, place: slice) -> list[float]: ...
    def __getitem__(self, place: Any) -> float | list[float]:
        values: float | list[float] = self.scores[place].tolist()
        return values

    def __repr__(self) -> str:
        problems = f", {count_noun(len(self.problems), 'problem')}" if self.problems else ""
        return f"<TableScores: {count_noun(len(self), 'table')}, mean {self.mean:.4f}{problems}>"


@overload
def teds(  # type: ignore[overload-overlap]
    predicted: str,
    right: str,
    *,
    structure_only: bool = False,
    ignore_nodes: str | Iterable[str] = (),
) -> float: ...
@overload
def teds(
    predicted: Iterable[str | None],
    right: Iterable[str],
    *,
    structure_only: bool = False,
    ignore_nodes: str | Iterable[str] = (),
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> TableScores: ...
def teds(
    predicted: Any,
    right: Any,
    *,
    structure_only: bool = False,
    ignore_nodes: str | Iterable[str] = (),
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> float | TableScores:
    """Return how like the right table in HTML a predicted one is: TEDS, or TEDS-Struct.

    It is 1 less the edit distance of both tables, divided by the number of elements of the larger
    one. Every edit costs 1, but to rename one cell to another, if they span the same rows and
    columns, costs the share of their characters and tags that have to be changed.

    Parameters
    ----------
    predicted, right : str, or sequence of str
        Pages, or tables alone. Of a page, it is the first table right below the body that counts.
    structure_only : bool, default=False
        Compare tables without the contents of their cells: TEDS-Struct.
    ignore_nodes : str or sequence of str, optional
        Tags that do not count, such as ``("b", "i")``: what stands in them counts as if they were
        not there.
    n_jobs : int, optional
        Threads to use, -1 for all cores. No score depends on it.
    progress : callable, optional
        Called now and then with the tables done and in all.

    Returns
    -------
    float, or TableScores for several tables

    Notes
    -----
    Values are those of the program that came with PubTabNet [1]_, also in what one might not
    expect: the number of elements is that without the table itself, but with the tags inside cells;
    ``th`` is an element like any other, whose text does not count; and a score may be below 0. Only
    a table that is not in a page, for which that program returns 0, is taken as one that is.

    References
    ----------
    .. [1] X. Zhong, E. ShafieiBavani and A. Jimeno Yepes, "Image-based table recognition: data,
       model, and evaluation", ECCV 2020.

    Examples
    --------
    >>> import treekernels as tk
    >>> right = "<table><tr><td>one</td><td>two</td></tr></table>"
    >>> tk.metrics.teds("<table><tr><td>one</td><td>too</td></tr></table>", right).__round__(3)
    0.889
    >>> tk.metrics.teds("<table><tr><td>one</td></tr></table>", right, structure_only=True)
    0.6666666666666667
    >>> scores = tk.metrics.teds([right, "no table"], [right, right])
    >>> scores.scores, scores.problems
    (array([1., 0.]), {1: 'the prediction has no table'})
    """
    check_flag("structure_only", structure_only)
    ignored = [ignore_nodes] if isinstance(ignore_nodes, str) else list(ignore_nodes)
    if not all(isinstance(tag, str) and _TAG.fullmatch(tag) for tag in ignored):
        raise ParameterError(f"ignore_nodes are names of tags such as 'b', not {ignore_nodes!r}")
    if isinstance(predicted, str) and isinstance(right, str):
        scores = teds([predicted], [right], structure_only=structure_only, ignore_nodes=ignored)
        if scores.problems and np.isnan(scores.scores[0]):
            raise DataError(scores.problems[0])
        return scores[0]
    if isinstance(predicted, str) or isinstance(right, str):
        raise DataError("give two tables, or two lists of tables")
    given, wanted = list(predicted), list(right)
    if len(given) != len(wanted):
        raise DataError(f"there are {len(given)} predictions, and {len(wanted)} right tables")
    reader = _Reader(structure_only, ignored)
    scores_, problems = np.zeros(len(wanted)), {}
    places, sizes, pairs = [], [], []
    for place, (html, right_html) in enumerate(zip(given, wanted, strict=True)):
        try:
            table = reader.read(html, "the prediction")
        except _Unfit as error:
            table, problems[place] = None, str(error)
        try:
            answer = reader.read(right_html, "the right answer")
        except _Unfit as error:
            problems[place], scores_[place] = str(error), np.nan
            continue
        if table is not None:
            places.append(place)
            sizes.append(max(table.elements, answer.elements))
            pairs.append((table.tree, answer.tree))
    if pairs:
        distances = reader.distances(pairs, thread_count(n_jobs), progress)
        # Two tables without anything in them are equal.
        scores_[places] = 1.0 - distances / np.maximum(1, sizes)
    return TableScores(scores_, problems)


class _Unfit(Exception):
    """What is wrong with a table."""


class _Table(NamedTuple):
    tree: Any
    elements: int


class _Reader:
    """Reads tables as trees whose labels are numbers of what is to be compared."""

    def __init__(self, structure_only: bool, ignored: list[str]) -> None:
        self.structure_only = structure_only
        self.ignored = ignored
        self.etree = require("lxml.etree", "html", "reading tables in HTML")
        self.kinds: dict[Any, int] = {}  # the tag, the columns and rows that a cell spans, its text

    def read(self, html: Any, what: str) -> _Table:
        """Return a table, or say what is wrong with it."""
        if html is None or (isinstance(html, str) and not html.strip()):
            raise _Unfit(f"{what} is empty")
        if not isinstance(html, str):
            raise _Unfit(f"{what} is no text but of type {type(html).__name__}")
        parser = self.etree.HTMLParser(remove_comments=True, remove_pis=True, encoding="utf-8")
        try:
            page = self.etree.fromstring(html.encode("utf-8", "replace"), parser)
        except (self.etree.ParserError, self.etree.XMLSyntaxError) as error:
            raise _Unfit(f"{what} cannot be read: {error}") from None
        tables = [] if page is None else page.xpath("/html/body/table")
        if not tables:
            raise _Unfit(f"{what} has no table")
        if self.ignored:
            self.etree.strip_tags(tables[0], *self.ignored)
        return _Table(self._tree(tables[0]), int(tables[0].xpath("count(.//*)")))

    def _tree(self, table: Any) -> Any:
        root: list[Any] = []
        pending: list[tuple[Any, list[Any]]] = [(table, root)]
        while pending:
            element, siblings = pending.pop()
            if element.tag == "td":
                kind = ("td", _span(element, "colspan"), _span(element, "rowspan"))
                tokens = () if self.structure_only else tuple(_tokens(element))
                siblings.append([self._number((kind, tokens))])
                continue
            node = [self._number(((element.tag,), ()))]
            siblings.append(node)
            pending.extend((child, node) for child in reversed(element))
        return root[0]

    def _number(self, kind: Any) -> str:
        return str(self.kinds.setdefault(kind, len(self.kinds)))

    def distances(
        self, pairs: list[tuple[Any, Any]], threads: int, progress: Progress | None
    ) -> Floats:
        """Return the distance of each pair of trees."""
        forest = Forest.from_trees([tree for pair in pairs for tree in pair])
        groups: dict[Any, int] = {}
        texts = {
            _native.label_number(forest.dag, str(number)): (
                groups.setdefault(kind, len(groups)),
                tokens,
            )
            for (kind, tokens), number in self.kinds.items()
        }
        texts.pop(-1, None)  # kinds of tables that are not compared
        count = max(texts) + 1
        none = np.empty(0, np.uint32)
        costs = _native.EditCosts(
            np.ones(count), np.ones(count), 1.0, none, none, np.empty(0),
            *label_texts(count, texts), None,
        )  # fmt: skip
        with translate_native_errors():
            return _native.pair_distances(
                forest.dag, forest.roots[::2].copy(), forest.roots[1::2].copy(), costs, np.inf,
                memory(), threads, progress,
            )  # fmt: skip


def _span(element: Any, name: str) -> int:
    text = element.get(name, "1")
    if _WHOLE.fullmatch(text) is None:
        shown = text if len(text) <= 40 else f"{text[:40]}..."
        raise _Unfit(f"{name}={shown!r} of a cell in line {element.sourceline} is no whole number")
    return int(text)


def _tokens(cell: Any) -> Iterator[str]:
    """Yield the characters of a cell, and its tags as one token each."""
    yield from cell.text or ""
    pending: list[Any] = list(reversed(cell))
    while pending:
        item = pending.pop()
        if isinstance(item, tuple):
            (element,) = item
            if element.tag != "unk":
                yield f"</{element.tag}>"
            if element.tag != "td":
                yield from element.tail or ""
            continue
        yield f"<{item.tag}>"
        yield from item.text or ""
        pending.append((item,))
        pending.extend(reversed(item))
