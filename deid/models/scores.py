"""Names of the figures that a comparison of two models keeps in the ledger, which the stewards' pages show."""

from __future__ import annotations

from deid.domain.labels import Label

WAYS = ("exact", "overlap", "token")  # in which a mention may agree with an annotated one
MEASURES = ("precision", "recall", "f1")
SCORES = tuple(f"{way}_{measure}" for way in WAYS for measure in MEASURES)  # told by label and by type of document
_LABELS = frozenset(map(str, Label))


def score_of(score: str, group: str) -> str:
    """Return the name of one of `SCORES` of a label or a type of document."""
    return f"recall/{group}" if score == "overlap_recall" and group in _LABELS else f"{score}/{group}"
