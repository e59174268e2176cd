"""Writing the head of each constituent into its label."""

from __future__ import annotations

from typing import Literal

import numpy as np

from treekernels import _native
from treekernels.data.forest import Roots
from treekernels.errors import DataError, ParameterError
from treekernels.linguistics.heads import HeadFinder, collins_head
from treekernels.structures.change import Trees, apply_change

__all__ = ["lexicalize"]


def lexicalize(
    trees: Trees,
    head: HeadFinder = collins_head,
    *,
    by: Literal["word", "tag"] = "word",
    separator: str = "-",
) -> Trees:
    """Add its head word, or the tag of that word, to the label of each constituent.

    Pre-terminals and leaves stay as they are, because their head is plain to see.

    Parameters
    ----------
    trees : Tree or Forest
    head : callable
        ``head(label, labels_of_children)`` returns the position of the head child. It is called
        only once for each distinct production. By default, it follows the rules of Collins for the
        Penn Treebank.
    by : {"word", "tag"}
    separator : str
        What stands between the label and the head.

    Examples
    --------
    >>> import treekernels as tk
    >>> tree = tk.Forest(["(S (NP (DT the) (NN dog)) (VP (VBZ barks)))"])[0]
    >>> print(tk.structures.lexicalize(tree))
    (S-barks (NP-dog (DT the) (NN dog)) (VP-barks (VBZ barks)))
    >>> print(tk.structures.lexicalize(tree, by="tag", separator="^"))
    (S^VBZ (NP^NN (DT the) (NN dog)) (VP^VBZ (VBZ barks)))
    >>> print(tk.structures.lexicalize(tree, lambda label, children: 0))
    (S-the (NP-the (DT the) (NN dog)) (VP-barks (VBZ barks)))
    """
    if by not in ("word", "tag"):
        raise ParameterError(f"by is {by!r}, and may be 'word' or 'tag'")

    def change(dag: _native.Dag, roots: Roots) -> tuple[_native.Dag, Roots]:
        productions, labels, offsets, children = _native.productions(dag, roots)
        texts, numbers, _ = _native.label_roles(dag, roots)
        text_of = dict(zip(numbers.tolist(), texts, strict=True))
        names = [text_of[label] for label in children.tolist()]
        cuts = offsets.tolist()
        heads = [
            _valid_head(head, text_of[label], names[begin:end])
            for label, begin, end in zip(labels.tolist(), cuts[:-1], cuts[1:], strict=True)
        ]
        places = np.array(heads, np.uint32)
        return _native.lexicalize(dag, roots, productions, places, by == "tag", separator)

    return apply_change(trees, change)


def _valid_head(head: HeadFinder, label: str, children: list[str]) -> int:
    place = head(label, children)
    if not 0 <= place < len(children):
        raise DataError(
            f"the head finder gave child {place} of {label} -> {' '.join(children):.60}, "
            f"which has the children 0 to {len(children) - 1}"
        )
    return int(place)
