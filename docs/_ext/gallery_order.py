"""The order of the examples: what most readers want first comes first."""

from __future__ import annotations

from pathlib import Path

ORDER = (
    "questions",
    "functions",
    "explained",
    "stream",
    "distributed_trees",
    "partial_vectors",
    "landmarks",
    "smoothed_kernel",
    "sentence_pairs",
    "documents",
    "diversity",
    "ranked_answers",
    "kernel_methods",
    "gaussian_process",
    "own_kernel",
)


class Place:
    """What sphinx-gallery sorts by; it makes one for each folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, filename: str) -> int:
        """Give the place of a file."""
        return ORDER.index(Path(filename).stem)
