"""The reasons of quarantine: their wording in French and English, and the reasons that a person may waive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from deid.domain.errors import Reason
from deid.domain.outcomes import Verdict
from deid.domain.wording import read_wording
from deid.quality.checks import BY_NAME, CHECKS


@dataclass(frozen=True, slots=True)
class Wording:
    """The wording of a reason: short name, meaning, remedy, and why a person can judge it where it may be waived."""

    title: str
    meaning: str
    remedy: str
    waivable: str = ""


# Language → reason → wording
REASON_WORDS: Mapping[str, Mapping[Reason, Wording]] = {
    lang: {Reason(reason): Wording(**words) for reason, words in table.items()}
    for lang, table in read_wording("reasons").items()
}


# ---- Waivers
#
# A waiver covers one reason for one content. It has the checks that failed for that reason and the number that each
# showed. With the same pipeline the same content gives the same numbers; a greater number holds the document back.

FOREIGN = "language_foreign"

# Reasons that a person can judge by reading the source. The others cannot be waived: an unreadable, empty, malformed,
# oversized or costly document shows nothing to judge; without a patient nothing can be searched; an identity or
# original that remains is a disclosure; a failed step, disordered or impossible dates and an inconsistent output are
# errors of the product, in a text that nobody may read; a budget belongs to the data protection officer.
WAIVABLE = frozenset({Reason.NOT_FRENCH, Reason.UNCHANGED, Reason.RESIDUAL_PATTERN, Reason.CLINICAL_CONTENT_CHANGED})

CHECKS_OF: Mapping[Reason, tuple[str, ...]] = {
    reason: tuple(check.name for check in CHECKS if check.reason is reason) for reason in WAIVABLE
}


@dataclass(frozen=True, slots=True)
class Waiver:
    """A waiver for one version of a document: the greatest number that each check may show."""

    document_id: str
    content_hash: str
    most: Mapping[str, float]

    @property
    def lets_be_searched(self) -> bool:
        """True if detection accepts the document in spite of its language."""
        return FOREIGN in self.most


def admissible(most: Mapping[str, float]) -> dict[str, float]:
    """Return the part of a stored waiver whose reasons can still be waived."""
    return {name: number for name, number in most.items() if name in BY_NAME and BY_NAME[name].reason in WAIVABLE}


def apply_waiver(verdict: Verdict, waiver: Waiver | None) -> Verdict:
    """Return the verdict with the outcomes covered by the waiver marked as waived; they stay failures."""
    if waiver is None:
        return verdict
    most = admissible(waiver.most)
    outcomes = tuple(
        replace(item, waived=not item.success and item.check in most and item.observed <= most[item.check])
        for item in verdict.outcomes
    )
    return replace(verdict, outcomes=outcomes)
