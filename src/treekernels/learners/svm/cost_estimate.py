"""What a machine will cost, estimated from its trees before anything is computed.

Solving takes some dozens of passes over all examples. With all pairs kept in a matrix, subtrees are
compared once; without one, they are compared again in each pass, as far as the cache does not hold
what was compared. The number of comparisons is known from how many distinct subtrees have the same
production or label, which is quick to count and the same on every computer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treekernels import _native
from treekernels.common.text import count_noun
from treekernels.data.examples import Examples
from treekernels.kernels import Kernel

# Nanoseconds on one thread, and passes, as measured on questions (1,500 of them with partial trees:
# 4.1 s estimated without a matrix and 4.1 s measured, 0.2 and 0.3 s with one). Easy problems, most
# of whose examples soon stop changing, are solved several times as fast.
_COMPARISON = {"productions": 2.5, "labels": 5.0}
_ENTRY = 10.0  # to fill in one value of a matrix
_READING = 0.5  # to read it in a pass
_PASSES = 35


@dataclass(frozen=True)
class CostEstimate:
    """What there is to learn from."""

    examples: int
    subtrees: int  # distinct ones, of all columns
    comparisons: float  # pairs of distinct subtrees that have something in common
    seconds_a_pass: float  # what it takes to compare them all once

    @property
    def matrix_bytes(self) -> int:
        """The size of all pairs of examples, in single precision."""
        return 4 * self.examples**2

    @property
    def seconds_with_matrix(self) -> float:
        """Estimate the time of a machine that keeps all pairs."""
        entries = self.examples**2
        return self.seconds_a_pass + 1e-9 * entries * (_ENTRY / 2 + _READING * _PASSES)

    @property
    def seconds_without(self) -> float:
        """Estimate the time of a machine that compares again what it needs."""
        return self.seconds_a_pass * _PASSES

    def __str__(self) -> str:
        text = count_noun(self.examples, "example")
        if self.subtrees:
            text += f" with {count_noun(self.subtrees, 'distinct subtree')}"
        return text

    def describe_estimate(self) -> str:
        """Say what the two ways of solving are expected to take."""
        return (
            f"up to {_duration(self.seconds_with_matrix)} with all pairs, "
            f"{_duration(self.seconds_without)} without"
        )


def estimate_cost(kernel: Kernel, examples: Examples) -> CostEstimate:
    """Count what there is to compare."""
    subtrees = 0
    comparisons = seconds = 0.0
    for leaf in kernel.leaves():
        if leaf.compares is None:
            continue
        trees = examples.trees(leaf.on)
        below = _native.Subtrees.below(trees.dag, trees.roots, trees.dag)
        keys = below.labels if leaf.compares == "labels" else below.productions
        sizes = np.bincount(keys[keys >= 0]).astype(float)
        count = float((sizes * sizes).sum())
        subtrees += len(below)
        comparisons += count
        seconds += 1e-9 * _COMPARISON[leaf.compares] * count
    return CostEstimate(len(examples), subtrees, comparisons, seconds)


def _duration(seconds: float) -> str:
    if seconds < 1:
        return "a second"
    return f"{seconds:,.0f} s" if seconds < 600 else f"{seconds / 60:,.0f} minutes"
