"""Tree: one tree of a forest, a light handle on a node of its DAG."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.limits import check_unfolded, get_limits, too_many_nodes
from treekernels.common.text import printable
from treekernels.errors import DataError

if TYPE_CHECKING:
    from treekernels.drawing.colours import Colours

__all__ = ["Tree"]

# Trees that are not there are single leaves with these labels, so that a forest can hold them.
# Every tree kernel gives 0 for them, also with each other and with themselves.
EMPTY = "-EMPTY-"
"""The label of a tree of which nothing is left."""

MISSING = "-MISSING-"
"""The label of a tree that an example does not have."""

_SHOWN = 60  # characters of a tree in a prompt
_COMPARED = 1 << 16  # bytes of its text by which trees of different forests are told apart


class Tree:
    """One tree, or any subtree of one.

    You get trees out of a `Forest`; to make a single one, write
    ``tk.Forest.from_brackets([text])[0]``. Two trees are equal if they have the same labels and the
    same children in the same order, all the way down.

    Examples
    --------
    >>> import treekernels as tk
    >>> tree = tk.Forest.from_brackets(["(S (NP (N Mary)) (VP (V sleeps)))"])[0]
    >>> tree.label, [child.label for child in tree.children], tree.size, tree.depth
    ('S', ['NP', 'VP'], 7, 4)
    >>> print(tree.children[1])
    (VP (V sleeps))
    >>> tree.leaves()
    ['Mary', 'sleeps']
    """

    __slots__ = ("dag", "node")

    dag: _native.Dag
    """The DAG of the native core that the tree is in, for use inside this library."""

    node: int
    """The number that the root of the tree has in `dag`."""

    def __init__(self, dag: _native.Dag, node: int = -1) -> None:
        if node < 0 or not isinstance(dag, _native.Dag):
            kind = f"an object of type {type(dag).__name__}"
            given = f"{dag!r:.60}" if isinstance(dag, str) else kind
            raise DataError(
                f"a Tree comes out of a Forest, and is not made of {given}: "
                "tk.Forest.from_brackets([text])[0] is the tree of a text in brackets"
            )
        self.dag = dag
        self.node = node

    @property
    def roots(self) -> NDArray[np.uint32]:
        """The number of the root in an array of one, as a forest of this single tree has it."""
        return np.array([self.node], np.uint32)

    @property
    def label(self) -> str:
        """The label of the root."""
        return self.dag.label(self.node)

    @property
    def children(self) -> list[Tree]:
        """The subtrees below the root, in order."""
        return [Tree(self.dag, node) for node in self.dag.children(self.node)]

    @property
    def is_empty(self) -> bool:
        """Whether this is ``(-EMPTY-)`` or ``(-MISSING-)``, for which every kernel gives 0."""
        return self.is_leaf and self.label in (EMPTY, MISSING)

    @property
    def is_leaf(self) -> bool:
        """Whether the root has no children."""
        return not self.dag.children(self.node)

    @property
    def size(self) -> int:
        """How many nodes the tree has."""
        return int(self.dag.sizes(self.roots)[0][0])

    @property
    def depth(self) -> int:
        """How many nodes there are on the longest path from the root to a leaf."""
        return int(self.dag.sizes(self.roots)[1][0])

    def preorder(self) -> Iterator[Tree]:
        """Yield the subtree at every node, parents before children and from left to right."""
        stack = [self]
        while stack:
            tree = stack.pop()
            yield tree
            stack.extend(reversed(tree.children))

    def leaves(self) -> list[str]:
        """Return the labels of the leaves from left to right, such as the words of a sentence."""
        check_unfolded(self.size)
        return [tree.label for tree in self.preorder() if tree.is_leaf]

    def to_brackets(self) -> str:
        """Return the tree in Penn bracket notation, as `Forest.from_brackets` reads it."""
        return brackets_of(self.dag, self.node)

    def to_svg(
        self, colours: Colours | None = None, *, max_nodes: int = 120, title: str | None = None
    ) -> str:
        """Return a drawing of the tree as SVG, for a page, a notebook or a file.

        Lines and labels have the colour of the text around them, so that the picture is readable on
        light and dark pages.

        Parameters
        ----------
        colours : mapping or callable, optional
            Says which nodes are coloured: it takes the position of a node in `preorder`, and gives
            a weight, a group, or None. A weight is a number. Nodes with a weight above zero are
            blue and those below zero orange, and the larger the weight, the stronger the colour.
            Anything else is a group, and each group has a colour of its own.
        max_nodes : int, default=120
            How many nodes are drawn at most. Of a larger tree you see only a part, with an ellipsis
            where it was cut: the paths to coloured nodes first, if `colours` is a mapping, and then
            one level after the other.
        title : str, optional
            What a screen reader says.

        Examples
        --------
        >>> import treekernels as tk
        >>> tree = tk.Forest(["(S (NP (N Mary)) (VP (V sleeps)))"])[0]
        >>> picture = tree.to_svg({1: "subject", 2: "subject", 3: "subject"})
        >>> picture.count("<text"), picture.count("<rect")
        (7, 3)
        """
        from treekernels.drawing.svg import svg  # here, so that trees are quick to import

        return svg(self, colours, max_nodes=max_nodes, title=title)

    def _repr_html_(self) -> str:
        from treekernels.drawing.notebook import html_of_tree

        return html_of_tree(self)

    def __str__(self) -> str:
        return self.to_brackets()

    def __repr__(self) -> str:
        text = self.dag.brackets_prefix(self.node, 4 * _SHOWN)  # bytes, four a character at most
        excerpt = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
        return f"<Tree {printable(excerpt)}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        if self.dag is other.dag:
            return self.node == other.node
        beginning = self._beginning()
        if beginning != other._beginning():
            return False
        if len(beginning.encode()) <= _COMPARED:  # it is all there is
            return True
        both = _native.Dag()
        ours, theirs = (both.import_nodes(tree.dag, tree.roots)[0] for tree in (self, other))
        return bool(ours == theirs)

    def __hash__(self) -> int:
        # Equal trees of different forests must agree, so the node number will not do.
        return hash(self._beginning())

    def _beginning(self) -> str:
        return self.dag.brackets_prefix(self.node, _COMPARED)

    def __reduce__(self) -> tuple[object, ...]:
        *arrays, roots = self.dag.export_arrays(self.roots)
        return _tree_from_arrays, (arrays, int(roots[0]))


def brackets_of(dag: _native.Dag, node: int) -> str:
    """Return a tree in brackets, or raise a `DataError` if it has too many nodes for that."""
    try:
        return dag.brackets(node, get_limits().unfolded_nodes)
    except _native.TooLarge:
        raise too_many_nodes() from None


def _tree_from_arrays(arrays: list[Any], node: int) -> Tree:
    dag = _native.Dag.from_arrays(*arrays)
    if not 0 <= node < len(dag):
        raise ValueError("not a tree: its root is not among its subtrees")
    return Tree(dag, node)
