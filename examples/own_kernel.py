"""
A kernel of your own
====================

Say what the parts of an example are and how well two of them match:
:class:`treekernels.MappingKernel` makes a kernel of it that works with everything else. Here: the
ways from the root of an arithmetic expression to its leaves, compared from above.
"""

import numpy as np
from sklearn.svm import SVC

import treekernels as tk
from treekernels import Tree

Way = tuple[str, ...]


def ways(tree: Tree) -> list[Way]:
    """Give the labels from the root to each leaf."""
    if tree.is_leaf:
        return [(tree.label,)]
    return [(tree.label, *way) for child in tree.children for way in ways(child)]


def alike(one: Way, two: Way) -> float:
    """Count the labels that two ways have in common, from the root down."""
    total = 0.0
    for a, b in zip(one, two, strict=False):
        if a != b:
            break
        total += 1
    return total


kernel = tk.MappingKernel(parts=ways, local=alike, group=lambda way: way[0], normalize=True)

# %%
# ``group`` keeps ways from different roots apart, which need not be compared.
trees = tk.Forest.from_brackets(
    ["(+ (* x y) z)", "(+ (* y x) z)", "(+ (+ x y) z)", "(* (+ x y) z)", "(* (+ y x) (+ z z))"]
)
print(kernel(trees).round(2))
tk.plots.gram_heatmap(kernel(trees), [tree.label for tree in trees])

# %%
# It is a kernel like any other: it adds to tree kernels, and goes into scikit-learn.
both = kernel + 0.5 * tk.SubsetTreeKernel()
model = SVC(kernel=both).fit(trees, ["sum", "sum", "sum", "product", "product"])
print(model.predict(tk.Forest.from_brackets(["(+ (* z y) x)", "(* (+ z x) y)"])))

# %%
# Before trusting a kernel, see that it is one: no eigenvalue may be negative, but for rounding. For
# a class of your own, ``treekernels.testing.conformance`` checks that and much more.
print(bool(np.linalg.eigvalsh(kernel(trees)).min() > -1e-12))
