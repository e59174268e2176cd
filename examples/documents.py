"""
Documents as sets of sentences
==============================

Who wrote a text? Its sentences give it away, and each text has as many as it likes. So an example
is a set of trees. ``tk.SetKernel`` compares sets by comparing their trees: all with all, each with
its best match, or one to one.
"""

import random

import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

import treekernels as tk

rng = random.Random(0)


def noun(author: str) -> str:
    """Both use the same nouns, and only Ada puts an adjective before them."""
    adjective, name = f"(JJ {rng.choice('abcd')})", f"(NN {rng.choice('pqrs')})"
    return f"(NP (DT the) {adjective} {name})" if author == "Ada" else f"(NP (DT the) {name})"


def sentence(author: str) -> str:
    """One author has a habit, and both write plain sentences most of the time."""
    if rng.random() < 0.3:
        return f"(S {noun(author)} (VP (VBZ {rng.choice('uvw')}) {noun(author)}))"
    plain = f"(NP (NN {rng.choice('pqrs')}))"
    return f"(S {plain} (VP (VBZ {rng.choice('uvw')}) (PP (IN in) {plain})))"


authors = np.array(["Ada", "Bob"] * 30)
texts = tk.TreeSets([[sentence(who) for _ in range(rng.randint(1, 12))] for who in authors])
print(texts)

# %%
# A single sentence often says nothing about its author, and a text does:
sentences = texts.trees
their_authors = np.repeat(authors, texts.sizes)
single = cross_val_score(SVC(kernel=tk.SubsetTreeKernel(), C=10), sentences, their_authors, cv=5)
print(f"sentences: {single.mean():.2f}")
for match in ("all", "best", "one-to-one"):
    kernel = tk.SetKernel(tk.SubsetTreeKernel(), match)
    whole = cross_val_score(SVC(kernel=kernel, C=10), texts, authors, cv=5)
    print(f"texts, {match}: {whole.mean():.2f}")

# %%
# If you read all sentences of a corpus into one forest, ``TreeSets.grouped`` makes sets of those
# that have the same group, such as the name of their file.
files = np.repeat([f"text{number}" for number in range(len(texts))], texts.sizes)
again, names = tk.TreeSets.grouped(sentences, files)
print(again == texts, names[:3])
