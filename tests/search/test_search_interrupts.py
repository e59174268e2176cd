"""Ctrl-C and progress while an index works."""

from __future__ import annotations

import pytest

import treekernels as tk
from interruption import assert_hears_interrupt

PREPARE = """
draw = np.random.default_rng(0).integers
texts = [
    f"(A (B b{draw(9)} (C c{draw(9)})) (D (E e{draw(9)}) (F (G g{draw(9)}) (H h{draw(9)}))))"
    for _ in range(20000)
]
forest = tk.Forest(texts)
index = tk.TreeIndex(tk.SubsetTreeKernel(decay=0.9))
index.add(forest)
"""


@pytest.mark.serial
@pytest.mark.parametrize(
    "compute",
    [
        "index.duplicates(0.05)",
        "index.search(forest, 50, n_jobs=2)",
        "index.within(forest, 0.01)",
        "[tk.TreeIndex().add(forest) for _ in range(1000)]",
    ],
)
def test_ctrl_c(compute: str) -> None:
    assert_hears_interrupt(PREPARE, compute, after=0.7)


def test_progress() -> None:
    seen: list[tuple[int, int]] = []
    index = tk.TreeIndex(tk.PartialTreeKernel())
    index.add(["(A b)", "(A c)"])
    index.search(["(A b)"] * 3, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3, 3)


def test_an_error_in_progress_is_passed_on() -> None:
    index = tk.TreeIndex()
    index.add([f"(A (B b{i}) (C c{j}))" for i in range(100) for j in range(100)])

    def fail(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        index.duplicates(0.01, progress=fail)
    assert len(index) == 10_000
