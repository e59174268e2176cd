"""
From which module does a function come?
=======================================

Programs have syntax trees, too. Here we tell functions of two modules of Python's standard library
apart. All names and constants are hidden, so that only the way the functions are written can help.
"""

import ast
import collections
import inspect
import statistics
import textwrap
from types import ModuleType

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import treekernels as tk


def functions(*modules: ModuleType) -> list[str]:
    """Return the syntax trees of the functions and methods of some modules, in brackets."""
    found = []
    for module in modules:
        tree = ast.parse(textwrap.dedent(inspect.getsource(module)))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and len(node.body) > 1:
                found.append(str(tk.readers.from_ast(node)))
    return found


modules = [statistics, collections]
per_module = [functions(module) for module in modules]
y = np.repeat([module.__name__ for module in modules], [len(texts) for texts in per_module])
forest = tk.Forest.from_brackets([text for texts in per_module for text in texts])
bare = tk.structures.map_leaves(forest, lambda leaf: leaf if hasattr(ast, leaf) else "_")
print(repr(forest))
print(bare[0].to_brackets()[:70], "...")

# %%
# We use a support vector machine that needs no Gram matrix. A function can have any number of
# statements, so that whole productions near the root seldom repeat. A small decay makes the small
# fragments count.
folds = StratifiedKFold(5, shuffle=True, random_state=0)
machine = tk.TreeSVC(tk.SubsetTreeKernel(decay=0.2), C=10, class_weight="balanced", random_state=0)
predicted = cross_val_predict(machine, bare, y, cv=folds)
tk.plots.confusion_matrix(y, predicted)
largest = max(np.mean(y == name) for name in set(y))
print(f"accuracy {np.mean(predicted == y):.2f}, of always naming the larger one {largest:.2f}")

# %%
# These fragments give the modules away:
print(tk.explain(machine.fit(bare, y), top=3))
