"""Mistakes that the tests must notice, in every room of both languages: the list of `mutate.py`.

Each is one exact text of one file, which must be there once, what stands in its place, and the
tests that should fail. A mistake that a review has found to survive goes on this list.
"""

from __future__ import annotations

from mutations.core import CORE
from mutations.core_kernels import CORE_KERNELS
from mutations.core_learners import CORE_LEARNERS
from mutations.data import DATA
from mutations.learning import LEARNING
from mutations.mutation import Mutation
from mutations.showing import SHOWING

__all__ = ["MUTATIONS", "Mutation"]

MUTATIONS = [*DATA, *LEARNING, *SHOWING, *CORE, *CORE_KERNELS, *CORE_LEARNERS]
