"""Connected entities: two mentions of one kind around a connector are one ("Health Center of X")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.folding import fold

# What may be joined to what, and what the whole is.
_JOINS = {
    (Label.ORG, Label.CITY): Label.ORG,
    (Label.ORG, Label.LOC): Label.ORG,
    (Label.ORG, Label.ORG): Label.ORG,
    (Label.LOC, Label.LOC): Label.LOC,
    (Label.STREET, Label.STREET): Label.STREET,
    **{(name, name): name for name in NAMES},
}


def connect(reading: Reading, mentions: Sequence[Mention], connectors: Sequence[str]) -> list[Mention]:
    """Mentions with those united that a connector alone separates."""
    signs = {fold(connector) for connector in connectors}
    joined: list[Mention] = []
    for mention in mentions:
        if joined:
            last = joined[-1]
            label = _JOINS.get((last.label, mention.label))
            between = reading.folded[last.end : mention.start]
            if label and _connects(between, signs, label):
                joined[-1] = replace(
                    last,
                    end=mention.end,
                    label=label,
                    score=max(last.score, mention.score),
                    votes=tuple(sorted({*last.votes, *mention.votes})),
                )
                continue
        joined.append(mention)
    return joined


def _connects(between: str, signs: set[str], label: Label) -> bool:
    if "\n" in between or len(between) > 8:
        return False
    if label is Label.STREET and between in (", ", " - ", " , ", "  ", " ", ","):
        return True
    if label in NAMES:
        if between == ".":
            return True  # "dupont.jean"
        return between in (" ", "-", "  ") or (between.strip() in signs - {"-", "du", "des"} and between != "")
    return (between.strip() in signs and between.strip() != "-") or between == "-"
