"""Validation independent of detection: candidates to numbers, numbers to verdicts, runs to check results."""

from deid.quality.checks import CHECKS, Check
from deid.quality.measures import DEFAULT, CheckResult, batch_results, measure, validate_batch

__all__ = ["CHECKS", "DEFAULT", "Check", "CheckResult", "batch_results", "measure", "validate_batch"]
