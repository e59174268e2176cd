"""A process that is forked while other threads work can use what they do not, and never hangs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")

# Children are forked while threads change and read a forest and a model. Each uses everything:
# what was being changed at that moment says so, and all else works. An alarm kills who hangs.
PROGRAM = """
import os, random, signal, sys, threading, time, warnings
import treekernels as tk
warnings.simplefilter("ignore")
forest = tk.Forest(["(A b)"])
model = tk.WeightedForest(tk.SubsetTreeKernel())
model.add(["(A b)"], [1.0])
big = [f"(S {' '.join(f'(x{i} y{j})' for j in range(40))})" for i in range(60)]
over = False
def change(number):
    count = 0
    while not over:
        count += 1
        forest.extend([tree.replace("y", f"y{number}-{count}-") for tree in big])
        if count % 5 == 0:
            model.add([f"(A{count} (B{count} b))"] * 50, [0.1] * 50)
def read():
    while not over:
        forest.n_subtrees
        model.score(big)
threads = [threading.Thread(target=change, args=[n], daemon=True) for n in range(2)]
threads += [threading.Thread(target=read, daemon=True)]
for thread in threads:
    thread.start()
outcomes = []
rng = random.Random(0)
for number in range(int(sys.argv[1])):
    time.sleep(rng.uniform(0, 0.02))
    child = os.fork()
    if child == 0:
        signal.alarm(120)
        code = 0
        for use in (lambda: forest.extend(["(A c)"]), lambda: forest.n_nodes,
                    lambda: str(forest[0]),
                    lambda: model.add(["(A d)"], [1.0]), lambda: model.score(["(A b)"]),
                    lambda: tk.SubsetTreeKernel()(["(A b)"])):
            try:
                use()
            except RuntimeError as error:
                code = 1 if "when the process was forked" in str(error) else 3
            except BaseException as error:
                print(repr(error))
                code = 3
        os._exit(code)
    outcomes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
over = True
for thread in threads:
    thread.join()
print(sorted(set(outcomes)), outcomes.count(0), outcomes.count(1))
"""


def test_children_never_hang() -> None:
    count = 30
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(count)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kinds, _, rest = done.stdout.rpartition("] ")
    assert set(kinds.strip("[").split(", ")) <= {"0", "1"}, done.stdout
    good, abandoned = map(int, rest.split())
    assert good + abandoned == count
