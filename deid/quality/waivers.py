"""What a person may waive: one reason, for one content, no further than what he or she saw.

A waiver names the checks that had failed for that reason and the number that each had shown. Under the same pipeline
the same content gives the same numbers; a check that shows more than what was judged holds the document back again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from deid.domain.errors import Reason
from deid.domain.outcomes import Verdict
from deid.quality.checks import BY_NAME, CHECKS

FOREIGN = "language_foreign"

# Reason → why a person can judge it by reading the source, in French and in English. No other reason is here: an
# unreadable, empty, broken or oversized document holds nothing to judge; without a patient nothing can be searched; an
# identity or an original that survived is a leak whoever looks; a failed step, disordered or impossible dates and an
# incoherent output are the product's errors, in a text that nobody may read; a budget is the data protection officer's.
WAIVABLE: Mapping[Reason, tuple[str, str]] = MappingProxyType(
    {
        Reason.NOT_FRENCH: (
            "Une personne voit d'un coup d'œil si le texte est en français : un tableau de résultats ou une "
            "ordonnance de quelques mots peut tromper le contrôle.",
            "A person sees at a glance whether a text is French: a table of results or a prescription of a few words "
            "can deceive the check.",
        ),
        Reason.UNCHANGED: (
            "En le lisant, une personne peut s'assurer que le document ne contient vraiment rien d'identifiant.",
            "By reading it, a person can make sure that the document really holds nothing identifying.",
        ),
        Reason.RESIDUAL_PATTERN: (
            "En le lisant, une personne sait si le numéro, la date ou l'adresse restés identifient quelqu'un, ou sont "
            "une référence d'appareil, de lot ou de publication.",
            "By reading it, a person knows whether the number, date or address that was left identifies somebody, or "
            "is the reference of a device, a batch or a publication.",
        ),
    }
)

CHECKS_OF: Mapping[Reason, tuple[str, ...]] = MappingProxyType(
    {reason: tuple(check.name for check in CHECKS if check.reason is reason) for reason in WAIVABLE}
)


@dataclass(frozen=True, slots=True)
class Waiver:
    """What was waived for one version of a document: the greatest number that each check may show."""

    document_id: str
    content_hash: str
    most: Mapping[str, float]

    @property
    def lets_be_searched(self) -> bool:
        """Whether a document that detection would refuse for its language is searched all the same."""
        return FOREIGN in self.most


def admissible(most: Mapping[str, float]) -> dict[str, float]:
    """The part of a stored waiver that still may be waived: what the table above no longer holds has no effect."""
    return {name: number for name, number in most.items() if name in BY_NAME and BY_NAME[name].reason in WAIVABLE}


def waived(verdict: Verdict, waiver: Waiver | None) -> Verdict:
    """The verdict with the outcomes that the waiver covers marked as such; they stay failures."""
    if waiver is None:
        return verdict
    most = admissible(waiver.most)
    outcomes = tuple(
        replace(item, waived=not item.success and item.check in most and item.observed <= most[item.check])
        for item in verdict.outcomes
    )
    return replace(verdict, outcomes=outcomes)
