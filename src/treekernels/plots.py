"""Plots with matplotlib: learning curves, confusion matrices, Gram matrices, maps of trees.

Each function draws into `ax`, or a new figure, and gives the axes back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treekernels.drawing.colours import AGAINST, FOR, GROUPS
from treekernels.readers.optional import needed

__all__ = ["confusion_matrix", "embedding_map", "gram_heatmap", "learning_curve"]

CLASSES = (*GROUPS, "#b3a125", "#8c8c8c")  # the last two serve on light and dark pages
MARKERS = "os^DvPX<"
_MOST_NAMES = 60  # of classes along an axis
_MOST_NUMBERS = 12  # of classes, for numbers in the cells
_LONGEST = 20


def learning_curve(
    sizes: ArrayLike,
    scores: ArrayLike,
    *,
    train_scores: ArrayLike | None = None,
    baseline: float | None = None,
    score: str = "accuracy",
    ax: Any = None,
) -> Any:
    """Plot how a score grows with the number of examples.

    Parameters
    ----------
    sizes : array of shape (n_sizes,)
        How many examples were learned from.
    scores, train_scores : array of shape (n_sizes,) or (n_sizes, n_repeats)
        On examples that were not learned from, and on those that were. Of repeats the mean is
        drawn, in a band one standard deviation wide to each side. scikit-learn's `learning_curve`
        gives the three arrays.
    baseline : float, optional
        A score for comparison, such as that of always naming the commonest class.
    score : str, default="accuracy"
        What the score is called.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from treekernels import plots
    >>> ax = plots.learning_curve([10, 100, 1000], [0.5, 0.7, 0.8], baseline=0.3)
    >>> ax.get_ylabel()
    'accuracy'
    """
    ax = _axes(ax)
    places = np.asarray(sizes, float)
    ends = []
    for values, colour, marker, name, above in (
        (train_scores, AGAINST, "s", "learned from", -14),
        (scores, FOR, "o", "not learned from", 8),
    ):
        if values is None:
            continue
        table = np.asarray(values, float).reshape(len(places), -1)
        mean = table.mean(axis=1)
        ax.plot(places, mean, color=colour, marker=marker, markersize=5, linewidth=2)
        if table.shape[1] > 1:
            spread = table.std(axis=1)
            ax.fill_between(places, mean - spread, mean + spread, color=colour, alpha=0.2, lw=0)
        ends.append((mean[-1], name, above))
    if len(ends) > 1:  # names at the end of the lines need no legend
        for value, name, above in ends:
            ax.annotate(
                name, (places[-1], value), (-4, above), textcoords="offset points", ha="right"
            )
    if baseline is not None:
        ax.axhline(baseline, color=_ink(), alpha=0.6, linestyle="--", linewidth=1)
        ax.annotate(
            "commonest class", (0, baseline), (4, 4), xycoords=ax.get_yaxis_transform(),
            textcoords="offset points", fontsize="small",
        )  # fmt: skip
    if len(places) > 1 and places.min() > 0 and places.max() > 8 * places.min():
        ax.set_xscale("log")
        chosen = places if len(places) <= 6 else places[:: len(places) // 5]
        ax.set_xticks(chosen, [f"{place:,.0f}" for place in chosen])
        ax.set_xticks([], minor=True)
    lowest = min([value for value, *_ in ends] + ([baseline] if baseline is not None else []))
    ax.set_ylim(bottom=0 if lowest < 0.5 else None, top=1.02)
    ax.set_xlabel("examples learned from")
    ax.set_ylabel(score)
    ax.grid(axis="y", alpha=0.25)
    _open(ax)
    return ax


def confusion_matrix(expected: ArrayLike, predicted: ArrayLike, *, ax: Any = None) -> Any:
    """Plot which classes were taken for which.

    A cell is the bluer the larger its share of the examples of its row: the class that is right.

    Parameters
    ----------
    expected, predicted : array of labels
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from treekernels import plots
    >>> ax = plots.confusion_matrix(["cat", "cat", "dog"], ["cat", "dog", "dog"])
    >>> [text.get_text() for text in ax.texts]
    ['1', '1', '0', '1']
    """
    right, given = (np.asarray(labels).astype(str) for labels in (expected, predicted))
    names, codes = np.unique(np.concatenate([right, given]), return_inverse=True)
    counts = np.zeros((len(names), len(names)), int)
    np.add.at(counts, (codes[: len(right)], codes[len(right) :]), 1)
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    size = matrix_size(names.tolist())
    ax = _axes(ax, (size, size))
    ax.imshow(shares, cmap=_blues(), vmin=0, vmax=1)
    if len(names) <= _MOST_NUMBERS:
        for (row, column), count in np.ndenumerate(counts):
            ax.text(
                column, row, f"{count:,}", ha="center", va="center", fontsize="small",
                color="white" if shares[row, column] > 0.5 else _ink(),
                alpha=1 if count else 0.4,
            )  # fmt: skip
    if len(names) <= _MOST_NAMES:
        shown = [_plain(name) for name in names]
        style = {"fontsize": "medium" if len(names) <= _MOST_NUMBERS else "small"}
        turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        ax.set_xticks(range(len(names)), shown, **style, **turned)
        ax.set_yticks(range(len(names)), shown, **style)
    else:
        ax.set_xticks([])
        ax.set_yticks([])
    ax.set_xlabel("predicted")
    ax.set_ylabel("right")
    ax.tick_params(length=0)
    ax.spines[:].set_alpha(0.3)
    return ax


def matrix_size(names: Sequence[str]) -> float:
    """Give the inches that a confusion matrix needs, with its names."""
    longest = max((min(len(name), _LONGEST) for name in names), default=0)
    few = min(len(names), _MOST_NUMBERS)
    return 1.4 + 0.1 * longest + 0.3 * few + 0.15 * (min(len(names), _MOST_NAMES) - few)


def gram_heatmap(gram: ArrayLike, labels: ArrayLike | None = None, *, ax: Any = None) -> Any:
    """Plot a Gram matrix with similar examples side by side.

    The order is that of the leaves of a hierarchical clustering (average linkage).

    Parameters
    ----------
    gram : array of shape (n, n)
        Kernel values; they are normalised here.
    labels : array of shape (n,), optional
        Classes, drawn as colours along the left edge; of more than eight, the commonest.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import treekernels as tk
    >>> from treekernels import plots
    >>> ax = plots.gram_heatmap(tk.SubsetTreeKernel()(["(A b)", "(B c)", "(A b)"]))
    >>> ax.images[0].get_array().tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]]
    """
    values = _normalized(gram)
    order = _clustered(values)
    ax = _axes(ax, (5.4, 4.8))
    image = ax.imshow(
        values[np.ix_(order, order)], cmap="cividis", vmin=0, vmax=1, interpolation="nearest"
    )
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, label="kernel value, normalised")
    bar.outline.set_visible(False)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel(f"{len(order):,} examples, similar ones side by side")
    ax.spines[:].set_visible(False)
    if labels is not None:
        _edge_of_classes(ax, np.asarray(labels).astype(str)[order])
    return ax


def embedding_map(
    points: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    gram: bool = False,
    ax: Any = None,
) -> Any:
    """Plot examples as points in a plane: the first two principal components.

    Parameters
    ----------
    points : array or sparse matrix of shape (n, dimension), or Gram matrix of shape (n, n)
        Vectors, for instance of `DistributedTrees`, or kernel values.
    labels : array of shape (n,), optional
        Classes, each with a colour and a marker of its own; of more than eight, the commonest.
    gram : bool, default=False
        Whether these are kernel values.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import treekernels as tk
    >>> from treekernels import plots
    >>> trees = ["(A b)", "(A c)", "(B c)", "(B d)"]
    >>> vectors = tk.DistributedTrees(256).transform(trees)
    >>> ax = plots.embedding_map(vectors, ["a", "a", "b", "b"])
    >>> len(ax.collections)
    2
    """
    plane, shares = _plane(points, gram)
    ax = _axes(ax, (5.6, 4.6))
    if labels is None:
        ax.scatter(*plane.T, s=18, color=FOR, alpha=0.7, linewidths=0)
    else:
        named, names = _commonest(np.asarray(labels).astype(str))
        for place, name in enumerate(names):
            ax.scatter(
                *plane[named == place].T, s=18, color=CLASSES[place], alpha=0.75,
                marker=MARKERS[place], linewidths=0, label=_plain(name),
            )  # fmt: skip
        ax.legend(
            loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, frameon=False,
            fontsize="small", handletextpad=0.2, columnspacing=1,
        )  # fmt: skip
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel(f"first component ({shares[0]:.0%} of the variance)")
    ax.set_ylabel(f"second ({shares[1]:.0%})")
    _open(ax)
    return ax


def _commonest(labels: NDArray[Any]) -> tuple[NDArray[np.intp], list[str]]:
    """Give the number of each label among the commonest, and their names; the rest are one."""
    names, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    ranks = np.empty(len(names), np.intp)
    ranks[order] = np.arange(len(names))
    shown = names[order].tolist()
    if len(shown) > len(CLASSES):
        shown[len(CLASSES) - 1 :] = [f"{len(shown) - len(CLASSES) + 1} others"]
    return np.minimum(ranks, len(shown) - 1)[codes], shown


def _plane(points: Any, gram: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give two coordinates for each example, and the shares of the variance that they keep."""
    if gram:
        values = np.asarray(points, float)
        if values.ndim != 2 or values.shape[0] != values.shape[1]:
            raise ValueError(f"a Gram matrix is square, and not of shape {values.shape}")
    else:
        vectors = points.astype(float) if hasattr(points, "tocsr") else np.asarray(points, float)
        product = vectors @ vectors.T  # centring sparse vectors would fill them
        values = product.toarray() if hasattr(product, "tocsr") else product
    centred = values - values.mean(axis=0) - values.mean(axis=1)[:, None] + values.mean()
    sizes, vectors = np.linalg.eigh((centred + centred.T) / 2)
    sizes, vectors = np.maximum(sizes[::-1], 0), vectors[:, ::-1]
    plane = np.zeros((len(values), 2))
    shares = np.zeros(2)
    found = min(2, len(sizes))
    signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), range(len(sizes))])
    plane[:, :found] = (vectors * signs * np.sqrt(sizes))[:, :found]
    shares[:found] = sizes[:found] / max(sizes.sum(), np.finfo(float).tiny)
    return plane, shares


