"""
Words that mean nearly the same
===============================

A tree kernel takes ``dog`` and ``puppy`` for two labels that have nothing in common. The smoothed
partial-tree kernel lets words match as far as their vectors are similar, so that a model knows what
to do with words that it has never seen. Vectors are mostly downloaded, from word2vec, GloVe or
fastText. Here we make small ones ourselves, by counting and a singular value decomposition, from
sentences of a made-up language.
"""

import random
from itertools import pairwise

import numpy as np
from sklearn.decomposition import TruncatedSVD

import treekernels as tk

rng = random.Random(0)
NOUNS = {
    "place": ["city", "river", "island", "village", "harbour", "desert", "valley", "coast"],
    "person": ["king", "poet", "baker", "sailor", "doctor", "nurse", "painter", "singer"],
}
VERBS = {"place": ["lies", "stretches", "spreads"], "person": ["sings", "sleeps", "laughs"]}

# %%
# Sentences that nobody has labelled: places and persons do different things.
texts = []
for _ in range(2000):
    kind = rng.choice(list(NOUNS))
    texts.append(["the", rng.choice(NOUNS[kind]), rng.choice(VERBS[kind]), "here"])

# %%
# How often does each word stand beside each other one? The left factors of a decomposition of that
# table are the vectors.
words = sorted({word for text in texts for word in text})
number = {word: place for place, word in enumerate(words)}
counts = np.zeros((len(words), len(words)))
for text in texts:
    for one, two in pairwise(text):
        counts[number[one], number[two]] += 1
        counts[number[two], number[one]] += 1
vectors = TruncatedSVD(5, random_state=0).fit_transform(np.log1p(counts))
similarity = tk.WordVectors(vectors, words)
print(f"king and poet: {similarity.similarity('king::n', 'poet::n'):.2f}")
print(f"king and city: {similarity.similarity('king::n', 'city::n'):.2f}")


# %%
# Questions are parse trees. ``mark_words`` writes words with their part of speech, such as
# ``king::n``, which is what ``WordVectors`` looks for. The nouns of the test do not occur in
# training.
def question(noun: str) -> str:
    return f"(SBARQ (WP what) (SQ (VBZ is) (NP (DT the) (NN {noun}))))"


def examples(part: slice) -> tuple[tk.Forest, list[str]]:
    labelled = [(noun, kind) for kind, nouns in NOUNS.items() for noun in nouns[part]]
    trees = tk.Forest([question(noun) for noun, _ in labelled])
    return tk.structures.mark_words(trees), [kind for _, kind in labelled]


train, labels = examples(slice(0, 3))
test, truth = examples(slice(3, None))
for name, kernel in {
    "plain": tk.PartialTreeKernel(),
    "smoothed": tk.PartialTreeKernel(similarity=similarity),
}.items():
    model = tk.TreeSVC(kernel, C=10, random_state=0).fit(train, labels)
    print(f"{name}: {model.score(test, truth):.2f}")

# %%
# Is this still a kernel? It is if the similarity is positive semi-definite for the labels at hand.
# If it were not, this would raise an error that names the labels.
tk.PartialTreeKernel(similarity=similarity).check_similarity(train)
print("a valid kernel")
