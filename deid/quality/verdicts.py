"""Validate a batch: measure each document, let Great Expectations judge the numbers, give each its verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from deid.domain.errors import Reason
from deid.quality.checks import BY_NAME, CHECKS, Severity
from deid.quality.measures import Checked, measure

ROW_SUITE = "document"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One check of one document: the number observed, and whether Great Expectations accepted it.

    `waived` is a failure that a person lets pass for this content (`deid.quality.waivers`).
    """

    check: str
    severity: Severity
    success: bool
    observed: float
    waived: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """Every check of one document, in the order of `deid.quality.checks.CHECKS`."""

    document_id: str
    outcomes: tuple[Outcome, ...]

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the document is held back, most telling first; empty if it may go on."""
        failed = (item for item in self.outcomes if not item.success and item.severity is Severity.CRITICAL)
        found = (BY_NAME[item.check].reason for item in failed if not item.waived)
        return tuple(dict.fromkeys(reason for reason in found if reason is not None))

    @property
    def reason(self) -> Reason | None:
        """The reason to give for quarantine, or None."""
        return next(iter(self.reasons), None)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Names of the warnings raised."""
        return tuple(item.check for item in self.outcomes if not item.success and item.severity is Severity.WARNING)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A line of deid.check_result: one rule over many elements."""

    suite: str
    rule: str
    severity: Severity
    success: bool
    element_count: int
    unexpected_count: int
    observed: float | None = None


def validate_batch(batch: Sequence[Checked]) -> list[Verdict]:
    """Judge each document of `batch`, in the same order. Numbers are all that Great Expectations sees."""
    from deid.quality.judging import judge  # seconds to import, for this step only

    numbers = [measure(checked) for checked in batch]
    judgements = judge(ROW_SUITE, CHECKS, numbers)
    return [
        Verdict(
            checked.document.id,
            tuple(
                Outcome(found.rule, found.severity, row not in found.failed_rows, numbers[row][found.rule])
                for found in judgements
            ),
        )
        for row, checked in enumerate(batch)
    ]


def batch_results(verdicts: Sequence[Verdict]) -> list[CheckResult]:
    """The row-level checks counted over a batch, one line per check."""
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
