"""What a model keeps for one summand of its kernel, whatever that is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Floats
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest
from treekernels.data.pairs import Pairs
from treekernels.kernels.base.kernel import Kernel, Summand
from treekernels.kernels.base.matrices import Run, inverse_root


@dataclass
class WeightedExamples:
    """One summand of a model as weighted examples: what explanations are made of."""

    summand: Summand
    examples: Any
    # Of shape (examples, outputs): what each is multiplied with in the unnormalised kernel.
    weights: Floats
    # Whether the weights are those of the subtrees as such, and not of all that is below them.
    single_subtrees: bool
    # Of shape (features, outputs): the weights of the features that the examples have, as a native
    # forest numbers them: of a kernel of counted features whose examples are the subtrees of such a
    # forest.
    features: Floats | None = None


# What `_native.commit` does to a model, after all that can fail: a change of the core, or an
# object, the name of one of its attributes, and the value that it gets.
Change = _native.Change | tuple[Any, str, Any]


class SummandModel(ABC):
    """What a model keeps for one summand of its kernel.

    It does not change itself, but returns changes, so that all summands of a model change or none.
    """

    summand: Summand
    # The parts of a state that the model is linear in: a number for each output, in the last place.
    weight_names: ClassVar[tuple[str, ...]]

    @abstractmethod
    def native_summand(self, examples: Examples) -> _native.Summand:
        """Return the examples for learning from one after the other; learning changes this."""

    def learned(self, examples: Examples, alphas: Floats) -> list[Change]:
        """Return how to take note of what was learned through `native_summand`."""
        return []

    def factors(self, examples: Examples) -> Floats | None:
        """Return what the coefficient of each example is multiplied with before it is added.

        None stands for ones. This fails if some of the examples cannot be added.
        """
        return None

    @abstractmethod
    def addition(self, examples: Examples, alphas: Floats) -> list[Change]:
        """Return how to add examples, with coefficients that `factors` have been applied to."""

    def set_weights(self, weights: Floats) -> None:
        """Take the weights of features as they are."""
        raise NotImplementedError(f"{self.summand.kernel!r} has no weights of features")

    @abstractmethod
    def merging(self, other: Any, factors: Floats) -> list[Change]:
        """Return how to add a model of the same kind, times a factor for each output."""

    def check_merge(self, other: Any) -> None:  # noqa: B027
        """Raise a `DataError` if a model of the same kernel was learned from other vectors."""

    def settle(self) -> None:  # noqa: B027
        """Take note that learning is done: few examples are scored like many from now on."""

    def prepare(self) -> None:  # noqa: B027
        """Do now what the first examples to be scored would wait for."""

    @abstractmethod
    def score(self, examples: Examples, out: Floats, run: Run) -> None:
        """Add the scores of the examples to `out`."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return what there is to save, which stays as it is when more is learned."""

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Become what was saved."""

    def weighted_examples(self) -> WeightedExamples | None:
        """Return the model as weighted examples, if the kernel has fragments to explain it by."""
        return None

    def feature_counts(self) -> dict[Any, int]:
        """Return how many features there are in each column of vectors that was learned from."""
        return {}

    @property
    def batch_size(self) -> int | None:
        """How many examples to learn from at a time, where a batch is compared with itself."""
        return None

    @property
    def size(self) -> int:
        """The number of subtrees, weights or examples."""
        return 0


def normalizing_factors(kernel: Kernel, examples: Forest | Pairs) -> Floats:
    """Return what each example is multiplied with: 0 if it is empty, 1 without normalisation."""
    if kernel.get_params(deep=False)["normalize"]:
        plain = kernel.with_params(normalize=False, on=None)
        return inverse_root(plain.self_values(Examples.of_column(examples)))
    factors = np.ones(len(examples))
    if isinstance(examples, Forest):
        factors[examples.is_empty] = 0.0
    return factors
