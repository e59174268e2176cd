"""
Is it a question?
=================

Here we tell questions from statements by their parse trees. The words are drawn at random, so that
only the form of a sentence can help, and a bag of words cannot.
"""

import random

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

import treekernels as tk

rng = random.Random(0)
NOUNS, VERBS = ["dog", "cat", "bird", "child"], ["see", "hear", "like", "chase"]


def noun_phrase() -> str:
    adjective = "(JJ old) " if rng.random() < 0.5 else ""
    return f"(NP (DT the) {adjective}(NN {rng.choice(NOUNS)}))"


def sentence(kind: str) -> str:
    who, verb, what = noun_phrase(), f"(VB {rng.choice(VERBS)})", noun_phrase()
    auxiliary = "(MD can)"
    if kind == "question":
        return f"(SQ {auxiliary} {who} (VP {verb} {what}))"
    return f"(S {who} (VP {auxiliary} (VP {verb} {what})))"


kinds = [rng.choice(["question", "statement"]) for _ in range(200)]
forest = tk.Forest.from_brackets([sentence(kind) for kind in kinds])
print(repr(forest))
print(forest[0])

# %%
# The subset-tree kernel compares productions, and you can use it in scikit-learn's ``SVC`` as it
# is. :class:`treekernels.TreeSVC` does the same without a Gram matrix.
kernel = tk.SubsetTreeKernel(decay=0.4)
accuracy = cross_val_score(SVC(kernel=kernel), forest, kinds)
print(f"trees: {accuracy.mean():.2f}")

# %%
# As bags of words, the sentences of both kinds look the same:
words = [" ".join(tree.leaves()) for tree in forest]
linear = make_pipeline(CountVectorizer(), LinearSVC(random_state=0))
accuracy = cross_val_score(linear, words, kinds)
print(f"bag of words: {accuracy.mean():.2f}")

# %%
# The Gram matrix shows what the kernel sees: sentences of the same kind are alike.
tk.plots.gram_heatmap(kernel(forest[:60]), kinds[:60])
