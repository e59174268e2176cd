"""How much of each submission is in each other one, and what the two share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from treekernels.common.arrays import Array, Floats, Indices
from treekernels.data.forest import Forest
from treekernels.errors import DataError
from treekernels.search.submissions.chance import Threshold
from treekernels.search.submissions.course import Course, Submission
from treekernels.search.submissions.groups import groups_of
from treekernels.search.submissions.matches import Located, Passage, shared_passages
from treekernels.search.submissions.weights import CourseWeights

_BINS = 50
_LARGER = 0.9  # what the larger of two shares counts


@dataclass(frozen=True)
class SubmissionPair:
    """Two submissions, and how much of each is in the other.

    Attributes
    ----------
    first, second : str
        Their names.
    similarity : float
        Nine tenths of the larger share, and one tenth of the smaller: what was copied is still
        there when more was written around it.
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


class Similarities:
    """The pairs of submissions of a course, and of those with earlier ones.

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
        smaller = np.minimum(self._inside, self._holds)
        larger = np.maximum(self._inside, self._holds)
        self.similarities: Array = smaller + _LARGER * (larger - smaller)
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

    def take(self, own: Indices, order: Indices) -> None:
        """Put the submissions into another order, in which those of the course come first."""
        vars(self).pop("group_numbers", None)
        self._inside = self._inside[own][:, order]
        self._holds = self._holds[own][:, order]
        self.similarities = self.similarities[own][:, order]
        self._trees = self._trees[order]
        self.rename([self._everything[number] for number in order.tolist()])

    def rename(self, submissions: list[Submission]) -> None:
        """Let other submissions with the same trees stand in place of them."""
        count = len(self.names)
        self._everything = submissions
        self.names = [one.name for one in submissions[:count]]
        self.earlier_names = [one.name for one in submissions[count:]]

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


def _shares(shared: Array, totals: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(totals > 0, np.clip(shared / totals, 0.0, 1.0), 0.0)
