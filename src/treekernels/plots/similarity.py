"""Plots of how similar examples are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treekernels.common.arrays import text_array
from treekernels.drawing.colours import FOR
from treekernels.errors import DataError
from treekernels.plots.style import (
    CLASSES,
    MARKERS,
    commonest_labels,
    displayable_name,
    hide_empty_spines,
    new_axes,
)

__all__ = ["embedding_map", "gram_heatmap"]

Matrix = NDArray[np.float64]

MAX_PRODUCTS = 2_000  # examples, for a product of each with each


def gram_heatmap(gram: ArrayLike, labels: ArrayLike | None = None, *, ax: Any = None) -> Any:
    """Plot a Gram matrix with similar examples side by side.

    The examples are in the order of the leaves of a hierarchical clustering (average linkage).

    Parameters
    ----------
    gram : array of shape (n, n)
        Kernel values. The plot shows them normalised.
    labels : array of shape (n,), optional
        Classes, which are drawn as colours along the left edge. If there are more than eight, only
        the most common ones have colours of their own.
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
    values = _normalize(gram)
    order = _cluster_order(values)
    ax = new_axes(ax, (5.4, 4.8))
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
        _edge_of_classes(ax, text_array(np.asarray(labels))[order])
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
        Vectors, for instance from `DistributedTrees`, or kernel values.
    labels : array of shape (n,), optional
        Classes, each of which has a colour and a marker of its own. If there are more than eight,
        only the most common ones do.
    gram : bool, default=False
        Whether `points` are kernel values.
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
    ax = new_axes(ax, (5.6, 4.6))
    if labels is None:
        ax.scatter(*plane.T, s=18, color=FOR, alpha=0.7, linewidths=0)
    else:
        codes, names = commonest_labels(text_array(np.asarray(labels)))
        for place, name in enumerate(names):
            ax.scatter(
                *plane[codes == place].T, s=18, color=CLASSES[place], alpha=0.75,
                marker=MARKERS[place], linewidths=0, label=displayable_name(name),
            )  # fmt: skip
        ax.legend(
            loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, frameon=False,
            fontsize="small", handletextpad=0.2, columnspacing=1,
        )  # fmt: skip
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel(f"first component ({shares[0]:.0%} of the variance)")
    ax.set_ylabel(f"second ({shares[1]:.0%})")
    hide_empty_spines(ax)
    return ax


def _plane(points: Any, gram: bool) -> tuple[Matrix, Matrix]:
    """Return two coordinates for each example, and the shares of the variance that they keep."""
    if gram:
        return _plane_of_products(_square_matrix(points))
    vectors = points.astype(float) if hasattr(points, "tocsr") else np.asarray(points, float)
    if vectors.shape[0] > MAX_PRODUCTS and vectors.shape[1] > 2:
        return _plane_of_vectors(vectors)
    product = vectors @ vectors.T  # centring sparse vectors would fill them
    return _plane_of_products(product.toarray() if hasattr(product, "tocsr") else product)


def _plane_of_products(values: Matrix) -> tuple[Matrix, Matrix]:
    centred = values - values.mean(axis=0) - values.mean(axis=1)[:, None] + values.mean()
    sizes, directions = np.linalg.eigh((centred + centred.T) / 2)
    sizes, directions = np.maximum(sizes[::-1][:2], 0), directions[:, ::-1][:, :2]
    total = float(np.trace(centred))
    return _fix_signs(directions * np.sqrt(sizes), sizes / total if total > 0 else 0 * sizes)


def _plane_of_vectors(vectors: Any) -> tuple[Matrix, Matrix]:
    """Return the same for too many examples to multiply each with each."""
    from sklearn.decomposition import PCA

    components = PCA(2, svd_solver="arpack", random_state=0)
    return _fix_signs(components.fit_transform(vectors), components.explained_variance_ratio_)


def _fix_signs(plane: Matrix, shares: Matrix) -> tuple[Matrix, Matrix]:
    """Return two columns and their shares, with signs that do not depend on the solver."""
    largest = plane[np.abs(plane).argmax(axis=0), range(plane.shape[1])]
    missing = 2 - plane.shape[1]  # of a single example
    plane = np.pad(plane * np.where(largest < 0, -1.0, 1.0), [(0, 0), (0, missing)])
    return plane, np.pad(shares, (0, missing))


def _square_matrix(gram: ArrayLike) -> Matrix:
    values: Matrix = np.asarray(gram, float)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise DataError(f"a Gram matrix is square, and not of shape {values.shape}")
    return values


def _normalize(gram: ArrayLike) -> Matrix:
    values = _square_matrix(gram)
    norms = np.sqrt(np.maximum(np.diag(values), 0))
    products = np.outer(norms, norms)
    shares: Matrix = np.zeros_like(values)
    np.divide(values, products, out=shares, where=products > 0)
    return shares


def _cluster_order(values: Matrix) -> NDArray[np.intp]:
    """Return the order of examples in a hierarchical clustering."""
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
    codes, names = commonest_labels(labels)
    from matplotlib.patches import Rectangle

    width = max(1.0, len(labels) / 30)
    for row, place in enumerate(codes.tolist()):
        ax.add_patch(
            Rectangle((-1.5 * width - 0.5, row - 0.5), width, 1, color=CLASSES[place], lw=0)
        )
    ax.set_xlim(-1.5 * width - 0.5, len(labels) - 0.5)
    handles = [Rectangle((0, 0), 1, 1, color=CLASSES[place], lw=0) for place in range(len(names))]
    ax.legend(
        handles, list(map(displayable_name, names)), loc="upper center", ncols=3, frameon=False,
        bbox_to_anchor=(0.5, -0.1), fontsize="small", handlelength=1, columnspacing=1,
    )  # fmt: skip
