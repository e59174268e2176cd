"""Words that carry their part of speech, as smoothed kernels want them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from treekernels import _native
from treekernels.data.forest import Roots
from treekernels.data.from_objects import valid_label
from treekernels.errors import DataError
from treekernels.structures.change import Trees, apply_change

__all__ = ["mark_words"]


def mark_words(trees: Trees, class_of: Callable[[str], str] | None = None) -> Trees:
    """Write words with their part of speech: the ``dog`` of ``(NN dog)`` becomes ``dog::n``.

    This is how the papers on smoothed kernels write words, and what `WordVectors` looks for.

    Parameters
    ----------
    trees : Tree or Forest
        Parse trees, in which each word is the only child of its tag. Other leaves stay as they are.
    class_of : callable, optional
        ``class_of(tag)`` returns what stands behind the word, called once for each tag. By default
        it is the first letter of the tag, in lower case, so that NN, NNS and NNP are all n.

    Examples
    --------
    >>> import treekernels as tk
    >>> tree = tk.Forest(["(S (NP (DT the) (NN dog)) (VP (VBZ barks)))"])[0]
    >>> print(tk.structures.mark_words(tree))
    (S (NP (DT the::d) (NN dog::n)) (VP (VBZ barks::v)))
    """
    of_tag = class_of or (lambda tag: tag[:1].lower())
    return apply_change(trees, lambda dag, roots: _with_marked_words(dag, roots, of_tag))


def _with_marked_words(
    dag: _native.Dag, roots: Roots, of_tag: Callable[[str], str]
) -> tuple[_native.Dag, Roots]:
    text, bounds, labels, offsets, children, new_roots = dag.export_arrays(roots)
    names = [text[begin:end].decode() for begin, end in pairwise(bounds.tolist())]
    arities = np.diff(offsets)
    is_leaf = arities == 0
    links = offsets[:-1][arities == 1]  # from nodes with one child to that child
    links = links[is_leaf[children[links]]]
    tags = labels[np.searchsorted(offsets, links, side="right") - 1]
    words = labels[children[links]]
    pairs, pair_of_link = np.unique([tags, words], axis=1, return_inverse=True)
    classes = {tag: of_tag(names[tag]) for tag in dict.fromkeys(pairs[0].tolist())}
    label_of = {name: number for number, name in enumerate(names)}
    leaf_of = {label: number for number, label in enumerate(labels[is_leaf].tolist())}
    marked: list[int] = []  # by pair: its leaf
    for tag, word in pairs.T.tolist():
        label = label_of.setdefault(_marked(names[word], classes[tag]), len(label_of))
        marked.append(leaf_of.setdefault(label, len(leaf_of)))
    # All leaves come first, the new ones last among them, and then the other nodes.
    number = np.where(is_leaf, np.cumsum(is_leaf), len(leaf_of) + np.cumsum(~is_leaf)) - 1
    below = number[children]
    below[links] = np.array(marked, np.int64)[pair_of_link.ravel()]
    texts = [name.encode() for name in label_of]
    text_lengths = [0, *map(len, texts)]
    node_labels = [*leaf_of, *labels[~is_leaf].tolist()]
    node_arities = [0] * (len(leaf_of) + 1) + arities[~is_leaf].tolist()
    changed = _native.Dag.from_arrays(
        b"".join(texts),
        np.cumsum(text_lengths, dtype=np.uint64),
        np.array(node_labels, np.uint32),
        np.cumsum(node_arities, dtype=np.uint64),
        below.astype(np.uint32),
    )
    small = _native.Dag()  # without words that are written otherwise now
    return small, small.import_nodes(changed, number[new_roots].astype(np.uint32))


def _marked(word: str, class_: str) -> str:
    try:
        return valid_label(f"{word}::{class_}")
    except ValueError as error:
        raise DataError(
            f"the word {word!r:.40} cannot be of class {class_!r:.40}: {error}"
        ) from None
