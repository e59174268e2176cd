"""What a node is to a predicate: the seven features of semantic role labelling."""

from __future__ import annotations

from treekernels.data.outline import Outline
from treekernels.data.tree import Tree
from treekernels.errors import DataError
from treekernels.linguistics.heads import find_heads

__all__ = ["governing_category", "is_passive", "role_features"]

_CLAUSES = frozenset({"S", "SINV", "SQ", "SBARQ"})
_BE = {"am", "are", "be", "been", "being", "is", "was", "were", "'s", "'re", "'m"}
_AUXILIARIES = _BE | {"get", "gets", "got", "gotten", "getting"}


def role_features(
    tree: Tree | Outline, predicate: int, argument: int, *, passive: bool | None = None
) -> dict[str, str]:
    """Return the seven features of Gildea and Jurafsky (2002) for an argument of a predicate.

    They are the phrase type and the head word of the argument, the word of the predicate, the path
    from its part of speech to the argument, whether S or VP governs a noun phrase, whether the
    argument stands before or after the predicate, and the voice of the verb. Vectors of them are
    what you add to a kernel on the trees of `treekernels.structures.predicate_argument_tree`.

    Parameters
    ----------
    tree : Tree or Outline
        A parse tree with the labels of the Penn Treebank, without function tags and traces. If you
        ask for several arguments of one tree, make its `treekernels.structures.Outline` once.
    predicate, argument : int
        Their nodes by number, as in an `Outline`. The predicate is the part of speech of a word.
    passive : bool, optional
        The voice, if you know it. By default, it is what the auxiliaries in the tree say.

    Returns
    -------
    dict of str
        By the names "phrase", "path", "predicate", "head", "governing", "position" and "voice".

    References
    ----------
    .. [1] D. Gildea and D. Jurafsky, "Automatic Labeling of Semantic Roles", Computational
       Linguistics 28(3), 2002.
    .. [2] A. Moschitti, "Making Tree Kernels Practical for Natural Language Learning", EACL 2006.

    Examples
    --------
    >>> import treekernels as tk
    >>> forest = tk.Forest(["(S (NP (PRP He)) (VP (VBD ate) (NP (DT some) (NNS pancakes))))"])
    >>> outline = tk.structures.Outline(forest[0])
    >>> ate, he = outline.nodes_labelled("VBD")[0], outline.node((0, 1))
    >>> tk.linguistics.role_features(outline, ate, he)["path"]
    'VBD↑VP↑S↓NP'
    """
    outline = tree if isinstance(tree, Outline) else Outline(tree)
    for name, node in (("predicate", predicate), ("argument", argument)):
        if not 0 <= node < len(outline):
            raise DataError(f"the {name} is node {node}, and the tree has {len(outline)} nodes")
    if outline.stops[predicate] != predicate + 2:
        label = outline.labels[predicate]
        raise DataError(
            f"the predicate must be the part of speech of a word, and node {predicate}, "
            f"{label!r}, is not"
        )
    up, down = _ancestors(outline, predicate), _ancestors(outline, argument)
    above = set(down)
    common = next(node for node in up if node in above)
    labels = outline.labels
    rising = "↑".join(labels[node] for node in up[: up.index(common) + 1])
    falling = "".join(f"↓{labels[node]}" for node in reversed(down[: down.index(common)]))
    if passive is None:
        passive = is_passive(outline, predicate)
    is_before = outline.begins[argument] < outline.begins[predicate]
    return {
        "phrase": labels[argument],
        "path": rising + falling,
        "predicate": labels[predicate + 1].lower(),
        "head": _head_word(outline, argument).lower(),
        "governing": governing_category([labels[node] for node in down]),
        "position": "before" if is_before else "after",
        "voice": "passive" if passive else "active",
    }


def is_passive(outline: Outline, predicate: int) -> bool:
    """Return whether a verb is passive: a participle below a form of *be* or *get*, or a noun.

    Examples
    --------
    >>> import treekernels as tk
    >>> forest = tk.Forest(["(S (NP (N cakes)) (VP (VBD were) (ADVP (RB soon)) (VP (VBN eaten))))"])
    >>> outline = tk.structures.Outline(forest[0])
    >>> is_passive(outline, outline.nodes_labelled("VBN")[0])
    True
    """
    labels, parents = outline.labels, outline.parents
    if labels[predicate] != "VBN":
        return False
    node = int(parents[predicate])
    while node > 0 and labels[node] == "VP":
        above = int(parents[node])
        if labels[above] == "NP":
            return True  # the cakes eaten by him
        verbs = [
            child
            for child in outline.children(above)
            if child < node and labels[child].startswith("VB")
        ]
        if verbs:
            return labels[verbs[-1] + 1].lower() in _AUXILIARIES
        if labels[above] != "VP":
            return False
        node = above
    return False


def _ancestors(outline: Outline, node: int) -> list[int]:
    """Return a node and all above it."""
    nodes = []
    while node >= 0:
        nodes.append(node)
        node = int(outline.parents[node])
    return nodes


def _head_word(outline: Outline, node: int) -> str:
    inside = slice(node, int(outline.stops[node]))
    heads = find_heads(outline.labels[inside], (outline.parents[inside] - node).clip(-1).tolist())
    return outline.labels[node + heads[0]]


def governing_category(chain: list[str]) -> str:
    """Return S or VP, whichever is nearest above a noun phrase.

    The chain has the labels of the phrase and of the nodes above it.
    """
    if chain[0] != "NP":
        return "none"
    for label in chain[1:]:
        if label == "VP" or label in _CLAUSES:
            return "VP" if label == "VP" else "S"
    return "none"
