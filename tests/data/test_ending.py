"""Python ends while daemon threads are in the core."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Objects that take long to be freed give the threads time to ask for the GIL while Python ends.
# Should one not end, it says where its threads are.
PROGRAM = """
import faulthandler, sys, threading, time
faulthandler.dump_traceback_later(240, exit=True)
import treekernels as tk
class Slow:
    def __del__(self, sleep=time.sleep, kernel=tk.SubtreeKernel()):
        sleep(0.3)
sys.modules["slow"] = Slow()
trees = [f"(S {' '.join(f'(x{i % 7} y{j % 5})' for j in range(60))})" for i in range(40)]
forest = tk.Forest(trees)
model = tk.WeightedForest()
model.add(trees, [1.0] * 40)
def compare():
    while True:
        tk.SubsetTreeKernel()(forest)
def read():
    while True:
        tk.PartialTreeKernel()(trees)
def score():
    while True:
        model.score(trees)
for work in (compare, read, score):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("end", flush=True)
"""


@pytest.mark.parametrize("times", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_daemon_threads_do_not_abort_the_process(times: int) -> None:
    for _ in range(times):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (done.returncode, done.stderr)
        assert done.stdout == "end\n"


# Code of Python that the core calls, and which never returns: as a progress bar that is slow, or as
# an object that is to become an array.
CALLED_BACK = """
import faulthandler, sys, threading, time
faulthandler.dump_traceback_later(240, exit=True)
import numpy as np
import treekernels as tk
from treekernels import _native
from treekernels.kernels.base.matrices import Run
class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(0.3)
sys.modules["slow"] = Slow()
called = threading.Event()
def linger(*arguments, **options):
    called.set()
    while True:
        pass
class Array:
    __dlpack__ = __dlpack_device__ = linger
def watch():
    words = lambda i: " ".join(f"(x{i * j % 97} y{j})" for j in range(300))
    X = tk.Forest([f"(S {words(i)})" for i in range(600)])
    gram = tk.PartialTreeKernel().prepare(X, X, Run())
    gram.fill(np.empty((600, 600)), Run(1, linger))
def convert():
    forest = tk.Forest(["(A b)"])
    forest.dag.sizes(Array())
threading.Thread(target=WORK, daemon=True).start()
assert called.wait(60)
print("end", flush=True)
"""


@pytest.mark.parametrize("work", ["watch", "convert"])
def test_python_ends_while_it_is_called_by_the_core(work: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CALLED_BACK.replace("WORK", work)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    assert done.stdout == "end\n"


def test_the_thread_that_ends_can_go_on() -> None:
    code = (
        "import atexit, treekernels as tk\n"
        "def last(): print(tk.SubsetTreeKernel()(['(A b)'] * 3).sum())\n"
        "atexit.register(last)\n"  # is called before the core hears of the end
        "tk.Forest\n"
        "class Late:\n"
        "    def __del__(self, kernel=tk.SubsetTreeKernel(), forest=tk.Forest(['(A b)'])):\n"
        "        forest.dag.sizes(forest.roots); print('late')\n"
        "import sys; sys.modules['late'] = Late()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "9.0\nlate\n", done
