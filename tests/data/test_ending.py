"""Python ends while daemon threads are in the core."""

from __future__ import annotations

import subprocess
import sys

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


def test_daemon_threads_do_not_abort_the_process() -> None:
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
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
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout == "9.0\nlate\n", done
