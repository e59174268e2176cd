"""
Ranking answers
===============

Which of several answers to a question is best? ``tk.TreeRanker`` learns from answers that are
ranked for each question. Nothing is compared between questions, so that it does not matter that
some have better answers than others. Here good answers name the kind of thing that was asked for.
"""

import random

import numpy as np

import treekernels as tk

rng = random.Random(0)
ASKED = {"who": "NNP", "when": "CD", "where": "NNP-LOC"}


def answer(relevance: int, word: str) -> str:
    """A question and an answer below one root: whole sentences of the right kind are best."""
    kind = ASKED[word] if relevance else rng.choice([k for w, k in ASKED.items() if w != word])
    phrase = f"(NP ({kind} {rng.choice('abcdefgh')}))"
    if relevance == 2:
        phrase = f"(S {phrase} (VP (VBZ {rng.choice(['is', 'was'])})))"
    noise = "".join(f" (ADVP (RB {rng.choice('uvw')}))" for _ in range(rng.randint(0, 2)))
    return f"(QA (Q {word}) (A {phrase}{noise}))"


trees, relevance, queries = [], [], []
for query in range(60):
    word = rng.choice(list(ASKED))
    for good in rng.sample([0, 0, 0, 1, 2], 5):
        trees.append(answer(good, word))
        relevance.append(good)
        queries.append(query)
trees = tk.Forest.from_brackets(trees)
relevance, queries = np.array(relevance), np.array(queries)

# %%
# The first 40 questions are learned from, with a kernel in which the question and the answer count
# together: the square of a kernel looks at pairs of fragments.
train, test = queries < 40, queries >= 40
ranker = tk.TreeRanker(tk.PartialTreeKernel() ** 2, C=10)
ranker.fit(trees[train], relevance[train], groups=queries[train])
print(f"{ranker.n_pairs_} preferences, learned in {ranker.n_iter_} steps")
scores = ranker.predict(trees[test])
before = tk.metrics.ndcg(relevance[test], rng.sample(range(100), 100), queries[test])
after = tk.metrics.ndcg(relevance[test], scores, queries[test])
print(f"NDCG {before:.2f} before, {after:.2f} after")

# %%
# The best answer to one of the other questions, and the worst:
own = np.flatnonzero(queries[test] == 41)
best, worst = own[np.argmax(scores[own])], own[np.argmin(scores[own])]
print(trees[test][best])
print(trees[test][worst])
