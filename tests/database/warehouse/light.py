"""Nights with rules alone: for tests that look at what is done with mentions, not at how they are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid.config.settings import settings

_RULES = """extends: default
name: light
detection:
  annotators: [{{name: patterns}}, {{name: context}}, {{name: identity}}]
  merge: weights
quality: {{max_quarantined_share: 1, warn_quarantined_share: 1}}
substitution: {substitution}
"""


def decide(monkeypatch: pytest.MonkeyPatch, folder: Path, substitution: str = "{}") -> None:
    """Put a policy of rules alone in force, with these values in its `substitution` part."""
    path = folder / "policy.yaml"
    path.write_text(_RULES.format(substitution=substitution), encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(path))
    settings.cache_clear()
