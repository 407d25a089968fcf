"""Tests by purpose: `unit` (no server), `database`, `dags`, `pages`, `privacy`, `end_to_end`."""

import gc
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Read when torch is imported, here and in the processes that tests start: test processes share the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# A test process holds 700,000 objects of libraries and tables: a tenth of its time went into looking for cycles.
gc.set_threshold(10_000, 20, 50)
