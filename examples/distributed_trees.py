"""
Trees as vectors, and a linear model
====================================

:class:`treekernels.DistributedTrees` turns trees into vectors whose dot products estimate a kernel.
A linear model on these vectors does what a kernel method does on the trees, but costs much less.
"""

import random

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import treekernels as tk

rng = random.Random(0)


def grown(symbol: str, depth: int, bias: float) -> str:
    """Grow a random tree by a grammar in which one class likes to branch to the left."""
    if depth == 0:
        return f"({symbol} {rng.choice('abcd')})"
    left = grown(rng.choice("XY"), depth - 1 if rng.random() < bias else 0, bias)
    right = grown(rng.choice("XY"), depth - 1 if rng.random() > bias else 0, bias)
    return f"({symbol} {left} {right})"


labels = np.array([rng.choice(["left", "right"]) for _ in range(300)])
trees = [grown("S", 5, 0.7 if label == "left" else 0.3) for label in labels]
forest = tk.Forest.from_brackets(trees)
exact = tk.SubsetTreeKernel(decay=0.4)(forest)

# %%
# How good is the estimate? The error falls with the square root of the dimension; the grey line
# shows that slope.
dimensions = [256, 512, 1024, 2048, 4096, 8192]
errors = []
for dimension in dimensions:
    vectors = tk.DistributedTrees(dimension, decay=0.4, normalize=True).fit_transform(forest)
    errors.append(np.sqrt(np.mean((vectors @ vectors.T - exact) ** 2)))
figure, ax = plt.subplots(figsize=(5.6, 3.4))
ax.loglog(dimensions, errors, "o-", color="#0072b2", label="error of a dot product")
ax.loglog(dimensions, 1 / np.sqrt(dimensions), color="0.6", label="1 / √dimension")
ax.set(xlabel="dimension", ylabel="root of mean squared error")
ax.set_xticks(dimensions, [f"{dimension:,}" for dimension in dimensions])
ax.minorticks_off()
ax.legend(frameon=False)

# %%
# Now we train a linear classifier on the vectors. With ``min_df=2``, fragments that occur in only
# one tree are left out.
embedding = tk.DistributedTrees(4096, decay=0.4, min_df=2, normalize=True)
model = make_pipeline(embedding, SGDClassifier(random_state=0))
print(f"accuracy {cross_val_score(model, trees, labels).mean():.2f}")

# %%
# You can read the weight of any fragment off the model, although fragments were never listed:
model.fit(trees, labels)
for fragment in ["(S (X X X) Y)", "(S X (Y X X))"]:
    weight = float(model[-1].coef_[0] @ embedding.fragment_vector(fragment))
    print(fragment, "speaks for", model.classes_[int(weight > 0)])
