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
OPERATIONS = ["save", "write", "convert", "gram", "embed", "index", "fit", "learn"]
KILLS = int(os.environ.get("TREEKERNELS_KILLS", "24"))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_killed_at_any_moment(operation: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    each = -(-KILLS // len(OPERATIONS))
    done = subprocess.run(
        [sys.executable, PROGRAM, operation, folder, str(each), "0"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["wrong"] == []
    assert result["kills"] == each
    if each >= 20:
        assert result["files"] > 0  # otherwise nothing was tested
