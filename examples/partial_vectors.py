"""
Vectors of dependency trees and of sentence pairs
=================================================

In a dependency tree, every node is a word and has any number of words below it. Whole productions
hardly ever repeat in such trees, and so their vectors should stand for partial trees, in which
words may be left out. Here who bites whom is to be learned, from sentences in which many other
things are said.
"""

import random

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import LinearSVC

import treekernels as tk

rng = random.Random(0)
ASIDES = ["today", "here", "again", "alas", "often", "now", "indeed", "(in (park (the)))"]


def sentence(subject: str, object_: str) -> str:
    """Return the tree of a sentence, with asides before, between and behind."""
    parts = [f"({noun} ({rng.choice(['a', 'the'])}))" for noun in (subject, object_)]
    for _ in range(rng.randint(2, 5)):
        parts.insert(rng.randint(0, len(parts)), rng.choice(ASIDES))
    return f"(bites {' '.join(part if part[0] == '(' else f'({part})' for part in parts)})"


labels = np.array([rng.choice(["dog", "man"]) for _ in range(400)])
trees = tk.Forest([sentence(who, "man" if who == "dog" else "dog") for who in labels])
for kernel in ("subset", "partial"):
    vectors = tk.DistributedTrees(8192, 0.8, kernel=kernel, normalize=True).fit_transform(trees)
    machine = LinearSVC(C=100, random_state=0).fit(vectors[:200], labels[:200])
    print(f"{kernel} trees: accuracy {machine.score(vectors[200:], labels[200:]):.2f}")

# %%
# The vector of a fragment tells what it speaks for, if it is multiplied with the weights of the
# machine: the second class is "man".
embedding = tk.DistributedTrees(8192, 0.8, kernel="partial")
for fragment in ("(bites dog man)", "(bites man dog)"):
    weight = float(machine.coef_[0] @ embedding.fragment_vector(fragment))
    print(fragment, "speaks for", machine.classes_[int(weight > 0)])

# %%
# A pair of sentences has one vector, too. Its dot products estimate the product of the kernels of
# both sides. The larger the vectors are, the closer they come: four times the dimension halves the
# error.
pairs = tk.Pairs(trees[:100], trees[100:200])
sides = [tk.PartialTreeKernel(0.4, 0.4, on=side) for side in ("text", "hypothesis")]
exact = (sides[0] * sides[1])(pairs)
dimensions = [256, 1024, 4096, 16384]
errors = []
for dimension in dimensions:
    vectors = tk.DistributedPairs(dimension, 0.4, kernel="partial", normalize=True).transform(pairs)
    errors.append(np.sqrt(np.mean((vectors @ vectors.T - exact) ** 2)))
figure, ax = plt.subplots(figsize=(5.6, 3))
ax.loglog(dimensions, errors, "o-", color="#0072b2", label="measured")
ax.loglog(dimensions, 1 / np.sqrt(dimensions), "--", color="0.6", label="independent vectors")
ax.set(xlabel="dimension", ylabel="root of the mean square error")
ax.legend(frameon=False)
print(f"from {dimensions[0]} to {dimensions[-1]:,} dimensions: {errors[0]:.3f} to {errors[-1]:.3f}")
