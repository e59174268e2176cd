"""ElasticTreeKernel: common parts that keep order but may skip levels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from treekernels import _native
from treekernels.common.checks import check_decay, check_flag, check_weight, rules
from treekernels.errors import ParameterError
from treekernels.kernels.tree_kernel import Algorithm, TreeKernel

__all__ = ["ElasticTreeKernel"]


class ElasticTreeKernel(TreeKernel):
    """The elastic tree kernel of Kashima and Koyanagi (2002).

    A fragment keeps which node is above which and which is left of which, but its edges may skip
    levels of the tree.

    Parameters
    ----------
    decay : float, default=0.1
        The weight of each node of a fragment. With 1, the kernel counts fragments, as in the paper,
        which suits very small trees only: fragments that one tree alone has outweigh all others.
    elastic : bool, default=True
        Whether edges may skip levels. If not, this is the plain kernel for labelled ordered trees
        from the same paper.
    similarity : mapping of (label, label) to float, optional
        How well different labels match, in either order. Labels that are not listed only match
        themselves. The kernel is positive semi-definite if this table is.
    normalize : bool, default=True
        Whether to divide by ``sqrt(K(x, x) K(y, y))``, so that K(x, x) is 1.
    on : str, optional
        The column of X that holds the trees, if X has columns.
    algorithm : {"corpus", "ftk", "qtk"}, default="corpus"
        How the values are computed: for all trees together, or pair by pair from nodes with
        matching labels ("ftk") or from all pairs of nodes ("qtk"). The values are the same.
    n_jobs : int, optional
        The number of threads; -1 uses all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Examples
    --------
    >>> import treekernels as tk
    >>> deep, flat = "(A (X (B b)) (Y (C c)))", "(A (B b) (C c))"
    >>> tk.ElasticTreeKernel()([deep], [flat]).round(3)
    array([[0.822]])
    >>> tk.ElasticTreeKernel(elastic=False)([deep], [flat]).round(3)
    array([[0.806]])
    >>> tk.ElasticTreeKernel(similarity={("dog", "cat"): 0.5})(["(N dog)"], ["(N cat)"])
    array([[0.73809524]])
    """

    def __init__(
        self,
        decay: float = 0.1,
        *,
        elastic: bool = True,
        similarity: Mapping[tuple[str, str], float] | None = None,
        normalize: bool = True,
        on: Any = None,
        algorithm: Algorithm = "corpus",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.decay = decay
        self.elastic = elastic
        self.similarity = similarity
        self.normalize = normalize
        self.on = on
        self.algorithm = algorithm
        self.n_jobs = n_jobs
        self.verbose = verbose

    parameter_rules = rules(
        decay=check_decay,
        elastic=check_flag,
        **TreeKernel.parameter_rules,
    )

    @property
    def compares(self) -> Literal["labels"]:
        return "labels"

    @property
    def fragments(self) -> Literal["elastic trees"]:
        return "elastic trees"

    def native_kernel(self) -> _native.ElasticKernel | _native.PartialKernel:
        self.check_parameters()
        similarity = self._similar_labels()
        if self.elastic:
            return _native.ElasticKernel(float(self.decay), similarity)
        # Without elastic edges it is the partial-tree kernel with nothing lost on gaps.
        return _native.PartialKernel(1.0, float(self.decay), span=False, similarity=similarity)

    def _similar_labels(self) -> list[tuple[str, str, float]]:
        table: dict[tuple[str, str], float] = {}
        for pair, value in (self.similarity or {}).items():
            if not (isinstance(pair, tuple) and len(pair) == 2 and all(map(_is_text, pair))):
                raise ParameterError(
                    f"similarity has pairs of labels as keys, and {pair!r} is none"
                )
            a, b = pair
            weight = check_weight(f"the similarity of {a!r} and {b!r}", value)
            if table.get((b, a), weight) != weight:
                raise ParameterError(f"the similarity of {a!r} and {b!r} has two values")
            table[a, b] = weight
        for (a, b), value in table.items():
            if value * value > table.get((a, a), 1.0) * table.get((b, b), 1.0) * (1 + 1e-12):
                raise ParameterError(
                    f"{a!r} and {b!r} are more similar ({value}) than each is to itself: no kernel "
                    "has that; give also the similarity of a label with itself where it is not 1"
                )
        return [(a, b, value) for (a, b), value in table.items()]


def _is_text(label: object) -> bool:
    return isinstance(label, str)
