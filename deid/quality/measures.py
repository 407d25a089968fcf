"""Turn one de-identified document into numbers: everything that is judged about it, and nothing else of it."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass

from deid.domain.document import Document, Mention, Substitution
from deid.quality.calendar_reader import readings
from deid.quality.checks import BY_NAME
from deid.quality.faithfulness import Pair, faithfulness
from deid.quality.folding import WORD, fold
from deid.quality.identity import Inside, identity_counts
from deid.quality.integrity import integrity, markup_counts, outside, visible_text
from deid.quality.known import known
from deid.quality.language import is_foreign
from deid.quality.residues import residues

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Checked:
    """A document with what became of it: source and patient, mentions found, candidate text, rewritten page.

    `markup` is None where the source is plain text.
    """

    document: Document
    mentions: tuple[Mention, ...]
    substitution: Substitution
    markup: str | None = None


def measure(checked: Checked) -> dict[str, float]:
    """Every number that the row-level checks judge, by check name.

    A document that cannot be measured, whatever the cause, gets infinite numbers: nothing of it is proven, so it
    fails every check, and the others of its batch go on.
    """
    try:
        return {**_measure(checked), "unmeasured": 0.0}
    except Exception as error:
        # The kind of error only: its message may quote the document.
        log.warning("document %s cannot be measured: %s", checked.document.id, type(error).__name__)
        return {**dict.fromkeys(BY_NAME, math.inf), "output_empty": 0.0}


def _measure(checked: Checked) -> dict[str, float]:
    document, candidate = checked.document, checked.substitution
    page = markup_counts(checked.markup, candidate.text)
    numbers = {
        **integrity(document, checked.mentions, candidate),
        **page,
        **_survival(document, candidate),
        **faithfulness(_pairs(document, candidate), document.reference_date, candidate.reference_date),
        "language_foreign": float(is_foreign(fold(word) for word in WORD.findall(document.text))),
        "identity_unknown": float(known(document.patient).fields == 0),
    }
    if page["markup_differs"] and checked.markup is not None:
        shown = Substitution(text=visible_text(checked.markup), surrogates=(), spans=())
        for name, count in _survival(document, shown).items():
            numbers[name] = max(numbers[name], count)
    return numbers


def _survival(document: Document, candidate: Substitution) -> dict[str, float]:
    """Residual patterns and the patient's identity in a candidate text."""
    between = outside(candidate)
    dates = list(readings(between, document.reference_date))
    inside = [Inside(surrogate.mention.label, surrogate.text) for surrogate in candidate.surrogates]
    patient = known(document.patient)
    return {
        **residues(between, dates),
        **identity_counts(
            patient, document.patient.birth_date, candidate.text, between, inside, dates, candidate.reference_date
        ),
    }


def _pairs(document: Document, candidate: Substitution) -> list[Pair]:
    return [
        Pair(document.text[surrogate.mention.start : surrogate.mention.end], surrogate)
        for surrogate in candidate.surrogates
    ]
