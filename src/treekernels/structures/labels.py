"""Other labels for the same shape: leaves in lower case, words by their class, coarser tags."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from treekernels.structures.change import Trees
from treekernels.structures.rewrite import Where, applies_to, rewrite_labels

__all__ = ["lowercase_leaves", "map_labels", "map_leaves"]


def map_labels(
    trees: Trees, change: Callable[[str], str] | Mapping[str, str], on: Where = "inner"
) -> Trees:
    """Change labels, by default those of the inner nodes.

    Parameters
    ----------
    trees : Tree or Forest
    change : callable or mapping
        A function that returns the new label, called only once for each distinct label, or a
        mapping from old labels to new ones. Labels that are not in the mapping stay as they are.
    on : {"inner", "leaves", "all"}

    Examples
    --------
    >>> import treekernels as tk
    >>> forest = tk.Forest(["(S (NP (NNP Mary)) (VP (VBZ sleeps)))"])
    >>> print(tk.structures.map_labels(forest, lambda label: label[:2]))
    (S (NP (NN Mary)) (VP (VB sleeps)))
    """
    if isinstance(change, Mapping):
        table = change
        new_label: Callable[[str], str] = lambda label: table.get(label, label)  # noqa: E731
    else:
        new_label = change
    return rewrite_labels(
        trees, lambda label, is_leaf: new_label(label) if applies_to(on, is_leaf) else label
    )


def map_leaves(trees: Trees, change: Callable[[str], str] | Mapping[str, str]) -> Trees:
    r"""Change the labels of the leaves, which are the words of a parse tree.

    Examples
    --------
    >>> import treekernels as tk
    >>> forest = tk.Forest([r"(NP (CD 1\/2) (NN hour))"])
    >>> print(tk.structures.map_leaves(forest, lambda word: word.replace("\\/", "/")))
    (NP (CD 1/2) (NN hour))
    >>> print(tk.structures.map_leaves(forest, {"hour": "TIME"}))
    (NP (CD 1\/2) (NN TIME))
    """
    return map_labels(trees, change, on="leaves")


def lowercase_leaves(trees: Trees) -> Trees:
    """Write the labels of the leaves in lower case.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.structures.lowercase_leaves(tk.Forest(["(NP (DT The) (NNP Hague))"])))
    (NP (DT the) (NNP hague))
    """
    return map_leaves(trees, str.lower)
