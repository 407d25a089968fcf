"""Tests by purpose: `unit` (no server), `database`, `dags`, `pages`, `privacy`, `end_to_end`."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Read when torch is imported, here and in the processes that tests start: test processes share the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