def _normalized(gram: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(gram, float)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise ValueError(f"a Gram matrix is square, and not of shape {values.shape}")
    norms = np.sqrt(np.maximum(np.diag(values), 0))
    both = np.outer(norms, norms)
    shares: NDArray[np.float64] = np.zeros_like(values)
    np.divide(values, both, out=shares, where=both > 0)
    return shares


def _clustered(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Give the order of examples in a hierarchical clustering."""
    if len(values) < 3:
        return np.arange(len(values))
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    distances = np.sqrt(np.maximum(0, 2 - (values + values.T)))
    np.fill_diagonal(distances, 0)
    tree = linkage(squareform(distances, checks=False), "average", optimal_ordering=True)
    order: NDArray[np.intp] = leaves_list(tree).astype(np.intp)
    return order


def _edge_of_classes(ax: Any, labels: NDArray[Any]) -> None:
    named, names = _commonest(labels)
    from matplotlib.patches import Rectangle

    width = max(1.0, len(labels) / 30)
    for row, place in enumerate(named.tolist()):
        ax.add_patch(
            Rectangle((-1.5 * width - 0.5, row - 0.5), width, 1, color=CLASSES[place], lw=0)
        )
    ax.set_xlim(-1.5 * width - 0.5, len(labels) - 0.5)
    handles = [Rectangle((0, 0), 1, 1, color=CLASSES[place], lw=0) for place in range(len(names))]
    ax.legend(
        handles, [_plain(name) for name in names], loc="upper center", ncols=3, frameon=False,
        bbox_to_anchor=(0.5, -0.1), fontsize="small", handlelength=1, columnspacing=1,
    )  # fmt: skip


def _axes(ax: Any, size: Sequence[float] = (5.6, 3.8)) -> Any:
    if ax is not None:
        return ax
    pyplot = needed("matplotlib.pyplot", "plots", "a plot")
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def _blues() -> Any:
    """Give colours from nothing, which suits light and dark pages, to blue."""
    colors = needed("matplotlib.colors", "plots", "a plot")
    blue = colors.to_rgb(FOR)
    return colors.LinearSegmentedColormap.from_list("blues", [(*blue, 0.04), (*blue, 1.0)])


def _ink() -> Any:
    """Give the colour of text."""
    return needed("matplotlib", "plots", "a plot").rcParams["text.color"]


def _open(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)


def _plain(name: str) -> str:
    """Give a name in a form in which matplotlib shows it: no formulas, and nothing is hidden."""
    shown = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in shown)
    shown = shown.replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown
