"""kill -9 at random moments: the old file, the new file, or a checkpoint to go on from.

TREEKERNELS_KILLS=300 kills that many times; the usual number is 24, three of each kind.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nobody is killed on Windows")

PROGRAM = Path(__file__).parents[1] / "killing.py"
KILLS = int(os.environ.get("TREEKERNELS_KILLS", "24"))


def test_killed_at_any_moment(tmp_path: Path) -> None:
    each = -(-KILLS // 8)
    done = subprocess.run(
        [sys.executable, PROGRAM, tmp_path, str(each), "0"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout.splitlines()[-1])
    assert len(results) == 8
    for operation, result in results.items():
        assert result["wrong"] == [], operation
        assert result["kills"] == each
        if each >= 20:
            assert result["files"] > 0  # otherwise nothing was tested
