"""Validation of a batch: numbers per candidate, judged by Great Expectations, to one verdict each."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from deid.config.policy import Hiding, Quality
from deid.domain.document import Document, Substitution
from deid.domain.labels import CONTACT
from deid.domain.outcomes import Candidate, CheckOutcome, Severity, Verdict
from deid.domain.unforeseen import log_failure
from deid.quality.checks import BY_NAME, CHECKS, checks_within
from deid.quality.clinical import clinical_counts
from deid.quality.dates import read_dates
from deid.quality.grammar import count_errors
from deid.quality.identity import Inside, identity_counts, known_identity
from deid.quality.integrity import faithfulness, integrity, is_left, markup_counts, outside, pairs_of, visible_text
from deid.quality.people import count_disagreements
from deid.quality.residues import count_other_scripts, count_overrides, count_unmarked, residues
from deid.quality.uniqueness import find_unique_people
from deid.quality.words import WORD, fold, is_foreign

log = logging.getLogger(__name__)


def measure(candidate: Candidate) -> dict[str, float]:
    """Return every number that the row-level checks judge, by check name.

    A document that cannot be measured gets infinite numbers: the document fails every check as unproven, and the others
    of its batch go on.
    """
    try:
        return {**_measure(candidate), "unmeasured": 0.0}
    except MemoryError:
        raise
    except Exception as error:
        log_failure(log, "measuring", candidate.document.id, error)
        return {**dict.fromkeys(BY_NAME, math.inf), "output_empty": 0.0}


def _measure(candidate: Candidate) -> dict[str, float]:
    document, substitution = candidate.document, candidate.substitution
    page = markup_counts(candidate.markup, substitution.text)
    numbers = {
        **integrity(document, candidate.mentions, substitution),
        **page,
        **survival(document, substitution),
        **_clinical(document, substitution),
        "unique_person": float(len(find_unique_people(substitution.text))),
        "contact_unmarked": float(count_unmarked(outside(substitution, shown=CONTACT))),
        "articles_disagree": float(count_errors(substitution)),
        "names_disagree": float(count_disagreements(document, substitution.surrogates)),
        **faithfulness(pairs_of(document.text, substitution), document.reference_date, substitution.reference_date),
        "language_foreign": float(is_foreign(fold(word) for word in WORD.findall(document.text))),
        "identity_unknown": float(known_identity(document.patient).fields == 0),
    }
    if page["markup_differs"] and candidate.markup is not None:
        shown = Substitution(text=visible_text(candidate.markup), surrogates=(), spans=())
        for name, count in survival(document, shown).items():
            numbers[name] = max(numbers[name], count)
    return numbers


def survival(document: Document, substitution: Substitution) -> dict[str, float]:
    """Count residual patterns and the patient's identity in a candidate text, or in a passage of one."""
    between, readable = outside(substitution), outside(substitution, left=True)
    dates = list(read_dates(between, document.reference_date))
    read = dates if readable == between else list(read_dates(readable, document.reference_date))
    inside = [
        Inside(surrogate.mention.label, surrogate.text)
        for surrogate in substitution.surrogates
        if not is_left(surrogate)
    ]
    patient = known_identity(document.patient)
    return {
        **residues(between, dates),
        # Surrogates too: a letter that substitution cannot read stays in its place.
        "residual_script": float(count_other_scripts(substitution.text)),
        "order_overridden": float(count_overrides(document.text)),
        **identity_counts(
            patient, document.patient.birth_date, substitution.text, readable, inside, read, substitution.reference_date
        ),
    }


def _clinical(document: Document, substitution: Substitution) -> dict[str, float]:
    counts = clinical_counts(document, substitution)
    return {**counts, "clinical_value_changed": counts["clinical_content_changed"]}


ROW_SUITE = "document"
DEFAULT = Quality()


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Line of deid.check_result: one rule over many elements."""

    suite: str
    rule: str
    severity: Severity
    success: bool
    element_count: int
    unexpected_count: int
    observed: float | None = None


def validate_batch(batch: Sequence[Candidate], limits: Quality = DEFAULT, hiding: Hiding = "natural") -> list[Verdict]:
    """Judge each candidate of `batch`, in the same order. Great Expectations sees numbers only.

    A verdict is that of the candidate alone: what stands beside it in a batch is chance, and so would be the verdict.
    `limits` says how many clinical values may change before a document warns, and before it is held back; under
    `hiding` "marked", a contact without the mark of surrogates holds it back.
    """
    from deid.quality.judging import judge  # seconds to import, for this step only

    numbers = [measure(candidate) for candidate in batch]
    judgements = judge(ROW_SUITE, checks_within(limits, hiding), numbers)
    unsought = [
        frozenset() if measured["unmeasured"] else known_identity(candidate.document.patient).unsought
        for candidate, measured in zip(batch, numbers, strict=True)
    ]
    return [
        Verdict(
            candidate.document.id,
            tuple(
                CheckOutcome(
                    found.rule,
                    found.severity,
                    row not in found.failed_rows,
                    numbers[row][found.rule],
                    BY_NAME[found.rule].reason,
                    compared=row in found.failed_rows or found.rule not in unsought[row],
                )
                for found in judgements
            ),
        )
        for row, candidate in enumerate(batch)
    ]


def batch_results(verdicts: Sequence[Verdict]) -> list[CheckResult]:
    """Count the row-level checks over a batch, one line per check: documents that it could compare, and failures."""
    failures = Counter(item.check for verdict in verdicts for item in verdict.outcomes if not item.success)
    compared = Counter(item.check for verdict in verdicts for item in verdict.outcomes if item.compared)
    return [
        CheckResult(
            suite=ROW_SUITE,
            rule=check.name,
            severity=check.severity,
            success=failures[check.name] == 0,
            element_count=compared[check.name],
            unexpected_count=failures[check.name],
        )
        for check in CHECKS
    ]
