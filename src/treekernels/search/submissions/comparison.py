"""compare_submissions: what the submissions of a course have in common."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.arrays import Array, Floats
from treekernels.common.checks import check_number
from treekernels.common.progress import Progress
from treekernels.common.text import count_noun
from treekernels.data.forest import Forest
from treekernels.drawing.markup import markup
from treekernels.errors import DataError
from treekernels.kernels.tree_features import TreeFeaturesKernel
from treekernels.search.submissions.chance import Threshold
from treekernels.search.submissions.course import (
    Course,
    Paths,
    SourceText,
    Submission,
    read_course,
)
from treekernels.search.submissions.groups import groups_of
from treekernels.search.submissions.matches import Located, Passage, shared_passages
from treekernels.search.submissions.weights import CourseWeights
from treekernels.search.tree_index import TreeIndex

__all__ = ["CourseComparison", "SubmissionPair", "compare_submissions"]

_INDEX_SUFFIX = ".tki"
_BINS = 50


@dataclass(frozen=True)
class SubmissionPair:
    """Two submissions, and how much of each is in the other.

    Attributes
    ----------
    first, second : str
        Their names.
    similarity : float
        The mean of the two shares.
    first_in_second, second_in_first : float
        How much of one is in the other, of all that counts in it: 0 to 1.
    earlier : bool
        Whether the second one is of an earlier course.
    """

    first: str
    second: str
    similarity: float
    first_in_second: float
    second_in_first: float
    earlier: bool = False


class CourseComparison:
    """What `compare_submissions` found.

    Attributes
    ----------
    names : list of str
        The submissions of the course.
    earlier_names : list of str
        Those of earlier courses, with which they were compared as well.
    similarities : array of shape (len(names), len(names) + len(earlier_names))
    threshold : float
        From which similarity on a pair is worth a look.
    threshold_reason : str
    left_out : list of str
        A sentence for everything that was not read.
    """

    def __init__(
        self,
        course: Course,
        earlier: Course | None,
        weights: CourseWeights,
        shared: Array,
        totals: tuple[Floats, Floats],
        threshold: float | None = None,
    ) -> None:
        self._course = course
        self._weights = weights
        self._everything = list(course.submissions)
        self._trees = course.trees
        if earlier is not None:
            self._everything += earlier.submissions
            self._trees = Forest.concatenate([course.trees, earlier.trees])
        self.names = [submission.name for submission in course.submissions]
        self.earlier_names = [one.name for one in self._everything[len(self.names) :]]
        self.left_out = course.left_out + ([] if earlier is None else earlier.left_out)
        own, every = totals
        self._inside = _shares(shared, own[:, None])
        self._holds = _shares(shared, every[None, :])
        self.similarities: Array = (self._inside + self._holds) / 2
        found = Threshold.of(self.similarities[:, : len(self.names)])
        if threshold is not None:
            found = Threshold(threshold, "You have chosen it.")
        self.threshold, self.threshold_reason = found.value, found.reason

    @property
    def ignored(self) -> str:
        """What counted nothing, as a sentence."""
        parts = []
        if self._weights.n_shared:
            parts.append(f"{self._weights.n_shared:,} that most submissions have")
        if self._weights.n_template:
            parts.append(f"{self._weights.n_template:,} of the template")
        if not parts:
            return "Every feature of the code counts."
        return f"Features of the code that count nothing: {' and '.join(parts)}."

    def pairs(self, least: float | None = None, most: int | None = None) -> list[SubmissionPair]:
        """Return pairs, the most similar first.

        Parameters
        ----------
        least : float, optional
            The similarity that they have at least; by default the threshold.
        most : int, optional
            How many to return.
        """
        return [self.pair_at(*place) for place in self.places(least, most)]

    def places(self, least: float | None = None, most: int | None = None) -> list[tuple[int, int]]:
        """Return the numbers of both submissions of the same pairs; earlier ones come last."""
        least = self.threshold if least is None else least
        chosen = self.similarities >= least
        count = len(self.names)
        chosen[:, :count] &= np.triu(np.ones((count, count), bool), 1)
        rows, columns = np.nonzero(chosen)
        order = np.argsort(-self.similarities[rows, columns], kind="stable")[:most]
        return list(zip(rows[order].tolist(), columns[order].tolist(), strict=True))

    def pair_at(self, first: int, second: int) -> SubmissionPair:
        """Return a pair by the numbers of its submissions."""
        return SubmissionPair(
            self._everything[first].name,
            self._everything[second].name,
            float(self.similarities[first, second]),
            float(self._inside[first, second]),
            float(self._holds[first, second]),
            second >= len(self.names),
        )

    def closest(self) -> list[SubmissionPair]:
        """Return for each submission the pair with the one that is most like it."""
        return [self.pair_at(*place) for place in self.closest_places()]

    def closest_places(self) -> list[tuple[int, int]]:
        """Return the numbers of both submissions of the same pairs."""
        if self.similarities.shape[1] < 2:
            return []
        others = self.similarities.copy()
        np.fill_diagonal(others, -1.0)
        return list(enumerate(others.argmax(axis=1).tolist()))

    def groups(self) -> list[list[str]]:
        """Return groups of submissions of the course that are alike on average, as names."""
        return [[self.names[number] for number in group] for group in self.group_numbers]

    @cached_property
    def group_numbers(self) -> list[list[int]]:
        """The same as numbers."""
        return groups_of(self.similarities[:, : len(self.names)], self.threshold)

    def histogram(self) -> tuple[NDArray[np.int64], Floats]:
        """Return how many pairs have a similarity between two edges, and the edges, 0 to 1."""
        count = len(self.names)
        own = self.similarities[:, :count][np.triu_indices(count, 1)]
        values = np.concatenate([own, self.similarities[:, count:].ravel()])
        counts, edges = np.histogram(values.clip(0, 1), _BINS, (0.0, 1.0))
        return counts, edges

    def passages(self, first: str, second: str) -> list[Passage]:
        """Return what two submissions share, with its place in the files of both.

        Nothing is known about places in an index of earlier courses, nor in formats whose readers
        do not tell them.
        """
        numbers = []
        for name in (first, second):
            place = next((i for i, one in enumerate(self._everything) if one.name == name), None)
            if place is None:
                raise DataError(f"there is no submission {name!r}")
            numbers.append(place)
        return self.passages_at(*numbers)

    def passages_at(self, first: int, second: int) -> list[Passage]:
        """Return the same for submissions by number."""
        if not (self._everything[first].files and self._everything[second].files):
            return []
        return shared_passages(self.located(first), self.located(second), self.ignored_nodes)

    def located(self, number: int) -> Located:
        """Return the nodes of a submission and where they are."""
        return Located(self._trees, number, self._everything[number])

    def submission(self, number: int) -> Submission:
        """Return a submission by its number; those of earlier courses come last."""
        return self._everything[number]

    @cached_property
    def ignored_nodes(self) -> NDArray[np.int64]:
        """The numbers of the subtrees that count nothing, in the DAG of all."""
        keys = self._weights.ignored
        dag = keys.dag
        subtrees = [
            dag.children(root)[0] for root in keys.roots.tolist() if dag.label(root) == "subtree"
        ]
        return self._trees.dag.import_nodes(dag, np.array(subtrees, np.uint32)).astype(np.int64)

    def index(self) -> TreeIndex:
        """Return the trees of the course, without names, literals or texts, for later courses."""
        index = TreeIndex(TreeFeaturesKernel())
        index.add(self._course.trees, self.names)
        return index

    def as_data(self, most: int | None = None) -> dict[str, Any]:
        """Return the result as plain data, with so many pairs."""
        counts, edges = self.histogram()
        return {
            "submissions": [
                {
                    "name": one.name,
                    "files": len(one.files),
                    "lines": one.n_lines,
                    "closest": closest.second,
                    "similarity": closest.similarity,
                }
                for one, closest in zip(
                    self._everything[: len(self.names)], self._closest_or_none(), strict=True
                )
            ],
            "threshold": self.threshold,
            "threshold_reason": self.threshold_reason,
            "ignored": self.ignored,
            "left_out": self.left_out,
            "histogram": {"counts": counts.tolist(), "edges": edges.tolist()},
            "groups": self.groups(),
            "pairs": [vars(pair) for pair in self.pairs(0.0, most)],
        }

    def _closest_or_none(self) -> Iterator[SubmissionPair]:
        found = self.closest()
        yield from found or [SubmissionPair(name, "", 0.0, 0.0, 0.0) for name in self.names]

    def to_csv(self, path: str | os.PathLike[str], *, most: int | None = None) -> None:
        """Write the pairs as a table, the most similar first."""
        from treekernels.search.submissions.tables import write_csv

        write_csv(path, self.pairs(0.0, most), self.threshold)

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write a page that shows pairs side by side; it needs no network and no other file."""
        from treekernels.search.submissions.page import write_page

        write_page(path, self)

    def hide_names(self) -> None:
        """Put numbers in place of the names of submissions and files, from here on.

        The numbers follow the order of the pairs, so that they say nothing about the names.
        Comments and texts in the code stay as they are.
        """
        count = len(self.names)
        most = self.similarities.copy()
        most[:, :count][np.diag_indices(count)] = -1.0
        order = [np.argsort(-most.max(axis=1, initial=-1.0), kind="stable")]
        order.append(count + np.argsort(-most[:, count:].max(axis=0, initial=-1.0), kind="stable"))
        for kind, numbers in zip(("submission", "earlier"), order, strict=True):
            for place, number in enumerate(numbers.tolist(), start=1):
                one = self._everything[number]
                files = [
                    SourceText(f"file {i}{Path(file.name).suffix}", file.text, file.spans)
                    for i, file in enumerate(one.files, start=1)
                ]
                self._everything[number] = Submission(f"{kind} {place}", files)
        self.names = [one.name for one in self._everything[:count]]
        self.earlier_names = [one.name for one in self._everything[count:]]
        self.left_out = [f"{count_noun(len(self.left_out), 'thing')} that could not be read"][
            : len(self.left_out)
        ]

    def __repr__(self) -> str:
        pairs = int((np.triu(self.similarities[:, : len(self.names)], 1) >= self.threshold).sum())
        pairs += int((self.similarities[:, len(self.names) :] >= self.threshold).sum())
        return (
            f"<CourseComparison: {count_noun(len(self.names), 'submission')}, "
            f"{count_noun(pairs, 'pair')} of similarity {self.threshold:.2f} or more>"
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{pair.similarity:.2f}</td><td>{markup(pair.first)}</td>"
            f"<td>{pair.first_in_second:.0%}</td><td>{markup(pair.second)}</td>"
            f"<td>{pair.second_in_first:.0%}</td></tr>"
            for pair in self.pairs(most=20)
        )
        headings = "".join(
            f'<th scope="col">{name}</th>'
            for name in ("similarity", "first", "in second", "second", "in first")
        )
        return (
            f"<p>{markup(repr(self)[1:-1])}</p>"
            f"<table><thead><tr>{headings}</tr></thead><tbody>{rows}</tbody></table>"
        )


