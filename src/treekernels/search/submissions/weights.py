"""What each feature of a submission counts in a course: the more, the fewer have it.

A feature is a whole subtree, a production, two siblings or a leaf. What stands in the template, or
in most submissions, counts nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Array, Floats
from treekernels.common.native_errors import translate_native_errors
from treekernels.common.progress import Progress
from treekernels.data.forest import Forest
from treekernels.kernels.base.kernel import thread_count
from treekernels.kernels.base.matrices import matrix_for
from treekernels.kernels.weights.frequencies import Frequencies

KINDS = [("subtree", 1.0), ("production", 1.0), ("siblings", 1.0), ("leaf", 1.0)]

MOST = 0.8
"""What a larger share of the submissions has counts nothing, in a course that is large enough."""

FEWEST = 10
"""The number of submissions from which on that is so."""


@dataclass
class CourseWeights:
    """Weights of features, and what was ignored.

    Attributes
    ----------
    kernel : _native.FeatureKernel
        Its value for two trees is the weight of the features that both have.
    ignored : Forest
        The features that count nothing, as trees.
    n_shared : int
        How many features stand in most submissions, and count nothing for that.
    n_template : int
        How many others stand in the template.
    """

    kernel: _native.FeatureKernel
    ignored: Forest
    n_shared: int
    n_template: int

    @classmethod
    def of(cls, course: Forest, template: Forest | None = None) -> CourseWeights:
        """Weigh the features of a course.

        With N submissions, of which n have a feature, it weighs ``log(1 + N / n)``.
        """
        plain = _native.FeatureKernel(KINDS, counts=_native.CountDamping.binary)
        table = Frequencies.of_features(course, plain)
        count = len(course)
        keys, having = table.trees, table.counts.astype(np.float64)
        if template is not None and len(template):
            # Only features that two trees or more have are listed, and so the template comes twice.
            both = Forest.concatenate([template, template])
            theirs = Frequencies.of_features(both, plain).trees
            joined = Forest.concatenate([keys, theirs])
            of_course, of_template = joined.roots[: len(keys)], joined.roots[len(keys) :]
            others = of_template[~np.isin(of_template, of_course)]
            keys = Forest.from_roots(joined.dag, np.concatenate([of_course, others]))
            having = np.concatenate([having, np.ones(len(others))])
            in_template = np.isin(keys.roots, of_template)
        else:
            in_template = np.zeros(len(keys), bool)
        shared = (having > MOST * count) & (count >= FEWEST)
        # The kernel multiplies the weights of both trees.
        weights = np.sqrt(np.log1p(count / having))
        weights[shared | in_template] = 0.0
        with translate_native_errors():
            learned = _native.FeatureWeights(
                float(np.sqrt(np.log1p(count))), keys.dag, keys.roots, weights
            )
            kernel = _native.FeatureKernel(
                KINDS, counts=_native.CountDamping.binary, learned=learned
            )
        ignored = keys[shared | in_template]
        only_template = int((in_template & ~shared).sum())
        return cls(kernel, ignored, int(shared.sum()), only_template)

    def shared(
        self,
        course: Forest,
        others: Forest | None = None,
        *,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> Array:
        """Return the weight of what each submission has in common with each other one."""
        columns = course if others is None else others
        out = matrix_for((len(course), len(columns)), None, None)
        threads = thread_count(n_jobs)
        with translate_native_errors():
            self._gram(course, others, threads).fill(out, threads, progress)
        return out

    def totals(self, trees: Forest, *, n_jobs: int | None = None) -> Floats:
        """Return the weight of all features of each submission."""
        with translate_native_errors():
            return self._gram(trees, None, thread_count(n_jobs), diagonal=True).diagonal()

    def _gram(
        self, rows: Forest, others: Forest | None, threads: int, *, diagonal: bool = False
    ) -> _native.Gram:
        columns = rows if others is None else others
        return _native.Gram(
            columns.dag,
            columns.roots,
            None if others is None else rows.dag,
            None if others is None else rows.roots,
            self.kernel,
            _native.Algorithm.corpus,
            False,
            diagonal,
            threads,
        )
