"""
Other kernel methods of scikit-learn
====================================

Clustering, principal components, nearest neighbours, ridge regression: many methods of scikit-learn
work with any kernel, but accept nothing but numbers. With ``tk.as_precomputed`` they take trees.
Here they find the three kinds of sentences in a small corpus, and put them on a map.
"""

import random

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.decomposition import KernelPCA
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

import treekernels as tk

rng = random.Random(0)


def phrase() -> str:
    noun = rng.choice(["dog", "cat", "child", "farmer"])
    adjective = f" (JJ {rng.choice(['old', 'small', 'friendly'])})" if rng.random() < 0.5 else ""
    return f"(NP (DT the){adjective} (NN {noun}))"


def sentence(kind: str) -> str:
    verb = rng.choice(["see", "feed", "follow"])
    if kind == "statement":
        return f"(S {phrase()} (VP (VBZ {verb}s) {phrase()}))"
    if kind == "question":
        return f"(SQ (VBZ does) {phrase()} (VP (VB {verb}) {phrase()}))"
    return f"(S (VP (VB {verb}) {phrase()}))"


kinds = np.array(["statement", "question", "command"] * 40)
trees = tk.Forest.from_brackets([sentence(kind) for kind in kinds])
kernel = tk.PartialTreeKernel()

# %%
# Clustering knows nothing of the kinds, only how similar each sentence is to each other.
clusters = tk.as_precomputed(SpectralClustering(3, random_state=0), kernel)
found = clusters.fit_predict(trees)
print(f"clusters against kinds: adjusted rand index {adjusted_rand_score(kinds, found):.2f}")

# %%
# Nearest neighbours work with distances, which the kernel has as well. A grid search tunes the
# kernel and the method inside at once.
neighbours = tk.as_precomputed(KNeighborsClassifier(), kernel)
grid = {"kernel__decay": [0.2, 0.4], "estimator__n_neighbors": [1, 5]}
search = GridSearchCV(neighbours, grid, cv=4).fit(trees, kinds)
print(search.best_params_)
print(f"accuracy of the nearest neighbours: {search.best_score_:.2f}")

# %%
# The first two principal components make a map, and new sentences have their place on it.
components = tk.as_precomputed(KernelPCA(2), kernel).fit(trees)
figure, ax = plt.subplots(figsize=(5.6, 4))
for kind, colour in zip(["statement", "question", "command"], ["C0", "C1", "C2"], strict=True):
    x, y = components.transform(trees[kinds == kind]).T
    ax.scatter(x, y, s=12, color=colour, label=kind)
new = "(SQ (VBZ does) (NP (NN everybody)) (VP (VB sleep)))"
ax.annotate("a new question", components.transform([new])[0])
ax.set(xlabel="first component", ylabel="second component")
ax.legend(frameon=False)
