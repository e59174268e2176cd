"""
Vectors for any kernel
======================

``tk.TreeNystroem`` compares each tree with some others, the landmarks, and makes a vector of these
comparisons. The dot product of two vectors is nearly the value of the kernel, whichever kernel
that is, so that a linear model can learn from the vectors. Here it learns the depth of an
expression, and the more landmarks there are, the better.
"""

import random

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import treekernels as tk

rng = random.Random(0)


def expression(depth: int) -> str:
    if depth == 0:
        return f"(N {rng.randint(0, 3)})"
    shallow = expression(rng.randint(0, depth - 1))
    parts = [expression(depth - 1), shallow]
    rng.shuffle(parts)
    return f"(E {parts[0]} {rng.choice('+-')} {parts[1]})"


depths = np.array([number % 6 for number in range(600)])
trees = tk.Forest.from_brackets([expression(depth) for depth in depths])
kernel = tk.PartialTreeKernel(decay=0.5)

# %%
# The first 400 trees are learned from. How good are the dot products, and how good is the model?
numbers = [4, 16, 64, 256]
exact = kernel(trees[400:])
wrong, errors = [], []
for count in numbers:
    model = make_pipeline(tk.TreeNystroem(kernel, count, random_state=0), Ridge(0.01))
    model.fit(trees[:400], depths[:400])
    vectors = model[0].transform(trees[400:])
    wrong.append(np.abs(vectors @ vectors.T - exact).mean())
    errors.append(np.sqrt(np.mean((model.predict(trees[400:]) - depths[400:]) ** 2)))
    print(f"{count:3} landmarks: values off by {wrong[-1]:.3f}, depths by {errors[-1]:.2f}")

# %%
# The landmarks are trees, and ``tk.save(model[0], "file.tkm")`` saves them with the kernel.
print(model[0].landmarks_[0])

figure, ax = plt.subplots(figsize=(5.6, 3.6))
ax.plot(numbers, wrong, "o-", label="mean error of a kernel value")
ax.plot(numbers, errors, "s-", label="error of the depth")
ax.set(xscale="log", yscale="log", xlabel="landmarks")
ax.legend(frameon=False)
