"""compare_submissions: what the submissions of a course have in common."""

from __future__ import annotations

import os
from copy import copy
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from treekernels.common.checks import check_number
from treekernels.common.progress import Progress
from treekernels.common.text import count_noun
from treekernels.data.forest import Forest
from treekernels.drawing.markup import markup
from treekernels.kernels.tree_features import TreeFeaturesKernel
from treekernels.search.submissions.course import (
    Course,
    Paths,
    SourceText,
    Submission,
    read_course,
)
from treekernels.search.submissions.page import write_page
from treekernels.search.submissions.similarities import Similarities, SubmissionPair
from treekernels.search.submissions.tables import write_csv
from treekernels.search.submissions.weights import CourseWeights
from treekernels.search.tree_index import TreeIndex

__all__ = ["CourseComparison", "SubmissionPair", "compare_submissions"]

_INDEX_SUFFIX = ".tki"


class CourseComparison(Similarities):
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

    def index(self) -> TreeIndex:
        """Return the trees of the course, without names, literals or texts, for later courses."""
        index = TreeIndex(TreeFeaturesKernel())
        index.add(self._trees[: len(self.names)], self.names)
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
                    "closest": closest.second if closest else None,
                    "similarity": closest.similarity if closest else 0.0,
                }
                for one, closest in zip_longest(self._everything[: len(self.names)], self.closest())
            ],
            "threshold": self.threshold,
            "threshold_reason": self.threshold_reason,
            "ignored": self.ignored,
            "left_out": self.left_out,
            "histogram": {"counts": counts.tolist(), "edges": edges.tolist()},
            "groups": self.groups(),
            "pairs": [vars(pair) for pair in self.pairs(0.0, most)],
        }

    def to_csv(self, path: str | os.PathLike[str], *, most: int | None = None) -> None:
        """Write the pairs as a table, the most similar first."""
        write_csv(path, self.pairs(0.0, most), self.threshold)

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write a page that shows pairs side by side; it needs no network and no other file."""
        write_page(path, self)

    def anonymous(self) -> CourseComparison:
        """Return the same with numbers in place of the names of submissions and files.

        The submissions come in the order of the pairs, so that their numbers say nothing about
        their names. Comments and texts in the code stay as they are.
        """
        count = len(self.names)
        others = self.similarities.copy()
        np.fill_diagonal(others, -1.0)
        own = np.argsort(-others.max(axis=1), kind="stable")
        earlier = count + np.argsort(-others[:, count:].max(axis=0), kind="stable")
        order = np.concatenate([own, earlier])
        other = copy(self)
        other.take(own, order)
        kinds = ("submission", "earlier")
        other.rename(
            [
                _numbered(
                    other.submission(place), place - count * (place >= count), kinds[place >= count]
                )
                for place in range(len(order))
            ]
        )
        if self.left_out:
            other.left_out = [f"{count_noun(len(self.left_out), 'thing')} that cannot be read"]
        return other

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
    r"""Compare the submissions of a course with each other, whatever things are called in them.

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
        reach in at most one pair of the course.
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
    >>> anna = "def total(xs):\n    s = 0\n    for x in xs:\n        s += x * 2\n    return s"
    >>> ben = anna.replace("total", "add").replace("xs", "numbers")
    >>> carla = "print(max(map(float, open('data.txt').read().split(';'))) / 2)"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, text in [("anna", anna), ("ben", ben), ("carla", carla)]:
    ...         _ = Path(folder, f"{name}.py").write_text(text)
    ...     result = tk.compare_submissions(folder)
    >>> result
    <CourseComparison: 3 submissions, 1 pair of similarity 0.50 or more>
    >>> pair = result.pairs()[0]
    >>> pair.first, pair.second, pair.similarity
    ('anna', 'ben', 1.0)
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


def _numbered(submission: Submission, number: int, kind: str) -> Submission:
    """Return a submission whose name, and those of its files, are numbers."""
    files = [
        SourceText(f"file {place}{Path(file.name).suffix}", file.text, file.spans)
        for place, file in enumerate(submission.files, start=1)
    ]
    return Submission(f"{kind} {number + 1}", files)


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
