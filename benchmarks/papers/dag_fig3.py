"""Fig. 3 and 4 of Da San Martino et al. (AAAI 2019): the standard and the voted DAG perceptron."""

from __future__ import annotations

from typing import Any

import numpy as np
from evaluation import by_sentence
from perceptron_claims import claims, named
from propbank import document, load_boundary  # it sets the path
from shared import finish, track
from standard import standard_perceptron, values_needed
from timing import Stopwatch

from common import Row, arguments, say
from stream import (
    Candidates,
    combined,
    polynomial,
    sizes_up_to,
    stream,
    tree_kernel,
    updates_of,
)

DECAYS = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
GAMMAS = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
ORDERS = 6
SLOWEST = 5  # settings that are timed again, to tell which is the slowest
SMALL = [5000, 10_000, 20_000]  # examples, for all settings and for all orders
MOST = 1_000_000
MOST_STANDARD = 50_000
NOTES = [
    "Documents are split 80/20 (seed 0), and training examples come in random order. All 72",
    f"settings see the first {SMALL[-1]:,} examples of one order; the {SLOWEST} slowest of the",
    "voted DAG perceptrons are timed again by turns. The slowest of these and the standard one",
    f"that needs fewest kernel values, which takes least time, are then run by turns in {ORDERS}",
    "orders, and once to a million examples. Both perceptrons make the same updates and differ",
    "in what they keep: distinct subtrees, or support trees one by one, compared by FTK. The",
    "standard one computes the kernel values that it needs and no others (its blocks compute a",
    "few more, and its time is taken down by these);",
    f"beyond {MOST_STANDARD:,} examples its values are counted, and its time is their number times",
    "that of a value. 'Poly3 written out' is the same kernel as a linear one on products of",
    "features; otherwise Poly3 is compared with all support examples, as in the paper. Nodes:",
    "those kept of trees.",
]


