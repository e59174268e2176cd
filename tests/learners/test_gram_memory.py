"""Memory that would not suffice for scikit-learn's machine, which ends the process then."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
import treekernels as tk
from treekernels.learners.svm import gram_solver

check = gram_solver._check_memory

def limited(count, cache_size):
    with open("/proc/self/statm") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + megabytes * 2**20, resource.RLIM_INFINITY))
    check(count, cache_size)

rng = np.random.default_rng(0)
X, y = rng.normal(size=(2000, 5)), rng.integers(0, 2, 2000)
machine = tk.TreeSVC(tk.RBFKernel(), solver="gram", C=10, max_iter=5)
machine.fit(X[:50], y[:50])
before = machine.decision_function(X[:5])
gram_solver._check_memory = limited
for megabytes in (10, 100):
    try:
        machine.fit(X, y)
    except MemoryError as error:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        print(error)
        assert (machine.decision_function(X[:5]) == before).all()
    else:
        print("fitted")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what a process has taken")
@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer takes memory of its own")
def test_too_little_memory_for_scikit_learns_machine_is_a_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    refusal, fitted = done.stdout.splitlines()
    assert "the machine of scikit-learn would need 19" in refusal
    assert "solver='forest'" in refusal
    assert fitted == "fitted"
