"""
What does the model look at?
============================

A model of a tree kernel is a weight for each of an enormous number of fragments.
:func:`treekernels.explain` finds the largest, for the whole model or for one prediction.
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
# The fragments that speak for each class, with the number of support trees that have them. A node
# without children is where the fragment was cut.
print(tk.explain(machine, top=2))

# %%
# For one class as bars:
best = tk.explain(machine, top=6, class_="HUM")[::-1]
figure, ax = plt.subplots(figsize=(5.6, 3))
ax.barh([one.text for one in best], [one.weight for one in best], color="#0072b2")
ax.set_xlabel("weight for HUM")
ax.spines[["top", "right"]].set_visible(False)
figure.tight_layout()

# %%
# One prediction: what spoke for it, and what against. The weights of all fragments add up to the
# score without the intercept.
tree = tk.Forest(["(SBARQ (WHNP (WDT Which) (NN king)) (SQ (VP (VBZ is) (JJ best))))"])[0]
print(machine.predict([tree])[0])
reasons = tk.explain(machine, tree=tree, top=3)
print(reasons)

# %%
# The same as a picture: blue parts speak for the class, orange ones against it.


class Picture:
    """What a notebook or a page shows of a tree."""

    def _repr_html_(self) -> str:
        return tree.to_svg(importance(reasons, tree))


Picture()
