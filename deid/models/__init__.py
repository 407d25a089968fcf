"""Packaged models, a folder each: weights, a manifest and a card."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
