"""
A Gaussian process on trees
===========================

Kernels fit into scikit-learn's Gaussian processes, which say how sure they are. Here the value of
an expression is learned from its form, and expressions of other kinds are to be judged as well.
"""

import random

import matplotlib.pyplot as plt
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor

import treekernels as tk

rng = random.Random(0)


def expression(depth: int, signs: str = "+") -> tuple[str, float]:
    """Give a sum (or another operation) as a tree, with its value."""
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
# Sums like those it has learned from, larger ones, and differences. The kernel is not normalised:
# a larger tree may have a larger value.
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
