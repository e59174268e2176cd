"""
What does the model look at?
============================

A model with a tree kernel has a weight for each of an enormous number of fragments.
:func:`treekernels.explain` finds the largest ones, in the whole model or in one prediction.
"""

import random

import matplotlib.pyplot as plt

import treekernels as tk
from treekernels.explanation.matching import importance

rng = random.Random(1)
THINGS = {
    "HUM": ["poet", "king", "nurse"],
    "NUM": ["miles", "people", "years"],
    "LOC": ["city", "lake", "park"],
}


def question(kind: str) -> str:
    thing = rng.choice(THINGS[kind])
    rest = rng.choice(["(VP (VBD did) (NP (DT the) (NN trick)))", "(VP (VBZ is) (JJ best))"])
    if kind == "NUM":
        return f"(SBARQ (WHNP (WRB How) (JJ many) (NNS {thing})) (SQ {rest}))"
    if kind == "HUM" and rng.random() < 0.5:
        return f"(SBARQ (WHNP (WP Who)) (SQ {rest}))"
    return f"(SBARQ (WHNP (WDT Which) (NN {thing})) (SQ {rest}))"


kinds = [rng.choice(list(THINGS)) for _ in range(120)]
forest = tk.Forest.from_brackets([question(kind) for kind in kinds])
machine = tk.TreeSVC(tk.SubsetTreeKernel(decay=0.4), C=10, random_state=0).fit(forest, kinds)

# %%
# These are the fragments that speak for each class, with the number of support trees that have
# them. A node without children is where the fragment was cut off.
print(tk.explain(machine, top=2))

# %%
# For one class, the weights look like this:
best = tk.explain(machine, top=6, class_="HUM")[::-1]
figure, ax = plt.subplots(figsize=(5.6, 3))
ax.barh([one.text for one in best], [one.weight for one in best], color="#0072b2")
ax.set_xlabel("weight for HUM")
ax.spines[["top", "right"]].set_visible(False)
figure.tight_layout()

# %%
# For a single prediction, you see what speaks for it and what speaks against it. The weights of all
# fragments add up to the score without the intercept.
tree = tk.Forest(["(SBARQ (WHNP (WDT Which) (NN king)) (SQ (VP (VBZ is) (JJ best))))"])[0]
print(machine.predict([tree])[0])
reasons = tk.explain(machine, tree=tree, top=3)
print(reasons)

# %%
# Here is the same as a picture. Blue parts speak for the class, and orange ones against it.


class Picture:
    """A tree as a notebook or a page shows it."""

    def _repr_html_(self) -> str:
        return tree.to_svg(importance(reasons, tree))


Picture()
