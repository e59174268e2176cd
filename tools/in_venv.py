"""Run a tool from .venv, on any system: `python tools/in_venv.py ruff check`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv" / ("Scripts" if os.name == "nt" else "bin")
TOOL = FOLDER / (sys.argv[1] + (".exe" if os.name == "nt" else ""))

if not TOOL.exists():
    sys.exit(f"There is no {sys.argv[1]} in .venv yet; `make lint` puts it there.")
sys.exit(subprocess.run([TOOL, *sys.argv[2:]]).returncode)
