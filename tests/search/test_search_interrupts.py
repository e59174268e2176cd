"""Progress while an index works."""

from __future__ import annotations

import pytest

import treekernels as tk


def test_an_error_in_progress_is_passed_on() -> None:
    index = tk.TreeIndex(tk.SubsetTreeKernel())
    index.add([f"(A (B b{i}) (C c{j}))" for i in range(100) for j in range(100)])

    def fail(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        index.duplicates(0.01, progress=fail)
    assert len(index) == 10_000
