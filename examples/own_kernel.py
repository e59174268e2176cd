"""
A kernel of your own
====================

You say what the parts of an example are and how well two of them match, and
:class:`treekernels.MappingKernel` turns that into a kernel that works with everything else. In this
example, the parts are the paths from the root of an arithmetic expression to its leaves, which are
compared from the root down.
"""

import numpy as np
from sklearn.svm import SVC

import treekernels as tk
from treekernels import Tree

Path = tuple[str, ...]


def paths(tree: Tree) -> list[Path]:
    """Return the labels from the root to each leaf."""
    if tree.is_leaf:
        return [(tree.label,)]
    return [(tree.label, *path) for child in tree.children for path in paths(child)]


def alike(one: Path, two: Path) -> float:
    """Count the labels that two paths have in common, from the root down."""
    total = 0.0
    for a, b in zip(one, two, strict=False):
        if a != b:
            break
        total += 1
    return total


kernel = tk.MappingKernel(parts=paths, local=alike, group=lambda path: path[0], normalize=True)

# %%
# ``group`` keeps paths from different roots apart, because there is no need to compare them.
trees = tk.Forest.from_brackets(
    ["(+ (* x y) z)", "(+ (* y x) z)", "(+ (+ x y) z)", "(* (+ x y) z)", "(* (+ y x) (+ z z))"]
)
print(kernel(trees).round(2))
tk.plots.gram_heatmap(kernel(trees), [tree.label for tree in trees])

# %%
# This is a kernel like any other. You can add it to a tree kernel, and use it with scikit-learn.
both = kernel + 0.5 * tk.SubsetTreeKernel()
model = SVC(kernel=both).fit(trees, ["sum", "sum", "sum", "product", "product"])
print(model.predict(tk.Forest.from_brackets(["(+ (* z y) x)", "(* (+ z x) y)"])))

# %%
# Before you trust a kernel, check that it is valid: except for rounding errors, no eigenvalue may
# be negative. If you write a class of your own, ``treekernels.testing.conformance`` checks this and
# much more.
print(bool(np.linalg.eigvalsh(kernel(trees)).min() > -1e-12))
