"""Against what pip installs: plain Python, graph kernels, edit distances, scikit-learn's SVC."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import numpy as np

import alternatives
import treekernels as tk
from common import FILES, Row, arguments, best_seconds, load_texts, pairs, report, say

DECAY = alternatives.DECAY
FEW = 20  # trees for what takes milliseconds a pair
NOTES = [
    "Pairs are unordered, those of a tree with itself included; the trees are the first of the",
    "file. Both SST kernels give the same normalised values (checked). GraKeL's kernel and the",
    "edit distances are other measures, here as what is commonly used to compare trees.",
    "Learning: SST, decay 0.4, C 1, six classes one against the rest; SVC has the Gram matrix",
    "of treekernels, whose time is told apart. tol is each solver's default, 0.001.",
]


def main() -> None:
    args = arguments(__doc__ or "", repeat=3, quick=30)
    texts = load_texts(args.data / FILES["qc.train"], args.trees or 300)
    tables = {
        f"{len(texts)} trees of qc.train": comparing(texts, args.repeat),
        "Learning qc": learning(args.data, args.trees),
    }
    report(__file__, args, tables, NOTES)


def comparing(texts: list[str], repeat: int) -> list[Row]:
    """Time what compares trees."""
    forest = tk.Forest.from_brackets(texts)
    kernel = tk.SubsetTreeKernel(DECAY)
    calls = {
        "treekernels, corpus": partial(kernel, forest),
        "treekernels, corpus, from text": partial(kernel, texts),
        "treekernels, ftk": partial(tk.SubsetTreeKernel(DECAY, algorithm="ftk"), forest),
    }
    plain = alternatives.plain_python(texts)
    if plain is not None:
        calls["plain Python over NLTK trees"] = plain
        np.testing.assert_allclose(plain(), kernel(forest), rtol=1e-9)
    graphs = alternatives.graph_kernel_grakel(forest)
    if graphs is not None:
        calls["grakel, Weisfeiler-Lehman of 3 rounds"] = graphs
    say(f"{len(texts)} trees of qc.train: {', '.join(calls)}")
    us = {
        name: 1e6 * taken / pairs(len(texts)) for name, taken in best_seconds(calls, repeat).items()
    }
    few = forest[:FEW]
    distances = {
        "edist": alternatives.edit_distance_edist(few),
        "apted": alternatives.edit_distance_apted(few),
        "zss": alternatives.edit_distance_zss(few),
    }
    for package, call in distances.items():
        name = f"{package}, edit distance, once, {len(few)} trees"
        if call is None:
            say(f"{package} is missing: pip install {package}")
            continue
        say(name)
        us[name] = 1e6 * best_seconds({name: call}, 1)[name] / pairs(len(few))
    own = us["treekernels, corpus"]
    return [
        {"what": name, "us a pair": taken, "time to treekernels": taken / own}
        for name, taken in us.items()
    ]


def learning(data: Path, limit: int | None) -> list[Row]:
    """Time support vector machines on question classification."""
    from sklearn.svm import SVC

    columns = ["label", "fine", "tree"]
    train = tk.read(data / "qc.train.tsv.gz", columns=columns)
    test = tk.read(data / "qc.test.tsv.gz", columns=columns)
    X, y = train["tree"][:limit], train["label"][:limit]
    Z, z = test["tree"], test["label"]
    say("learning qc: TreeSVC, and SVC on the Gram matrix")
    start = time.perf_counter()
    machine = tk.TreeSVC(tk.SubsetTreeKernel(DECAY), C=1.0, random_state=0).fit(X, y)
    trained = time.perf_counter()
    predicted = machine.predict(Z)
    done = time.perf_counter()
    rows: list[Row] = [
        {
            "learner": "treekernels, TreeSVC",
            "Gram matrices, s": 0.0,
            "train, s": trained - start,
            "predict 500, s": done - trained,
            "accuracy, %": 100 * float(np.mean(predicted == z)),
        }
    ]
    start = time.perf_counter()
    kernel = tk.SubsetTreeKernel(DECAY)
    gram, cross = kernel(X), kernel(Z, X)
    made = time.perf_counter()
    classes = np.unique(y)
    machines = [SVC(kernel="precomputed", C=1.0).fit(gram, y == one) for one in classes]
    trained = time.perf_counter()
    scores = np.stack([one.decision_function(cross) for one in machines], axis=1)
    done = time.perf_counter()
    rows.append(
        {
            "learner": "scikit-learn, SVC",
            "Gram matrices, s": made - start,
            "train, s": trained - made,
            "predict 500, s": done - trained,
            "accuracy, %": 100 * float(np.mean(classes[scores.argmax(axis=1)] == z)),
        }
    )
    return rows


if __name__ == "__main__":
    main()
