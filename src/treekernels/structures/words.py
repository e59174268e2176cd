"""Words that carry their part of speech, as smoothed kernels want them."""

from __future__ import annotations

from collections.abc import Callable

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

    def change(dag: _native.Dag, roots: Roots) -> tuple[_native.Dag, Roots]:
        text, bounds, labels, offsets, children, new_roots = dag.export_arrays(roots)
        places = bounds.tolist()
        names = [text[places[i] : places[i + 1]].decode() for i in range(len(places) - 1)]
        starts, every_child = offsets.tolist(), children.tolist()
        classes: dict[int, str] = {}
        label_number = {name: number for number, name in enumerate(names)}
        made_labels: list[int] = []
        made_children: list[list[int]] = []
        made_leaf: dict[int, int] = {}  # by label
        made_node: list[int] = []  # by node, -1 for leaves that nothing has needed yet

        def add(label: int, below: list[int]) -> int:
            made_labels.append(label)
            made_children.append(below)
            return len(made_labels) - 1

        def leaf(label: int) -> int:
            if label not in made_leaf:
                made_leaf[label] = add(label, [])
            return made_leaf[label]

        for node, label in enumerate(labels.tolist()):
            below = every_child[starts[node] : starts[node + 1]]
            if not below:
                made_node.append(-1)
                continue
            if len(below) == 1 and made_node[below[0]] < 0:
                if label not in classes:
                    classes[label] = of_tag(names[label])
                word = _marked(names[labels[below[0]]], classes[label])
                number = label_number.setdefault(word, len(label_number))
                made_node.append(add(label, [leaf(number)]))
                continue
            own = [
                made_node[child] if made_node[child] >= 0 else leaf(int(labels[child]))
                for child in below
            ]
            made_node.append(add(label, own))
        last = [
            made_node[root] if made_node[root] >= 0 else leaf(int(labels[root]))
            for root in new_roots.tolist()
        ]
        return _dag_of(list(label_number), made_labels, made_children), np.array(last, np.uint32)

    return apply_change(trees, change)


def _marked(word: str, class_: str) -> str:
    try:
        return valid_label(f"{word}::{class_}")
    except ValueError as error:
        raise DataError(
            f"the word {word!r:.40} cannot be of class {class_!r:.40}: {error}"
        ) from None


def _dag_of(names: list[str], labels: list[int], children: list[list[int]]) -> _native.Dag:
    """Return a DAG of nodes that come after their children; labels without nodes are left out."""
    used = sorted(set(labels))
    number = {label: place for place, label in enumerate(used)}
    texts = [names[label].encode() for label in used]
    return _native.Dag.from_arrays(
        b"".join(texts),
        np.cumsum([0, *map(len, texts)], dtype=np.uint64),
        np.array([number[label] for label in labels], np.uint32),
        np.cumsum([0, *map(len, children)], dtype=np.uint64),
        np.array([child for own in children for child in own], np.uint32),
    )
