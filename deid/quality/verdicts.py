"""Validation of a batch: numbers per document, judged by Great Expectations, to one verdict each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from deid.domain.outcomes import Candidate, CheckOutcome, Severity, Verdict
from deid.quality.checks import BY_NAME, CHECKS
from deid.quality.measures import measure

ROW_SUITE = "document"


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


def validate_batch(batch: Sequence[Candidate]) -> list[Verdict]:
    """Judge each candidate of `batch`, in the same order. Great Expectations sees numbers only."""
    from deid.quality.judging import judge  # seconds to import, for this step only

    numbers = [measure(candidate) for candidate in batch]
    judgements = judge(ROW_SUITE, CHECKS, numbers)
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
                )
                for found in judgements
            ),
        )
        for row, candidate in enumerate(batch)
    ]


def batch_results(verdicts: Sequence[Verdict]) -> list[CheckResult]:
    """Count the row-level checks over a batch, one line per check."""
    failures = Counter(item.check for verdict in verdicts for item in verdict.outcomes if not item.success)
    return [
        CheckResult(
            suite=ROW_SUITE,
            rule=check.name,
            severity=check.severity,
            success=failures[check.name] == 0,
            element_count=len(verdicts),
            unexpected_count=failures[check.name],
        )
        for check in CHECKS
    ]
