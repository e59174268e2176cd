"""Model: what a learner has learned, one weighted sum of examples for each output.

Every summand of the kernel has a model of its own: a weighted forest, weights of features or of
parts, or the support examples themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treekernels import _native
from treekernels.common.arrays import Floats
from treekernels.common.native_errors import MODEL_TOO_LARGE, translate_native_errors
from treekernels.data.examples import Examples
from treekernels.errors import DataError, KernelOverflowError
from treekernels.kernels import Kernel
from treekernels.kernels.base.kernel import Summand
from treekernels.kernels.base.matrices import Run
from treekernels.learners.models.forest_model import ForestModel
from treekernels.learners.models.part_model import PartModel
from treekernels.learners.models.summand_model import SummandModel, WeightedExamples
from treekernels.learners.models.support_model import SupportModel
from treekernels.learners.models.weight_model import WeightModel

_MODELS: dict[str, Callable[[Summand, int], SummandModel]] = {
    "forest": ForestModel,
    "weights": WeightModel,
    "parts": PartModel,
    "support": SupportModel,
}


class Model:
    """All summands of a model. Its owner sees to it that nobody reads it while it changes.

    Parameters
    ----------
    kernel : Kernel
        It must not change any more: a copy, such as `remembering` gives.
    n_outputs : int
        How many scores an example gets.
    one_by_one : bool
        Keep support examples even where there is a weighted forest, or weights of parts.
    """

    def __init__(self, kernel: Kernel, n_outputs: int, *, one_by_one: bool = False) -> None:
        kernel.check_parameters()
        self.kernel = kernel
        self.n_outputs = n_outputs
        self.one_by_one = one_by_one
        self.summands = [self._summand_model(summand) for summand in self.kernel.summands()]

    def _summand_model(self, summand: Summand) -> SummandModel:
        learned_as = summand.kernel.learned_as
        if learned_as in ("forest", "parts") and self.one_by_one:
            learned_as = "support"
        return _MODELS[learned_as](summand, self.n_outputs)

    @property
    def keeps_examples(self) -> bool:
        """Whether a summand has to be told which examples were learned from."""
        return any(isinstance(model, SupportModel | PartModel) for model in self.summands)

    @property
    def batch_size(self) -> int | None:
        """How many examples to learn from at a time, where a batch is compared with itself."""
        sizes = [model.batch_size for model in self.summands if model.batch_size is not None]
        return min(sizes, default=None)

    @property
    def size(self) -> int:
        """The number of subtrees, weights and support examples."""
        return sum(model.size for model in self.summands)

    def native_summands(self, examples: Examples) -> list[_native.Summand]:
        """Return all summands of the kernel for learning from the examples."""
        return [model.native_summand(examples) for model in self.summands]

    def note_learned(self, examples: Examples, alphas: Floats) -> None:
        """Take note of what was learned through `native_summands`."""
        changes = [model.learned(examples, alphas) for model in self.summands]
        _native.commit(list(chain(*changes)))

    def weighted_examples(self) -> list[WeightedExamples]:
        """Return the summands that have fragments, as weighted examples."""
        by_summand = (model.weighted_examples() for model in self.summands)
        return [weighted for weighted in by_summand if weighted is not None]

    def feature_counts(self) -> dict[Any, int]:
        """Return how many features there are in each column of vectors that was learned from."""
        counts: dict[Any, int] = {}
        for model in self.summands:
            counts.update(model.feature_counts())
        return counts

    def add(self, examples: Examples, alphas: Floats) -> None:
        """Add examples with their coefficients: all of them or, should one be unfit, none."""
        with translate_native_errors(MODEL_TOO_LARGE):
            factors = [model.factors(examples) for model in self.summands]
            changes = [
                model.addition(examples, alphas if factor is None else factor[:, None] * alphas)
                for model, factor in zip(self.summands, factors, strict=True)
            ]
            _native.commit(list(chain(*changes)))

    def set_feature_weights(self, weights: Mapping[int, Floats]) -> None:
        """Take these weights of features for some of the summands, by their places."""
        for place, weights_of_summand in weights.items():
            self.summands[place].set_weights(weights_of_summand)

    def merge(self, other: Model, factors: ArrayLike = 1.0) -> None:
        """Add another model of the same kernel, times a factor or one for each output.

        All of it or, should memory run out, nothing.
        """
        if self.kernel != other.kernel or self.n_outputs != other.n_outputs:
            raise DataError(
                "only models of equal kernels and classes can be added up: one has "
                f"{self.kernel!r} and {self.n_outputs} outputs, the other {other.kernel!r} and "
                f"{other.n_outputs}"
            )
        factors = np.array(np.broadcast_to(factors, self.n_outputs), np.float64)
        with translate_native_errors(MODEL_TOO_LARGE):
            for model, theirs in zip(self.summands, other.summands, strict=True):
                if type(model) is not type(theirs):
                    raise DataError("only models that were learned by the same solver add up")
                model.check_merge(theirs)
            changes = [
                model.merging(theirs, factors)
                for model, theirs in zip(self.summands, other.summands, strict=True)
            ]
            _native.commit(list(chain(*changes)))

    def settle(self) -> None:
        """Take note that learning is done: few examples are scored like many from now on."""
        for model in self.summands:
            model.settle()

    def prepare(self) -> None:
        """Settle, and do now what the first examples to be scored would wait for."""
        self.settle()
        for model in self.summands:
            model.prepare()

    def score(self, examples: Examples, run: Run) -> Floats:
        """Return the scores of examples, one row each."""
        out = np.zeros((len(examples), self.n_outputs))
        with translate_native_errors(MODEL_TOO_LARGE):
            for number, model in enumerate(self.summands):
                model.score(examples, out, run.part(number, len(self.summands)))
        if not np.isfinite(out).all():
            raise KernelOverflowError(
                "a score is too large: the weights of the model, or the values of its kernel, are"
            )
        return out

    def state(self) -> list[dict[str, Any]]:
        """Return what there is to save."""
        return [model.state() for model in self.summands]

    def restore(self, state: list[dict[str, Any]]) -> None:
        """Become what was saved."""
        if len(state) != len(self.summands):
            raise ValueError("the saved model is of another kernel")
        for model, state_of_model in zip(self.summands, state, strict=True):
            model.restore(state_of_model)

    def snapshot(self) -> ModelSnapshot:
        """Return the model as it is now, whatever is learned later, to be pickled or copied."""
        return ModelSnapshot(self.kernel, self.n_outputs, self.one_by_one, self.state())


@dataclass(frozen=True)
class ModelSnapshot:
    """A model as plain data."""

    kernel: Kernel
    n_outputs: int
    one_by_one: bool
    state: list[dict[str, Any]]

    def scaled(self, factors: ArrayLike) -> ModelSnapshot:
        """Return the model times a factor, or one for each output.

        Nothing but its weights is copied, so that this is much faster than to merge it.
        """
        factors = np.array(np.broadcast_to(factors, self.n_outputs), np.float64)
        models = Model(self.kernel, self.n_outputs, one_by_one=self.one_by_one).summands
        state = [
            {n: _times(v, factors) if n in model.weight_names else v for n, v in arrays.items()}
            for model, arrays in zip(models, self.state, strict=True)
        ]
        return replace(self, state=state)

    def restored(self) -> Model:
        """Return a model of its own."""
        model = Model(self.kernel, self.n_outputs, one_by_one=self.one_by_one)
        model.restore(self.state)
        return model


def _times(weights: Floats, factors: Floats) -> Floats:
    """Return weights, which have one number for each output in the last place, times factors."""
    return (weights.reshape(-1, len(factors)) * factors).reshape(weights.shape)
