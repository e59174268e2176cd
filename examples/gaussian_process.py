"""
A Gaussian process on trees
===========================

You can use the kernels in scikit-learn's Gaussian processes, which tell you how sure they are. Here
a process learns the value of an expression from its tree, and is then asked about expressions of
other kinds as well.
"""

import random

import matplotlib.pyplot as plt
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor

import treekernels as tk

rng = random.Random(0)


def expression(depth: int, signs: str = "+") -> tuple[str, float]:
    """Return a sum (or another operation) as a tree, and its value."""
    if depth == 0:
        number = rng.randint(0, 3)
        return f"(N {number})", number
    (left, a), (right, b) = expression(depth - 1, signs), expression(depth - 1, signs)
    sign = rng.choice(signs)
    return f"(E {left} {sign} {right})", a + b if sign == "+" else a - b


def several(count: int, depth: int, signs: str = "+") -> tuple[tk.Forest, np.ndarray]:
    texts, values = zip(*(expression(depth, signs) for _ in range(count)), strict=True)
    return tk.Forest.from_brackets(texts), np.array(values)


X, y = several(120, 2)
kernel = 10 * tk.SubsetTreeKernel(decay=0.1, normalize=False)
process = GaussianProcessRegressor(kernel, alpha=0.05, optimizer=None).fit(X, y)

# %%
# We ask about sums like those that it has learned from, about larger sums, and about differences.
# The kernel is not normalised, so that a larger tree can have a larger value.
kinds = {
    "such sums": (several(40, 2), "#0072b2"),
    "larger sums": (several(40, 3), "#e69f00"),
    "differences": (several(40, 2, "-"), "#cc79a7"),
}
figure, ax = plt.subplots(figsize=(5.6, 4))
for name, ((trees, values), colour) in kinds.items():
    mean, deviation = process.predict(trees, return_std=True)
    ax.errorbar(values, mean, deviation, fmt="o", ms=4, lw=0.8, color=colour, label=name)
    error = np.sqrt(np.mean((mean - values) ** 2))
    print(f"{name:12}: error {error:.2f}, expected {np.sqrt(np.mean(deviation**2)):.2f}")
low, high = ax.get_xlim()
ax.plot([low, high], [low, high], color="0.6", lw=1)
ax.set(xlabel="true value", ylabel="predicted, with standard deviation")
ax.legend(frameon=False)