def compare_submissions(
    submissions: Paths,
    *,
    template: Paths | None = None,
    against: Paths | None = None,
    threshold: float | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> CourseComparison:
    """Compare the submissions of a course with each other, whatever things are called in them.

    Submissions are folders or files in any language that `treekernels.read` knows. Names and
    literals are left out of their syntax trees. What counts is which whole subtrees, productions,
    neighbours and leaves two submissions share, each the more, the fewer submissions have it: so
    functions and statements may have been moved, also to other files.

    Parameters
    ----------
    submissions : path, or list of paths
        A folder, in which each folder or file is a submission; or a list of submissions.
    template : path, or list of paths, optional
        Code that everybody was given, which counts nothing.
    against : path, or list of paths, optional
        Earlier courses to compare with: folders of submissions, or indexes that were saved, whose
        names end in ``.tki`` (`CourseComparison.index`).
    threshold : float, optional
        From which similarity on a pair is worth a look; by default what chance is expected to
        reach in one pair of the course.
    n_jobs : int, optional
        Threads to use; -1 for all cores.
    progress : callable, optional
        Called with how much is done, and of how much.

    Returns
    -------
    CourseComparison

    See Also
    --------
    TreeIndex.duplicates : near-copies among trees of any kind.

    Examples
    --------
    >>> import tempfile, treekernels as tk
    >>> from pathlib import Path
    >>> anna = "def mean(xs):\\n    total = 0\\n    for x in xs:\\n        total += x\\n    return total / len(xs)"
    >>> ben = anna.replace("total", "s").replace("xs", "numbers")
    >>> carla = "import statistics\\nprint(statistics.fmean(map(float, open('data.txt'))))"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, text in [("anna", anna), ("ben", ben), ("carla", carla)]:
    ...         _ = Path(folder, f"{name}.py").write_text(text)
    ...     result = tk.compare_submissions(folder)
    >>> result
    <CourseComparison: 3 submissions, 1 pair of similarity 0.50 or more>
    >>> result.pairs()[0]
    SubmissionPair(first='anna', second='ben', similarity=1.0, first_in_second=1.0, second_in_first=1.0, earlier=False)
    """
    if threshold is not None:
        threshold = check_number("threshold", threshold, 0, 1)
    course = read_course(submissions, progress=progress)
    given = None if template is None else read_course(_as_one(template)).trees
    weights = CourseWeights.of(course.trees, given)
    earlier = None if against is None else _earlier(against)
    every = course.trees
    if earlier is not None:
        every = Forest.concatenate([course.trees, earlier.trees])
    shared = weights.shared(
        course.trees, None if earlier is None else every, n_jobs=n_jobs, progress=progress
    )
    own = weights.totals(course.trees, n_jobs=n_jobs)
    totals = own if earlier is None else weights.totals(every, n_jobs=n_jobs)
    return CourseComparison(course, earlier, weights, shared, (own, totals), threshold)


def _shares(shared: Array, totals: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(totals > 0, np.clip(shared / totals, 0.0, 1.0), 0.0)


def _as_one(paths: Paths) -> Paths:
    """Return what is to be read as a single submission, or as several if it is a list."""
    return [paths] if isinstance(paths, str | os.PathLike) else paths


def _earlier(paths: Paths) -> Course:
    """Read earlier courses; of an index there are trees, but no texts."""
    courses = []
    for path in [paths] if isinstance(paths, str | os.PathLike) else paths:
        if str(path).endswith(_INDEX_SUFFIX):
            index = TreeIndex.load(path)
            names = [str(name) for name in index.ids]
            courses.append(Course([Submission(name) for name in names], index.trees(names), []))
        else:
            courses.append(read_course(path))
        within = Path(path).name.removesuffix(_INDEX_SUFFIX)
        courses[-1].submissions = [
            Submission(f"{within}/{one.name}", one.files) for one in courses[-1].submissions
        ]
    return Course(
        [one for course in courses for one in course.submissions],
        Forest.concatenate([course.trees for course in courses]),
        [sentence for course in courses for sentence in course.left_out],
    )
