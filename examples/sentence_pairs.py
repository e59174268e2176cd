"""
Who eats whom: pairs of sentences
=================================

*Farmers feed cows oats* entails *cows eat oats*, but not *oats eat cows*. The words are the same,
so what decides is the rule that rewrites one tree into the other. That is what
:class:`treekernels.TripartiteKernel` compares.
"""

import random

from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

import treekernels as tk

rng = random.Random(0)
NOUNS = ["cows", "babies", "seals", "ducks", "mice", "oats", "carrots", "seeds", "corn", "hay"]


def pair(entailed: bool) -> tuple[str, str]:
    who, what = rng.sample(NOUNS, 2)  # anything may eat anything
    text = f"(S (NP (NNS people)) (VP (VBP feed) (NP (NNS {who})) (NP (NNS {what}))))"
    first, second = (who, what) if entailed else (what, who)
    return text, f"(S (NP (NNS {first})) (VP (VBP eat) (NP (NNS {second}))))"


labels = [rng.random() < 0.5 for _ in range(80)]
texts, hypotheses = zip(*(pair(label) for label in labels), strict=True)

# %%
# Placeholders link what is the same on both sides. ``tk.anchor`` finds it by equal words.
pairs = tk.anchor(texts, hypotheses)
print(pairs[0].text)
print(pairs[0].hypothesis)

# %%
# First we compare texts and hypotheses separately, and then the rules that connect them:
on_their_own = tk.SubsetTreeKernel(on="text") + tk.SubsetTreeKernel(on="hypothesis")
for name, kernel in {"two trees": on_their_own, "rules": tk.TripartiteKernel()}.items():
    accuracy = cross_val_score(SVC(kernel=kernel, C=10), pairs, labels)
    print(f"{name}: {accuracy.mean():.2f}")

# %%
# With rules, the two kinds of pairs are easy to tell apart, whatever is eaten:
tk.plots.gram_heatmap(tk.TripartiteKernel()(pairs), labels)

# %%
# These are the rules with the largest weights. ``X`` and ``Y`` stand for anything.
machine = tk.TreeSVC(tk.TripartiteKernel(), C=10, random_state=0).fit(pairs, labels)
print(tk.explain(machine, top=3))
