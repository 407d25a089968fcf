"""The models that ship, a folder each: weights as safetensors, a manifest, and a card."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
