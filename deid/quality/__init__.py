"""Validation independent of detection: documents to numbers, numbers to verdicts, runs to check results."""

from deid.quality.checks import CHECKS, Check, Severity
from deid.quality.measures import Checked, measure
from deid.quality.verdicts import CheckResult, Outcome, Verdict, batch_results, validate_batch

__all__ = [
    "CHECKS",
    "Check",
    "CheckResult",
    "Checked",
    "Outcome",
    "Severity",
    "Verdict",
    "batch_results",
    "measure",
    "validate_batch",
]
