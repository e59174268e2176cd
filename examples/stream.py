"""
Learning from a stream
======================

:class:`treekernels.TreePerceptron` sees one example after the other. Its model keeps each distinct
subtree only once, with a weight. So a stream may be long: the model grows with what is new in the
stream, and not with everything that it has seen.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import treekernels as tk

rng = np.random.default_rng(0)


def number(n: int) -> str:
    return f"(n (tens {n // 10}) (ones {n % 10}))"


def batches(count: int, size: int = 200) -> Iterator[tuple[list[str], list[str]]]:
    """Yield expressions with even or odd values; the last digits and the sign decide which."""
    for _ in range(count):
        trees, kinds = [], []
        for _ in range(size):
            a, b = map(int, rng.integers(0, 100, 2))
            sign = rng.choice(["plus", "times"])
            value = a + b if sign == "plus" else a * b
            trees.append(f"(value ({sign} {number(a)} {number(b)}))")
            kinds.append("odd" if value % 2 else "even")
        yield trees, kinds


learner = tk.TreePerceptron(tk.SubsetTreeKernel(decay=0.8), average="mean")
seen, mistakes, sizes = [], [], []
before = 0.0
for trees, kinds in batches(30):
    learner.partial_fit(trees, kinds, classes=["even", "odd"])
    seen.append(learner.t_)
    mistakes.append((learner.loss_ - before) / len(trees))
    sizes.append(learner.n_updates_)
    before = learner.loss_
for t, rate, updates in list(zip(seen, mistakes, sizes, strict=True))[::7]:
    print(f"after {t:6,} trees: {100 * rate:4.1f} % mistakes in the last batch, {updates} updates")

# %%
# Each example is predicted before the learner learns from it, so that the mistakes on the way are
# an honest score.
tk.plots.learning_curve(seen, 1 - np.array(mistakes), baseline=0.5)

# %%
# A model is saved to one file of plain data, and a loaded model goes on learning where it stopped:
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "stream.tkm"
    tk.save(learner, path)
    print(f"{path.stat().st_size:,} bytes")
    again = tk.load(path)
trees, kinds = next(batches(1))
print(np.array_equal(again.predict(trees), learner.predict(trees)))
again.partial_fit(trees, kinds)
print(f"{again.t_:,} trees seen")
