"""Numbers of one candidate: everything that the checks judge, and no text."""

from __future__ import annotations

import logging
import math

from deid.domain.document import Document, Substitution
from deid.domain.outcomes import Candidate
from deid.quality.checks import BY_NAME
from deid.quality.dates import read_dates
from deid.quality.identity import Inside, identity_counts, known_identity
from deid.quality.integrity import Pair, faithfulness, integrity, markup_counts, outside, visible_text
from deid.quality.residues import residues
from deid.quality.words import WORD, fold, is_foreign

log = logging.getLogger(__name__)


def measure(candidate: Candidate) -> dict[str, float]:
    """Return every number that the row-level checks judge, by check name.

    A document that cannot be measured gets infinite numbers: the document fails every check as unproven, and the others
    of its batch go on.
    """
    try:
        return {**_measure(candidate), "unmeasured": 0.0}
    except Exception as error:
        # The kind of error only: its message may quote the document.
        log.warning("document %s cannot be measured: %s", candidate.document.id, type(error).__name__)
        return {**dict.fromkeys(BY_NAME, math.inf), "output_empty": 0.0}


def _measure(candidate: Candidate) -> dict[str, float]:
    document, substitution = candidate.document, candidate.substitution
    page = markup_counts(candidate.markup, substitution.text)
    numbers = {
        **integrity(document, candidate.mentions, substitution),
        **page,
        **_survival(document, substitution),
        **faithfulness(_pairs(document, substitution), document.reference_date, substitution.reference_date),
        "language_foreign": float(is_foreign(fold(word) for word in WORD.findall(document.text))),
        "identity_unknown": float(known_identity(document.patient).fields == 0),
    }
    if page["markup_differs"] and candidate.markup is not None:
        shown = Substitution(text=visible_text(candidate.markup), surrogates=(), spans=())
        for name, count in _survival(document, shown).items():
            numbers[name] = max(numbers[name], count)
    return numbers


def _survival(document: Document, substitution: Substitution) -> dict[str, float]:
    """Count residual patterns and the patient's identity in a candidate text."""
    between = outside(substitution)
    dates = list(read_dates(between, document.reference_date))
    inside = [Inside(surrogate.mention.label, surrogate.text) for surrogate in substitution.surrogates]
    patient = known_identity(document.patient)
    return {
        **residues(between, dates),
        **identity_counts(
            patient, document.patient.birth_date, substitution.text, between, inside, dates, substitution.reference_date
        ),
    }


def _pairs(document: Document, substitution: Substitution) -> list[Pair]:
    return [
        Pair(document.text[surrogate.mention.start : surrogate.mention.end], surrogate)
        for surrogate in substitution.surrogates
    ]
