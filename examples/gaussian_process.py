"""
A Gaussian process on trees
===========================

You can use the kernels in scikit-learn's Gaussian processes, which tell you how sure they are, and
which choose the parameters of a kernel themselves. Here a process learns the value of an expression
from its tree, and is then asked about expressions of other kinds as well.
"""

import random

import matplotlib.pyplot as plt
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor

import treekernels as tk

rng = random.Random(0)


def expression(depth: int, signs: str = "+") -> tuple[str, float]:
    """Return a sum of products, or a difference of some, as a tree, and its value."""
    if depth == 0:
        a, b = rng.randint(0, 3), rng.randint(0, 3)
        return f"(P (N {a}) (N {b}))", a * b
    (left, a), (right, b) = expression(depth - 1, signs), expression(depth - 1, signs)
    sign = rng.choice(signs)
    return f"(E {left} {sign} {right})", a + b if sign == "+" else a - b


def several(count: int, depth: int, signs: str = "+") -> tuple[tk.Forest, np.ndarray]:
    texts, values = zip(*(expression(depth, signs) for _ in range(count)), strict=True)
    return tk.Forest.from_brackets(texts), np.array(values)


X, y = several(120, 2)
y = y + np.random.default_rng(0).normal(size=len(y))  # the values are not known exactly
weight = tk.ConstantKernel(1.0, (1e-5, 1e9))
kernel = weight * tk.SubsetTreeKernel(decay=0.8, normalize=False)
process = GaussianProcessRegressor(kernel, alpha=1).fit(X, y)
print(f"before: {kernel}, log-likelihood {process.log_marginal_likelihood(kernel.theta):.0f}")
print(f"after:  {process.kernel_}, log-likelihood {process.log_marginal_likelihood():.0f}")

# %%
# The process has changed the decay and the weight. What counts is which two numbers stand together,
# and so the decay became smaller, but not so small that only single numbers count. The process
# went there by the gradient, which the kernel computes together with its values. This is the
# likelihood for other decays, each with the best weight that there is.
decays = np.geomspace(0.02, 1, 7)
likelihoods = []
for decay in decays:
    fixed = weight * tk.SubsetTreeKernel(decay, normalize=False, decay_bounds="fixed")
    tuned = GaussianProcessRegressor(fixed, alpha=1).fit(X, y)
    likelihoods.append(tuned.log_marginal_likelihood_value_)
figure, ax = plt.subplots(figsize=(5.6, 2.6))
ax.semilogx(decays, likelihoods, "o-", color="#0072b2")
ax.axvline(process.kernel_.k2.decay, color="#e69f00", label="where the process went")
ax.set(xlabel="decay", ylabel="log-likelihood")
ax.legend(frameon=False)

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
