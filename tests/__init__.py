"""Tests by purpose: `unit` (no server), `database`, `dags`, `pages`, `privacy`, `end_to_end`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