def main() -> None:
    args = arguments(__doc__ or "", repeat=3, quick=2000)
    trees, codes, y, sentences = load_boundary(args.data, args.trees, ("ewt",))
    candidates = Candidates(trees, codes, y)
    groups = [document(s) if args.trees is None else s for s in sentences]
    train = by_sentence(groups, [0.8, 0.2])[0]
    orders = [np.random.default_rng(seed).permutation(train) for seed in range(ORDERS)]
    sizes = [size for size in SMALL if size < len(train)] or [len(train) // 4, len(train)]
    watch = Stopwatch(args.repeat)
    settings = [
        setting_row(candidates, orders[0][: sizes[-1]], decay, gamma)
        for decay, gamma in track([(d, g) for d in DECAYS for g in GAMMAS], "settings")
    ]
    slowest = slowest_of(settings, candidates, orders[0][: sizes[-1]], watch)
    fastest = min(settings, key=lambda row: row["kernel values"])
    compared = [
        compare(candidates, order, sizes, slowest, fastest, watch)
        for order in track(orders, "orders")
    ]
    per_value = float(np.mean([own["standard"][-1]["us a value"] for own in compared]))
    large = large_rows(candidates, orders[0][:MOST], per_value, slowest, fastest)
    finish(
        __file__,
        args,
        what="Fig. 3 and 4: time and size of the model, standard and voted DAG perceptron",
        data="`ewt.boundary` (1,315,471 candidates of the English Web Treebank, a million of them "
        "for training) stands in for the first million of the Penn Treebank's 4,079,510.",
        parameters={"examples": len(orders[0][:MOST]), "decays": DECAYS, "gammas": GAMMAS},
        tables={
            "Time and nodes": large,
            f"All settings of Tk+Poly3, Poly3 written out, {sizes[-1]:,} examples": settings,
            f"{ORDERS} orders": [row for own in compared for rows in own.values() for row in rows],
        },
        claims=claims(compared, large, slowest, fastest),
        notes=[*NOTES, watch.note()],
        draw=lambda figure: draw(figure, large),
    )


def kept(candidates: Candidates, order: np.ndarray, updates: np.ndarray) -> Row:
    """Return the nodes that either perceptron keeps, and the values that the standard one needs."""
    support = candidates.trees[order[updates]]
    return {"nodes, DAG": int(support.n_subtrees), "nodes, standard": int(support.n_nodes)}


def setting_row(candidates: Candidates, order: np.ndarray, decay: float, gamma: float) -> Row:
    """Return time and size of the voted DAG perceptron for one setting."""
    rows, learner = stream(combined(decay, gamma), candidates, order, [len(order)])
    updates = updates_of(learner)
    needed = {"kernel values": values_needed(updates, len(order))}
    return {"decay": decay, "gamma": gamma, **rows[-1], **kept(candidates, order, updates)} | needed


def slowest_of(
    settings: list[Row], candidates: Candidates, order: np.ndarray, watch: Stopwatch
) -> Row:
    """Return the slowest setting: of those that were slow once, the one with the largest median."""
    slow = sorted(settings, key=lambda row: -row["seconds"])[:SLOWEST]

    def run(row: Row) -> list[Row]:
        return stream(combined(row["decay"], row["gamma"]), candidates, order, [len(order)])[0]

    result = watch.rows({named(row): lambda r=row: run(r) for row in slow})
    return max(slow, key=lambda row: result[named(row)][-1]["seconds"])


def compare(
    candidates: Candidates,
    order: np.ndarray,
    sizes: list[int],
    slowest: Row,
    fastest: Row,
    watch: Stopwatch,
) -> dict[str, list[Row]]:
    """Return the times of both perceptrons at some sizes, each with its worst or best setting."""
    slow = slowest["decay"], slowest["gamma"]
    fast = fastest["decay"], fastest["gamma"]
    _, learner = stream(combined(*slow), candidates, order, sizes[-1:])
    _, other = stream(combined(*fast), candidates, order, sizes[-1:])
    some = candidates.table(order[: sizes[-1]]), candidates.y[order[: sizes[-1]]]
    result = watch.rows(
        {
            "voted DAG": lambda: stream(combined(*slow, polynomial()), candidates, order, sizes)[0],
            "voted DAG, Poly3 written out": lambda: stream(
                combined(*slow), candidates, order, sizes
            )[0],
            "standard": lambda: standard_perceptron(
                combined(*fast, polynomial()), *some, updates_of(other), sizes
            ),
        }
    )
    for row in result["standard"]:
        row["us a value"] = 1e6 * row["seconds"] / row["kernel values"]
    result["voted DAG"][-1] |= kept(candidates, order, updates_of(learner))
    settings = {"standard": named(fastest)}
    return {
        name: [{"perceptron": name, "kernel": settings.get(name, named(slowest)), **r} for r in own]
        for name, own in result.items()
    }


def large_rows(
    candidates: Candidates, order: np.ndarray, per_value: float, slowest: Row, fastest: Row
) -> list[Row]:
    """Return the voted DAG perceptrons up to a million examples, and the standard one beside."""
    kernels = {"Tk, decay 0.4": tree_kernel(0.4)} | {
        named(row): combined(row["decay"], row["gamma"]) for row in (slowest, fastest)
    }
    rows: list[Row] = []
    for name in track(kernels, "up to a million"):
        sizes = sizes_up_to(len(order), least=min(25_000, len(order)))
        result, learner = stream(kernels[name], candidates, order, sizes)
        updates = updates_of(learner)
        measured = {}
        if name == named(fastest):
            measured = measured_rows(candidates, order, updates, fastest)
        for row in result:
            so_far = updates[updates < row["examples"]]
            values = values_needed(so_far, row["examples"])
            own = kept(candidates, order, so_far) | {"kernel values": values}
            if "Poly3" in name:  # what a value costs was measured with Poly3
                own["standard, calculated, s"] = 1e-6 * per_value * values
            own["standard, measured, s"] = measured.get(row["examples"])
            rows.append({"kernel": name, **row, **own})
        say(f"{name}: {rows[-1]}")
    return rows


def measured_rows(
    candidates: Candidates, order: np.ndarray, updates: np.ndarray, setting: Row
) -> dict[int, float]:
    """Return the seconds of the standard perceptron as far as it can be borne."""
    last = min(MOST_STANDARD, len(order))
    some, sizes = order[:last], sizes_up_to(last, least=min(25_000, last))
    kernel = combined(setting["decay"], setting["gamma"], polynomial())
    rows = standard_perceptron(
        kernel, candidates.table(some), candidates.y[some], updates[updates < last], sizes
    )
    return {row["examples"]: row["seconds"] for row in rows}


def draw(figure: Any, rows: list[Row]) -> None:
    seconds, nodes = figure.subplots(1, 2)
    for name in dict.fromkeys(row["kernel"] for row in rows):
        some = [row for row in rows if row["kernel"] == name]
        examples = [row["examples"] for row in some]
        line = seconds.plot(examples, [r["seconds"] for r in some], label=f"voted DAG: {name}")
        colour = line[0].get_color()
        if "Poly3" in name:
            calculated = [row["standard, calculated, s"] for row in some]
            seconds.plot(examples, calculated, "--", color=colour, label="standard, calculated")
        nodes.plot(examples, [row["nodes, DAG"] for row in some], color=colour)
        nodes.plot(examples, [row["nodes, standard"] for row in some], "--", color=colour)
    seconds.set(xlabel="examples", ylabel="seconds", title="Fig. 3", yscale="log", xscale="log")
    nodes.set(xlabel="examples", ylabel="tree nodes in the model", title="Fig. 4")
    seconds.legend(fontsize="x-small")


if __name__ == "__main__":
    main()
